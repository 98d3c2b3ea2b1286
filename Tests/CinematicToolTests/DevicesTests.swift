import CinematicTool
import Foundation
import Testing

/// What movies are rendered on: listed, chosen, said.
@Suite struct DevicesTests {
  @Test func `the processor is always there, and first`() async {
    let result = await cinematic("devices")
    #expect(result.status == 0)
    #expect(result.text.hasPrefix("cpu (processor)\n"))
    let devices = await cinematic("devices", "--json").json["devices"] as? [[String: String]]
    #expect(devices?.first == ["name": "cpu", "kind": "processor"])
    #expect(devices?.count == result.text.split(separator: "\n").count)
  }

  @Test func `a device that is not there is a usage error that says what is`() async throws {
    let folder = try TestFolder()
    let result = await cinematic(
      "render", try await synth(folder), "-o", folder.path("a.mov"), "--device", "no such device")
    let still = await cinematic(
      "frame", folder.path("sample.mov"), "--at", "0", "-o", folder.path("a.png"), "--device", "no such device")
    for result in [result, still] {
      #expect(result.status == 2)
      #expect(result.errors.contains("'cpu'"))
    }
    #expect(folder.names == ["sample.mov"])
  }

  @Test func `every device renders, and is named`() async throws {
    let folder = try TestFolder()
    let source = try await synth(folder)
    let devices = await cinematic("devices", "--json").json["devices"] as? [[String: String]] ?? []
    for (number, device) in devices.enumerated() {
      let name = try #require(device["name"])
      let result = await cinematic(
        "render", source, "-o", folder.path("\(number).mov"), "--range", "#0-#2", "--quality", "thumbnail", "--device",
        name, "--json")
      #expect(result.status == 0, "\(result.errors)")
      #expect(result.json["device"] as? String == name)
    }
  }
}
