import AVFoundation
import CoreGeometry
import CoreMedia
import CoreVideo
import Foundation
import QuickTime
import Testing

struct CompressionTests {
  @Test(arguments: [AVVideoCodecType.h264, .hevc, .proRes422, .proRes4444])
  func framesComeBackInOrderWithTheirTimes(codec: AVVideoCodecType) async throws {
    let folder = try TemporaryFolder()
    var movie = SmallMovie()
    movie.codec = codec
    movie.frames = 20
    movie.frameDuration = CMTime(value: 1001, timescale: 24000)
    if codec.rawValue.hasPrefix("ap") {
      movie.compression = [:]
    }
    movie.transform = CGAffineTransform(a: 0, b: 1, c: -1, d: 0, tx: 48, ty: 0)
    try await movie.write(to: folder.file("a.mov"))
    #expect(folder.names == ["a.mov"])

    let asset = AVURLAsset(url: folder.file("a.mov"))
    let track = try #require(try await asset.loadTracks(withMediaType: .video).first)
    let found = try framesAndTimes(of: track, in: asset)
    #expect(found.frames == Array(0..<20))
    #expect(found.times == (0..<20).map { movie.time($0) })
    #expect(asset.duration == movie.time(20))
    #expect(track.preferredTransform == movie.transform)
    #expect(track.naturalSize == CGSize(width: 64, height: 48))
    #expect(track.formatDescriptions.map(\.mediaSubType.rawValue) == [fourCharacterCode(codec.rawValue)])
    #expect(track.minFrameDuration == movie.frameDuration)
  }

  @Test func reorderedFramesAreStoredWithOffsetsAndAnEdit() async throws {
    let folder = try TemporaryFolder()
    try await SmallMovie().write(to: folder.file("a.mov"))
    let track = try #require(AVURLAsset(url: folder.file("a.mov")).tracks.first)
    #expect(track.requiresFrameReordering)
    #expect(track.movieTrack.edits.count == 1)
    #expect(track.movieTrack.edits.first?.mediaTime ?? 0 > 0)
    #expect(track.movieTrack.samples.syncSampleCount >= 3)
  }

  @Test func withoutReorderingNothingIsReordered() async throws {
    let folder = try TemporaryFolder()
    var movie = SmallMovie()
    movie.compression[AVVideoAllowFrameReorderingKey] = false
    try await movie.write(to: folder.file("a.mov"))
    let track = try #require(AVURLAsset(url: folder.file("a.mov")).tracks.first)
    #expect(!track.requiresFrameReordering)
  }

  @Test func colourIsWrittenAndReadBack() async throws {
    let folder = try TemporaryFolder()
    try await SmallMovie.hlg.write(to: folder.file("a.mov"))
    let asset = AVURLAsset(url: folder.file("a.mov"))
    let track = try #require(asset.tracks.first)
    #expect(track.hasMediaCharacteristic(.containsHDRVideo))
    _ = try decodedFrames(of: track, in: asset, format: nil) { image in
      #expect(CVPixelBufferGetPixelFormatType(image) == kCVPixelFormatType_420YpCbCr10BiPlanarVideoRange)
      let transfer = CVBufferCopyAttachment(image, kCVImageBufferTransferFunctionKey, nil) as? String
      #expect(transfer == kCVImageBufferTransferFunction_ITU_R_2100_HLG)
    }
  }

  @Test func aMovieMayStartLate() async throws {
    let folder = try TemporaryFolder()
    let movie = SmallMovie()
    let writer = try AVAssetWriter(outputURL: folder.file("a.mov"), fileType: .mov)
    let input = AVAssetWriterInput(mediaType: .video, outputSettings: movie.settings)
    let adaptor = AVAssetWriterInputPixelBufferAdaptor(assetWriterInput: input)
    writer.add(input)
    #expect(writer.startWriting())
    // The session starts three frames before the first picture, and ends inside the tenth.
    writer.startSession(atSourceTime: CMTime(value: 7, timescale: 30))
    for frame in 0..<12 {
      #expect(
        adaptor.append(try movie.picture(frame), withPresentationTime: CMTime(value: Int64(10 + frame), timescale: 30)))
    }
    writer.endSession(atSourceTime: CMTime(value: 39, timescale: 60))
    await writer.finishWriting()
    #expect(writer.status == .completed)

    let asset = AVURLAsset(url: folder.file("a.mov"))
    let track = try #require(asset.tracks.first)
    let found = try framesAndTimes(of: track, in: asset)
    #expect(found.frames == Array(0..<10))
    #expect(found.times == (0..<10).map { CMTime(value: Int64(3 + $0), timescale: 30) })
    #expect(
      track.timeRange == CMTimeRange(start: CMTime(value: 3, timescale: 30), end: CMTime(value: 25, timescale: 60)))
    #expect(track.segments.map(\.isEmpty) == [true, false])
  }

  @Test func unevenTimesAreKept() async throws {
    let folder = try TemporaryFolder()
    let movie = SmallMovie()
    let times = [0, 1, 5, 6, 20, 21, 22, 23, 40, 41, 50, 90].map { CMTime(value: $0, timescale: 600) }
    let writer = try AVAssetWriter(outputURL: folder.file("a.mov"), fileType: .mov)
    let input = AVAssetWriterInput(mediaType: .video, outputSettings: movie.settings)
    let adaptor = AVAssetWriterInputPixelBufferAdaptor(assetWriterInput: input)
    writer.add(input)
    #expect(writer.startWriting())
    writer.startSession(atSourceTime: .zero)
    for (frame, time) in times.enumerated() { adaptor.append(try movie.picture(frame), withPresentationTime: time) }
    await writer.finishWriting()
    let asset = AVURLAsset(url: folder.file("a.mov"))
    let found = try framesAndTimes(of: try #require(asset.tracks.first), in: asset)
    #expect(found.frames == Array(0..<12))
    #expect(found.times == times)
  }

  @Test func picturesAreScaledToTheSizeAskedFor() async throws {
    let folder = try TemporaryFolder()
    var movie = SmallMovie()
    let writer = try AVAssetWriter(outputURL: folder.file("a.mp4"), fileType: .mp4)
    let input = AVAssetWriterInput(mediaType: .video, outputSettings: movie.settings)
    let adaptor = AVAssetWriterInputPixelBufferAdaptor(assetWriterInput: input)
    writer.add(input)
    #expect(writer.startWriting())
    writer.startSession(atSourceTime: .zero)
    (movie.width, movie.height) = (128, 96)
    for frame in 0..<4 { adaptor.append(try movie.picture(frame), withPresentationTime: movie.time(frame)) }
    await writer.finishWriting()
    let asset = AVURLAsset(url: folder.file("a.mp4"))
    #expect(try framesAndTimes(of: try #require(asset.tracks.first), in: asset).frames == Array(0..<4))
    #expect(asset.tracks.first?.naturalSize == CGSize(width: 64, height: 48))
  }
}
