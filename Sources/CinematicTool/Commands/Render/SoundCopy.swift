import AVFoundation
import Foundation

/// The sound of a movie, read as it is stored, to be written beside a rendered picture.
final class SoundCopy {
  /// One track: where it is read, and where it goes.
  private struct Track {
    let output: AVAssetReaderTrackOutput
    let input: AVAssetWriterInput
    var pending: CMSampleBuffer?
  }

  private let reader: AVAssetReader?
  private var tracks: [Track] = []

  /// Sound is written this far ahead of the picture.
  private static let lead = CMTime(value: 1, timescale: 2)

  init(_ asset: AVAsset, range: CMTimeRange) async throws {
    let sources = try await asset.loadTracks(withMediaType: .audio)
    guard !sources.isEmpty else {
      reader = nil
      return
    }
    let reader = try AVAssetReader(asset: asset)
    reader.timeRange = range
    for source in sources {
      let output = AVAssetReaderTrackOutput(track: source, outputSettings: nil)
      reader.add(output)
      let input = AVAssetWriterInput(
        mediaType: .audio, outputSettings: nil, sourceFormatHint: source.formatDescriptions.first)
      input.takeOver(source)
      tracks.append(Track(output: output, input: input))
    }
    self.reader = reader
  }

  var inputs: [AVAssetWriterInput] { tracks.map(\.input) }

  /// Call after the writer has started.
  func start() throws {
    guard let reader else { return }
    guard reader.startReading() else { throw reader.error ?? Failure("the movie's sound cannot be read") }
    for index in tracks.indices { tracks[index].pending = tracks[index].output.copyNextSampleBuffer() }
  }

  /// Writes the sound up to a little after `time`.
  func advance(to time: CMTime) throws {
    for index in tracks.indices {
      while let sample = tracks[index].pending, sample.presentationTimeStamp < time + Self.lead {
        try write(sample, of: index)
      }
    }
  }

  func finish() throws {
    try advance(to: .positiveInfinity)
    for track in tracks { track.input.markAsFinished() }
  }

  private func write(_ sample: CMSampleBuffer, of index: Int) throws {
    if sample.numSamples > 0, !tracks[index].input.append(sample) {
      throw tracks[index].input.writerError ?? Failure("the sound cannot be written")
    }
    tracks[index].pending = tracks[index].output.copyNextSampleBuffer()
    if tracks[index].pending == nil, let reader, reader.status == .failed {
      throw reader.error ?? Failure("the movie's sound cannot be read")
    }
  }
}
