import CinematicTool
import Foundation
import Testing

@Suite struct InfoTests {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  /// Where `answer` lacks something of `truth` or has another value; paths as in `tracks[0].width`.
  private func differences(_ truth: Any, _ answer: Any?, _ path: String) -> [String] {
    switch (truth, answer) {
    case (let truth as [String: Any], let answer as [String: Any]):
      return truth.keys.sorted().flatMap { differences(truth[$0]!, answer[$0], "\(path).\($0)") }
    case (let truth as [Any], let answer as [Any]):
      guard truth.count == answer.count else { return ["\(path): \(answer.count) items for \(truth.count)"] }
      return zip(truth, answer).enumerated().flatMap { differences($1.0, $1.1, "\(path)[\($0)]") }
    case (let truth as NSNumber, let answer as NSNumber):
      // A mean over 1024 samples depends in its last bits on the order of adding them.
      let isMean = path.hasSuffix("mean_disparity")
      let isEqual =
        isMean ? abs(truth.doubleValue - answer.doubleValue) < 1e-12 * 1024 : truth.doubleValue == answer.doubleValue
      return isEqual ? [] : ["\(path): \(answer) for \(truth)"]
    case (let truth as String, let answer as String): return truth == answer ? [] : ["\(path): \(answer) for \(truth)"]
    default: return ["\(path): \(answer ?? "nothing") for \(truth)"]
    }
  }

  @Test(.enabled(if: SharedMovie.hasOddities, "needs ../shared/media/bugs"))
  func `the time code of the first moment is told`() async throws {
    let result = await cinematic("info", SharedMovie.oddity("tc"), "--json")
    #expect((result.json["movie"] as? [String: Any])?["start_time_code"] as? String == "00:59:59;28")
    let text = await cinematic("info", SharedMovie.oddity("tc"))
    #expect(String(decoding: text.output, as: UTF8.self).contains("from 00:59:59;28"))
    let none = await cinematic("info", SharedMovie.oddity("hlg"), "--json")
    #expect((none.json["movie"] as? [String: Any])?["start_time_code"] is NSNull)
  }

  @Test(.enabled(if: SharedMovie.isThere, "needs ../shared/media/cinematic/cup.mov"))
  func `everything that the truth about a movie says is found`() async throws {
    let truth = try SharedMovie.truth()
    let blocks = try #require(truth["disparity_blocks"] as? [[String: Any]])
    let list = blocks.map { "\($0["index"]!):\($0["x"]!),\($0["y"]!)" }.joined(separator: ";")
    let result = await cinematic("info", SharedMovie.path, "--json", "--frames", "--check", "--blocks", list)
    #expect(result.status == 0 && result.errors.isEmpty)
    let answer = result.json
    for member in ["bytes", "movie", "tracks", "cinematic", "decisions", "disparity_blocks"] {
      #expect(differences(truth[member]!, answer[member], member).isEmpty)
    }
    let frames = try #require(answer["frames"] as? [[String: Any]])
    #expect(frames.count == 180)
    for frame in try #require(truth["frames"] as? [[String: Any]]) {
      let index = try #require(frame["index"] as? Int)
      #expect(differences(frame, frames[index], "frames#\(index)").isEmpty)
    }
    #expect((answer["warnings"] as? [String])?.isEmpty == true)
    let check = try #require(answer["check"] as? [String: Any])
    #expect(check["passed"] as? Bool == true && check["detections"] as? Int == 297)
  }

  @Test(.enabled(if: SharedMovie.isThere, "needs ../shared/media/cinematic/cup.mov"))
  func `people get a page`() async throws {
    let result = await cinematic("info", SharedMovie.path, "--check", "--frames")
    #expect(result.status == 0)
    for words in [
      "cup.mov  0:06.000, 720x1280 (stored 1280x720, turned by 90°), 30 frames/s, 2 MB", "Renderable", "f/2.8",
      "0:03.000  automatic  2 (custom)", "297 of 297 detections in 180 frames agree", "#179",
    ] { #expect(result.text.contains(words)) }
  }

  @Test func `a movie without disparity needs preprocessing`() async throws {
    try TestMovie(hasDisparity: false).write(to: folder.path("a.mov"))
    let result = await cinematic("info", folder.path("a.mov"), "--json")
    #expect(result.status == 0)
    let cinematic = try #require(result.json["cinematic"] as? [String: Any])
    #expect(cinematic["capability"] as? String == "needsPreprocessing")
    #expect(cinematic["disparity_track"] is NSNull && cinematic["disc"] is NSNull)
    #expect(cinematic["displayed_size"] as? [Int] == [32, 64])
    #expect(cinematic["fps"] as? String == "30/1")
  }

  @Test func `a flattened movie shows its tracks and names what is missing`() async throws {
    try TestMovie(hasDisparity: false, hasContent: false).write(to: folder.path("IMG_E0001.MOV"))
    let result = await cinematic("info", folder.path("IMG_E0001.MOV"), "--json")
    #expect(result.status == 1 && result.errorName == "incomplete")
    #expect((result.json["tracks"] as? [Any])?.count == 2)
    #expect(result.json["cinematic"] == nil)
    #expect(result.errors.hasPrefix("cinematic: The movie was flattened"))
    #expect(result.errors.contains("rendered copy"))
    #expect(result.errors.split(separator: "\n").count == 1)
  }

  @Test func `the other files of the shot are found`() async throws {
    try TestMovie(hasDisparity: false).write(to: folder.path("IMG_0001.MOV"))
    _ = try folder.write("x", to: "IMG_E0001.MOV")
    _ = try folder.write("x", to: "IMG_0001.AAE")
    let result = await cinematic("info", folder.path("IMG_0001.MOV"), "--json")
    let expected = ["original": "IMG_0001.MOV", "rendered": "IMG_E0001.MOV", "edits": "IMG_0001.AAE"]
    #expect(result.json["files"] as? [String: String] == expected)
  }

  @Test func `pictures of disparity that cannot be decoded are malformed`() async throws {
    try TestMovie().write(to: folder.path("a.mov"))
    let result = await cinematic("info", folder.path("a.mov"), "--json")
    #expect(result.status == 1 && result.errorName == "malformed")
    #expect((result.json["error"] as? [String: Any])?["code"] as? Int == 4)
  }

  @Test func `files that are no movie are unreadable`() async throws {
    let text = try folder.write("No movie at all, only words.\n", to: "a.mov")
    let empty = try folder.write("", to: "b.mov")
    for path in [text, empty, folder.path("none.mov"), folder.url.path] {
      let result = await cinematic("info", path, "--json")
      #expect(result.status == 1 && result.errorName == "unreadable")
      #expect((result.json["error"] as? [String: Any])?["code"] as? Int == 2)
    }
  }

  @Test func `every cut of a movie ends in a sentence`() async throws {
    try TestMovie(hasDisparity: false, frames: 3).write(to: folder.path("a.mov"))
    let whole = try Data(contentsOf: URL(fileURLWithPath: folder.path("a.mov")))
    for count in stride(from: 0, to: whole.count, by: 61) {
      try whole.prefix(count).write(to: URL(fileURLWithPath: folder.path("cut.mov")))
      let result = await cinematic("info", folder.path("cut.mov"), "--json")
      #expect(result.status == 1 && result.errorName == "unreadable")
      #expect(result.errors.split(separator: "\n").count == 1)
    }
  }

  @Test func `blocks are written as frame and place`() async throws {
    for text in ["x", "1:2", "1:2,3,4", "1:2:3,4", "-1:2,3", "1,2", "0:1,99999999999"] {
      #expect(await cinematic("info", "none.mov", "--blocks", text).status == 2)
    }
  }
}
