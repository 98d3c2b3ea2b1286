import CinematicTool
import CoreVideo
import Foundation
import ImageFiles
import ProRes
import ProResClips
import QuickTime
import Testing

/// Contact sheets: which frames, where, and in which colours.
@Suite struct ScrubTests {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  /// A movie whose frame N is a grey of 16-bit luma that rises with N, with a red band in the lower quarter.
  private func movie(_ size: String, frames: Int, profile: Int = 3, _ options: [String] = [], sar: String = "1") throws
    -> String
  {
    let path = folder.path("steps.mov")
    try FFmpegTool.makeProRes(
      path, size: size, frames: frames, profile: profile, rate: "10",
      filters:
        "geq=lum='if(gt(Y,H*3/4),250,64+N*8)':cb='if(gt(Y,H/1*3/4),409,512)':cr='if(gt(Y,H*3/4),960,512)',setsar=\(sar)",
      options: ["-color_trc", "bt709", "-color_primaries", "bt709", "-colorspace", "bt709"] + options)
    return path
  }

  private func sheet(_ path: String, _ options: String...) async throws -> (json: [String: Any], picture: Pixels) {
    let file = folder.path("\(UUID().uuidString).png")
    let result = await cinematic(["scrub", path, "-o", file, "--json"] + options)
    try #require(result.status == 0, "\(result.errors)")
    return (result.json, Pixels(try PNGFile.read(URL(fileURLWithPath: file))))
  }

  /// Red, green and blue by place.
  private struct Pixels {
    let width: Int
    let height: Int
    private var bytes: [UInt8] = []

    init(_ buffer: CVPixelBuffer) {
      (width, height) = (CVPixelBufferGetWidth(buffer), CVPixelBufferGetHeight(buffer))
      var bytes: [UInt8] = []
      buffer.withPlane(0, readOnly: true) { base, pitch, width, height in
        for y in 0..<height { bytes += UnsafeRawBufferPointer(start: base + y * pitch, count: 4 * width) }
      }
      self.bytes = bytes
    }

    subscript(x: Int, y: Int) -> [Int] { [2, 1, 0].map { Int(bytes[4 * (y * width + x) + $0]) } }
  }

  private func frames(_ json: [String: Any]) -> [Int] {
    (json["tiles"] as? [[String: Any]] ?? []).compactMap { $0["frame"] as? Int }
  }

  @Test(.enabled(if: FFmpegTool.isHere, "needs ffmpeg"))
  func `frames stand at even distances, in their colours`() async throws {
    let path = try movie("640x320", frames: 20)
    let (json, picture) = try await sheet(path, "--count", "10", "--columns", "4", "--width", "80")
    #expect(frames(json) == Array(stride(from: 0, to: 20, by: 2)))
    #expect(json["decoded_scale"] as? String == "1/8" && json["tile"] as? [Int] == [80, 40])
    #expect(json["columns"] as? Int == 4 && json["rows"] as? Int == 3)
    // Two margins of 12, four frames, three gaps of 6.
    #expect(picture.width == 24 + 320 + 18)
    let ground = picture[0, 0]
    #expect(ground.allSatisfy { $0 < 40 } && picture[picture.width - 1, picture.height - 1] == ground)
    for (place, frame) in frames(json).enumerated() where place < 4 {
      let x = 12 + place * 86 + 40
      // Luma 64 is black and 940 white; 8-bit rounding of the source and the encoder's own are a code each.
      let wanted = Int((Double(frame * 8 / 4 * 4) / 876 * 255).rounded())
      for color in picture[x, 12 + 10] { #expect(abs(color - wanted) <= 3) }
      let red = picture[x, 12 + 36]
      #expect(red[0] > 200 && red[1] < 60 && red[2] < 60)
      // The time code below.
      let label = (12 + 40..<12 + 40 + 24).contains { y in
        (0..<80).contains { picture[12 + place * 86 + $0, y][1] > 150 }
      }
      #expect(label)
    }
  }

  @Test(.enabled(if: FFmpegTool.isHere, "needs ffmpeg"))
  func `frames are chosen by time, number and range`() async throws {
    let path = try movie("64x32", frames: 20)
    #expect(frames(try await sheet(path, "--every", "0.5").json) == [0, 5, 10, 15])
    #expect(frames(try await sheet(path, "--every", "#6").json) == [0, 6, 12, 18])
    #expect(frames(try await sheet(path, "--every", "0.25", "--range", "#4-#9").json) == [4, 6])
    #expect(frames(try await sheet(path, "--count", "3", "--range", "#10-").json) == [10, 13, 16])
    #expect(frames(try await sheet(path, "--count", "50").json) == Array(0..<20))
    let codes = (try await sheet(path, "--every", "#9").json["tiles"] as? [[String: Any]])?.map {
      $0["time_code"] as? String
    }
    #expect(codes == ["00:00:00:00", "00:00:00:09", "00:00:01:08"])
  }

  @Test(
    .enabled(if: FFmpegTool.isHere, "needs ffmpeg"),
    arguments: [(320, "1/2"), (640, "1"), (200, "1/2"), (160, "1/4"), (700, "1")])
  func `ProRes is decoded no larger than it must be`(width: Int, scale: String) async throws {
    let path = try movie("640x320", frames: 1)
    let (json, _) = try await sheet(path, "--width", "\(width)")
    #expect(json["decoded_scale"] as? String == scale)
  }

  @Test(
    .enabled(if: FFmpegTool.isHere, "needs ffmpeg"),
    arguments: [("25", "10:00:00:20", "10:00:01:03"), ("30000/1001", "00:00:59;27", "00:01:00;07")])
  func `the movie's own time codes stand below its frames`(rate: String, start: String, ninth: String) async throws {
    let path = folder.path("coded.mov")
    // The ninth frame is eight frames later; where frames are dropped, two labels are left out at the minute.
    try FFmpegTool.makeProRes(path, size: "64x32", frames: 12, rate: rate, options: ["-timecode", start])
    let tiles = try #require(try await sheet(path, "--every", "#8").json["tiles"] as? [[String: Any]])
    #expect(tiles.map { $0["time_code"] as? String } == [start, ninth])
  }

  @Test(.enabled(if: FFmpegTool.isHere, "needs ffmpeg"))
  func `pixels are as wide as they are meant`() async throws {
    let path = try movie("64x64", frames: 1, sar: "2")
    #expect(try await sheet(path, "--width", "100").json["tile"] as? [Int] == [100, 50])
  }

  @Test(.enabled(if: FFmpegTool.isHere, "needs ffmpeg"))
  func `frames between key frames are found`() async throws {
    let path = folder.path("groups.mp4")
    _ = try FFmpegTool.run(
      "ffmpeg",
      [
        "-f", "lavfi", "-i", "color=size=64x64:rate=10,format=yuv420p,geq=lum='16+N*5':cb=128:cr=128", "-frames:v",
        "40",
        "-c:v", "libx264", "-qp", "4", "-bf", "2", "-g", "12", path,
      ])
    let (json, picture) = try await sheet(path, "--every", "#7", "--columns", "6", "--width", "64")
    #expect(frames(json) == [0, 7, 14, 21, 28, 35] && json["decoded_scale"] as? String == "1")
    for (place, frame) in frames(json).enumerated() {
      // Luma 16 is black and 235 white.
      let wanted = Int((Double(frame * 5) / 219 * 255).rounded())
      for color in picture[12 + place * 70 + 32, 12 + 32] { #expect(abs(color - wanted) <= 3) }
    }
  }

  @Test(.enabled(if: FFmpegTool.isHere, "needs ffmpeg"))
  func `a frame that cannot be decoded is grey and said so`() async throws {
    let path = try movie("64x32", frames: 4), copy = folder.path("damaged.mov")
    var data = try Data(contentsOf: URL(fileURLWithPath: path))
    var mark = data.startIndex
    for _ in 0..<3 { mark = try #require(data[mark...].range(of: Data("icpf".utf8))).upperBound }
    data.replaceSubrange(mark - 4..<mark, with: Data("nope".utf8))
    try data.write(to: URL(fileURLWithPath: copy))
    let (json, picture) = try await sheet(copy, "--columns", "4", "--width", "64")
    let tiles = try #require(json["tiles"] as? [[String: Any]])
    #expect(tiles.map { $0["damage"] is String } == [false, false, true, false])
    // 512 of 64 to 940 is 0.51 of white.
    for color in picture[12 + 2 * 70 + 32, 12 + 8] { #expect(abs(color - 130) <= 2) }
    let result = await cinematic("scrub", copy, "-o", folder.path("b.png"))
    #expect(result.status == 0 && result.errors.hasPrefix("cinematic: frame #2 (0:00.200) cannot be decoded"))
  }

  @Test(.enabled(if: FFmpegTool.isHere, "needs ffmpeg"), arguments: [false, true])
  func `places in a small picture lead to those in the stored one`(isInterlaced: Bool) throws {
    let path = folder.path("odd.mov")
    try FFmpegTool.makeProRes(
      path, size: "150x98", frames: 1, options: isInterlaced ? ["-flags", "+ildct", "-field_order", "tt"] : [])
    let movie = try Movie.open(URL(fileURLWithPath: path))
    let track = try #require(movie.tracks.first { $0.handler == "vide" })
    let data = try movie.data(of: track.samples[0], in: track)
    try data.withUnsafeBytes { bytes in
      let frame = try ProResFrame(bytes)
      let slices = 0..<frame.sliceCount
      #expect(frame.pictures.count == (isInterlaced ? 2 : 1) && slices.count > 10)
      for scale in ProResScale.allCases {
        let found = slices.compactMap { frame.damage(ofSlice: $0, scale: scale) }
        // Of rows that are rounded away nothing is left in a small picture.
        #expect(found.count >= slices.count * 3 / 4)
        for small in found {
          #expect(small.enlarged(by: scale, width: 150, height: 98) == frame.damage(ofSlice: small.slice))
        }
      }
    }
  }

  @Test func `turned movies stand upright`() async throws {
    let path = try await synth(folder, "turned.mov", "--rotation", "90", "--size", "90x160")
    let (json, picture) = try await sheet(path, "--width", "90", "--count", "2", "--columns", "2")
    #expect(json["tile"] as? [Int] == [90, 160] && picture.width == 2 * 12 + 2 * 90 + 6)
    let still = folder.path("still.png")
    #expect(await cinematic("frame", path, "--at", "#0", "--aperture", "64", "-o", still).status == 0)
    let whole = Pixels(try PNGFile.read(URL(fileURLWithPath: still)))
    try #require(whole.width == 90 && whole.height == 160)
    // The same pixels as the renderer's, but where its lens reaches: half of them, taken over the picture, within 6 codes.
    let places = (0..<160).flatMap { y in (0..<90).map { ($0, y) } }
    let close = places.count { x, y in zip(whole[x, y], picture[12 + x, 12 + y]).allSatisfy { abs($0 - $1) <= 6 } }
    #expect(close > places.count / 2)
  }

  /// Two stretches of three frames, with almost 2^60 seconds between them.
  @Test func `frames beyond all time codes are shown, and too many are refused`() async throws {
    var clip = ClipMovie(profile: .hq, movieTimescale: 1)
    clip.edits = [
      Edit(segmentDuration: 1, mediaTime: 0), Edit(segmentDuration: (1 << 60) - 8, mediaTime: -1),
      Edit(segmentDuration: 1, mediaTime: 0),
    ]
    let path = try clip.write(folder, "far.mov") { _, component, _, _ in component == 0 ? 400 : 512 }
    let tiles = try #require(try await sheet(path, "--count", "6").json["tiles"] as? [[String: Any]])
    #expect(tiles.count == 6 && tiles[0]["time_code"] as? String == "00:00:00:00")
    #expect(tiles[3]["time_code"] as? String == "#3")
    let refused = await cinematic("scrub", path, "-o", folder.path("a.png"), "--every", "0.001")
    #expect(refused.status == 1 && refused.errors.contains("a sheet has 1000 at most"))
    #expect(frames(try await sheet(path, "--every", "#2000000").json) == [0])
  }

  @Test(.enabled(if: FFmpegTool.isHere, "needs ffmpeg"))
  func `wrong arguments are told`() async throws {
    let path = try movie("32x32", frames: 3), out = folder.path("a.png")
    for (options, sentence) in [
      (["--count", "4", "--every", "1"], "exclude each other"), (["--every", "0"], "above 0"),
      (["--columns", "0"], "'--columns' takes"), (["--width", "5"], "'--width' takes"),
      (["--count", "x"], "'--count' takes"),
    ] {
      let result = await cinematic(["scrub", path, "-o", out] + options)
      #expect(result.status == 2 && result.errors.contains(sentence))
    }
    #expect(await cinematic("scrub", path, "-o", folder.path("a.jpg")).errors.contains("ends in .png"))
    #expect(await cinematic("scrub", path, "-o", out, "--range", "5-").status == 1)
    let large = await cinematic("scrub", path, "-o", out, "--width", "4096", "--columns", "1", "--count", "3")
    #expect(large.status == 1 && large.errors.contains("fewer or smaller tiles"))
    #expect(!folder.names.contains { $0.hasPrefix(".") })
  }
}
