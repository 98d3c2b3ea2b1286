internal import CFFmpeg
internal import CoreMedia
internal import CoreVideo
internal import Foundation

/// How uncompressed sound is stored, and its way to and from the interleaved native samples that libswresample takes.
struct PCMLayout: Sendable, Hashable {
  enum Sample: Sendable, Hashable {
    case unsigned8, signed8, signed16, signed24, signed32, float32, float64

    var byteCount: Int {
      switch self {
      case .unsigned8, .signed8: 1
      case .signed16: 2
      case .signed24: 3
      case .signed32, .float32: 4
      case .float64: 8
      }
    }
  }

  let sample: Sample
  let isBigEndian: Bool
  let sampleRate: Double
  let channels: Int

  var bytesPerFrame: Int { sample.byteCount * channels }

  /// Sound of at most 64 channels, interleaved; nil for what is stored in another way.
  init?(_ stream: AudioStreamBasicDescription) {
    guard stream.mFormatID == kAudioFormatLinearPCM, (1...64).contains(stream.mChannelsPerFrame),
      stream.mSampleRate.isFinite, (1...768_000).contains(stream.mSampleRate),
      stream.mFormatFlags & kAudioFormatFlagIsNonInterleaved == 0 || stream.mChannelsPerFrame == 1
    else { return nil }
    let isFloat = stream.mFormatFlags & kAudioFormatFlagIsFloat != 0
    let isSigned = stream.mFormatFlags & kAudioFormatFlagIsSignedInteger != 0
    switch (stream.mBitsPerChannel, isFloat, isSigned) {
    case (8, false, false): sample = .unsigned8
    case (8, false, true): sample = .signed8
    case (16, false, true): sample = .signed16
    case (24, false, true): sample = .signed24
    case (32, false, true): sample = .signed32
    case (32, true, _): sample = .float32
    case (64, true, _): sample = .float64
    default: return nil
    }
    channels = Int(stream.mChannelsPerFrame)
    guard [0, UInt32(sample.byteCount * channels)].contains(stream.mBytesPerFrame) else { return nil }
    isBigEndian = stream.mFormatFlags & kAudioFormatFlagIsBigEndian != 0
    sampleRate = stream.mSampleRate
  }

  init(sample: Sample, isBigEndian: Bool = false, sampleRate: Double, channels: Int) {
    self.sample = sample
    self.isBigEndian = isBigEndian
    self.sampleRate = sampleRate
    self.channels = channels
  }

  var streamDescription: AudioStreamBasicDescription {
    let isFloat = sample == .float32 || sample == .float64
    var flags = kAudioFormatFlagIsPacked | (isFloat ? kAudioFormatFlagIsFloat : kAudioFormatFlagIsSignedInteger)
    if sample == .unsigned8 { flags = kAudioFormatFlagIsPacked }
    if isBigEndian { flags |= kAudioFormatFlagIsBigEndian }
    return AudioStreamBasicDescription(
      mSampleRate: sampleRate, mFormatID: kAudioFormatLinearPCM, mFormatFlags: flags,
      mBytesPerPacket: UInt32(bytesPerFrame), mFramesPerPacket: 1, mBytesPerFrame: UInt32(bytesPerFrame),
      mChannelsPerFrame: UInt32(channels), mBitsPerChannel: UInt32(sample.byteCount * 8), mReserved: 0)
  }

  /// The library's interleaved sample format that holds all of it.
  var native: AVSampleFormat {
    switch sample {
    case .unsigned8, .signed8: AV_SAMPLE_FMT_U8
    case .signed16: AV_SAMPLE_FMT_S16
    case .signed24, .signed32: AV_SAMPLE_FMT_S32
    case .float32: AV_SAMPLE_FMT_FLT
    case .float64: AV_SAMPLE_FMT_DBL
    }
  }

  /// Stored bytes as native samples.
  func loaded(_ data: Data) -> Data {
    switch sample {
    case .signed8: Data(data.map { $0 ^ 0x80 })
    case .signed24: PCMLayout.widened(data, isBigEndian)
    default: isBigEndian ? PCMLayout.swapped(data, sample.byteCount) : data
    }
  }

  /// Native samples as stored bytes.
  func stored(_ data: Data) -> Data {
    switch sample {
    case .signed8: Data(data.map { $0 ^ 0x80 })
    case .signed24: PCMLayout.narrowed(data, isBigEndian)
    default: isBigEndian ? PCMLayout.swapped(data, sample.byteCount) : data
    }
  }

  private static func swapped(_ data: Data, _ size: Int) -> Data {
    guard size > 1 else { return data }
    var bytes = [UInt8](data.prefix(data.count / size * size))
    for start in stride(from: 0, to: bytes.count, by: size) { bytes[start..<start + size].reverse() }
    return Data(bytes)
  }

  /// 24 bits into the upper bits of 32.
  private static func widened(_ data: Data, _ isBigEndian: Bool) -> Data {
    let bytes = [UInt8](data)
    var out = [UInt8](repeating: 0, count: bytes.count / 3 * 4)
    for index in 0..<bytes.count / 3 {
      for part in 0..<3 { out[index * 4 + 1 + part] = bytes[index * 3 + (isBigEndian ? 2 - part : part)] }
    }
    return Data(out)
  }

  private static func narrowed(_ data: Data, _ isBigEndian: Bool) -> Data {
    let bytes = [UInt8](data)
    var out = [UInt8](repeating: 0, count: bytes.count / 4 * 3)
    for index in 0..<bytes.count / 4 {
      for part in 0..<3 { out[index * 3 + (isBigEndian ? 2 - part : part)] = bytes[index * 4 + 1 + part] }
    }
    return Data(out)
  }
}

extension ManagedAudioChannelLayout {
  /// The layout of decoded sound, whose channels lie in the library's order; nil where no tag says that order.
  static func decoded(channels: Int) -> ManagedAudioChannelLayout? {
    let tag: AudioChannelLayoutTag? =
      switch channels {
      case 1: kAudioChannelLayoutTag_Mono
      case 2: kAudioChannelLayoutTag_Stereo
      case 6: kAudioChannelLayoutTag_MPEG_5_1_A
      default: nil
      }
    return tag.map { ManagedAudioChannelLayout(tag: $0) }
  }
}
