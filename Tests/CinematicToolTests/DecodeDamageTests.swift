import CinematicTool
import Foundation
import ProRes
import QuickTime
import Testing

/// What `decode` says and does about frames that are damaged, and about wrong arguments.
@Suite(.enabled(if: FFmpegTool.isHere, "needs ffmpeg")) struct DecodeDamageTests {
  private let folder: TestFolder
  private let path: String
  /// 128 x 96 pixels: rows of one slice of eight macroblocks.
  private let frame = 128 * 96 * 4

  init() throws {
    folder = try TestFolder()
    path = folder.path("whole.mov")
    try FFmpegTool.makeProRes(path, size: "128x96", frames: 4)
  }

  /// A copy of the movie with bytes of a sample overwritten, counted from the sample's end where `place` is negative.
  private func damaged(sample index: Int, at place: Int, _ bytes: [UInt8]) throws -> String {
    let copy = folder.path("damaged.mov")
    var data = try Data(contentsOf: URL(fileURLWithPath: path))
    let movie = try Movie.open(URL(fileURLWithPath: path))
    let track = try #require(movie.tracks.first { $0.handler == "vide" })
    let sample = track.samples[index]
    let start = Int(sample.offset) + (place < 0 ? sample.size + place : place)
    data.replaceSubrange(start..<start + bytes.count, with: bytes)
    try data.write(to: URL(fileURLWithPath: copy))
    return copy
  }

  private func report(_ result: ToolResult) -> [String: Any] { result.json }

  @Test func `damaged slices are concealed and named`() async throws {
    // The last slice's data become a run of ones, which no codeword is.
    let copy = try damaged(sample: 2, at: -60, [UInt8](repeating: 0xFF, count: 60))
    let out = folder.path("a.yuv")
    let result = await cinematic("decode", copy, "-o", out, "--format", "yuv422p10", "--json")
    #expect(result.status == 0)
    let damage = try #require(report(result)["damage"] as? [String: Any])
    #expect(damage["frames"] as? Int == 1 && damage["lost_frames"] as? Int == 0)
    let listed = try #require((damage["listed"] as? [[String: Any]])?.first)
    #expect(listed["frame"] as? Int == 2 && listed["time"] as? String == "2/25")
    let slice = try #require((listed["slices"] as? [[String: Any]])?.last)
    #expect(
      slice["slice"] as? Int == 5 && slice["columns"] as? [Int] == [0, 128] && slice["rows"] as? [Int] == [80, 96])
    // Grey there, untouched elsewhere.
    let sound = try #require(await cinematic("decode", path, "-o", "-", "--format", "yuv422p10").output as Data?)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: out))
    #expect(bytes.count == sound.count && bytes.prefix(2 * frame) == sound.prefix(2 * frame))
    #expect(bytes.suffix(frame) == sound.suffix(frame))
    let third = bytes[2 * frame..<3 * frame].words
    #expect(third[80 * 128..<96 * 128].allSatisfy { $0 == 512 })
    let text = await cinematic("decode", copy, "-o", folder.path("b.yuv"), "--format", "yuv422p10")
    #expect(
      text.status == 0 && text.errors.contains("frame #2 (0:00.080): slice 5 in columns 0-127, rows 80-95 is damaged"))
  }

  @Test func `the picture before can stand in`() async throws {
    let copy = try damaged(sample: 2, at: -60, [UInt8](repeating: 0xFF, count: 60))
    for format in ["yuv422p10", "x422"] {
      let bytes = await cinematic("decode", copy, "-o", "-", "--format", format, "--conceal", "previous").output
      let rows = 2 * 128 * 80..<2 * 128 * 96
      #expect(
        bytes[2 * frame..<3 * frame].dropFirst(rows.lowerBound).prefix(rows.count)
          .elementsEqual(bytes[frame..<2 * frame].dropFirst(rows.lowerBound).prefix(rows.count)))
    }
  }

  @Test func `strictness ends at damage and leaves nothing`() async throws {
    let copy = try damaged(sample: 1, at: -60, [UInt8](repeating: 0xFF, count: 60))
    let names = folder.names
    let result = await cinematic("decode", copy, "-o", folder.path("a.yuv"), "--strict")
    #expect(result.status == 1 && folder.names == names)
    #expect(result.errors.contains("frame #1 (0:00.040): slice 5") && result.errors.split(separator: "\n").count == 1)
    let json = await cinematic("decode", copy, "-o", folder.path("a.yuv"), "--strict", "--json")
    #expect(json.status == 1 && json.errorName == "malformed" && json.json["damage"] != nil)
    #expect(await cinematic("decode", path, "-o", folder.path("a.yuv"), "--strict").status == 0)
  }

  @Test func `a frame that is none keeps its place`() async throws {
    let copy = try damaged(sample: 1, at: 4, Array("nope".utf8))
    for format in ["yuv422p10", "v216"] {
      let result = await cinematic("decode", copy, "-o", "-", "--format", format, "--json")
      #expect(result.status == 0 && result.output.count == 4 * frame)
      #expect(result.output.dropFirst(frame).prefix(frame).words.allSatisfy { $0 == (format == "v216" ? 32_768 : 512) })
      let report = try JSONSerialization.jsonObject(with: Data(result.errors.utf8)) as? [String: Any]
      let damage = try #require(report?["damage"] as? [String: Any])
      #expect(damage["lost_frames"] as? Int == 1)
      #expect(((damage["listed"] as? [[String: Any]])?[0]["reason"] as? String)?.contains("ProRes frame does") == true)
    }
  }

  @Test func `samples without pictures have an end`() async throws {
    let source = try Movie.open(URL(fileURLWithPath: path)), copy = folder.path("empty.mov")
    let track = try #require(source.tracks.first { $0.handler == "vide" })
    let writer = try MovieWriter(url: URL(fileURLWithPath: copy))
    let specification = TrackSpecification(handler: "vide", timescale: 25, sampleDescriptions: track.sampleDescriptions)
    let made = writer.addTrack(specification)
    try writer.append(track: made, data: try source.data(of: track.samples[0], in: track), TimedSample(duration: 1))
    for _ in 0..<1200 { try writer.append(track: made, data: Data([1, 2, 3]), TimedSample(duration: 1)) }
    try writer.finish()
    let result = await cinematic("decode", copy, "-o", folder.path("a.yuv"))
    #expect(result.status == 1 && result.errors.contains("from frame #1 on, 1001 samples in a row give no picture"))
    #expect(!folder.names.contains("a.yuv") && result.errors.split(separator: "\n").count == 1)
    // A part of it is small enough to be filled with grey.
    let part = await cinematic("decode", copy, "-o", "-", "--format", "v216", "--frames", "5")
    #expect(part.status == 0 && part.output.count == 5 * frame)
    let none = await cinematic("decode", copy, "-o", "-", "--format", "v216", "--range", "#1-#5")
    #expect(none.status == 1 && none.output.isEmpty)
  }

  @Test func `a movie that is cut off says where`() async throws {
    // The index comes first, the end of the data is gone.
    let fast = folder.path("fast.mov"), cut = folder.path("cut.mov")
    _ = try FFmpegTool.run("ffmpeg", ["-i", path, "-c", "copy", "-movflags", "faststart", fast])
    let data = try Data(contentsOf: URL(fileURLWithPath: fast))
    try data.dropLast(1000).write(to: URL(fileURLWithPath: cut))
    let result = await cinematic("decode", cut, "-o", folder.path("a.yuv"))
    #expect(result.status == 1 && result.errors.split(separator: "\n").count == 1)
    #expect(await cinematic("decode", cut, "-o", folder.path("a.yuv"), "--range", "-#3").status == 0)
  }

  @Test func `a movie that lost its index may be recovered`() async throws {
    // FFmpeg writes the index last.
    let cut = folder.path("cut.mov"), data = try Data(contentsOf: URL(fileURLWithPath: path))
    let index = try #require(data.range(of: Data("moov".utf8), options: .backwards)).lowerBound - 4
    // Inside the frames, between frames and index, and inside the index.
    for count in [index / 2, index, index + 100] {
      try data.prefix(count).write(to: URL(fileURLWithPath: cut))
      for command in [["decode", cut, "-o", folder.path("a.yuv")], ["info", cut]] {
        let result = await cinematic(command)
        #expect(
          result.status == 1 && result.errors.contains("again, or save its ProRes frames with 'cinematic recover'."))
      }
      let whole = folder.path("whole-\(count).mov")
      #expect(await cinematic("recover", cut, "-o", whole).status == 0)
    }
    // A file that is no movie has nothing to be recovered.
    let other = try folder.write("This is no movie at all.", to: "other.mov")
    let result = await cinematic("decode", other, "-o", folder.path("a.yuv"))
    #expect(result.status == 1 && !result.errors.contains("recover"))
  }

  @Test func `a contact sheet names damage where it is stored`() async throws {
    // The head of the last slice; of its data a small picture needs the beginning only.
    let movie = try Movie.open(URL(fileURLWithPath: path))
    let track = try #require(movie.tracks.first { $0.handler == "vide" })
    let head = try movie.data(of: track.samples[2], in: track).withUnsafeBytes {
      try ProResFrame($0).pictures[0].sliceOffsets[5]
    }
    let copy = try damaged(sample: 2, at: Int(head), [UInt8](repeating: 0xFF, count: 8))
    let words = "frame #2 (0:00.080): slice 5 in columns 0-127, rows 80-95 is damaged"
    #expect(await cinematic("decode", copy, "-o", folder.path("a.yuv")).errors == "cinematic: \(words).\n")
    let sheet = await cinematic("scrub", copy, "-o", folder.path("a.png"), "--width", "64", "--json")
    #expect(sheet.json["decoded_scale"] as? String == "1/2")
    let said = (sheet.json["tiles"] as? [[String: Any]] ?? []).map { $0["damage"] as? String }
    #expect(said == [nil, nil, words, nil])
  }

  @Test func `a format that YUV4MPEG2 lacks comes with one that it has`() async throws {
    for format in ["y416", "s4as", "b64a", "bgra", "rgba-half", "yuva444p10", "v210", "v216", "2vuy", "x422", "420v"] {
      let line = ["decode", path, "-o", folder.path("\(format).y4m"), "--frames", "1", "--format"]
      let refused = await cinematic(line + [format])
      #expect(refused.status == 2 && refused.errors.contains("not '\(format)'"))
      let other = try #require(refused.errors.firstMatch(of: /'--format (.*?)', or '--container raw'/)).1
      #expect(await cinematic(line + [String(other)]).status == 0, "\(other)")
      #expect(await cinematic(line + [format, "--container", "raw", "-y"]).status == 0)
    }
  }

  @Test func `a reader that goes away ends the work quietly`() async throws {
    let said = TestConsole(), plain = said.console()
    let console = Console(
      output: { plain.write($0) }, errors: { data in plain.writeError(String(decoding: data, as: UTF8.self)) },
      outputFailure: { said.output.isEmpty ? 0 : EPIPE })
    #expect(await CinematicTool.run(["decode", path, "-o", "-", "--format", "v216"], console: console) == 0)
    #expect(said.output.count == frame && said.errors.isEmpty)
  }

  @Test(arguments: [
    (["--format", "yuva444p16", "-o", "a.y4m"], "without alpha, not 'yuva444p16': choose '--format yuv444p16'"),
    (["--format", "v210", "-o", "a.y4m"], "holds planes"), (["--format", "yuv422", "-o", "a"], "did you mean"),
    (["--format", "png", "--container", "y4m", "-o", "a"], "writes a folder of pictures"),
    (["--scale", "1/3", "-o", "a"], "'--scale' is one of"), (["--decoder", "gpu", "-o", "a"], "'--decoder' is one of"),
    (["--frames", "0", "-o", "a"], "'--frames' takes a whole number"),
    (["--range", "5", "-o", "a"], "takes a range of times"),
    (["--range", "#5-#5", "-o", "a"], "the end of '--range #5-#5' must lie behind its start"),
    (["--range", "0:10-0:09.5", "-o", "a"], "the end of '--range 0:10-0:09.5' must lie behind its start"),
    (["--format", "v210"], "'--output' is needed"),
  ])
  func `wrong arguments are told`(options: [String], sentence: String) async {
    let result = await cinematic(["decode", path] + options)
    #expect(result.status == 2 && result.errors.contains(sentence), "\(result.errors)")
  }

  @Test func `what is not there is told`() async throws {
    #expect(await cinematic("decode", path, "-o", folder.path("a"), "--track", "7").errors.contains("no picture track"))
    for range in ["9-", "#100-#200"] {
      let result = await cinematic("decode", path, "-o", folder.path("a"), "--range", range)
      #expect(result.status == 1)
      #expect(
        result.errors.hasSuffix("range: the movie has frames #0-#3, which begin at 0:00.000 to 0:00.120.\n"),
        "\(result.errors)")
    }
    #expect(await cinematic("decode", path, "-o", "-", "--format", "png").errors.contains("standard output"))
    #expect(await cinematic("decode", folder.path("none.mov"), "-o", folder.path("a")).errors.contains("none.mov"))
    #expect(await cinematic("decode", path, "-o", path, "-y").errors.contains("is the input itself"))
  }
}
