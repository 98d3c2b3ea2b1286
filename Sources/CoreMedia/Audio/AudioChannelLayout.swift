internal import Foundation

/// One channel of a layout: its label, and a place in space where the label asks for one.
public struct AudioChannelDescription: Hashable, Sendable {
  public var mChannelLabel: AudioChannelLabel
  public var mChannelFlags: UInt32
  /// Distance, or azimuth, elevation and distance, in degrees and metres, as the flags say.
  public var mCoordinates: Coordinates

  public struct Coordinates: Hashable, Sendable {
    public var x: Float
    public var y: Float
    public var z: Float
    public init(_ x: Float = 0, _ y: Float = 0, _ z: Float = 0) { (self.x, self.y, self.z) = (x, y, z) }
  }

  public init(
    mChannelLabel: AudioChannelLabel = 0, mChannelFlags: UInt32 = 0, mCoordinates: Coordinates = Coordinates()
  ) {
    self.mChannelLabel = mChannelLabel
    self.mChannelFlags = mChannelFlags
    self.mCoordinates = mCoordinates
  }
}

/// The head of a layout as the C interface stores it: `mNumberChannelDescriptions` descriptions lie in a row from the
/// last field on.
public struct AudioChannelLayout: Hashable, Sendable {
  public var mChannelLayoutTag: AudioChannelLayoutTag
  public var mChannelBitmap: AudioChannelBitmap
  public var mNumberChannelDescriptions: UInt32
  public var mChannelDescriptions: AudioChannelDescription

  public init(
    mChannelLayoutTag: AudioChannelLayoutTag = 0, mChannelBitmap: AudioChannelBitmap = 0,
    mNumberChannelDescriptions: UInt32 = 0,
    mChannelDescriptions: AudioChannelDescription = AudioChannelDescription()
  ) {
    self.mChannelLayoutTag = mChannelLayoutTag
    self.mChannelBitmap = mChannelBitmap
    self.mNumberChannelDescriptions = mNumberChannelDescriptions
    self.mChannelDescriptions = mChannelDescriptions
  }
}

/// Which loudspeaker or component each channel of a stream is.
public struct ManagedAudioChannelLayout: Hashable, Sendable {
  public var tag: AudioChannelLayoutTag
  public var bitmap: AudioChannelBitmap
  public var channelDescriptions: [AudioChannelDescription]

  public init(
    tag: AudioChannelLayoutTag, bitmap: AudioChannelBitmap = 0, channelDescriptions: [AudioChannelDescription] = []
  ) {
    self.tag = tag
    self.bitmap = bitmap
    self.channelDescriptions = channelDescriptions
  }

  /// How many channels the layout has.
  public var channelCount: Int {
    switch tag {
    case kAudioChannelLayoutTag_UseChannelDescriptions: channelDescriptions.count
    case kAudioChannelLayoutTag_UseChannelBitmap: bitmap.nonzeroBitCount
    default: Int(AudioChannelLayoutTag_GetNumberOfChannels(tag))
    }
  }
}

public func AudioChannelLayoutTag_GetNumberOfChannels(_ layoutTag: AudioChannelLayoutTag) -> UInt32 {
  layoutTag & 0xffff
}

public let kAudioChannelLayoutTag_UseChannelDescriptions: AudioChannelLayoutTag = 0
public let kAudioChannelLayoutTag_UseChannelBitmap: AudioChannelLayoutTag = 1 << 16
public let kAudioChannelLayoutTag_Mono: AudioChannelLayoutTag = 100 << 16 | 1
public let kAudioChannelLayoutTag_Stereo: AudioChannelLayoutTag = 101 << 16 | 2
public let kAudioChannelLayoutTag_StereoHeadphones: AudioChannelLayoutTag = 102 << 16 | 2
public let kAudioChannelLayoutTag_Binaural: AudioChannelLayoutTag = 106 << 16 | 2
public let kAudioChannelLayoutTag_Ambisonic_B_Format: AudioChannelLayoutTag = 107 << 16 | 4
public let kAudioChannelLayoutTag_Quadraphonic: AudioChannelLayoutTag = 108 << 16 | 4
public let kAudioChannelLayoutTag_MPEG_3_0_A: AudioChannelLayoutTag = 113 << 16 | 3
public let kAudioChannelLayoutTag_MPEG_4_0_A: AudioChannelLayoutTag = 115 << 16 | 4
public let kAudioChannelLayoutTag_MPEG_5_0_A: AudioChannelLayoutTag = 117 << 16 | 5
public let kAudioChannelLayoutTag_MPEG_5_1_A: AudioChannelLayoutTag = 121 << 16 | 6
public let kAudioChannelLayoutTag_MPEG_5_1_D: AudioChannelLayoutTag = 124 << 16 | 6
public let kAudioChannelLayoutTag_MPEG_7_1_C: AudioChannelLayoutTag = 184 << 16 | 8
public let kAudioChannelLayoutTag_DiscreteInOrder: AudioChannelLayoutTag = 147 << 16
/// Higher-order ambisonics in ACN order with SN3D normalisation; or in the number of channels, (order + 1)².
public let kAudioChannelLayoutTag_HOA_ACN_SN3D: AudioChannelLayoutTag = 190 << 16
public let kAudioChannelLayoutTag_HOA_ACN_N3D: AudioChannelLayoutTag = 191 << 16
public let kAudioChannelLayoutTag_Unknown: AudioChannelLayoutTag = 0xffff_0000

public let kAudioChannelLabel_Unknown: AudioChannelLabel = 0xffff_ffff
public let kAudioChannelLabel_Left: AudioChannelLabel = 1
public let kAudioChannelLabel_Right: AudioChannelLabel = 2
public let kAudioChannelLabel_Center: AudioChannelLabel = 3
public let kAudioChannelLabel_LFEScreen: AudioChannelLabel = 4
public let kAudioChannelLabel_LeftSurround: AudioChannelLabel = 5
public let kAudioChannelLabel_RightSurround: AudioChannelLabel = 6
public let kAudioChannelLabel_CenterSurround: AudioChannelLabel = 9
public let kAudioChannelLabel_Mono: AudioChannelLabel = 42
public let kAudioChannelLabel_Discrete: AudioChannelLabel = 400

// MARK: - As bytes

extension ManagedAudioChannelLayout {
  static let headByteCount = 12

  /// The layout as the C interface stores it, in the machine's byte order; null where the bytes are too few.
  init?(bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= Self.headByteCount else { return nil }
    let count = Int(bytes.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
    let stride = MemoryLayout<AudioChannelDescription>.stride
    guard count <= (bytes.count - Self.headByteCount) / stride else { return nil }
    self.init(
      tag: bytes.loadUnaligned(as: UInt32.self), bitmap: bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self),
      channelDescriptions: (0..<count).map {
        bytes.loadUnaligned(fromByteOffset: Self.headByteCount + $0 * stride, as: AudioChannelDescription.self)
      })
  }

  /// The bytes that `init(bytes:)` reads; at least as many as an `AudioChannelLayout` has, so that a pointer to it may
  /// be read whole.
  var data: Data {
    var data = Data()
    for word in [tag, bitmap, UInt32(channelDescriptions.count)] {
      withUnsafeBytes(of: word) { data.append(contentsOf: $0) }
    }
    channelDescriptions.withUnsafeBytes { data.append(contentsOf: $0) }
    if channelDescriptions.isEmpty { data.append(Data(count: MemoryLayout<AudioChannelDescription>.stride)) }
    return data
  }
}
