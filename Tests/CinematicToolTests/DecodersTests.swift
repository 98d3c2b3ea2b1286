import CinematicTool
import CoreMedia
import Foundation
import Testing
import VideoToolbox

@Suite(.enabled(if: FFmpegTool.isHere, "needs ffmpeg")) struct DecodersTests {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  private func rows(_ result: ToolResult, _ name: String) throws -> [String: [String: Any]] {
    let rows = try #require(result.json[name] as? [[String: Any]])
    let key = name == "decoders" ? "choice" : "quality"
    return Dictionary(uniqueKeysWithValues: rows.map { ($0[key] as? String ?? "", $0) })
  }

  @Test func `each choice has its row, and a missing device is told in its own`() async throws {
    let path = folder.path("a.mov")
    try FFmpegTool.makeProRes(path, size: "96x64", frames: 5)
    let result = await cinematic("decoders", path, "--json", "--frames", "4", "--device", "cpu")
    #expect(result.status == 0 && result.json["measured_frames"] as? Int == 4)
    let decoders = try rows(result, "decoders")
    #expect(Set(decoders.keys) == ["any", "cpu", "vulkan", "ffmpeg"])
    #expect(decoders["cpu"]?["name"] as? String == "ProRes on the processor")
    #expect(decoders["cpu"]?["native_format"] as? String == "v216" && decoders["cpu"]?["hardware"] as? Bool == false)
    #expect((decoders["ffmpeg"]?["name"] as? String)?.contains("prores") == true)
    // The renderer takes 4:2:0, which ProRes is not.
    let conversions = try #require(decoders["cpu"]?["conversions"] as? [[String: Any]])
    #expect(conversions.first?["to"] as? String == "x420" && conversions.first?["why"] is String)
    for name in ["any", "cpu", "ffmpeg"] {
      let speed = try #require(decoders[name]?["frames_per_second"] as? Double)
      #expect(speed > 0 && abs((decoders[name]?["real_time"] as? Double ?? 0) - speed / 25) < 1e-9 * speed)
    }
    let device = try #require(decoders["vulkan"])
    let codec = fourCharacterCode("apch")
    if PictureDecoderFactory.standard.devices.contains(where: { $0.canDecode(codec) }) {
      #expect(device["frames_per_second"] is Double && device["error"] == nil)
    } else {
      #expect((device["error"] as? [String: Any])?["message"] is String && device["frames_per_second"] == nil)
    }
    #expect(Set(try rows(result, "renderers").keys) == ["preview", "export"])
  }

  @Test func `what is asked for without a conversion is shown so`() async throws {
    let path = folder.path("a.mov")
    try FFmpegTool.makeProRes(path, size: "96x64", frames: 2)
    let result = await cinematic("decoders", path, "--json", "--format", "v216", "--device", "cpu")
    let decoders = try rows(result, "decoders")
    #expect((decoders["cpu"]?["conversions"] as? [Any])?.isEmpty == true)
    #expect((decoders["ffmpeg"]?["conversions"] as? [Any])?.count == 1)
    let text = await cinematic("decoders", path, "--device", "cpu").text
    #expect(
      text.contains("choice") && text.contains("renderer, measured apart") && text.contains("apch, 96x64, 25 frames"))
  }

  @Test func `a movie without frames has no table`() async throws {
    let result = await cinematic("decoders", folder.path("none.mov"))
    #expect(result.status == 1 && result.errors.split(separator: "\n").count == 1)
  }
}
