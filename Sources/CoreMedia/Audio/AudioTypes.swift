public typealias AudioFormatID = UInt32
public typealias AudioFormatFlags = UInt32
public typealias AudioChannelLayoutTag = UInt32
public typealias AudioChannelLabel = UInt32
public typealias AudioChannelBitmap = UInt32

/// How sampled sound is stored. A field that does not apply, such as bytes a packet of a variable rate, is zero.
public struct AudioStreamBasicDescription: Hashable, Sendable {
  /// Sample frames a second.
  public var mSampleRate: Double
  public var mFormatID: AudioFormatID
  public var mFormatFlags: AudioFormatFlags
  public var mBytesPerPacket: UInt32
  public var mFramesPerPacket: UInt32
  public var mBytesPerFrame: UInt32
  public var mChannelsPerFrame: UInt32
  public var mBitsPerChannel: UInt32
  public var mReserved: UInt32

  public init() {
    self.init(
      mSampleRate: 0, mFormatID: 0, mFormatFlags: 0, mBytesPerPacket: 0, mFramesPerPacket: 0, mBytesPerFrame: 0,
      mChannelsPerFrame: 0, mBitsPerChannel: 0, mReserved: 0)
  }

  public init(
    mSampleRate: Double, mFormatID: AudioFormatID, mFormatFlags: AudioFormatFlags, mBytesPerPacket: UInt32,
    mFramesPerPacket: UInt32, mBytesPerFrame: UInt32, mChannelsPerFrame: UInt32, mBitsPerChannel: UInt32,
    mReserved: UInt32
  ) {
    self.mSampleRate = mSampleRate
    self.mFormatID = mFormatID
    self.mFormatFlags = mFormatFlags
    self.mBytesPerPacket = mBytesPerPacket
    self.mFramesPerPacket = mFramesPerPacket
    self.mBytesPerFrame = mBytesPerFrame
    self.mChannelsPerFrame = mChannelsPerFrame
    self.mBitsPerChannel = mBitsPerChannel
    self.mReserved = mReserved
  }
}

/// Where a packet of a variable rate lies, and how many frames it has (0: as the format says).
public struct AudioStreamPacketDescription: Hashable, Sendable {
  public var mStartOffset: Int64
  public var mVariableFramesInPacket: UInt32
  public var mDataByteSize: UInt32

  public init() { self.init(mStartOffset: 0, mVariableFramesInPacket: 0, mDataByteSize: 0) }
  public init(mStartOffset: Int64, mVariableFramesInPacket: UInt32, mDataByteSize: UInt32) {
    self.mStartOffset = mStartOffset
    self.mVariableFramesInPacket = mVariableFramesInPacket
    self.mDataByteSize = mDataByteSize
  }
}

public let kAudioFormatLinearPCM: AudioFormatID = 0x6c70_636d  // lpcm
public let kAudioFormatMPEG4AAC: AudioFormatID = 0x6161_6320  // 'aac '
public let kAudioFormatMPEG4AAC_HE: AudioFormatID = 0x6161_6368  // aach
public let kAudioFormatMPEG4AAC_HE_V2: AudioFormatID = 0x6161_6370  // aacp
public let kAudioFormatMPEG4AAC_LD: AudioFormatID = 0x6161_636c  // aacl
public let kAudioFormatMPEG4AAC_ELD: AudioFormatID = 0x6161_6365  // aace
public let kAudioFormatAppleLossless: AudioFormatID = 0x616c_6163  // alac
public let kAudioFormatAPAC: AudioFormatID = 0x6170_6163  // apac
public let kAudioFormatAC3: AudioFormatID = 0x6163_2d33  // ac-3
public let kAudioFormatEnhancedAC3: AudioFormatID = 0x6563_2d33  // ec-3
public let kAudioFormatOpus: AudioFormatID = 0x6f70_7573  // opus
public let kAudioFormatFLAC: AudioFormatID = 0x666c_6163  // flac
public let kAudioFormatMPEGLayer3: AudioFormatID = 0x2e6d_7033  // .mp3
public let kAudioFormatMPEGLayer2: AudioFormatID = 0x2e6d_7032  // .mp2
public let kAudioFormatULaw: AudioFormatID = 0x756c_6177  // ulaw
public let kAudioFormatALaw: AudioFormatID = 0x616c_6177  // alaw
public let kAudioFormatAMR: AudioFormatID = 0x7361_6d72  // samr

public let kAudioFormatFlagIsFloat: AudioFormatFlags = 1 << 0
public let kAudioFormatFlagIsBigEndian: AudioFormatFlags = 1 << 1
public let kAudioFormatFlagIsSignedInteger: AudioFormatFlags = 1 << 2
public let kAudioFormatFlagIsPacked: AudioFormatFlags = 1 << 3
public let kAudioFormatFlagIsAlignedHigh: AudioFormatFlags = 1 << 4
public let kAudioFormatFlagIsNonInterleaved: AudioFormatFlags = 1 << 5
public let kAudioFormatFlagIsNonMixable: AudioFormatFlags = 1 << 6
public let kAudioFormatFlagsAreAllClear: AudioFormatFlags = 1 << 31
/// The byte order of the machine; every Linux machine Swift runs on is little-endian.
public let kAudioFormatFlagsNativeEndian: AudioFormatFlags = 0
public let kAudioFormatFlagsNativeFloatPacked: AudioFormatFlags = kAudioFormatFlagIsFloat | kAudioFormatFlagIsPacked
