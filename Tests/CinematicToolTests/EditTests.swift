import CinematicTool
import Foundation
import Testing

@Suite struct EditTests {
  private let folder: TestFolder
  private let movie: String
  private let edits: String

  init() throws {
    folder = try TestFolder()
    movie = folder.path("movie.mov")
    edits = folder.path("focus.json")
    try TestMovie(tap: (frame: 10, strong: true)).write(to: movie)
  }

  private func edit(_ arguments: String...) async -> ToolResult {
    await cinematic(["edit", movie, edits] + arguments)
  }

  /// User decisions as `time id`, with `g` for a group and `!` for a strong one.
  private func decisions() async throws -> [String] {
    let result = await edit("list", "--json")
    let list = try #require(result.json["decisions"] as? [String: Any])
    return try #require(list["user"] as? [[String: Any]]).map { decision in
      let group = decision["group"] as? Bool == true ? "g" : "", strong = decision["strong"] as? Bool == true ? "!" : ""
      return "\(decision["time"]!) \(group)\(decision["id"]!)\(strong)"
    }
  }

  @Test func `decisions are added on the frame that is shown`() async throws {
    #expect(await edit("add", "--at", "1.01", "--detection", "2", "--strong").status == 0)
    #expect(await edit("add", "--at", "#50", "--group", "11").status == 0)
    #expect(try await decisions() == ["1/3 1!", "1/1 2!", "5/3 g11"])
    #expect(folder.names == ["focus.json", "movie.mov"])
  }

  @Test func `a decision on the same frame is replaced`() async throws {
    _ = await edit("add", "--at", "1", "--detection", "2", "--strong")
    _ = await edit("add", "--at", "0:01.020", "--detection", "1")
    #expect(try await decisions() == ["1/3 1!", "1/1 1"])
  }

  @Test func `a point is what is displayed there`() async throws {
    // Turned by 90°, the stored left half is the displayed upper half; x runs from the stored bottom to the top.
    _ = await edit("add", "--at", "#40", "--point", "0.5,0.2")
    _ = await edit("add", "--at", "#41", "--point", "0.1,0.9")
    #expect(try await decisions() == ["1/3 1!", "4/3 1", "41/30 2"])
  }

  @Test func `a disparity becomes a track, which is used again and goes with its last decision`() async throws {
    _ = await edit("add", "--at", "#20", "--disparity", "0.75")
    _ = await edit("add", "--at", "#30", "--disparity", "0.75", "--strong")
    #expect(try await decisions() == ["1/3 1!", "2/3 3", "1/1 3!"])
    _ = await edit("remove", "--at", "#20")
    _ = await edit("remove", "--at", "#30")
    #expect(try await decisions() == ["1/3 1!"])
    let list = await edit("list", "--json")
    #expect((list.json["added"] as? [Any])?.isEmpty == true)
  }

  @Test func `taps made while recording can be removed, automatic decisions cannot`() async throws {
    let refused = await edit("remove", "--at", "#45")
    #expect(refused.status == 1 && refused.errors.contains("automatic"))
    #expect(await edit("remove", "--at", "#10").status == 0)
    #expect(try await decisions() == [])
    _ = await edit("clear")
    #expect(try await decisions() == ["1/3 1!"])
    _ = await edit("remove", "--all")
    #expect(try await decisions() == [])
  }

  @Test func `the aperture is kept`() async throws {
    #expect(await edit("aperture", "2").status == 0)
    #expect(await edit("list", "--json").json["aperture"] as? Double == 2)
    for wrong in ["0", "-1", "nan", "f2", "1000"] { #expect(await edit("aperture", wrong).status == 2) }
  }

  @Test(arguments: [
    (["add", "--at", "#60", "--detection", "1"], "there is no frame #60"),
    (["add", "--at", "2", "--detection", "1"], "outside the movie"),
    (["add", "--at", "1", "--detection", "9"], "detection 9"), (["add", "--at", "1", "--group", "1"], "group 1"),
    (["remove", "--at", "1"], "no user decision is at 0:01.000"),
  ])
  func `refused edits leave the file unharmed`(arguments: [String], reason: String) async throws {
    _ = await edit("add", "--at", "0.5", "--detection", "1")
    let before = try folder.text(of: "focus.json")
    let result = await cinematic(["edit", movie, edits] + arguments + ["--json"])
    #expect(result.status == 1 && result.errors.contains(reason))
    #expect(result.errorName != nil)
    #expect(try folder.text(of: "focus.json") == before)
    #expect(folder.names == ["focus.json", "movie.mov"])
  }

  @Test(arguments: [
    ["add", "--at", "1"], ["add", "--detection", "1"], ["add", "--at", "1", "--detection", "1", "--group", "2"],
    ["add", "--at", "1", "--point", "2,0"], ["add", "--at", "1", "--point", "1"],
    ["add", "--at", "1", "--detection", "-1"],
    ["add", "--at", "x", "--detection", "1"], ["remove"], ["remove", "--all", "--at", "1"], ["aperture"], ["import"],
    [],
  ])
  func `wrong usage is status 2`(arguments: [String]) async throws {
    let result = await cinematic(["edit", movie, edits] + arguments)
    #expect(result.status == 2 && result.output.isEmpty && result.errors.contains("--help"))
    #expect(folder.names == ["movie.mov"])
  }

  @Test func `edits of another movie, damaged edits and the movie itself are refused`() async throws {
    try TestMovie(frames: 50).write(to: folder.path("other.mov"))
    let binary = folder.path("focus.edits")
    _ = await cinematic("edit", movie, binary, "aperture", "4")
    let other = await cinematic("edit", folder.path("other.mov"), binary, "list", "--json")
    #expect(other.status == 1 && other.errorName == "incompatible")
    var bytes = try Data(contentsOf: URL(fileURLWithPath: binary))
    bytes[bytes.count - 1] ^= 1
    try bytes.write(to: URL(fileURLWithPath: binary))
    #expect(await cinematic("edit", movie, binary, "aperture", "8", "--json").errorName == "malformed")
    #expect(try Data(contentsOf: URL(fileURLWithPath: binary)) == bytes)
    let size = try Data(contentsOf: URL(fileURLWithPath: movie)).count
    #expect(await cinematic("edit", movie, movie, "aperture", "8").status == 1)
    #expect(try Data(contentsOf: URL(fileURLWithPath: movie)).count == size)
  }

  @Test func `edits go out as JSON and come back`() async throws {
    _ = await edit("add", "--at", "1", "--detection", "2", "--strong")
    _ = await edit("add", "--at", "1.5", "--disparity", "0.8")
    _ = await edit("aperture", "5.6")
    let exported = await edit("export")
    #expect(exported.status == 0)
    let path = try folder.write(exported.text, to: "out.json"), copy = folder.path("copy.edits")
    #expect(await cinematic("edit", movie, copy, "import", path).status == 0)
    #expect(await cinematic("edit", movie, copy, "export").text == exported.text)
    let refused = await cinematic("edit", movie, copy, "import", path)
    #expect(refused.status == 1 && refused.errors.contains("-y"))
    #expect(await cinematic("edit", movie, copy, "import", path, "-y").status == 0)
    #expect(await edit("export", "-o", path).status == 1)
    #expect(await edit("export", "-o", folder.path("new.json")).status == 0)
    #expect(try folder.text(of: "new.json") == exported.text)
  }

  @Test func `adjustments of Photos are imported where they are understood`() async throws {
    let adjustments: [String: Any] = ["settings": ["aperture": 2.2, "strange": 1] as [String: Any]]
    let list: [String: Any] = [
      "adjustmentFormatIdentifier": "com.apple.video", "adjustmentFormatVersion": "1",
      "adjustmentData": try JSONSerialization.data(withJSONObject: adjustments),
    ]
    let data = try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
    let path = try folder.write(String(decoding: data, as: UTF8.self), to: "IMG.AAE")
    let result = await edit("import", path)
    #expect(result.status == 0 && result.errors.contains("/settings/strange"))
    #expect(await edit("list", "--json").json["aperture"] as? Double == Double(Float(2.2)))
    let other = try folder.write("<?xml version=\"1.0\"?><plist version=\"1.0\"><dict/></plist>", to: "other.AAE")
    #expect(await edit("import", other, "-y", "--json").errorName == "malformed")
  }

  @Test func `reading a list of edits that is not there says so`() async throws {
    let result = await edit("list")
    #expect(result.status == 1 && result.errors.contains("there is no such file"))
    #expect(result.errors.contains("the first edit makes it"))
    #expect(folder.names == ["movie.mov"])
  }

  @Test(arguments: [("--detection", "detections: 1, 2"), ("--group", "groups: 11, 12")])
  func `an id that is not there names those that are`(option: String, ids: String) async throws {
    let result = await edit("add", "--at", "0.5", option, "99")
    #expect(result.status == 1 && result.errors.contains("choose one of its \(ids)."))
  }

  @Test func `an f-number may be written as it is shown`() async throws {
    #expect(await edit("aperture", "f/2.80").text.contains("aperture f/2.8\n"))
    #expect(await edit("aperture", "f").status == 2)
  }

  @Test(.enabled(if: SharedMovie.isThere, "needs ../shared/media/cinematic/cup.mov"))
  func `a point without a detection focuses on the disparity there`() async throws {
    // The wall, 1.4 m away: the truth's block at 416,36 of frame 0 has a mean of 0.641.
    let point = ["add", "--at", "0", "--point", "0.8,0.85"]
    #expect(await cinematic(["edit", SharedMovie.path, edits] + point).status == 0)
    let list = await cinematic("edit", SharedMovie.path, edits, "list", "--json")
    let added = try #require(list.json["added"] as? [[String: Any]])
    let range = try #require(added.first?["disparity"] as? [Double])
    #expect((0.55...0.75).contains(range[0]))
  }
}
