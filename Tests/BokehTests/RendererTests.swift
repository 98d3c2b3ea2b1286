import Bokeh
import CoreVideo
import Foundation
import Testing

/// The whole way from pixel buffer to pixel buffer.
@Suite struct RendererTests {
  @Test("blur grows as the f-number falls")
  func monotone() throws {
    let source = try Picture(64, 32, "420v")
    source.fillRandomly(seed: 8)
    var before = Int.max
    for fNumber in [22, 8, 2.8, 1.4, 0.5, 0.2] as [Float] {
      let target = try Picture(64, 32, "420v")
      try Picture.render(source, target, disparity: 0, focus: 8, fNumber: fNumber)
      let luma = target.bytes[0]
      let roughness = (1..<luma.count).reduce(0) { $0 + abs(luma[$1] - luma[$1 - 1]) }
      #expect(roughness <= before)
      before = roughness
    }
    #expect(before < 6 * 64 * 32)
  }

  @Test(
    "the radius in a picture is that of the lens, whichever way the picture is turned", arguments: [(96, 54), (54, 96)])
  func radius(width: Int, height: Int) throws {
    let source = try Picture(width, height, "RGfA")
    source.tag(transfer: kCVImageBufferTransferFunction_Linear)
    source.fillValues { x, y, component in component == 3 ? 1 : x == width / 2 && y == height / 2 ? 100 : 0 }
    let target = try Picture(width, height, "RGfA")
    try Picture.render(source, target, disparity: 0, focus: 4, fNumber: 0.25)
    let radius = Lens().radiusPerDisparity(fNumber: 0.25, imageWidth: 96) * 4
    let lit = (0..<width).count { target.value($0, height / 2, 0) > 50 / (Float.pi * radius * radius) }
    #expect(abs(Float(lit) - 2 * radius) <= 1)
  }

  @Test("memory stays below twelve planes of four floats, and does not grow")
  func memory() throws {
    let (width, height) = (640, 360)
    let source = try Picture(width, height, "420v")
    source.fillRandomly(seed: 8)
    let target = try Picture(width, height, "420v")
    let depth = try Picture.disparity(64, 36) { x, y in x > 20 && x < 40 && y > 10 ? 2 : 0.5 }
    let renderer = BokehRenderer(quality: .export, threads: 2)
    var request = RenderRequest(
      source: source.buffer, disparity: depth.buffer, destination: target.buffer, focusDisparity: 2, fNumber: 0.5)
    try renderer.render(request)
    let first = renderer.byteCount
    #expect(first < 12 * 16 * width * height)
    request.continuesHistory = true
    for _ in 0..<3 { try renderer.render(request) }
    #expect(renderer.byteCount - first < 40 * 64 * 36)
  }

  @Test("frames after the second make no room", arguments: BokehQuality.allCases, ["420v", "BGRA"])
  func steadyMemory(quality: BokehQuality, format: String) throws {
    let source = try Picture(192, 108, format)
    source.fillRandomly(seed: 8)
    let target = try Picture(192, 108, format)
    let depth = try Picture.disparity(64, 36) { x, y in x > 20 && x < 40 && y > 10 ? 2 : 0.5 }
    let renderer = BokehRenderer(quality: quality, threads: 2)
    var request = RenderRequest(
      source: source.buffer, disparity: depth.buffer, destination: target.buffer, focusDisparity: 2, fNumber: 0.5)
    request.continuesHistory = true
    // Frames with much blur and with little, the second time in another order.
    func render(_ focuses: [Float]) throws -> Int {
      for focus in focuses {
        request.focusDisparity = focus
        for _ in 0..<2 { try renderer.render(request) }
      }
      return renderer.byteCount
    }
    let known = try render([2, 1.2, 0.5, 0])
    #expect(known > 0)
    #expect(try render([0, 2, 0.5, 1.2, 2]) == known)
  }

  @Test("a picture is not rendered into itself", arguments: ["x420", "BGRA"])
  func inPlace(format: String) throws {
    let source = try Picture(64, 36, format)
    let depth = try Picture.disparity(16, 9) { _, _ in 1 }
    let request = RenderRequest(
      source: source.buffer, disparity: depth.buffer, destination: source.buffer, focusDisparity: 1, fNumber: 2)
    #expect(throws: BokehError.destinationIsSource) { try BokehRenderer(quality: .export).render(request) }
  }

  @Test(
    "a new renderer's first frame does not depend on the number of threads", arguments: BokehQuality.allCases,
    ["x420", "BGRA"])
  func firstFrames(quality: BokehQuality, format: String) throws {
    let source = try Picture(192, 108, format)
    source.fillRandomly(seed: 8)
    let depth = try Picture.disparity(64, 36) { x, y in x > 20 && x < 40 && y > 10 ? 2 : 0.5 }
    // Workers meet at other places each time; what they do must not show.
    let results = try [1, 2, 2, 2, 4, 4, 4, 8].map { threads in
      let target = try Picture(192, 108, format)
      try BokehRenderer(quality: quality, threads: threads).render(
        RenderRequest(
          source: source.buffer, disparity: depth.buffer, destination: target.buffer, focusDisparity: 2, fNumber: 0.5))
      return target.bytes
    }
    #expect(results.allSatisfy { $0 == results[0] })
  }

  @Test("room is not made by workers, who would take it from each other", arguments: [1, 4])
  func roomOfWorkers(threads: Int) async {
    await #expect(processExitsWith: .failure) { [threads] in
      let storage = Storage<Float>()
      Workers(threads).rows(64) { _, _ in _ = storage.reserve(64) }
    }
    await #expect(processExitsWith: .success) { [threads] in
      let storage = Storage<Float>()
      _ = storage.reserve(64)
      Workers(threads).rows(64) { _, _ in _ = storage.reserve(64) }
      _ = storage.reserve(128)
    }
  }

  @Test("a renderer may be used from several threads")
  func concurrency() async throws {
    let renderer = BokehRenderer(quality: .preview, threads: 2)
    let results = try await withThrowingTaskGroup(of: [[Int]].self) { group in
      for _ in 0..<4 {
        group.addTask {
          let source = try Picture(48, 32, "420v")
          source.fillRandomly(seed: 3)
          let target = try Picture(48, 32, "420v")
          let depth = try Picture.disparity(12, 8) { x, _ in Float(x) * 0.2 }
          let request = RenderRequest(
            source: source.buffer, disparity: depth.buffer, destination: target.buffer, focusDisparity: 1, fNumber: 0.4)
          try renderer.render(request)
          return target.bytes
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(results.count == 4)
    #expect(results.allSatisfy { $0 == results[0] })
  }
}
