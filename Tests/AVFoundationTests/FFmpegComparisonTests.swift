import AVFoundation
import CoreGeometry
import CoreMedia
import CoreVideo
import Foundation
import Testing

@Suite(.enabled(if: FFmpegTool.isHere, "ffmpeg and ffprobe are not installed."))
struct FFmpegComparisonTests {
  @Test(
    .enabled(if: SharedMedia.has("cinematic/cup.mov"), "The folder ../shared/media is absent."),
    arguments: ["cinematic/cup.mov", "phone/hevc-alpha.mov", "bugs/multistsd.mov", "prores/apple-prores-422-hq.mov"])
  func copiesHaveTheSamePackets(name: String) async throws {
    let folder = try TemporaryFolder()
    let source = SharedMedia.url(name)
    let url = folder.file("copy.mov")
    try await copy(AVURLAsset(url: source), to: url)
    let (ours, theirs) = (try FFmpegTool.streams(url), try FFmpegTool.streams(source))
    #expect(ours == theirs, "\(ours) \(theirs)")
    let packets = try FFmpegTool.packets(source)
    #expect(packets.count > 4)
    #expect(try FFmpegTool.packets(url) == packets)
  }

  @Test(arguments: [AVVideoCodecType.h264, .hevc, .proRes422])
  func framesOfOurMoviesHaveOurTimes(codec: AVVideoCodecType) async throws {
    let folder = try TemporaryFolder()
    var movie = SmallMovie()
    movie.codec = codec
    movie.frames = 20
    movie.frameDuration = CMTime(value: 1001, timescale: 30000)
    if codec == .proRes422 { movie.compression = [:] }
    movie.transform = CGAffineTransform(a: 0, b: 1, c: -1, d: 0, tx: 48, ty: 0)
    for name in codec == .proRes422 ? ["a.mov"] : ["a.mov", "a.mp4"] {
      let url = folder.file(name)
      try await movie.write(to: url, fileType: name == "a.mov" ? .mov : .mp4)
      let times = try FFmpegTool.frameTimes(url)
      #expect(times.count == 20)
      // ffprobe prints microseconds.
      for (frame, time) in times.enumerated() { #expect(abs(time - movie.time(frame).seconds) < 2e-6) }
      let streams = try FFmpegTool.streams(url).joined()
      #expect(streams.contains("rotation=-90"), "\(streams)")
    }
  }

  @Test func colourTagsAreRead() async throws {
    let folder = try TemporaryFolder()
    try await SmallMovie.hlg.write(to: folder.file("a.mov"))
    let stream = try FFmpegTool.streams(folder.file("a.mov")).joined()
    for tag in ["yuv420p10le", "color_space=bt2020nc", "color_transfer=arib-std-b67", "color_primaries=bt2020"] {
      #expect(stream.contains(tag), "\(stream)")
    }
  }

  @Test func soundIsDecodedToTheSameSamples() async throws {
    let folder = try TemporaryFolder()
    let url = folder.file("a.mov")
    try await SmallSound.write(44_100, settings: SoundTests.aac, to: url)
    let asset = AVURLAsset(url: url)
    let ours = try SmallSound.read(try #require(asset.tracks.first), in: asset).samples
    let theirs = try FFmpegTool.run("ffmpeg", ["-i", url.path, "-f", "f32le", "-"]).withUnsafeBytes {
      Array($0.bindMemory(to: Float.self))
    }
    // ffmpeg leaves out the priming, but not the padding behind the edit's end.
    #expect(theirs.count >= ours.count && ours.count == 44_100)
    #expect(Array(theirs.prefix(ours.count)) == ours)
  }

  @Test(.enabled(if: SharedMedia.has("cinematic/cup.mov"), "The folder ../shared/media is absent."))
  func picturesAreDecodedToTheSameCodes() async throws {
    let asset = AVURLAsset(url: SharedMedia.url("cinematic/cup.mov"))
    let range = CMTimeRange(start: CMTime(value: 45, timescale: 30), duration: CMTime(value: 3, timescale: 30))
    let theirs = try FFmpegTool.run(
      "ffmpeg",
      [
        "-noautorotate", "-i", SharedMedia.url("cinematic/cup.mov").path, "-vf", "select=between(n\\,45\\,47)",
        "-vsync", "0",
        "-map", "0:v:0", "-f", "rawvideo", "-pix_fmt", "p010le", "-",
      ])
    let frameBytes = 1280 * 720 * 3
    try #require(theirs.count == 3 * frameBytes)
    var index = 0
    _ = try decodedFrames(of: try #require(asset.tracks.first), in: asset, format: nil, range: range) { image in
      #expect(planes(of: image) == theirs[index * frameBytes..<(index + 1) * frameBytes])
      index += 1
    }
    #expect(index == 3)
  }

  /// Both planes of a 16-bit bi-planar picture without padding.
  private func planes(of image: CVPixelBuffer) -> Data {
    var data = Data()
    for plane in 0..<2 {
      image.withPlane(plane, readOnly: true) { base, pitch, width, height in
        for row in 0..<height { data.append(Data(bytes: base + row * pitch, count: width * (plane == 0 ? 2 : 4))) }
      }
    }
    return data
  }
}
