internal import Codecs
internal import CoreMedia
internal import CoreVideo
internal import Foundation

/// How an output gives sound: linear PCM, as its settings say.
struct SoundSettings {
  private var sampleRate: Double?
  private var channels: Int?
  private var bits: Int
  private var isFloat: Bool
  private var isBigEndian: Bool

  /// Reads the settings of an output. Throws `AVError` naming the key that is wrong.
  init(_ settings: [String: Any], track: AVAssetTrack) throws {
    var reader = SettingsReader(settings, of: "the output of track \(track.trackID)")
    reader.refuseWhatNoOutputTakes()
    reader.refuse(anyOf: SettingsReader.pictureKeys, "is one for pictures, but the track holds sound; leave it out.")
    let codes = reader.codes(AVFormatIDKey)
    if codes != [kAudioFormatLinearPCM] {
      reader.refuse(
        AVFormatIDKey,
        reader.has(AVFormatIDKey) ? "must be kAudioFormatLinearPCM: an output never compresses" : "is missing")
    }
    sampleRate = reader.real(AVSampleRateKey, in: 8000...192_000)
    channels = reader.integer(AVNumberOfChannelsKey, in: 1...64)
    isFloat = reader.flag(AVLinearPCMIsFloatKey) ?? false
    bits = reader.integer(AVLinearPCMBitDepthKey, in: 8...64) ?? (isFloat ? 32 : 16)
    if !(isFloat ? [32, 64] : [8, 16, 24, 32]).contains(bits) {
      reader.refuse(AVLinearPCMBitDepthKey, "must be 8, 16, 24 or 32, and 32 or 64 for floats")
    }
    isBigEndian = reader.flag(AVLinearPCMIsBigEndianKey) ?? false
    if reader.flag(AVLinearPCMIsNonInterleaved) == true {
      reader.refuse(AVLinearPCMIsNonInterleaved, "must be false: sound is given interleaved")
    }
    reader.ignore(AVChannelLayoutKey)
    try reader.finish()
  }

  /// What the decoder is told for a source; rate and channels are the source's where the settings name none.
  func stream(for source: AudioStreamBasicDescription) -> AudioStreamBasicDescription {
    var stream = AudioStreamBasicDescription()
    stream.mFormatID = kAudioFormatLinearPCM
    stream.mSampleRate = sampleRate ?? source.mSampleRate
    stream.mChannelsPerFrame = UInt32(channels ?? Int(source.mChannelsPerFrame))
    stream.mBitsPerChannel = UInt32(bits)
    stream.mFormatFlags =
      kAudioFormatFlagIsPacked | (isFloat ? kAudioFormatFlagIsFloat : kAudioFormatFlagIsSignedInteger)
      | (isBigEndian ? kAudioFormatFlagIsBigEndian : 0)
    stream.mFramesPerPacket = 1
    stream.mBytesPerFrame = UInt32(clamping: Int(stream.mChannelsPerFrame) * bits / 8)
    stream.mBytesPerPacket = stream.mBytesPerFrame
    return stream
  }
}

/// Decoded sound: what an output of a sound track gives with settings. Sound outside the edits is left out to the sample.
final class SoundSource: SampleSource {
  private let track: AVAssetTrack
  private let settings: SoundSettings
  private let stored: StoredSource
  private var decoder: AudioDecoder?
  private var format: CMFormatDescription?
  private var ready: [CMSampleBuffer] = []
  private var failure: (any Error)?
  private var isAtEnd = false

  init(track: AVAssetTrack, segments: [TrackSegment], settings: SoundSettings) {
    self.track = track
    self.settings = settings
    stored = StoredSource(track: track, segments: segments, copies: false)
  }

  /// The next stretch of sound. What was decoded before an error is given before the error is thrown.
  func next() throws -> CMSampleBuffer? {
    while ready.isEmpty {
      if let failure { throw failure }
      if isAtEnd { return nil }
      do { try step() } catch { failure = error }
    }
    return ready.removeFirst()
  }

  private func step() throws {
    guard let buffer = try stored.next() else {
      isAtEnd = true
      try describing(.invalid) { ready += try decoder?.finish() ?? [] }
      return
    }
    guard buffer.numSamples > 0, let format = buffer.formatDescription else { return }
    try describing(buffer.presentationTimeStamp) {
      ready += try decoder(for: format).decode(buffer)
    }
  }

  /// The decoder for a sample entry; what the one before held back comes first.
  private func decoder(for format: CMFormatDescription) throws -> AudioDecoder {
    if let decoder, self.format === format { return decoder }
    ready += try decoder?.finish() ?? []
    let stream = format.audioStreamBasicDescription.map(settings.stream)
    let made = try AudioDecoder(formatDescription: format, output: stream)
    self.format = format
    decoder = made
    return made
  }

  private func describing(_ time: CMTime, _ body: () throws -> Void) throws {
    do { try body() } catch let error as CodecError {
      let code: AVError.Code = error.kind == .unsupported ? .decoderNotFound : .undecodableMediaData
      let place = time.isNumeric ? " at \(time.seconds) s" : ""
      throw AVError(
        code, "The sound of track \(track.trackID)\(place) cannot be decoded: \(error)", track: track.trackID,
        time: time,
        underlying: error)
    }
  }
}
