import CinematicTool
import CoreMedia
import CoreVideo
import Foundation
import ImageFiles
import QuickTime
import Testing

/// A movie taken apart and put together again.
@Suite struct PackTests {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  /// Codes by which a disparity may differ that is encoded once more at the writer's constant rate factor of 10, on average; flat parts
  /// are exact, edges are not.
  private static let encoderTolerance = 1.5

  private func extract(_ source: String, _ options: String...) async throws -> String {
    let parts = folder.path("parts-\(UUID().uuidString)")
    let result = await cinematic(["extract", source, "-o", parts] + options)
    try #require(result.status == 0, "\(result.errors)")
    return parts
  }

  private func pack(_ options: String...) async throws -> String {
    let path = folder.path("packed-\(UUID().uuidString).mov")
    let result = await cinematic(["pack", "-o", path] + options)
    try #require(result.status == 0, "\(result.errors)")
    return path
  }

  private func info(_ path: String) async throws -> [String: Any] {
    let result = await cinematic("info", path, "--json", "--frames", "--check")
    try #require(result.status == 0, "\(result.errors)")
    return result.json
  }

  @Test(arguments: [
    ("png", "disparity-%05d.png", "0"), ("exr", "disparity-%05d.exr", "90"), ("movie", "disparity.mov", "270"),
  ])
  func `what was taken apart is put together again`(kind: String, disparity: String, rotation: String) async throws {
    let source = try await synth(folder, "sample.mov", "--rotation", rotation)
    let parts = try await extract(source, "--disparity", kind)
    let packed = try await pack(
      "--picture", parts + "/picture.mov", "--disparity", "\(parts)/\(disparity)", "--script", parts + "/script.json")
    let (before, after) = (try MovieFile(source), try MovieFile(packed))
    // Picture and sound are copies, the script says the same frame for frame.
    #expect(try after.samples("vide") == before.samples("vide"))
    #expect(try after.samples("soun") == before.samples("soun"))
    #expect(try after.samples("meta") == before.samples("meta"))
    for handler in ["vide", "auxv", "meta", "soun"] as [FourCC] {
      #expect(try after.times(handler) == before.times(handler))
    }
    let (old, new) = (try await info(source), try await info(packed))
    for member in ["frames", "decisions", "cinematic"] {
      let (old, new) = (old[member] as? NSObject, new[member] as? NSObject)
      #expect(old != nil && (member == "cinematic" || old == new))
    }
    let look = new["cinematic"] as? [String: Any], wanted = old["cinematic"] as? [String: Any]
    for member in ["rotation", "displayed_size", "frame_times", "aperture", "disc", "capability", "time_range"] {
      #expect(look?[member] as? NSObject == wanted?[member] as? NSObject)
    }
    #expect(new["warnings"] as? [String] == [])
    try await expectSameDisparity(before, after)
  }

  private func expectSameDisparity(_ before: MovieFile, _ after: MovieFile) async throws {
    let (old, new) = (try await before.disparityCodes(), try await after.disparityCodes())
    #expect(old.count == new.count)
    for (old, new) in zip(old, new) {
      try #require((old.width, old.height) == (new.width, new.height))
      #expect(old.meanDifference(to: new) <= Self.encoderTolerance)
    }
  }

  /// Movies of other makers say that pixels are square where phones say nothing.
  @Test(.enabled(if: SharedMovie.isThere, "needs ../shared/media/cinematic/cup.mov"))
  func `square pixels that are said are copied too`() async throws {
    let parts = try await extract(SharedMovie.path, "--disparity", "movie")
    let packed = try await pack(
      "--picture", parts + "/picture.mov", "--disparity", parts + "/disparity.mov", "--script", parts + "/script.json")
    let (before, after) = (try MovieFile(SharedMovie.path), try MovieFile(packed))
    #expect(try after.samples("vide") == before.samples("vide"))
    #expect(try after.samples("soun") == before.samples("soun"))
  }

  @Test func `a picture that is encoded anew keeps its sound`() async throws {
    let source = try await synth(folder), parts = try await extract(source, "--disparity", "movie")
    let packed = try await pack(
      "--picture", parts + "/picture.mov", "--disparity", parts + "/disparity.mov", "--display-aspect", "4:3")
    let (before, after) = (try MovieFile(source), try MovieFile(packed))
    #expect(try after.samples("soun") == before.samples("soun"))
    #expect(try after.times("soun") == before.times("soun"))
    #expect(try after.samples("vide") != before.samples("vide"))
  }

  @Test func `what is made is told to programs`() async throws {
    let made = await cinematic("synth", "-o", folder.path("a.mov"), "--frames", "3", "--size", "160x90", "--json")
    #expect(made.json["frames"] as? Int == 3)
    let parts = folder.path("a")
    let taken = await cinematic("extract", folder.path("a.mov"), "-o", parts, "--range", "#0-#2", "--json")
    #expect(taken.json["disparities"] as? Int == 2 && taken.json["output"] as? String == parts)
    let packed = await cinematic(
      "pack", "--picture", parts + "/picture.mov", "--disparity", folder.path("a.mov"), "-o", folder.path("b.mov"),
      "--json")
    #expect(packed.status == 0 && packed.json["frames"] as? Int == 3)
  }

  @Test func `extracted disparity is the track's, in every form`() async throws {
    let source = try await synth(folder), codes = try await MovieFile(source).disparityCodes()
    let (exr, png) = (try await extract(source), try await extract(source, "--disparity", "png"))
    for (index, picture) in codes.enumerated() {
      let name = String(format: "/disparity-%05d", index)
      let disparity = try EXRFile.read("disparity", from: URL(fileURLWithPath: exr + name + ".exr"))
      let depth = try EXRFile.read("Z", from: URL(fileURLWithPath: exr + name + ".exr"))
      #expect(disparity.samples.map { Int(DisparityCoding.standard.code(disparity: $0)) } == picture.samples)
      #expect(zip(disparity.samples, depth.samples).allSatisfy { $1 == ($0 > 0 ? 1 / $0 : .infinity) })
      let grey = try PNGFile.read(URL(fileURLWithPath: png + name + ".png"))
      #expect(try deep(grey).map { ($0 * 1023 + 32_767) / 65_535 } == picture.samples)
    }
    #expect(try names(exr).count == 14 && names(png).count == 14)
  }

  /// The samples of a 16-bit grey picture.
  private func deep(_ picture: CVPixelBuffer) throws -> [Int] {
    try #require(CVPixelBufferGetPixelFormatType(picture) == kCVPixelFormatType_OneComponent16)
    return picture.withPlane(0, readOnly: true) { base, pitch, width, height in
      (0..<height).flatMap { y in
        (0..<width).map { Int(base.load(fromByteOffset: y * pitch + $0 * 2, as: UInt16.self)) }
      }
    }
  }

  private func names(_ folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
  }

  @Test func `a range takes the disparity of its frames only`() async throws {
    let source = try await synth(folder)
    let few = try await extract(source, "--disparity", "png", "--range", "#2-#4")
    #expect(try names(few) == ["disparity-00002.png", "disparity-00003.png", "picture.mov", "script.json"])
    #expect(try names(await extract(source, "--disparity", "none")) == ["picture.mov", "script.json"])
    let part = try await extract(source, "--disparity", "movie", "--range", "#2-#4")
    #expect(try MovieFile(part + "/disparity.mov").times("vide") == [.zero, RationalTime(1, 30)])
    #expect(try MovieFile(part + "/picture.mov").times("vide").count == 12)
  }

  @Test func `the picture keeps date and place through both`() async throws {
    let dated = folder.path("dated.mov")
    var changes = MovieRewriter.Changes()
    changes.metadata = [MovieMetadataItem(key: "com.apple.quicktime.creationdate", "2024-05-06T07:08:09+0200")]
    try MovieRewriter.rewrite(MovieFile(try await synth(folder)).movie, to: URL(fileURLWithPath: dated), changes)
    let parts = try await extract(dated, "--disparity", "movie")
    #expect(try MovieFile(parts + "/picture.mov").metadataKeys == ["com.apple.quicktime.creationdate"])
    let packed = try await pack("--picture", parts + "/picture.mov", "--disparity", parts + "/disparity.mov")
    #expect(try MovieFile(packed).metadataKeys.contains("com.apple.quicktime.creationdate"))
  }

  @Test func `a script is proposed where none is given`() async throws {
    // The same story in 48 frames: subjects move slowly enough to be followed.
    let source = folder.path("slow.mov")
    _ = await cinematic("synth", "-o", source, "--size", "160x90", "--frames", "48", "--sdr", "--silent")
    let parts = try await extract(source, "--disparity", "movie")
    let packed = try await pack(
      "--picture", parts + "/picture.mov", "--disparity", parts + "/disparity.mov", "--aperture", "4")
    let info = try await info(packed)
    let look = try #require(info["cinematic"] as? [String: Any])
    #expect(look["aperture"] as? Double == 4 && look["capability"] as? String == "renderable")
    let base = try #require((info["decisions"] as? [String: Any])?["base"] as? [[String: Any]])
    #expect(base.first?["time"] as? String == "0/1")
    #expect((info["check"] as? [String: Any])?["passed"] as? Bool == true)
    #expect(await cinematic("render", packed, "-o", folder.path("r.mov"), "--quality", "thumbnail").status == 0)
  }

  @Test func `decisions of a script make its focus`() async throws {
    let source = try await synth(folder), parts = try await extract(source, "--disparity", "movie")
    let url = URL(fileURLWithPath: parts + "/script.json")
    var script = try #require(try JSONSerialization.jsonObject(with: Data(contentsOf: url)) as? [String: Any])
    script["decisions"] = [
      ["time": "0/1", "detection": 5], ["time": "6/30", "detection": 1, "user": true, "strong": true],
    ]
    try JSONSerialization.data(withJSONObject: script).write(to: url)
    let packed = try await pack(
      "--picture", parts + "/picture.mov", "--disparity", parts + "/disparity.mov", "--script", url.path)
    let decisions = try #require(try await info(packed)["decisions"] as? [String: Any])
    let base = try #require(decisions["base"] as? [[String: Any]]),
      user = try #require(decisions["user"] as? [[String: Any]])
    #expect(base.map { "\($0["time"]!) \($0["id"]!)" } == ["0/1 5"])
    #expect(user.map { "\($0["time"]!) \($0["id"]!) \($0["strong"] as? Bool == true)" } == ["1/5 1 true"])
  }

  // MARK: Other sources

  /// Numbered grey pictures of 64x32 and 16 bits: far everywhere, near in the middle.
  private func pictures(_ count: Int) throws -> String {
    for index in 0..<count {
      let picture = try CVBuffer.make(width: 64, height: 32, format: kCVPixelFormatType_OneComponent16)
      picture.withPlane(0, readOnly: false) { base, pitch, width, height in
        for y in 0..<height {
          for x in 0..<width {
            let isNear = (16..<48).contains(x) && (8..<24).contains(y)
            (base + y * pitch).storeBytes(of: isNear ? 40_000 : 10_000, toByteOffset: x * 2, as: UInt16.self)
          }
        }
      }
      try PNGFile.write(
        picture, to: folder.url.appendingPathComponent(String(format: "z-%03d.png", index)), color: .untagged)
    }
    return folder.path("z-%03d.png")
  }

  @Test func `numbered pictures become a movie of the aspect that is asked for`() async throws {
    let pattern = try pictures(3)
    let packed = try await pack(
      "--picture", pattern, "--disparity", pattern, "--display-aspect", "1:1", "--depth-coding", "linear",
      "--depth-range", "0.5,2.5")
    let info = try await info(packed)
    #expect((info["cinematic"] as? [String: Any])?["displayed_size"] as? [Int] == [64, 64])
    let codes = try #require(try await MovieFile(packed).disparityCodes().first)
    #expect((codes.width, codes.height) == (64, 32))
    for (place, share) in [((32, 16), 40_000.0 / 65_535), ((4, 4), 10_000.0 / 65_535)] {
      let wanted = DisparityCoding.standard.code(disparity: Float(0.5 + 2 * share))
      #expect(abs(codes[place.0, place.1] - Int(wanted)) <= 2)
    }
  }

  // MARK: Refused

  @Test(arguments: [
    [], ["--picture", "a.mov"], ["--disparity", "a.mov"], ["--depth-coding", "cubic"], ["--depth-range", "1"],
    ["--depth-range", "2,1"], ["--depth-range", "0,nan"], ["--depth-range", "-1,2"], ["--display-aspect", "9"],
    ["--display-aspect", "9:0"], ["--display-aspect", "9:16:2"], ["--aperture", "0"], ["--depth-levels", "some"],
  ])
  func `wrong usage is status 2`(options: [String]) async throws {
    let source = try await synth(folder)
    let needed =
      options.isEmpty || options.contains { ["a.mov"].contains($0) }
      ? [] : ["--picture", source, "--disparity", source]
    let result = await cinematic(["pack", "-o", folder.path("out.mov")] + needed + options)
    #expect(result.status == 2 && folder.names == ["sample.mov"])
  }

  @Test(arguments: ["none-%05d.exr", "none.exr", "%s%s%n.exr", "%@.exr", "%d%d.exr", "none.png", "%s.png"])
  func `disparity that is not there is a sentence`(name: String) async throws {
    let source = try await synth(folder)
    let result = await cinematic(
      "pack", "--picture", source, "--disparity", folder.path(name), "-o", folder.path("out.mov"))
    #expect(result.status == 1 && result.errors.split(separator: "\n").count == 1)
    #expect(folder.names == ["sample.mov"])
  }

  @Test func `parts that do not belong together are refused`() async throws {
    let source = try await synth(folder), parts = try await extract(source, "--disparity", "png")
    let out = folder.path("out.mov"), picture = parts + "/picture.mov", disparity = parts + "/disparity-%05d.png"
    func refusal(_ script: String, _ disparity: String) async -> ToolResult {
      await cinematic(
        "pack", "--picture", picture, "--disparity", disparity, "--script", script, "-o", out, "--json")
    }
    let other = folder.path("other.mov")
    _ = await cinematic("synth", "-o", other, "--size", "160x90", "--frames", "5", "--silent")
    let short = try await extract(other, "--disparity", "png")
    #expect(await refusal(short + "/script.json", disparity).errorName == "incompatible")
    #expect(await refusal(try folder.write("{", to: "a.json"), disparity).errorName == "malformed")
    #expect(await refusal(try folder.write("{}", to: "b.json"), disparity).errorName == "unsupported")
    #expect(await refusal(folder.path("none.json"), disparity).status == 1)
    let few = await refusal(parts + "/script.json", short + "/disparity-%05d.png")
    #expect(few.status == 1 && few.errors.contains("ends after 5 pictures"))
    #expect(!FileManager.default.fileExists(atPath: out))
    // Nothing is ever written over a part.
    #expect(await cinematic("pack", "--picture", picture, "--disparity", disparity, "-o", picture, "-y").status == 1)
    #expect(await cinematic("extract", source, "-o", parts).errors.contains("not empty"))
    #expect(try names(parts).count == 14)
  }
}
