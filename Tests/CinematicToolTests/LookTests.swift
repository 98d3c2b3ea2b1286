import CoreVideo
import Foundation
import ImageFiles
import Testing

/// What is out of focus looks like: `--blades`, `--cat-eye`, `--highlights`.
@Suite struct LookTests {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  @Test(
    arguments: [
      (["--blades", "4"], "'--blades' takes a whole number from 5 to 9, not '4'"),
      (["--blades", "10"], "'--blades' takes a whole number from 5 to 9, not '10'"),
      (["--blades", "six"], "not 'six'"),
      (["--blade-angle", "20"], "'--blade-angle' needs '--blades'"),
      (["--blade-curve", "0.5"], "'--blade-curve' needs '--blades'"),
      (["--blades", "5", "--blade-angle", "400"], "'--blade-angle' takes a number from -360 to 360, not '400'"),
      (["--blades", "5", "--blade-curve", "1.5"], "'--blade-curve' takes a number from 0 to 1, not '1.5'"),
      (["--cat-eye=-1"], "'--cat-eye' takes a number from 0 to 1, not '-1'"),
      (["--cat-eye", "nan"], "not 'nan'"),
      (["--highlights", "2"], "'--highlights' takes a number from 0 to 1, not '2'"),
    ] as [([String], String)])
  func `numbers out of their ranges are wrong usage`(options: [String], sentence: String) async {
    for command in [
      ["render", "a.mov", "-o", folder.path("b.mov")], ["frame", "a.mov", "--at", "0", "-o", folder.path("b.png")],
    ] {
      let result = await cinematic(command + options)
      #expect(result.status == 2 && result.errors.contains(sentence), "\(result.errors)")
    }
    #expect(folder.names.isEmpty)
  }

  /// The bytes of a still, without alpha's.
  private func still(_ source: String, _ options: String...) async throws -> [UInt8] {
    let path = folder.path("still-\(UUID().uuidString).png")
    let result = await cinematic(
      ["frame", source, "--at", "0", "--aperture", "1.4", "--device", "cpu", "-o", path] + options)
    try #require(result.status == 0, "\(result.errors)")
    return try PNGFile.read(URL(fileURLWithPath: path)).withPlane(0, readOnly: true) { base, pitch, width, height in
      (0..<height).flatMap { y in (0..<width * 4).map { (base + y * pitch + $0).load(as: UInt8.self) } }
    }
  }

  @Test func `each look is seen, and only where it is asked for`() async throws {
    let source = folder.path("source.mov")
    let made = await cinematic(
      "synth", "-o", source, "--size", "320x180", "--frames", "2", "--sdr", "--silent")
    try #require(made.status == 0)
    let plain = try await still(source)
    #expect(try await still(source, "--cat-eye", "0", "--highlights", "0.3") == plain)
    #expect(try await still(source, "--blades", "7", "--blade-curve", "1") == plain)
    let looks = [
      try await still(source, "--blades", "5"), try await still(source, "--blades", "5", "--blade-angle", "36"),
      try await still(source, "--blades", "5", "--blade-curve", "0.5"), try await still(source, "--cat-eye", "1"),
      try await still(source, "--highlights", "0"), try await still(source, "--highlights", "1"),
    ]
    #expect(Set(looks + [plain]).count == looks.count + 1)
  }

  @Test(arguments: ["render", "frame"])
  func `who asks for highlights of HDR is told that there are none`(command: String) async throws {
    let (hdr, sdr) = (folder.path("hdr.mov"), folder.path("sdr.mov"))
    for (path, options) in [(hdr, []), (sdr, ["--sdr"])] {
      let made = await cinematic(
        ["synth", "-o", path, "--size", "160x90", "--frames", "2", "--silent"] + options)
      try #require(made.status == 0)
    }
    func notes(_ source: String, _ options: String...) async -> String {
      let output = command == "render" ? ["-o", folder.path("\(UUID()).mov")] : ["-o", folder.path("\(UUID()).png")]
      let result = await cinematic([command, source] + output + (command == "frame" ? ["--at", "0"] : []) + options)
      #expect(result.status == 0, "\(result.errors)")
      return result.errors
    }
    #expect(await notes(hdr, "--highlights", "0.5").contains("--highlights changes nothing"))
    #expect(await !notes(hdr).contains("--highlights"))
    #expect(await !notes(hdr, "--highlights", "0").contains("--highlights"))
    #expect(await !notes(sdr, "--highlights", "0.5").contains("--highlights"))
  }
}
