internal import CoreVideo

extension SettingsReader {
  /// Keys that only mean something for pictures.
  static let pictureKeys = [
    kCVPixelBufferPixelFormatTypeKey, kCVPixelBufferWidthKey, kCVPixelBufferHeightKey, AVVideoWidthKey,
    AVVideoHeightKey,
    AVVideoAllowWideColorKey, AVVideoColorPropertiesKey,
  ]
  /// Keys that only mean something for sound.
  static let soundKeys = [
    AVFormatIDKey, AVSampleRateKey, AVNumberOfChannelsKey, AVChannelLayoutKey, AVLinearPCMBitDepthKey,
    AVLinearPCMIsFloatKey, AVLinearPCMIsBigEndianKey, AVLinearPCMIsNonInterleaved,
  ]
  private static let compressionKeys = [
    AVVideoCodecKey, AVVideoCompressionPropertiesKey, AVEncoderBitRateKey, AVEncoderBitRatePerChannelKey,
    AVEncoderAudioQualityKey,
  ]
  private static let conversionKeys = [
    AVVideoCleanApertureKey, AVVideoPixelAspectRatioKey, AVVideoScalingModeKey, AVSampleRateConverterAudioQualityKey,
  ]

  /// Notes keys that ask for a compressed result, or for conversions that are the writer's.
  mutating func refuseWhatNoOutputTakes() {
    refuse(
      anyOf: Self.compressionKeys,
      "asks for a compressed result, which an output never gives; leave it out, or give nil for stored samples.")
    refuse(anyOf: Self.conversionKeys, "is not supported for an output of a track; leave it out.")
  }
}
