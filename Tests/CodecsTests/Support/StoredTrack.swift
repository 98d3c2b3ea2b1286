import CoreMedia
import CoreVideo
import Foundation
import QuickTime

/// The samples of a movie's track, edits left aside, as sample buffers.
struct StoredTrack {
  let movie: Movie
  let track: MovieTrack

  init(_ path: String, _ number: Int = 1) throws { try self.init(SharedMedia.url(path), number) }

  init(_ url: URL, _ number: Int = 1) throws {
    movie = try Movie.open(url)
    track = movie.tracks[number - 1]
  }

  /// The format of a sample description, with the extensions given.
  func format(_ index: Int = 0, extensions: [String: Any] = [:]) throws -> CMFormatDescription {
    let description = track.sampleDescriptions[index]
    var extensions = extensions
    extensions[kCMFormatDescriptionExtension_SampleDescriptionExtensionAtoms] = Dictionary(
      description.children.map { ($0.type.description, $0.payload) }, uniquingKeysWith: { first, _ in first })
    if let audio = description.audio {
      return try CMFormatDescription(
        audioStreamBasicDescription: AudioStreamBasicDescription(
          mSampleRate: audio.sampleRate, mFormatID: kAudioFormatMPEG4AAC, mFormatFlags: 0, mBytesPerPacket: 0,
          mFramesPerPacket: 1024, mBytesPerFrame: 0, mChannelsPerFrame: UInt32(audio.channels), mBitsPerChannel: 0,
          mReserved: 0), magicCookie: description.child("esds"))
    }
    var format: CMFormatDescription?
    _ = CMVideoFormatDescriptionCreate(
      allocator: nil, codecType: description.type.rawValue, width: Int32(track.width), height: Int32(track.height),
      extensions: extensions, formatDescriptionOut: &format)
    return format!
  }

  func samples(extensions: [String: Any] = [:], change: (Int, Data) -> Data = { $1 }) throws -> [CMSampleBuffer] {
    let formats = try track.sampleDescriptions.indices.map { try format($0, extensions: extensions) }
    return try (0..<track.samples.count).map { index in
      let sample = track.samples[index]
      let data = change(index, try movie.source.read(at: sample.offset, count: sample.size))
      let timing = CMSampleTimingInfo(
        duration: CMTime(value: sample.duration, timescale: track.timescale),
        presentationTimeStamp: CMTime(
          value: sample.decodeTime + sample.compositionOffset, timescale: track.timescale),
        decodeTimeStamp: CMTime(value: sample.decodeTime, timescale: track.timescale))
      return try CMSampleBuffer(
        dataBuffer: CMBlockBuffer(copying: data), formatDescription: formats[sample.descriptionIndex], numSamples: 1,
        sampleTimings: [timing], sampleSizes: [data.count])
    }
  }
}
