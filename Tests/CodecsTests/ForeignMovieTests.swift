import Codecs
import CoreMedia
import CoreVideo
import Foundation
import Testing

@Suite(
  .enabled(if: SharedMedia.has("cinematic-iphone15pro/color_output.webm"), "the shared media folder is absent"),
  .enabled(if: CommandLineFFmpeg.isThere, "the ffmpeg command is absent"))
struct ForeignMovieTests {
  private func frames(
    _ path: String, _ output: ForeignMovie.Output, _ count: Int
  ) throws -> (movie: ForeignMovie, frames: [DecodedFrame]) {
    let movie = try ForeignMovie.open(SharedMedia.url(path), options: .init(output: output))
    var frames: [DecodedFrame] = []
    while frames.count < count, let frame = try movie.nextVideoFrame() { frames.append(frame) }
    return (movie, frames)
  }

  private func reference(_ path: String, _ format: String, _ count: Int) throws -> Data {
    try CommandLineFFmpeg.output([
      "-i", SharedMedia.url(path).path, "-map", "0:v:0", "-fps_mode", "passthrough", "-frames:v", "\(count)",
      "-pix_fmt",
      format, "-f", "rawvideo", "-",
    ])
  }

  @Test(arguments: ["cinematic-iphone15pro/color_output.webm", "phone/hevc-alpha.mov"])
  func picturesAreTheCommandLines(path: String) throws {
    let (_, frames) = try frames(path, .native, 10)
    #expect(frames.count == 10)
    #expect(frames.allSatisfy { $0.pixelBuffer.formatName == "420v" })
    let data = frames.reduce(into: Data()) { data, frame in
      frame.pixelBuffer.allBytes.forEach { data.append(contentsOf: $0) }
    }
    let isEqual = data == (try reference(path, "nv12", 10))
    #expect(isEqual)
  }

  @Test(arguments: [
    "cinematic-iphone15pro/color_output.webm", "cinematic-iphone15pro/depth_output.webm", "phone/hevc-alpha.mov",
  ])
  func timesAreExact(path: String) throws {
    let movie = try ForeignMovie.open(SharedMedia.url(path), options: .init(output: .luma))
    var times: [CMTime] = []
    while times.count < 150, let frame = try movie.nextVideoFrame() { times.append(frame.presentationTime) }
    let ticks = try CommandLineFFmpeg.frameTimes(SharedMedia.url(path), count: 150)
    #expect(times.count == 150)
    #expect(times.map(\.value) == ticks)
    #expect(times == times.sorted())
  }

  @Test func depthKeepsItsLumaCodes() throws {
    let path = "cinematic-iphone15pro/depth_output.webm"
    let (movie, frames) = try frames(path, .luma, 5)
    #expect(movie.video.width == 288 && movie.video.height == 512)
    #expect(movie.video.frameRate?.numerator == 30 && movie.video.frameRate?.denominator == 1)
    #expect(frames.allSatisfy { $0.pixelBuffer.formatName == "L008" && $0.color.isFullRange == false })
    let planar = try reference(path, "yuv420p", 5)
    let size = 288 * 512
    for (index, frame) in frames.enumerated() {
      let isEqual = Data(frame.pixelBuffer.bytes(ofPlane: 0)) == planar.dropFirst(index * size * 3 / 2).prefix(size)
      #expect(isEqual)
    }
  }

  @Test func everyFrameComesOnce() throws {
    let movie = try ForeignMovie.open(
      SharedMedia.url("cinematic-iphone15pro/depth_output.webm"), options: .init(output: .luma))
    var times: [CMTime] = []
    while let frame = try movie.nextVideoFrame() { times.append(frame.presentationTime) }
    #expect(times.count == 581)
    #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
    #expect(try movie.nextVideoFrame() == nil)
  }

  @Test func theStreamsAreDescribed() throws {
    let movie = try ForeignMovie.open(SharedMedia.url("cinematic-iphone15pro/color_output.webm"))
    #expect(movie.video.codecName == "vp8")
    #expect(movie.video.color.transfer == 18)
    #expect(movie.video.pixelAspectRatio == (1, 1))
    #expect(movie.streams.contains { $0.kind == .video })
  }
}

/// Pictures made here by the `ffmpeg` command line.
@Suite(.enabled(if: CommandLineFFmpeg.isThere, "the ffmpeg command is absent"))
struct ForeignPictureTests {
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("codecs-\(UUID().uuidString)")

  init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

  /// Writes raw codes as a file in the folder.
  private func make(_ name: String, _ format: String, _ size: String, _ data: Data, _ arguments: [String] = []) throws
    -> URL
  {
    defer { try? FileManager.default.removeItem(at: folder.appendingPathComponent("raw")) }
    let raw = folder.appendingPathComponent("raw")
    try data.write(to: raw)
    let url = folder.appendingPathComponent(name)
    _ = try CommandLineFFmpeg.output(
      ["-f", "rawvideo", "-pix_fmt", format, "-s", size, "-i", raw.path] + arguments + [url.path])
    return url
  }

  private func remove() { try? FileManager.default.removeItem(at: folder) }

  @Test func greyPNGsOf8And16BitsAreUntouched() throws {
    defer { remove() }
    let bytes = Data((0..<256).map { UInt8($0) })
    let small = try make("a.png", "gray", "16x16", bytes)
    let frame = try #require(try ForeignMovie.open(small, options: .init(output: .luma)).nextVideoFrame())
    #expect(frame.pixelBuffer.formatName == "L008" && frame.color.isFullRange == true)
    #expect(Data(frame.pixelBuffer.bytes(ofPlane: 0)) == bytes)
    let words = (0..<256).map { (index: Int) -> UInt16 in UInt16(index * 257) ^ 0x1234 }
    let large = try make("b.png", "gray16le", "16x16", words.withUnsafeBytes { Data($0) })
    let deep = try #require(try ForeignMovie.open(large, options: .init(output: .luma)).nextVideoFrame())
    #expect(deep.pixelBuffer.formatName == "L016")
    #expect(deep.pixelBuffer.words(ofPlane: 0) == words)
  }

  @Test(arguments: [("gray10le", 10, "L010"), ("gray12le", 12, "L012")])
  func deepGreyMoviesAreUntouched(format: String, bits: Int, name: String) throws {
    defer { remove() }
    let words = (0..<64 * 64).map { UInt16($0 % (1 << bits)) }
    let url = try make(
      "d.mkv", format, "64x64", words.withUnsafeBytes { Data($0) }, ["-c:v", "ffv1"])
    let frame = try #require(try ForeignMovie.open(url, options: .init(output: .luma)).nextVideoFrame())
    #expect(frame.pixelBuffer.formatName == name)
    #expect(frame.pixelBuffer.words(ofPlane: 0) == words.map { $0 << (16 - bits) })
  }

  @Test func numberedImagesAreASequence() throws {
    defer { remove() }
    let data = Data((0..<5 * 256).map { (index: Int) -> UInt8 in UInt8(truncatingIfNeeded: index + index / 256 * 40) })
    _ = try make("depth_%04d.png", "gray", "16x16", data, ["-start_number", "7"])
    var options = ForeignMovie.Options(output: .luma)
    options.imageRate = (24000, 1001)
    let movie = try ForeignMovie.open(folder.appendingPathComponent("depth_%04d.png"), options: options)
    var times: [CMTime] = []
    var codes = Data()
    while let frame = try movie.nextVideoFrame() {
      times.append(frame.presentationTime)
      codes += frame.pixelBuffer.bytes(ofPlane: 0)
    }
    #expect(times == (0..<5).map { CMTime(value: $0 * 1001, timescale: 24000) })
    #expect(codes == data)
  }

  @Test func colourImagesKeepTheirCodes() throws {
    defer { remove() }
    let rgba = Data((0..<1024).map { (index: Int) -> UInt8 in UInt8(truncatingIfNeeded: index * 7) })
    let url = try make("c.png", "rgba", "16x16", rgba)
    let frame = try #require(try ForeignMovie.open(url).nextVideoFrame())
    #expect(frame.pixelBuffer.formatName == "BGRA")
    let bgra = frame.pixelBuffer.bytes(ofPlane: 0)
    let order = [2, 1, 0, 3]
    let swapped = bgra.indices.map { (index: Int) -> UInt8 in bgra[index / 4 * 4 + order[index % 4]] }
    #expect(Data(swapped) == rgba)
    // 16 bits, big-endian in the file.
    let words = (0..<16 * 16 * 3).map { (index: Int) -> UInt16 in UInt16(truncatingIfNeeded: index * 85) }
    let deep = try make("d.png", "rgb48le", "16x16", words.withUnsafeBytes { Data($0) })
    let deepFrame = try #require(try ForeignMovie.open(deep).nextVideoFrame())
    #expect(deepFrame.pixelBuffer.formatName == "l64r")
    let stored = deepFrame.pixelBuffer.words(ofPlane: 0)
    #expect(stored.enumerated().filter { $0.offset % 4 < 3 }.map(\.element) == words)
    #expect(stored.enumerated().filter { $0.offset % 4 == 3 }.allSatisfy { $0.element == 0xFFFF })
  }

  @Test func whatIsNoPictureIsRefused() throws {
    defer { remove() }
    let text = folder.appendingPathComponent("a.txt")
    try Data("no picture".utf8).write(to: text)
    #expect(throws: CodecError.self) { try ForeignMovie.open(text) }
    #expect(throws: CodecError.self) { try ForeignMovie.open(folder.appendingPathComponent("absent.mov")) }
    #expect(throws: CodecError.self) { try ForeignMovie.open(folder.appendingPathComponent("absent_%03d.png")) }
    #expect(throws: CodecError.self) { try ForeignMovie.open(URL(string: "http://127.0.0.1/a.mov")!) }
  }

  @Test func aPictureOverTheBudgetIsRefused() throws {
    defer { remove() }
    let url = try make("a.png", "gray", "16x16", Data(count: 256))
    var options = ForeignMovie.Options()
    options.pixelBudget = 100
    #expect(throws: CodecError.self) {
      let movie = try ForeignMovie.open(url, options: options)
      while try movie.nextVideoFrame() != nil {}
    }
  }
}
