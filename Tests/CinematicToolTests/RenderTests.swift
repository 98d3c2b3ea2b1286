import CinematicTool
import CoreMedia
import Foundation
import QuickTime
import Testing

/// What of the movie a render keeps: frames, times, colour, sound and metadata.
@Suite struct RenderTests {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  private func render(_ source: String, _ options: String...) async throws -> MovieFile {
    let path = folder.path("rendered-\(UUID().uuidString).mov")
    let result = await cinematic(["render", source, "-o", path, "--quality", "thumbnail", "--json"] + options)
    try #require(result.status == 0, "\(result.errors)")
    #expect(result.json["frames"] as? Int == (try MovieFile(path).times("vide").count))
    return try MovieFile(path)
  }

  @Test(arguments: ["24", "30", "60"])
  func `every frame keeps its time`(rate: String) async throws {
    let source = try await synth(folder, "a.mov", "--fps", rate)
    let original = try MovieFile(source)
    // The encoder reorders: what is compared is more than a count of samples.
    #expect(try original.track("vide").samples.hasCompositionOffsets)
    let rendered = try await render(source)
    #expect(try rendered.times("vide") == original.times("vide"))
    #expect(try rendered.track("vide").timeline.end == original.track("vide").timeline.end)
    #expect(try rendered.track("vide").timescale == original.track("vide").timescale)
    #expect(rendered.handlers.sorted() == ["soun", "vide"])
    #expect(try await rendered.luma().count == 12)
  }

  @Test(arguments: [
    ("#3-#8", 3..<8), ("0.1-0.25", 3..<8), ("#9-", 9..<12), ("-#1", 0..<1), ("0.11-0.12", 4..<4), ("#40-#50", 0..<0),
  ])
  func `a range holds the frames that begin in it`(range: String, frames: Range<Int>) async throws {
    let source = try await synth(folder)
    guard !frames.isEmpty else {
      let path = folder.path("none.mov")
      #expect(await cinematic("render", source, "-o", path, "--range", range).status == 1)
      #expect(folder.names == ["sample.mov"])
      return
    }
    let rendered = try await render(source, "--range", range)
    #expect(try rendered.times("vide") == (0..<frames.count).map { RationalTime(Int64($0), 30) })
    #expect(try rendered.track("vide").timeline.end == RationalTime(Int64(frames.count), 30))
  }

  @Test func `sound is copied as it is stored`() async throws {
    let source = try await synth(folder)
    let (original, rendered) = (try MovieFile(source), try await render(source))
    #expect(try original.samples("soun").count > 10)
    #expect(try rendered.samples("soun") == original.samples("soun"))
    #expect(try rendered.times("soun") == original.times("soun"))
    let part = try await render(source, "--range", "#6-")
    #expect(try original.samples("soun").suffix(3) == part.samples("soun").suffix(3))
    #expect(try part.samples("soun").count < original.samples("soun").count)
    #expect(try await render(synth(folder, "silent.mov", "--silent")).handlers == ["vide"])
  }

  /// Movies hold the same sound twice, the second time for other players only; both must not be heard at once.
  @Test func `a sound track that is disabled stays so`() async throws {
    let source = try await synth(folder)
    var bytes = try Data(contentsOf: URL(fileURLWithPath: source))
    let sound = try #require(bytes.range(of: Data("soun".utf8), options: .backwards))
    let header = try #require(bytes.range(of: Data("tkhd".utf8), options: .backwards, in: 0..<sound.lowerBound))
    // Bit 0 of the flags: the track is enabled. The volume stands 36 bytes behind the version, as 8.8 fixed point.
    bytes[header.upperBound + 3] &= 0xFE
    bytes[header.upperBound + 36] = 0
    bytes[header.upperBound + 37] = 0x80
    let path = folder.path("disabled.mov")
    try bytes.write(to: URL(fileURLWithPath: path))
    #expect(try !MovieFile(path).track("soun").isEnabled)
    let parts = folder.path("parts")
    #expect(await cinematic("extract", path, "-o", parts, "--disparity", "none").status == 0)
    for copy in [try await render(path), try MovieFile(parts + "/picture.mov")] {
      let track = try copy.track("soun")
      #expect(!track.isEnabled && track.header.volume == 0x80)
    }
  }

  private struct Color: Equatable {
    var primaries: String?
    var transfer: String?
    var matrix: String?
    /// Of a luma code, from the codec's configuration (ISO/IEC 14496-15, 8.3.3.1.2).
    var bits: Int?
  }

  private func color(_ movie: MovieFile) async throws -> Color {
    let extensions = try await movie.pictureExtensions()
    let atoms = extensions[kCMFormatDescriptionExtension_SampleDescriptionExtensionAtoms] as? [String: Any]
    return Color(
      primaries: extensions[kCMFormatDescriptionExtension_ColorPrimaries] as? String,
      transfer: extensions[kCMFormatDescriptionExtension_TransferFunction] as? String,
      matrix: extensions[kCMFormatDescriptionExtension_YCbCrMatrix] as? String,
      bits: (atoms?["hvcC"] as? Data).map { Int($0[$0.startIndex + 17] & 7) + 8 })
  }

  @Test func `HLG stays HLG, and becomes BT.709 on demand`() async throws {
    let source = try await synth(folder)
    let hlg = Color(
      primaries: kCMFormatDescriptionColorPrimaries_ITU_R_2020,
      transfer: kCMFormatDescriptionTransferFunction_ITU_R_2100_HLG,
      matrix: kCMFormatDescriptionYCbCrMatrix_ITU_R_2020, bits: 10)
    let bt709 = Color(
      primaries: kCMFormatDescriptionColorPrimaries_ITU_R_709_2,
      transfer: kCMFormatDescriptionTransferFunction_ITU_R_709_2,
      matrix: kCMFormatDescriptionYCbCrMatrix_ITU_R_709_2, bits: 8)
    #expect(try await color(MovieFile(source)) == hlg)
    #expect(try await color(render(source)) == hlg)
    #expect(try await color(render(source, "--sdr")) == bt709)
    let sdr = try await synth(folder, "sdr.mov", "--sdr")
    #expect(try await color(render(sdr)) == bt709)
    #expect(try await color(render(sdr, "--sdr")) == bt709)
  }

  @Test(arguments: [("hevc", "hvc1"), ("h264", "avc1"), ("prores-422", "apcn")])
  func `codecs are named by their samples`(codec: String, type: String) async throws {
    let rendered = try await render(synth(folder), "--codec", codec, "--range", "#0-#2", "--sdr")
    #expect(try rendered.track("vide").sampleDescriptions.map(\.type.description) == [type])
    #expect(try await rendered.luma().count == 2)
  }

  // MARK: Metadata

  private static let date = "com.apple.quicktime.creationdate"
  private static let place = "com.apple.quicktime.location.ISO6709"

  /// A sample movie that says when and where it was recorded.
  private func datedMovie() async throws -> String {
    let path = folder.path("dated.mov")
    var changes = MovieRewriter.Changes()
    changes.metadata = [
      MovieMetadataItem(key: Self.date, "2024-05-06T07:08:09+0200"), MovieMetadataItem(key: Self.place, "+48.1+011.6/"),
    ]
    try MovieRewriter.rewrite(MovieFile(try await synth(folder)).movie, to: URL(fileURLWithPath: path), changes)
    return path
  }

  @Test func `date and place are kept unless they are stripped, and the result is no Cinematic movie`() async throws {
    let source = try await datedMovie()
    #expect(try MovieFile(source).metadataKeys.contains { $0.contains("cinematic-video") })
    let kept = try await render(source)
    let texts = kept.movie.metadata.map { String(decoding: $0.value, as: UTF8.self) }
    #expect(kept.metadataKeys == [Self.date, Self.place])
    #expect(Set(texts) == ["2024-05-06T07:08:09+0200", "+48.1+011.6/"])
    let stripped = try await render(source, "--strip")
    #expect(stripped.metadataKeys == [])
    // The whole file says nothing of it, wherever it might be kept.
    let bytes = try Data(contentsOf: URL(fileURLWithPath: stripped.path))
    #expect(bytes.range(of: Data("+48.1".utf8)) == nil && bytes.range(of: Data("2024-05-06".utf8)) == nil)
    #expect(await cinematic("info", kept.path, "--json").errorName == "incomplete")
  }

  /// The brand of a file: the four bytes after the type of its first atom.
  private func brand(_ path: String) throws -> String {
    let start = try Data(contentsOf: URL(fileURLWithPath: path)).prefix(12)
    return String(decoding: start.suffix(4), as: UTF8.self)
  }

  @Test(arguments: [("a.mov", "qt  "), ("a.mp4", "mp42"), ("a.M4V", "mp42"), ("a", "qt  ")])
  func `the output is what its name says`(name: String, brand: String) async throws {
    let source = try await synth(folder), path = folder.path(name)
    let result = await cinematic("render", source, "-o", path, "--quality", "thumbnail")
    // All that is said is what it is rendered on.
    #expect(result.status == 0 && result.errors.split(separator: "\n").count == 1)
    #expect(result.errors.hasPrefix("cinematic: rendering on "))
    // An MPEG-4 file may be of several kinds; a QuickTime movie is of one.
    #expect(try self.brand(path) == brand)
    let (before, after) = (try MovieFile(source), try MovieFile(path))
    #expect(try after.times("vide") == before.times("vide"))
    #expect(try after.samples("soun") == before.samples("soun"))
  }

  // MARK: Refused

  @Test(arguments: [
    ["render", "a.mov", "-o", "b.webm"], ["render", "a.mov", "-o", "b.mp4", "--codec", "prores-422"],
    ["synth", "-o", "b.mp4"], ["pack", "--picture", "a", "--disparity", "a", "-o", "b.mkv"],
  ])
  func `a name that promises something else is status 2`(arguments: [String]) async {
    let result = await cinematic(arguments)
    #expect(result.status == 2 && result.errors.contains("ends in") && result.errors.contains(".mov"))
  }

  @Test(arguments: [
    ["--crf", "52"], ["--crf", "x"], ["--crf", "20", "--bitrate", "1M"], ["--codec", "mpeg2"], ["--quality", "best"],
    ["--range", "5-2"], ["--range", "x"], ["--aperture", "0"], ["--aperture", "nan"], ["--bitrate", "0"],
    ["--bitrate", "-1M"], ["--codec", "prores-422", "--crf", "20"], ["--progress", "xml"],
  ])
  func `wrong usage is status 2`(options: [String]) async throws {
    let result = await cinematic(["render", folder.path("a.mov"), "-o", folder.path("b.mov")] + options)
    #expect(result.status == 2 && result.errors.contains("--help") && folder.names.isEmpty)
  }

  @Test func `a movie on standard output stands alone`() async throws {
    let source = try await synth(folder)
    let result = await cinematic("render", source, "-o", "-", "--quality", "thumbnail", "--json")
    #expect(result.status == 0 && !result.text.contains("\"output\""))
  }

  @Test func `what is there is not overwritten, and the movie never`() async throws {
    let source = try await synth(folder)
    let before = try Data(contentsOf: URL(fileURLWithPath: source))
    let other = try folder.write("mine", to: "other.mov")
    let refused = await cinematic("render", source, "-o", other)
    #expect(refused.status == 1 && refused.errors.contains("-y"))
    #expect(try folder.text(of: "other.mov") == "mine")
    let itself = await cinematic("render", source, "-o", source, "-y")
    #expect(itself.status == 1 && itself.errors.contains("input itself"))
    #expect(try Data(contentsOf: URL(fileURLWithPath: source)) == before)
    #expect(folder.names == ["other.mov", "sample.mov"])
    #expect(await cinematic("render", source, "-o", other, "-y", "--quality", "thumbnail").status == 0)
    #expect(try MovieFile(other).times("vide").count == 12)
  }

  @Test func `a preset that the encoder does not know leaves nothing behind`() async throws {
    let source = try await synth(folder)
    let result = await cinematic("render", source, "-o", folder.path("a.mov"), "--preset", "hasty")
    #expect(result.status == 2 && result.errors.contains("ultrafast"))
    #expect(folder.names == ["sample.mov"])
  }

  @Test func `a render goes to standard output, and its progress to programs`() async throws {
    let source = try await synth(folder)
    let result = await cinematic(
      "render", source, "-o", "-", "--quality", "thumbnail", "--range", "#0-#6", "--progress", "json")
    #expect(result.status == 0 && folder.names == ["sample.mov"])
    let lines = result.errors.split(separator: "\n")
    #expect(!lines.isEmpty && lines.allSatisfy { $0.hasPrefix("{\"progress\":") })
    #expect(lines.last?.contains("\"done\": 6, \"total\": 6") == true)
    let path = folder.path("out.mov")
    try result.output.write(to: URL(fileURLWithPath: path))
    #expect(try MovieFile(path).times("vide") == (0..<6).map { RationalTime(Int64($0), 30) })
  }

  @Test(arguments: ["render", "extract"])
  func `a movie without frames is a sentence`(command: String) async throws {
    try TestMovie(frames: 0).write(to: folder.path("a.mov"))
    let result = await cinematic(command, folder.path("a.mov"), "-o", folder.path("b.mov"), "--json")
    #expect(result.status == 1 && result.errorName != nil && folder.names == ["a.mov"])
    #expect(result.errors.split(separator: "\n").count == 1)
  }

  @Test(arguments: ["render", "extract"])
  func `pictures that cannot be decoded leave nothing behind`(command: String) async throws {
    try TestMovie().write(to: folder.path("a.mov"))
    let result = await cinematic(command, folder.path("a.mov"), "-o", folder.path("b.mov"), "--json")
    #expect(result.status == 1 && result.errorName != nil && folder.names == ["a.mov"])
    #expect(result.errors.split(separator: "\n").count == 1)
  }

  @Test func `a movie without disparity is named incomplete`() async throws {
    try TestMovie(hasDisparity: false).write(to: folder.path("a.mov"))
    let result = await cinematic("render", folder.path("a.mov"), "-o", folder.path("b.mov"), "--json")
    #expect(result.status == 1 && result.errorName == "incomplete" && folder.names == ["a.mov"])
  }
}
