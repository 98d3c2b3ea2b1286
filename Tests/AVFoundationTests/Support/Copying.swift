import AVFoundation
import CoreGeometry
import CoreMedia
import CoreVideo
import Foundation
import QuickTime
import Testing

/// A folder that is removed with its owner.
final class TemporaryFolder {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent("avfoundation-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func file(_ name: String) -> URL { url.appendingPathComponent(name) }
  var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? [] }
}

/// Copies all tracks of an asset sample by sample, each through an output and an input without settings.
func copy(_ asset: AVAsset, to url: URL, range: CMTimeRange? = nil, fileType: AVFileType = .mov) async throws {
  let reader = try AVAssetReader(asset: asset)
  if let range { reader.timeRange = range }
  let writer = try AVAssetWriter(outputURL: url, fileType: fileType)
  writer.metadata = asset.metadata
  writer.movieTimeScale = try asset.openedMovie().timescale
  var pairs: [(output: AVAssetReaderTrackOutput, input: AVAssetWriterInput)] = []
  for track in asset.tracks {
    let output = AVAssetReaderTrackOutput(track: track, outputSettings: nil)
    let input = AVAssetWriterInput(
      mediaType: track.mediaType, outputSettings: nil, sourceFormatHint: track.formatDescriptions.first)
    input.transform = track.preferredTransform
    input.naturalSize = track.naturalSize
    input.mediaTimeScale = track.naturalTimeScale
    input.marksOutputTrackAsEnabled = track.isEnabled
    reader.add(output)
    writer.add(input)
    pairs.append((output, input))
  }
  for (source, pair) in zip(asset.tracks, pairs) {
    for type in source.availableTrackAssociationTypes {
      for target in source.associatedTracks(ofType: type) {
        guard let index = asset.tracks.firstIndex(of: target) else { continue }
        pair.input.addTrackAssociation(withTrackOf: pairs[index].input, type: type.rawValue)
      }
    }
  }
  #expect(reader.startReading(), "\(reader.error.debugDescription)")
  #expect(writer.startWriting(), "\(writer.error.debugDescription)")
  writer.startSession(atSourceTime: range?.start ?? .zero)
  for (output, input) in pairs {
    while let buffer = output.copyNextSampleBuffer() {
      if !input.append(buffer) { break }
    }
    input.markAsFinished()
  }
  await writer.finishWriting()
  #expect(reader.status == .completed, "\(reader.error.debugDescription)")
  #expect(writer.status == .completed, "\(writer.error.debugDescription)")
}

/// What a stored sample is, for comparison.
struct StoredSampleFacts: Equatable, CustomStringConvertible {
  var presentation: CMTime
  var decode: CMTime
  var duration: CMTime
  var isSync: Bool
  var data: Data
  var trims: [CMTime]

  init(_ buffer: CMSampleBuffer) throws {
    presentation = buffer.presentationTimeStamp
    decode = buffer.decodeTimeStamp
    duration = buffer.duration
    isSync = buffer.sampleAttachments.first?[.notSync] as? Bool != true
    data = try buffer.dataBuffer?.dataBytes() ?? Data()
    trims = [buffer.outputPresentationTimeStamp, buffer.outputDuration]
  }

  var description: String { "\(presentation) \(decode) \(duration) \(isSync) \(data.count) bytes" }

  static func == (a: StoredSampleFacts, b: StoredSampleFacts) -> Bool {
    (a.decode == b.decode || !a.decode.isValid && !b.decode.isValid) && a.presentation == b.presentation
      && a.duration == b.duration && a.isSync == b.isSync && a.data == b.data && a.trims == b.trims
  }
}
