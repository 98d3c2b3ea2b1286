/// The format of sound, an `AudioFormatID`.
public let AVFormatIDKey = "AVFormatIDKey"
/// Samples a second, a number.
public let AVSampleRateKey = "AVSampleRateKey"
/// The number of channels.
public let AVNumberOfChannelsKey = "AVNumberOfChannelsKey"
/// An `AudioChannelLayout` as bytes.
public let AVChannelLayoutKey = "AVChannelLayoutKey"
/// Bits of a linear PCM sample: 16, 24 or 32.
public let AVLinearPCMBitDepthKey = "AVLinearPCMBitDepthKey"
/// Whether linear PCM samples are floating point.
public let AVLinearPCMIsFloatKey = "AVLinearPCMIsFloatKey"
/// Whether linear PCM samples are big-endian.
public let AVLinearPCMIsBigEndianKey = "AVLinearPCMIsBigEndianKey"
/// Whether each channel of linear PCM has a plane of its own.
public let AVLinearPCMIsNonInterleaved = "AVLinearPCMIsNonInterleaved"
/// Bits a second, a number.
public let AVEncoderBitRateKey = "AVEncoderBitRateKey"
public let AVEncoderBitRatePerChannelKey = "AVEncoderBitRatePerChannelKey"
public let AVEncoderAudioQualityKey = "AVEncoderQualityKey"
public let AVSampleRateConverterAudioQualityKey = "AVSampleRateConverterQualityKey"
