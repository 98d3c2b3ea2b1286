import AVFoundation
import CoreMedia
import CoreVideo
import Foundation
import ProResClips
import Testing
import VideoToolbox

/// A reader decodes ProRes as a session does.
@Suite struct ReaderTests {
  /// A movie of the samples, which goes with what is returned.
  private func movie(_ samples: [CMSampleBuffer]) async throws -> (asset: AVURLAsset, url: URL) {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("videotoolbox-\(UUID().uuidString).mov")
    let writer = try AVAssetWriter(outputURL: url, fileType: .mov)
    let input = AVAssetWriterInput(
      mediaType: .video, outputSettings: nil, sourceFormatHint: samples[0].formatDescription)
    writer.add(input)
    #expect(writer.startWriting(), "\(writer.error.debugDescription)")
    writer.startSession(atSourceTime: .zero)
    for sample in samples { #expect(input.append(sample)) }
    input.markAsFinished()
    await writer.finishWriting()
    #expect(writer.status == .completed, "\(writer.error.debugDescription)")
    return (AVURLAsset(url: url), url)
  }

  private func read(_ asset: AVURLAsset, _ format: OSType) throws -> (pictures: [CVPixelBuffer], error: (any Error)?) {
    let track = try #require(asset.tracks.first { $0.mediaType == .video })
    let reader = try AVAssetReader(asset: asset)
    let output = AVAssetReaderTrackOutput(
      track: track, outputSettings: [kCVPixelBufferPixelFormatTypeKey: format])
    reader.add(output)
    #expect(reader.startReading(), "\(reader.error.debugDescription)")
    var pictures: [CVPixelBuffer] = []
    while let sample = output.copyNextSampleBuffer() { pictures.append(try #require(sample.imageBuffer)) }
    return (pictures, reader.error)
  }

  @Test(arguments: ProResClip.Profile.allCases)
  func `a reader and a session make the same pictures`(profile: ProResClip.Profile) async throws {
    let clip = try Clip(profile, frames: 3, alphaBits: profile.is4444 ? 8 : 0)
    let (asset, url) = try await movie(clip.samples())
    defer { try? FileManager.default.removeItem(at: url) }
    for format in ["y416", "v216", "b64a", "420v"].map(fourCharacterCode) {
      let session = try makeSession(clip.format, [kCVPixelBufferPixelFormatTypeKey: format])
      let answers = Answers()
      for sample in try clip.samples() { session.decode(sample, answers) }
      let (pictures, error) = try read(asset, format)
      #expect(error == nil)
      #expect(pictures.map(\.checksum) == answers.all.compactMap { $0.image?.checksum })
    }
  }

  @Test func `damaged slices do not end a movie, a damaged frame does`() async throws {
    let clip = try Clip(.p4444, frames: 3)
    var samples = try clip.samples()
    samples[1] = try Clip.sample(clip.damaged(1), clip.format, at: 1)
    let (asset, url) = try await movie(samples)
    defer { try? FileManager.default.removeItem(at: url) }
    let (pictures, error) = try read(asset, fourCharacterCode("y416"))
    #expect(error == nil)
    #expect(pictures.map { CVBufferHasAttachment($0, kCVImageBufferDamagedSlicesKey) } == [false, true, false])

    samples[1] = try Clip.sample(Array(clip.bytes[1].prefix(64)), clip.format, at: 1)
    let (cut, place) = try await movie(samples)
    defer { try? FileManager.default.removeItem(at: place) }
    let (first, reason) = try read(cut, fourCharacterCode("y416"))
    #expect(first.count == 1)
    #expect((reason as? AVError)?.code == .undecodableMediaData)
  }
}
