import AVFoundation
import CoreMedia
import CoreVideo
import Dispatch
import Foundation
import QuickTime
import Testing

/// The file appears whole or not at all.
struct WriterHabitsTests {
  private let movie = SmallMovie()

  private func start(_ url: URL) throws -> (AVAssetWriter, AVAssetWriterInput, AVAssetWriterInputPixelBufferAdaptor) {
    let writer = try AVAssetWriter(outputURL: url, fileType: .mov)
    let input = AVAssetWriterInput(mediaType: .video, outputSettings: movie.settings)
    let adaptor = AVAssetWriterInputPixelBufferAdaptor(assetWriterInput: input)
    writer.add(input)
    #expect(writer.startWriting(), "\(writer.error.debugDescription)")
    writer.startSession(atSourceTime: .zero)
    return (writer, input, adaptor)
  }

  @Test func nothingIsOverwritten() async throws {
    let folder = try TemporaryFolder()
    let url = folder.file("a.mov")
    try Data("precious".utf8).write(to: url)
    let writer = try AVAssetWriter(outputURL: url, fileType: .mov)
    writer.add(AVAssetWriterInput(mediaType: .video, outputSettings: movie.settings))
    #expect(!writer.startWriting())
    #expect((writer.error as? AVError)?.code == .fileAlreadyExists)
    #expect(try Data(contentsOf: url) == Data("precious".utf8))
    #expect(folder.names == ["a.mov"])
  }

  @Test func whatAppearsMeanwhileIsKept() async throws {
    let folder = try TemporaryFolder()
    let url = folder.file("a.mov")
    let (writer, _, adaptor) = try start(url)
    adaptor.append(try movie.picture(0), withPresentationTime: .zero)
    try Data("precious".utf8).write(to: url)
    await writer.finishWriting()
    #expect(writer.status == .failed)
    #expect((writer.error as? AVError)?.code == .fileAlreadyExists)
    #expect(try Data(contentsOf: url) == Data("precious".utf8))
    #expect(folder.names == ["a.mov"])
  }

  @Test func nothingShowsBeforeTheEnd() async throws {
    let folder = try TemporaryFolder()
    let (writer, _, adaptor) = try start(folder.file("a.mov"))
    adaptor.append(try movie.picture(0), withPresentationTime: .zero)
    #expect(!folder.names.contains("a.mov"))
    await writer.finishWriting()
    #expect(folder.names == ["a.mov"])
  }

  @Test func cancellingRemovesEverything() async throws {
    let folder = try TemporaryFolder()
    let (writer, input, adaptor) = try start(folder.file("a.mov"))
    for frame in 0..<6 { adaptor.append(try movie.picture(frame), withPresentationTime: movie.time(frame)) }
    writer.cancelWriting()
    #expect(writer.status == .cancelled)
    #expect(folder.names.isEmpty)
    #expect(!adaptor.append(try movie.picture(6), withPresentationTime: movie.time(6)))
    #expect(!input.isReadyForMoreMediaData)
    writer.cancelWriting()
    await writer.finishWriting()
    #expect(writer.status == .cancelled && folder.names.isEmpty)
  }

  @Test func aFailureRemovesEverything() async throws {
    let folder = try TemporaryFolder()
    let (writer, _, adaptor) = try start(folder.file("a.mov"))
    adaptor.append(try movie.picture(0), withPresentationTime: movie.time(5))
    // Back in time: the encoder refuses.
    adaptor.append(try movie.picture(1), withPresentationTime: movie.time(2))
    adaptor.append(try movie.picture(2), withPresentationTime: movie.time(6))
    await writer.finishWriting()
    #expect(writer.status == .failed)
    #expect(writer.error?.localizedDescription.contains("presentation order") ?? false)
    #expect(folder.names.isEmpty)
  }

  @Test func samplesOfTheWrongKindAreRefused() async throws {
    let folder = try TemporaryFolder()
    let (writer, input, _) = try start(folder.file("a.mov"))
    input.append(try SmallSound.buffer(0..<10))
    await writer.finishWriting()
    #expect(writer.status == .failed && folder.names.isEmpty)
  }

  @Test func storedSamplesMustAscend() async throws {
    let folder = try TemporaryFolder()
    let writer = try AVAssetWriter(outputURL: folder.file("b.mov"), fileType: .mov)
    let input = AVAssetWriterInput(mediaType: .video, outputSettings: nil)
    writer.add(input)
    #expect(writer.startWriting())
    writer.startSession(atSourceTime: .zero)
    try await movie.write(to: folder.file("a.mov"))
    let asset = AVURLAsset(url: folder.file("a.mov"))
    let buffers = try storedSamples(of: try #require(asset.tracks.first), in: asset)
    #expect(input.append(buffers[0]) && input.append(buffers[2]) && !input.append(buffers[1]))
    #expect((writer.error as? AVError)?.code == .mediaDiscontinuity)
    await writer.finishWriting()
    #expect(folder.names == ["a.mov"])
  }

  @Test func lettingGoOfAWriterRemovesEverything() async throws {
    let folder = try TemporaryFolder()
    try { _ = try start(folder.file("a.mov")) }()
    // The file is removed on another thread.
    for _ in 0..<500 where !folder.names.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
    #expect(folder.names.isEmpty)
  }

  @Test func missingFoldersAreNamed() throws {
    let writer = try AVAssetWriter(outputURL: URL(fileURLWithPath: "/nonexistent/folder/a.mov"), fileType: .mov)
    #expect(!writer.startWriting())
    #expect(writer.error?.localizedDescription.contains("/nonexistent/folder") ?? false)
  }

  @Test func samplesAreFetchedOnRequest() async throws {
    let folder = try TemporaryFolder()
    let writer = try AVAssetWriter(outputURL: folder.file("a.mov"), fileType: .mov)
    let pictures = AVAssetWriterInput(mediaType: .video, outputSettings: movie.settings)
    let sound = AVAssetWriterInput(mediaType: .audio, outputSettings: SoundTests.aac)
    let adaptor = AVAssetWriterInputPixelBufferAdaptor(assetWriterInput: pictures)
    writer.add(pictures)
    writer.add(sound)
    #expect(writer.startWriting())
    writer.startSession(atSourceTime: .zero)
    async let done1: Void = supply(pictures, count: 120) { [movie] frame in
      (try? movie.picture(frame)).map { adaptor.append($0, withPresentationTime: movie.time(frame)) } ?? false
    }
    async let done2: Void = supply(sound, count: 177) { index in
      (try? SmallSound.buffer(index * 1000..<(index + 1) * 1000)).map { sound.append($0) } ?? false
    }
    _ = await (done1, done2)
    await writer.finishWriting()
    #expect(writer.status == .completed, "\(writer.error.debugDescription)")
    let asset = AVURLAsset(url: folder.file("a.mov"))
    #expect(asset.tracks.map { $0.timeRange.end.seconds.rounded() } == [4, 4])
    #expect(asset.tracks.first?.movieTrack.samples.count == 120)
  }

  private func supply(_ input: AVAssetWriterInput, count: Int, _ append: @escaping @Sendable (Int) -> Bool) async {
    await withCheckedContinuation { continuation in
      // Only the queue's thread uses it.
      nonisolated(unsafe) var next = 0
      input.requestMediaDataWhenReady(on: DispatchQueue(label: "supply")) {
        while input.isReadyForMoreMediaData && next < count {
          guard append(next) else { break }
          next += 1
        }
        if next == count {
          next += 1
          input.markAsFinished()
          continuation.resume()
        }
      }
    }
  }

  @Test func theIndexComesInFrontWhenAsked() async throws {
    let folder = try TemporaryFolder()
    try await movie.write(to: folder.file("a.mov"), indexFirst: true)
    let asset = AVURLAsset(url: folder.file("a.mov"))
    let types = try asset.openedMovie().boxes.map(\.type)
    #expect(try #require(types.firstIndex(of: "moov")) < (try #require(types.firstIndex(of: "mdat"))))
    #expect(try framesAndTimes(of: try #require(asset.tracks.first), in: asset).frames == Array(0..<12))
  }
}
