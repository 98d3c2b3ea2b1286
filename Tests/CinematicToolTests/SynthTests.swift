import CinematicTool
import CoreMedia
import Foundation
import QuickTime
import Testing

@Suite struct SynthTests {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  private func info(_ path: String) async throws -> (cinematic: [String: Any], all: [String: Any]) {
    let result = await cinematic("info", path, "--json", "--frames", "--check")
    try #require(result.status == 0, "\(result.errors)")
    return (try #require(result.json["cinematic"] as? [String: Any]), result.json)
  }

  @Test(arguments: [0, 90, 180, 270])
  func `what is written is what is found`(rotation: Int) async throws {
    // At this size the smallest part of a subject is several samples of disparity wide.
    let path = try await synth(folder, "a.mov", "--size", "320x180", "--rotation", "\(rotation)")
    let (cinematic, all) = try await info(path)
    #expect(cinematic["capability"] as? String == "renderable")
    #expect(cinematic["rotation"] as? Int == rotation)
    #expect(cinematic["displayed_size"] as? [Int] == [320, 180])
    #expect(cinematic["frames_shown"] as? Int == 12 && cinematic["fps"] as? String == "30/1")
    #expect(cinematic["aperture"] as? Double == 2)
    let times = (0..<12).map { RationalTime(Int64($0), 30) }
    #expect(cinematic["frame_times"] as? [String] == times.map { "\($0.numerator)/\($0.denominator)" })
    #expect(all["warnings"] as? [String] == [])
    let check = try #require(all["check"] as? [String: Any])
    #expect(check["frames"] as? Int == 12)
    #expect(check["agreeing"] as? Int == check["detections"] as? Int)
    #expect((check["detections"] as? Int ?? 0) > 12 * 4)
    let stored = try MovieFile(path).track("vide")
    #expect((stored.width, stored.height) == (rotation % 180 == 0 ? (320, 180) : (180, 320)))
  }

  @Test func `the story's decisions are recorded`() async throws {
    let (_, all) = try await info(try await synth(folder))
    let decisions = try #require(all["decisions"] as? [String: Any])
    let base = try #require(decisions["base"] as? [[String: Any]])
    // Maria, Tom at 0.42, Maria at 0.62, the cat at 0.85 of 12 frames.
    #expect(base.map { "\($0["time"]!) \($0["id"]!)" } == ["0/1 1", "1/6 3", "7/30 1", "1/3 5"])
    #expect((decisions["user"] as? [Any])?.isEmpty == true)
    let frames = try #require(all["frames"] as? [[String: Any]])
    let ids = frames.map { ($0["detections"] as? [[String: Any]] ?? []).compactMap { $0["id"] as? Int } }
    #expect(ids.count == 12 && ids.allSatisfy { Set($0).isSuperset(of: [1, 2]) })
    #expect(!ids[0].contains(3) && ids[5].contains(3) && !ids[11].contains(3))
  }

  @Test func `tracks are those of a phone`() async throws {
    let movie = try MovieFile(try await synth(folder))
    #expect(movie.handlers.sorted() == ["auxv", "meta", "soun", "vide"])
    for handler in ["vide", "auxv", "meta"] as [FourCC] {
      #expect(try movie.times(handler) == (0..<12).map { RationalTime(Int64($0), 30) })
    }
    let extensions = try await movie.pictureExtensions()
    #expect(
      extensions[kCMFormatDescriptionExtension_TransferFunction] as? String
        == kCMFormatDescriptionTransferFunction_ITU_R_2100_HLG)
    #expect(movie.movie.warnings == [])
  }

  @Test func `sound and HDR can be left out, and the rate is free`() async throws {
    let movie = try MovieFile(try await synth(folder, "a.mov", "--sdr", "--silent", "--fps", "25"))
    #expect(movie.handlers.sorted() == ["auxv", "meta", "vide"])
    #expect(try movie.times("vide") == (0..<12).map { RationalTime(Int64($0), 25) })
    let extensions = try await movie.pictureExtensions()
    #expect(
      extensions[kCMFormatDescriptionExtension_TransferFunction] as? String
        == kCMFormatDescriptionTransferFunction_ITU_R_709_2)
  }

  @Test func `the same options give the same movie`() async throws {
    let one = try MovieFile(try await synth(folder, "a.mov")), two = try MovieFile(try await synth(folder, "b.mov"))
    #expect(try one.samples("meta") == two.samples("meta"))
    #expect(try await one.disparityCodes() == two.disparityCodes())
    #expect(try await one.luma() == two.luma())
  }

  @Test(arguments: [
    ["--size", "161x90"], ["--size", "8x8"], ["--size", "160"], ["--size", "axb"], ["--frames", "0"],
    ["--frames", "1.5"], ["--fps", "0"], ["--rotation", "45"], ["--aperture", "0"], ["extra"],
  ])
  func `wrong usage is status 2`(options: [String]) async throws {
    let result = await cinematic(["synth", "-o", folder.path("a.mov")] + options)
    #expect(result.status == 2 && folder.names.isEmpty)
  }

  @Test func `nothing is replaced without being asked`() async throws {
    let path = try folder.write("mine", to: "a.mov")
    #expect(await cinematic("synth", "-o", path, "--size", "16x16", "--frames", "1").status == 1)
    #expect(try folder.text(of: "a.mov") == "mine" && folder.names == ["a.mov"])
    #expect(await cinematic("synth", "-o", path, "--size", "160x90", "--frames", "1", "-y").status == 0)
    #expect(try MovieFile(path).times("vide") == [.zero])
  }
}
