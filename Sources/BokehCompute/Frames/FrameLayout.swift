/// What shaders know of a frame; the same as `Frame` in `Shaders/frame.glsl`, field by field.
struct FrameLayout: BitwiseCopyable {
  var source = [4 of UInt64](repeating: 0)
  var target = [4 of UInt64](repeating: 0)
  var disparity: UInt64 = 0
  var codes: UInt64 = 0
  var light: UInt64 = 0
  var signal: UInt64 = 0
  var halfWidths: UInt64 = 0
  var spans: UInt64 = 0
  var surroundings: UInt64 = 0
  var tones = [3 of UInt64](repeating: 0)
  var circle: UInt64 = 0
  var samples: UInt64 = 0
  var raw: UInt64 = 0
  var linear: UInt64 = 0
  var picture: UInt64 = 0
  var untouched: UInt64 = 0
  var partKeys: UInt64 = 0
  var partColors: UInt64 = 0
  var guide: UInt64 = 0
  var refined: UInt64 = 0
  var slopes: UInt64 = 0
  var edges: UInt64 = 0
  var past: UInt64 = 0
  var pastGuide: UInt64 = 0
  var holeValues: UInt64 = 0
  var holeWeights: UInt64 = 0
  var nearEdgeAcross: UInt64 = 0
  var nearEdge: UInt64 = 0
  var hidden: UInt64 = 0
  var detail: UInt64 = 0
  var halfKeys: UInt64 = 0
  var halfPicture: UInt64 = 0
  /// Those of the picture, then those of the layer behind near objects.
  var levels = [22 of LevelLayout](repeating: LevelLayout())
  var sourceOffset = [4 of UInt32](repeating: 0)
  var sourcePitch = [4 of UInt32](repeating: 0)
  var sourceStep = [4 of UInt32](repeating: 0)
  var targetPitch = [4 of UInt32](repeating: 0)
  var storedSize = SIMD2<UInt32>.zero
  var shownSize = SIMD2<UInt32>.zero
  var size = SIMD2<UInt32>.zero
  var sampleSize = SIMD2<UInt32>.zero
  var disparityPitch: UInt32 = 0
  var untouchedPitch: UInt32 = 0
  var turn = [4 of Int32](repeating: 0)
  var sourceLuma = SIMD2<Float>.zero
  var targetLuma = SIMD2<Float>.zero
  var siting = SIMD2<Float>.zero
  var sourceRange = [4 of Float](repeating: 0)
  var targetRange = [4 of Float](repeating: 0)
  var targetLimits = SIMD2<Float>.zero
  var lightStepsPerUnit: Float = 0
  var signalSlopeAtZero: Float = 0
  var toneSlopes = [3 of Float](repeating: 0)
  var toneScale: Float = 0
  var toBT2020 = [9 of Float](repeating: 0)
  var toBT709 = [9 of Float](repeating: 0)
  var focus: Float = 0
  var radiusPerDisparity: Float = 0
  var edgeShare: Float = 0
  var tolerance: Float = 0
  var bandLower: UInt32 = 0
  var bandUpper: UInt32 = 0
  var laterUpper: UInt32 = 0
  var lastLevel: UInt32 = 0
  var hiddenLevel: UInt32 = 0
  var copies: UInt32 = 0
  var baseLevel: UInt32 = 0
  var stretch: Float = 1
  var mostDrawn: Float = 0
  var vignetting: Float = 0
  var highlights: Float = 0

  /// `levelCount` of the shaders.
  static let levelCount = 11
}

/// One resolution's planes, as `Level` of the shaders.
struct LevelLayout: BitwiseCopyable {
  var keys: UInt64 = 0
  var colors: UInt64 = 0
  var tiles: UInt64 = 0
  var front: UInt64 = 0
  var near: UInt64 = 0
  var far: UInt64 = 0
  var back: UInt64 = 0
  var size = SIMD2<UInt32>.zero
  var tileCount = SIMD2<UInt32>.zero
}

/// Numbers that the shaders have too.
enum ShaderNumbers {
  /// Pixels of the tile that a group of invocations fills.
  static let tile = (width: 32, height: 16)
  /// The radius in pixels up to which a resolution draws discs.
  static let mostRadius = 8
  /// The same of discs that are not plain round ones, whose corners reach farther.
  static let mostShapedRadius = 7
  static let slotsPerBlock = 4
  static let bytesPerTile = 32
  /// Of `Circle`, and where the groups of level 0 are in it.
  static let circleBytes = groupsOffset + 2 * 16 * FrameLayout.levelCount + 4 * 1024
  static let groupsOffset = 48 + 4 * 4 * FrameLayout.levelCount
}
