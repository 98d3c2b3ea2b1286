import AVFoundation
import Foundation

/// Copies tracks of a movie, sample by sample as they are stored, into a movie of their own.
struct TrackCopy {
  private let asset: AVAsset
  private let tracks: [AVAssetTrack]
  /// A description in place of the track's own, for a track that is to be read under another name.
  var relabelled: [CMPersistentTrackID: (mediaType: AVMediaType, format: CMFormatDescription)] = [:]

  init(_ asset: AVAsset, _ tracks: [AVAssetTrack]) {
    self.asset = asset
    self.tracks = tracks
  }

  /// The part to copy; nil copies all of it.
  var range: CMTimeRange?

  private struct Lane {
    let output: AVAssetReaderTrackOutput
    let input: AVAssetWriterInput
    let format: CMFormatDescription?
    var pending: CMSampleBuffer?
  }

  func write(to url: URL) async throws {
    let reader = try AVAssetReader(asset: asset)
    if let range { reader.timeRange = range }
    let writer = try AVAssetWriter(outputURL: url, fileType: .mov)
    var lanes = tracks.map { lane($0, reader, writer) }
    writer.metadata = try await asset.load(.metadata).withoutCinematicKeys
    guard writer.startWriting() else { throw writer.error ?? Failure("'\(url.path)' cannot be written") }
    writer.startSession(atSourceTime: range?.start ?? .zero)
    guard reader.startReading() else { throw reader.error ?? Failure("the movie cannot be read") }
    for index in lanes.indices { lanes[index].pending = lanes[index].output.copyNextSampleBuffer() }
    while let next = earliest(of: lanes) { try copySample(&lanes[next], reader, writer) }
    if let range { writer.endSession(atSourceTime: range.end) }
    await writer.finishWriting()
    guard writer.status == .completed else { throw writer.error ?? Failure("'\(url.path)' cannot be written") }
  }

  private func lane(_ track: AVAssetTrack, _ reader: AVAssetReader, _ writer: AVAssetWriter) -> Lane {
    let output = AVAssetReaderTrackOutput(track: track, outputSettings: nil)
    let other = relabelled[track.trackID]
    let input = AVAssetWriterInput(
      mediaType: other?.mediaType ?? track.mediaType, outputSettings: nil,
      sourceFormatHint: other?.format ?? track.formatDescriptions.first)
    input.transform = track.preferredTransform
    input.mediaTimeScale = track.naturalTimeScale
    input.takeOver(track)
    reader.add(output)
    writer.add(input)
    return Lane(output: output, input: input, format: other?.format, pending: nil)
  }

  private func earliest(of lanes: [Lane]) -> Int? {
    lanes.indices.filter { lanes[$0].pending != nil }
      .min { lanes[$0].pending!.presentationTimeStamp < lanes[$1].pending!.presentationTimeStamp }
  }

  private func copySample(_ lane: inout Lane, _ reader: AVAssetReader, _ writer: AVAssetWriter) throws {
    if let sample = lane.pending, sample.numSamples > 0 {
      let renamed = try lane.format.map { try sample.described(by: $0) } ?? sample
      guard lane.input.append(renamed) else { throw writer.error ?? Failure("a sample cannot be written") }
    }
    lane.pending = lane.output.copyNextSampleBuffer()
    guard lane.pending == nil else { return }
    if reader.status == .failed { throw reader.error ?? Failure("the movie cannot be read") }
    lane.input.markAsFinished()
  }
}

extension AVAssetWriterInput {
  /// What a track says beside its samples: language, loudness, and whether it is played. Movies may hold the same sound twice, one of
  /// them disabled.
  func takeOver(_ track: AVAssetTrack) {
    languageCode = track.languageCode
    preferredVolume = track.preferredVolume
    marksOutputTrackAsEnabled = track.isEnabled
  }
}

extension [AVMetadataItem] {
  /// Without what would call a movie Cinematic: the parts of one are none, and neither is a rendered one.
  var withoutCinematicKeys: [AVMetadataItem] {
    filter { !($0.identifier?.rawValue ?? "").contains("com.apple.quicktime.cinematic-video") }
  }
}

extension CMSampleBuffer {
  /// The same samples under another description.
  fileprivate func described(by format: CMFormatDescription) throws -> CMSampleBuffer {
    guard let data = dataBuffer else { throw Failure("a sample has no bytes") }
    let copy = try CMSampleBuffer(
      dataBuffer: data, formatDescription: format, numSamples: numSamples,
      sampleTimings: try sampleTimingInfos(), sampleSizes: try sampleSizes())
    copy.sampleAttachments = sampleAttachments
    return copy
  }
}
