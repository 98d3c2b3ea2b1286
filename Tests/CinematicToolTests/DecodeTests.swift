import CinematicTool
import CoreVideo
import Foundation
import ImageFiles
import Testing

/// What `decode` writes, beside what FFmpeg's programs make of the same files.
@Suite struct DecodeTests {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  /// libavcodec cuts codes off at 4 and 1019 (of 10 bits), which RDD 36 does not; the clips have no such codes on purpose.
  private func cut(_ codes: [UInt16], depth: Int) -> [UInt16] {
    let least = UInt16(4 << (depth - 10)), most = UInt16(1 << depth) - least - (depth > 10 ? 0 : 1)
    return codes.map { min(max($0, least), most) }
  }

  private func decoded(_ path: String, _ options: String...) async throws -> Data {
    let result = await cinematic(["decode", path, "-o", "-"] + options)
    try #require(result.status == 0, "\(result.errors)")
    return result.output
  }

  // MARK: Codes

  @Test(
    .enabled(if: SharedMovie.hasProRes && FFmpegTool.isHere, "needs ../shared/media/prores and ffmpeg"),
    arguments: ["422-proxy", "422-lt", "422", "422-hq"])
  func `clips are within a code of libavcodec`(name: String) async throws {
    let path = SharedMovie.proRes(name)
    let theirs = try FFmpegTool.frames(of: path, "yuv422p10le").words
    let ours = cut(try await decoded(path, "--format", "yuv422p10").words, depth: 10)
    #expect(ours.count == 25 * 320 * 240 * 2)
    #expect(greatestDifference(ours, theirs) ?? .max <= 1)
    // By way of FFmpeg's library the codes are FFmpeg's.
    #expect(try await decoded(path, "--format", "yuv422p10", "--decoder", "ffmpeg").words == theirs)
    // From buffers the planes are those that the decoder writes itself.
    let pairs = try await decoded(path, "--format", "x422").words.map { $0 >> 6 }
    #expect(
      planes(ofBiPlanar: pairs, width: 320, height: 240, frames: 25)
        == (try await decoded(path, "--format", "yuv422p10").words))
  }

  /// Y', Cb, Cr of frames of Y' and CbCr for two pixels.
  private func planes(ofBiPlanar codes: [UInt16], width: Int, height: Int, frames: Int) -> [UInt16] {
    let (luma, all) = (width * height, 2 * width * height)
    return (0..<frames).flatMap { frame -> [UInt16] in
      let pairs = codes[frame * all + luma..<(frame + 1) * all]
      return Array(codes[frame * all..<frame * all + luma])
        + stride(from: pairs.startIndex, to: pairs.endIndex, by: 2).map { pairs[$0] }
        + stride(from: pairs.startIndex, to: pairs.endIndex, by: 2).map { pairs[$0 + 1] }
    }
  }

  @Test(.enabled(if: FFmpegTool.isHere, "needs ffmpeg"))
  func `4444 with alpha keeps all of its planes`() async throws {
    let path = folder.path("alpha.mov")
    try FFmpegTool.makeProRes(
      path, size: "150x98", frames: 3, profile: 4, pixelFormat: "yuva444p10le",
      filters: "geq=lum='p(X,Y)':cb='p(X,Y)':cr='p(X,Y)':a='mod(X*7+Y*3,1024)'", options: ["-alpha_bits", "16"])
    let theirs = try FFmpegTool.frames(of: path, "yuva444p12le").words
    let ours = cut(try await decoded(path, "--format", "yuva444p12").words, depth: 12)
    let plane = 150 * 98
    #expect(ours.count == 3 * 4 * plane)
    for frame in 0..<3 {
      for index in 0..<4 {
        let range = (4 * frame + index) * plane..<(4 * frame + index + 1) * plane
        // Alpha is lossless and cut to 12 bits by both, but for codes that the limits above have touched.
        let (one, other) = (ours[range], index == 3 ? cut(Array(theirs[range]), depth: 12)[...] : theirs[range])
        #expect(greatestDifference(Array(one), Array(other)) ?? .max <= (index == 3 ? 0 : 1))
      }
    }
    // The same in one plane: A, Y', Cb, Cr of 16 bits.
    let packed = try await decoded(path, "--format", "y416").words
    let planar = try await decoded(path, "--format", "yuva444p16").words
    for pixel in stride(from: 0, to: plane, by: 97) {
      #expect((0..<4).map { packed[4 * pixel + $0] } == [3, 0, 1, 2].map { planar[$0 * plane + pixel] })
    }
  }

  /// Planes of other chroma than the stream's do not come from the slices.
  @Test(.enabled(if: FFmpegTool.isHere, "needs ffmpeg"), arguments: ["yuv420p10", "yuv422p10", "yuv444p10"])
  func `4444 gives planes of every chroma`(format: String) async throws {
    let path = folder.path("full.mov")
    try FFmpegTool.makeProRes(path, size: "150x98", frames: 2, profile: 4, pixelFormat: "yuv444p10le")
    let ours = try await decoded(path, "--format", format).words
    let theirs = try FFmpegTool.frames(of: path, "yuv444p10le").words
    let luma = 150 * 98
    let chroma = ["yuv420p10": 75 * 49, "yuv422p10": 75 * 98][format] ?? luma
    #expect(ours.count == 2 * (luma + 2 * chroma))
    for frame in 0..<2 {
      let one = Array(ours.dropFirst(frame * (luma + 2 * chroma)).prefix(luma))
      let other = Array(theirs.dropFirst(frame * 3 * luma).prefix(luma))
      #expect(greatestDifference(cut(one, depth: 10), other) ?? .max <= 1)
    }
  }

  @Test(.enabled(if: FFmpegTool.isHere, "needs ffmpeg"))
  func `alpha is opaque where the stream has none`() async throws {
    let path = folder.path("opaque.mov")
    try FFmpegTool.makeProRes(path, size: "64x48", frames: 1, profile: 4, pixelFormat: "yuv444p10le")
    let codes = try await decoded(path, "--format", "yuva444p16").words
    #expect(codes.suffix(64 * 48).allSatisfy { $0 == 65_535 })
  }

  @Test(
    .enabled(if: FFmpegTool.isHere, "needs ffmpeg"),
    arguments: [
      ("x422", "p210le", 2), ("v216", "", 2), ("2vuy", "uyvy422", 1), ("yuv422p", "yuv422p", 1), ("bgra", "bgra", 1),
      ("b64a", "argb64be", 2), ("y416", "ayuv64le", 2), ("420v", "nv12", 1), ("rgba-half", "rgbaf16le", 2),
    ])
  func `packed rows have no padding but the format's`(name: String, theirs: String, bytes: Int) async throws {
    // 54 pixels are no multiple of what buffers align rows to.
    let path = folder.path("narrow.mov")
    try FFmpegTool.makeProRes(path, size: "54x38", frames: 2)
    let ours = try await decoded(path, "--format", name)
    let halfSamples: [String: Int] = ["420v": 3, "bgra": 8, "b64a": 8, "y416": 8, "rgba-half": 8]
    let perFrame = 54 * 38 * (halfSamples[name] ?? 4) / 2 * bytes
    #expect(ours.count == 2 * perFrame)
    guard ["x422", "yuv422p", "2vuy"].contains(name) else { return }
    let other = try FFmpegTool.frames(of: path, theirs)
    // Of ten bits in the upper ones of 16 a code is 64; to 8 bits both round.
    let difference =
      bytes == 2
      ? greatestDifference(cut(ours.words.map { $0 >> 6 }, depth: 10), other.words.map { $0 >> 6 })
      : greatestDifference(Array(ours), Array(other))
    #expect(difference ?? .max <= 1)
  }

  @Test(.enabled(if: FFmpegTool.isHere, "needs ffmpeg"))
  func `v210 is what FFmpeg reads as v210`() async throws {
    let path = folder.path("v210.mov")
    try FFmpegTool.makeProRes(path, size: "100x32", frames: 2)
    try await decoded(path, "--format", "v210").write(to: folder.url.appendingPathComponent("a.v210"))
    let codes = try FFmpegTool.run(
      "ffmpeg",
      [
        "-f", "v210", "-video_size", "100x32", "-i", folder.path("a.v210"), "-f", "rawvideo",
        "-pix_fmt", "yuv422p10le", "-",
      ])
    #expect(codes.words == (try await decoded(path, "--format", "yuv422p10").words))
  }

  @Test(.enabled(if: FFmpegTool.isHere, "needs ffmpeg"))
  func `other codecs go through FFmpeg's library`() async throws {
    let path = folder.path("h264.mp4")
    _ = try FFmpegTool.run(
      "ffmpeg",
      [
        "-f", "lavfi", "-i", "testsrc2=size=96x64:rate=30", "-frames:v", "40", "-c:v", "libx264", "-bf", "2",
        "-pix_fmt", "yuv420p", path,
      ])
    let ours = try await decoded(path, "--format", "yuv420p")
    #expect(ours == (try FFmpegTool.frames(of: path, "yuv420p")))
    // A part begins at a frame that is no key frame.
    let part = try await decoded(path, "--format", "yuv420p", "--range", "#17-#23")
    #expect(part == ours.dropFirst(17 * 9216).prefix(6 * 9216))
    let result = await cinematic("decode", path, "-o", folder.path("a.yuv"), "--scale", "1/8")
    #expect(result.status == 1 && result.errors.contains("full size only"))
  }

  @Test(.enabled(if: SharedMovie.hasAlphaLayer, "needs ../shared/media/phone"))
  func `an alpha layer that is left out is told`() async throws {
    let line = ["decode", SharedMovie.alphaLayerPath, "--frames", "1", "-o", folder.path("a.raw")]
    let sentence = "The alpha layer of the HEVC stream is not decoded; pictures are opaque."
    let result = await cinematic(line)
    #expect(result.status == 0 && result.errors == "cinematic: \(sentence)\n")
    #expect(await cinematic(line + ["-y", "--json"]).json["notes"] as? [String] == [sentence])
  }

  // MARK: Parts

  @Test(.enabled(if: FFmpegTool.isHere, "needs ffmpeg"), arguments: [("1/2", 2), ("1/4", 4), ("1/8", 8)])
  func `parts of the size are rounded up`(scale: String, divisor: Int) async throws {
    let path = folder.path("odd.mov")
    try FFmpegTool.makeProRes(path, size: "150x98", frames: 2)
    let (width, height) = ((150 + divisor - 1) / divisor, (98 + divisor - 1) / divisor)
    let small = try await decoded(path, "--format", "yuv422p10", "--scale", scale).words
    #expect(small.count == 2 * height * (width + 2 * ((width + 1) / 2)))
    // The mean of the luma stays.
    let large = try await decoded(path, "--format", "yuv422p10").words
    func mean(_ codes: ArraySlice<UInt16>) -> Double { codes.reduce(0) { $0 + Double($1) } / Double(codes.count) }
    // Columns and rows beyond the picture's edge have a part in the last samples.
    #expect(abs(mean(small.prefix(width * height)) - mean(large.prefix(150 * 98))) < 12)
  }

  @Test(.enabled(if: FFmpegTool.isHere, "needs ffmpeg"))
  func `ranges are exact to the frame`() async throws {
    let path = folder.path("ntsc.mov")
    try FFmpegTool.makeProRes(path, size: "32x32", frames: 12, rate: "30000/1001")
    let all = try await decoded(path, "--format", "yuv422p10"), frame = 32 * 32 * 4
    #expect(all.count == 12 * frame)
    #expect(try await decoded(path, "--format", "yuv422p10", "--range", "#3-#7") == all[3 * frame..<7 * frame])
    #expect(
      try await decoded(path, "--format", "yuv422p10", "--frames", "2", "--range", "#3-") == all[3 * frame..<5 * frame])
    // Frame 3 begins at 0.1001 s: 0.1 lies before it, 0.101 behind it.
    #expect(try await decoded(path, "--format", "yuv422p10", "--range", "0.1-0.101") == all[3 * frame..<4 * frame])
  }

  @Test(.enabled(if: SharedMovie.hasOddities, "needs ../shared/media/bugs"), arguments: ["multistsd", "multistsd_rev"])
  func `each sample is decoded by its own description`(name: String) async throws {
    let path = SharedMovie.oddity(name)
    let result = await cinematic("decode", path, "-o", "-", "--format", "yuv444p12", "--json")
    #expect(result.status == 0 && result.output.count == 8 * 320 * 180 * 3 * 2)
    let report = try #require(
      try JSONSerialization.jsonObject(with: Data(result.errors.utf8)) as? [String: Any])
    #expect(report["frames"] as? Int == 8 && (report["damage"] as? [String: Any])?["frames"] as? Int == 0)
    // The richer of the two is taken where nothing is named.
    let native = await cinematic("decode", path, "-o", folder.path("a.raw"), "--json")
    #expect(native.json["format"] as? String == "y416" && native.json["frames"] as? Int == 8)
  }

  // MARK: Containers

  @Test(
    .enabled(if: FFmpegTool.isHere, "needs ffmpeg"), arguments: [("yuv422p10", 3), ("yuv444p12", 4), ("yuv420p", 3)])
  func `YUV4MPEG2 is read back`(format: String, profile: Int) async throws {
    let path = folder.path("source.mov"), file = folder.path("a.y4m")
    try FFmpegTool.makeProRes(
      path, size: "72x40", frames: 3, profile: profile, pixelFormat: profile == 4 ? "yuv444p10le" : "yuv422p10le",
      rate: "24000/1001",
      filters: "setsar=4/3")
    #expect(await cinematic("decode", path, "-o", file, "--format", format).status == 0)
    #expect(try FFmpegTool.entry("r_frame_rate", of: file) == "24000/1001")
    #expect(try FFmpegTool.entry("sample_aspect_ratio", of: file) == "4:3")
    let name = format.last == "p" ? format : format + "le"
    #expect(try FFmpegTool.entry("pix_fmt", of: file) == name)
    #expect(try FFmpegTool.frames(of: file, name) == (try await decoded(path, "--format", format)))
  }

  @Test(.enabled(if: FFmpegTool.isHere, "needs ffmpeg"), arguments: [("1", "It"), ("0", "Ib")])
  func `fields keep their order`(parity: String, mark: String) async throws {
    let path = folder.path("fields.mov"), file = folder.path("a.y4m")
    try FFmpegTool.makeProRes(
      path, size: "64x48", frames: 2,
      options: [
        "-flags", "+ildct", "-vf", "setfield=\(parity == "1" ? "tff" : "bff")", "-field_order",
        parity == "1" ? "tt" : "bb",
      ])
    #expect(await cinematic("decode", path, "-o", file).status == 0)
    let data = try Data(contentsOf: URL(fileURLWithPath: file))
    #expect(String(decoding: data.prefix(80), as: UTF8.self).contains(" \(mark) "))
    #expect(
      greatestDifference(
        cut(try await decoded(path, "--format", "yuv422p10").words, depth: 10),
        try FFmpegTool.frames(of: path, "yuv422p10le").words)
        ?? .max <= 1)
  }

  @Test(.enabled(if: FFmpegTool.isHere, "needs ffmpeg"))
  func `pictures are numbered and have 16 bits`() async throws {
    let path = folder.path("source.mov"), out = folder.path("pictures")
    try FFmpegTool.makeProRes(
      path, size: "48x32", frames: 4, profile: 4, pixelFormat: "yuv444p10le",
      options: ["-color_trc", "bt709", "-color_primaries", "bt709", "-colorspace", "bt709"])
    #expect(await cinematic("decode", path, "-o", out, "--format", "png", "--range", "#1-#3").status == 0)
    let names = try FileManager.default.contentsOfDirectory(atPath: out).sorted()
    #expect(names == ["frame-00001.png", "frame-00002.png"])
    let picture = try PNGFile.read(URL(fileURLWithPath: out + "/frame-00001.png"))
    #expect(CVPixelBufferGetPixelFormatType(picture) == kCVPixelFormatType_64RGBALE)
    #expect(try FFmpegTool.entry("pix_fmt", of: out + "/frame-00001.png") == "rgb48be")
    // The decoder's own R'G'B'; an 8-bit code is 257.
    let theirs = try await decoded(path, "--format", "b64a", "--range", "#1-#2")
    var worst = 0
    picture.withPlane(0, readOnly: true) { base, pitch, width, height in
      for y in 0..<height {
        let row = (base + y * pitch).assumingMemoryBound(to: UInt16.self)
        for x in 0..<width {
          for c in 0..<3 {
            let place = 8 * (y * width + x) + 2 * (c + 1)
            worst = max(worst, abs(Int(row[4 * x + c]) - (Int(theirs[place]) << 8 | Int(theirs[place + 1]))))
          }
        }
      }
    }
    #expect(worst <= 257)
  }

  @Test(.enabled(if: FFmpegTool.isHere, "needs ffmpeg"))
  func `scene values are light, and white is 1`() async throws {
    let path = folder.path("white.mov"), out = folder.path("scene")
    try FFmpegTool.makeProRes(
      path, size: "32x32", frames: 1, profile: 4, pixelFormat: "yuv444p10le",
      filters: "geq=lum='if(lt(X,16),940,502)':cb=512:cr=512",
      options: ["-color_trc", "bt709", "-color_primaries", "bt709", "-colorspace", "bt709"])
    #expect(await cinematic("decode", path, "-o", out, "--format", "exr").status == 0)
    for name in ["R", "G", "B"] {
      let plane = try EXRFile.read(name, from: URL(fileURLWithPath: out + "/frame-00000.exr"))
      #expect(abs(plane.samples[4] - 1) < 0.01)
      // A signal of (502 - 64) / 876 = 0.5 is ((0.5 + 0.099) / 1.099)^(1 / 0.45) = 0.2597 of the light.
      #expect(abs(plane.samples[28] - 0.2597) < 0.005)
    }
  }
}
