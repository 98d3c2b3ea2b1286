/// What shaders know of a batch of frames; the same as `Batch` in `Shaders/batch.glsl`, field by field.
struct BatchLayout: BitwiseCopyable {
  var bytes: UInt64 = 0
  var sliceOffsets: UInt64 = 0
  var slices: UInt64 = 0
  var levels = [3 of UInt64](repeating: 0)
  var dcs = [3 of UInt64](repeating: 0)
  var pictures: UInt64 = 0
  var frames: UInt64 = 0
  var width: UInt32 = 0
  var height: UInt32 = 0
  var macroblocksAcross: UInt32 = 0
  var pitches = [4 of UInt32](repeating: 0)
  var targetPitches = [3 of UInt32](repeating: 0)
  var depth: UInt32 = 0
  var lumaOffset: Float = 0
  var lumaScale: Float = 0
  var redOfRed: Float = 0
  var greenOfBlue: Float = 0
  var greenOfRed: Float = 0
  var blueOfBlue: Float = 0
  var scan = [64 of UInt32](repeating: 0)
}

/// `Picture` of the shaders.
struct PictureLayout: BitwiseCopyable {
  var firstSlice: UInt32 = 0
  var sliceCount: UInt32 = 0
  var firstOffset: UInt32 = 0
  var firstMacroblock: UInt32 = 0
  var firstRow: UInt32 = 0
  var rowStep: UInt32 = 0
  var rows: UInt32 = 0
  var frame: UInt32 = 0
  var slicesAcross: UInt32 = 0
  var wideSlices: UInt32 = 0
  var log2Width: UInt32 = 0
}

/// `Frame` of the shaders.
struct FrameLayout: BitwiseCopyable {
  var planes = [4 of UInt64](repeating: 0)
  var targets = [3 of UInt64](repeating: 0)
  var dcWeights = [2 of UInt32](repeating: 0)
  var weights = [128 of Float](repeating: 0)
}

/// Numbers that the shaders have too.
enum ShaderNumbers {
  static let damagedBit: UInt32 = 1 << 31
  /// Invocations of a group that read planes, and alpha.
  static let entropyGroup = 64
  static let alphaGroup = 32
  /// Invocations of a group that packs, across and down.
  static let packGroup = (width: 64, height: 4)
}
