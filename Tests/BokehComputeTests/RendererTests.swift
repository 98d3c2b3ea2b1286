import Bokeh
import BokehCompute
import Compute
import CoreGeometry
import CoreVideo
import Foundation
import Testing

/// Every Vulkan device that can be used; tests say so where there is none.
private let devices = BokehDevice.all.filter(\.isVulkan)

/// How near a device comes to the processor: it works with half floats and gathers large discs at lower resolutions,
/// which shows at the rims of discs, and nowhere else; that a viewer does not see.
enum Tolerance {
  /// In dB.
  static let psnr = 45.0
  /// In codes of 8 bits.
  static let mean = 0.5
}

/// A request for a scene with a radius of so many pixels for each 1/m.
struct Shot {
  let source: Picture
  let disparity: Picture
  var request: RenderRequest

  init(
    _ scene: Scene, _ width: Int, _ height: Int, _ format: OSType, radius: Float, focus: Float = 0.5,
    disparitySize: (Int, Int)? = nil, disparityFormat: String = "fdis"
  ) throws {
    source = try Picture(width, height, format)
    source.fill(scene.value)
    let size = disparitySize ?? (width, height)
    disparity = try Picture(size.0, size.1, disparityFormat)
    disparity.fill { place, _ in scene.disparity(place) }
    request = RenderRequest(
      source: source.buffer, disparity: disparity.buffer, destination: try source.empty().buffer, focusDisparity: focus,
      fNumber: 1)
    request.fNumber = request.lens.radiusPerDisparity(fNumber: 1, imageWidth: max(width, height)) / radius
  }

  /// The renditions of the processor and of a device.
  func render(
    on device: BokehDevice, _ quality: BokehQuality, size: (Int, Int)? = nil
  ) throws -> (processor: Picture, device: Picture) {
    let pictures = try (0..<2).map { _ in
      try Picture(size?.0 ?? source.buffer.width, size?.1 ?? source.buffer.height, source.format.code)
    }
    var request = request
    request.destination = pictures[0].buffer
    try BokehRenderer(quality: quality, threads: 2).render(request)
    request.destination = pictures[1].buffer
    let frame = try VulkanBokehRenderer(device: device, quality: quality).submit(request)
    try frame.wait()
    #expect(frame.fallback == nil)
    return (pictures[0], pictures[1])
  }
}

@Suite(.enabled(if: !devices.isEmpty, "There is no Vulkan device, so the renderer for it is not tested."))
struct VulkanRendererTests {
  @Test("as the processor renders, in every quality", arguments: devices, BokehQuality.allCases)
  func qualities(device: BokehDevice, quality: BokehQuality) throws {
    let shot = try Shot(.slope, 192, 108, fourCharacterCode("x420"), radius: 40)
    let pictures = try shot.render(on: device, quality)
    let difference = Difference(pictures.processor, pictures.device)
    #expect(difference.psnr >= Tolerance.psnr && difference.mean <= Tolerance.mean, "\(difference)")
  }

  @Test("pixels in focus are the source's bit for bit", arguments: devices, ["x420", "420v", "BGRA", "RGhA", "2vuy"])
  func untouched(device: BokehDevice, format: String) throws {
    var shot = try Shot(.slope, 75, 41, fourCharacterCode(format), radius: 10)
    shot.disparity.fill { _, _ in 0.5 }
    shot.request.focusDisparity = 0.52
    let pictures = try shot.render(on: device, .export)
    #expect(pictures.device.values == shot.source.values)
  }

  @Test("a lost device is an error that says so, and another renderer works", arguments: devices)
  func loss(device: BokehDevice) throws {
    let shot = try Shot(.slope, 32, 16, fourCharacterCode("BGRA"), radius: 4)
    let renderer = try VulkanBokehRenderer(device: device, quality: .export)
    try renderer.render(shot.request)
    renderer.simulateLoss()
    #expect(throws: ComputeError.deviceLost(device: device.name)) { try renderer.render(shot.request) }
    #expect(throws: ComputeError.deviceLost(device: device.name)) { try renderer.render(shot.request) }
    try VulkanBokehRenderer(device: device, quality: .export).render(shot.request)
  }
}

@Suite struct DeviceChoiceTests {
  @Test func theProcessorIsAlwaysThere() throws {
    #expect(BokehDevice.all.first == .cpu)
    #expect(try BokehDevice.choose("CPU") == .cpu)
    #expect(throws: ComputeError.self) { try BokehDevice.choose("no device has this name") }
  }

  @Test func softwareIsNeverChosenWithoutBeingAskedFor() throws {
    #expect(try BokehDevice.choose("auto").kind != "software")
    for device in BokehDevice.all { #expect(try BokehDevice.choose(device.name) == device) }
  }
}
