internal import Codecs
internal import CoreMedia
internal import CoreVideo
internal import Foundation

/// How an input compresses sound: its output settings, understood.
struct SoundCompression {
  let encoder: AudioEncoderSettings

  /// Reads the settings of an input. Throws `AVError` naming the key that is wrong.
  init(_ settings: [String: Any], fileType: AVFileType) throws {
    var reader = SettingsReader(settings, of: "the input for sound")
    let codec = Self.codec(&reader, fileType)
    for key in [AVSampleRateKey, AVNumberOfChannelsKey] where !reader.has(key) { reader.refuse(key, "is missing") }
    let sampleRate = reader.real(AVSampleRateKey, in: 8000...192_000) ?? 48_000
    let channels = reader.integer(AVNumberOfChannelsKey, in: 1...64) ?? 2
    let total = reader.integer(AVEncoderBitRateKey, in: 8000...2_000_000)
    let each = reader.integer(AVEncoderBitRatePerChannelKey, in: 8000...512_000)
    reader.ignore(AVChannelLayoutKey, AVEncoderAudioQualityKey, AVSampleRateConverterAudioQualityKey)
    try reader.finish()
    encoder = AudioEncoderSettings(
      codec: codec, sampleRate: sampleRate, channels: channels, bitRate: total ?? each.map { $0 * channels })
    do { _ = try AudioEncoder(encoder) } catch {
      throw AVError(
        .unsupportedOutputSettings, "The settings of an input for sound cannot be had: \(error)", underlying: error)
    }
  }

  private static func codec(_ reader: inout SettingsReader, _ fileType: AVFileType) -> AudioEncoderSettings.Codec {
    let isFloat = reader.flag(AVLinearPCMIsFloatKey) ?? false
    let bits = reader.integer(AVLinearPCMBitDepthKey, in: 8...64) ?? (isFloat ? 32 : 16)
    let isBigEndian = reader.flag(AVLinearPCMIsBigEndianKey) ?? false
    if reader.flag(AVLinearPCMIsNonInterleaved) == true {
      reader.refuse(AVLinearPCMIsNonInterleaved, "must be false: a movie holds interleaved sound")
    }
    switch reader.codes(AVFormatIDKey) {
    case [kAudioFormatMPEG4AAC]: return .aac
    case [kAudioFormatLinearPCM] where fileType == .mov:
      return .pcm(bits: bits, isFloat: isFloat, isBigEndian: isBigEndian)
    default:
      reader.refuse(AVFormatIDKey, "must be kAudioFormatMPEG4AAC, or in a .mov kAudioFormatLinearPCM")
      return .aac
    }
  }
}

/// Compresses sound into a track. Used by one thread at a time.
final class SoundPipeline: InputPipeline, @unchecked Sendable {
  private let track: WrittenTrack
  private let encoder: AudioEncoder

  init(track: WrittenTrack, compression: SoundCompression) throws {
    self.track = track
    encoder = try AudioEncoder(compression.encoder)
  }

  func append(_ buffer: CMSampleBuffer) throws {
    try describing(buffer.presentationTimeStamp) { try store(encoder.encode(buffer)) }
  }

  func finish() throws {
    try describing(.invalid) { try store(encoder.finish()) }
    try track.finish()
  }

  private func store(_ buffers: [CMSampleBuffer]) throws {
    for buffer in buffers { try track.append(buffer) }
  }

  private func describing(_ time: CMTime, _ body: () throws -> Void) throws {
    do { try body() } catch let error as CodecError {
      let place = time.isNumeric ? "The sound at \(time.seconds) s" : "The end of the sound"
      throw AVError(.unknown, "\(place) cannot be compressed: \(error)", time: time, underlying: error)
    }
  }
}
