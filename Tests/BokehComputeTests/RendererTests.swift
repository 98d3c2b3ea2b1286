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
  /// In dB, where a disc is wider than the picture: what lies beyond the border is a guess, of which the resolutions at
  /// which such discs are gathered know a few pixels only.
  static let beyondPicture = 26.0
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
    try Renderers.shared.renderer(device, quality).render(request)
    return (pictures[0], pictures[1])
  }
}

/// One renderer of each kind for all tests: compiling shaders takes longer than rendering small pictures.
final class Renderers: @unchecked Sendable {
  static let shared = Renderers()
  private let lock = NSLock()
  private var made: [BokehDevice: [BokehQuality: VulkanBokehRenderer]] = [:]

  func renderer(_ device: BokehDevice, _ quality: BokehQuality) throws -> VulkanBokehRenderer {
    try lock.withLock {
      if let renderer = made[device]?[quality] { return renderer }
      let renderer = try VulkanBokehRenderer(device: device, quality: quality)
      made[device, default: [:]][quality] = renderer
      return renderer
    }
  }
}

@Suite(.enabled(if: !devices.isEmpty, "There is no Vulkan device, so the renderer for it is not tested."))
struct VulkanRendererTests {
  private func expectAlike(_ pictures: (processor: Picture, device: Picture)) {
    let difference = Difference(pictures.processor, pictures.device)
    #expect(difference.psnr >= Tolerance.psnr && difference.mean <= Tolerance.mean, "\(difference)")
  }

  @Test("as the processor renders, in every quality", arguments: BokehQuality.allCases, Scene.allCases)
  func qualities(quality: BokehQuality, scene: Scene) throws {
    for device in devices {
      let shot = try Shot(scene, 192, 108, fourCharacterCode("x420"), radius: 20)
      expectAlike(try shot.render(on: device, quality))
    }
  }

  @Test("coarse disparity is upsampled alike", arguments: [BokehQuality.preview, .export], ["fdis", "hdis", "L010"])
  func coarse(quality: BokehQuality, format: String) throws {
    for device in devices {
      var shot = try Shot(
        .crowd, 192, 108, fourCharacterCode("x420"), radius: 20, disparitySize: (64, 36), disparityFormat: format)
      shot.request.disparityCodes = .linear(minimum: 0, maximum: 1)
      expectAlike(try shot.render(on: device, quality))
    }
  }

  @Test(
    "every shape of picture",
    arguments: [(1, 1), (1, 60), (60, 1), (2, 3), (33, 17), (53, 97), (31, 300), (1500, 7), (8200, 33)],
    [(.export, 4), (.export, 90), (.preview, 4)] as [(BokehQuality, Float)])
  func shapes(size: (Int, Int), effort: (quality: BokehQuality, radius: Float)) throws {
    for device in devices {
      let radius = effort.radius
      let shot = try Shot(.crowd, size.0, size.1, fourCharacterCode("420v"), radius: radius)
      let pictures = try shot.render(on: device, effort.quality)
      guard Float(min(size.0, size.1)) < radius else {
        expectAlike(pictures)
        continue
      }
      let difference = Difference(pictures.processor, pictures.device)
      #expect(difference.psnr >= Tolerance.beyondPicture, "\(difference)")
    }
  }

  @Test("every pixel format", arguments: BokehRenderer.sourcePixelFormats, [BokehQuality.preview, .export])
  func formats(format: OSType, quality: BokehQuality) throws {
    for device in devices {
      expectAlike(try Shot(.crowd, 67, 45, format, radius: 12).render(on: device, quality))
    }
  }

  @Test(
    "HDR is kept, and brought to SDR alike", arguments: ToneMap.allCases,
    [kCVImageBufferTransferFunction_ITU_R_2100_HLG, kCVImageBufferTransferFunction_SMPTE_ST_2084_PQ])
  func tones(curve: ToneMap, transfer: String) throws {
    for device in devices {
      var shot = try Shot(.crowd, 96, 54, fourCharacterCode("x420"), radius: 12)
      let tags = [
        (kCVImageBufferTransferFunctionKey, transfer),
        (kCVImageBufferColorPrimariesKey, kCVImageBufferColorPrimaries_ITU_R_2020),
        (kCVImageBufferYCbCrMatrixKey, kCVImageBufferYCbCrMatrix_ITU_R_2020),
      ]
      for (key, value) in tags { CVBufferSetAttachment(shot.source.buffer, key, value, .shouldPropagate) }
      shot.request.toneMap = curve
      let pictures = try shot.render(on: device, .export)
      expectAlike(pictures)
      let tag = CVBufferCopyAttachment(pictures.device.buffer, kCVImageBufferTransferFunctionKey, nil) as? String
      #expect(tag == (curve == .none ? transfer : kCVImageBufferTransferFunction_ITU_R_709_2))
    }
  }

  @Test("lamps and their rims", arguments: [BokehQuality.thumbnail, .export, .exportHigh])
  func lamps(quality: BokehQuality) throws {
    for device in devices {
      let shot = try Shot(.crowd, 192, 108, fourCharacterCode("x420"), radius: 16, focus: 0.1)
      CVBufferSetAttachment(
        shot.source.buffer, kCVImageBufferTransferFunctionKey, kCVImageBufferTransferFunction_ITU_R_2100_HLG,
        .shouldPropagate)
      // Every 48 pixels, near; their rims have the disparity of what is behind.
      func toLamp(_ place: SIMD2<Float>) -> Float {
        let way = (place * SIMD2(192, 108) / 48 - 0.5)
        let rest = (way - way.rounded(.toNearestOrEven)) * 48
        return (rest * rest).sum().squareRoot()
      }
      shot.source.fill { place, component in
        guard toLamp(place) < 4 else { return Scene.crowd.value(place, component) * 0.8 }
        return component == .luma ? (toLamp(place) < 2.5 ? 1 : 0.82) : 0.5
      }
      shot.disparity.fill { place, _ in toLamp(place) < 2.5 ? 0.9 : Scene.crowd.disparity(place) }
      expectAlike(try shot.render(on: device, quality))
    }
  }

  @Test("every turn and mirror", arguments: [(1, 0, 0, 1), (0, 1, -1, 0), (-1, 0, 0, -1), (0, -1, 1, 0), (0, 1, 1, 0)])
  func turns(a: Int, b: Int, c: Int, d: Int) throws {
    for device in devices {
      var shot = try Shot(.crowd, 66, 44, fourCharacterCode("x420"), radius: 12)
      shot.request.transform = CGAffineTransform(
        a: CGFloat(a), b: CGFloat(b), c: CGFloat(c), d: CGFloat(d), tx: 0, ty: 0)
      expectAlike(try shot.render(on: device, .preview, size: a == 0 ? (44, 66) : (66, 44)))
    }
  }

  @Test("samples that are not valid are filled from around", arguments: [0, 0.3, 1] as [Float])
  func holes(part: Float) throws {
    for device in devices {
      let shot = try Shot(.slope, 96, 54, fourCharacterCode("420v"), radius: 30, disparitySize: (32, 18))
      shot.disparity.fill { place, _ in place.x < part && place.y < 0.9 * part + 0.1 ? .nan : place.x }
      expectAlike(try shot.render(on: device, .export))
    }
  }

  @Test("disparities that differ by next to nothing are one", arguments: [.leastNonzeroMagnitude, 1e-36] as [Float])
  func tinyRange(difference: Float) throws {
    for device in devices {
      var shot = try Shot(.slope, 64, 36, fourCharacterCode("420v"), radius: 10)
      shot.disparity.fill { place, _ in place.x < 0.5 ? 0 : difference }
      shot.request.focusDisparity = 0
      let pictures = try shot.render(on: device, .export)
      #expect(pictures.device.values == shot.source.values && pictures.processor.values == shot.source.values)
    }
  }

  @Test("disparity is steadied over time alike")
  func history() throws {
    for device in devices {
      let (processor, renderer) = (
        BokehRenderer(quality: .export, threads: 2), try VulkanBokehRenderer(device: device, quality: .export)
      )
      for frame in 0..<3 {
        var shot = try Shot(.crowd, 96, 54, fourCharacterCode("420v"), radius: 15, disparitySize: (32, 18))
        shot.disparity.fill { place, _ in
          Scene.crowd.disparity(place) + 0.02 * sin(Float(frame) * 5 + place.x * 70 + place.y * 50) + 0.02
        }
        shot.request.continuesHistory = true
        let pictures = (processor: try shot.source.empty(), device: try shot.source.empty())
        shot.request.destination = pictures.processor.buffer
        try processor.render(shot.request)
        shot.request.destination = pictures.device.buffer
        try renderer.render(shot.request)
        expectAlike(pictures)
      }
    }
  }

  @Test("frames in flight come out as they do one by one, and in their buffers")
  func flight() throws {
    for device in devices {
      let renderer = try Renderers.shared.renderer(device, .preview)
      let shots = try (0..<7).map { try Shot(.crowd, 64, 36, fourCharacterCode("420v"), radius: Float(4 * $0 + 2)) }
      let pending = try shots.map { try renderer.submit($0.request) }
      for frame in pending { try frame.wait() }
      for shot in shots {
        let alone = try shot.source.empty()
        var request = shot.request
        request.destination = alone.buffer
        try renderer.render(request)
        #expect(try Picture(shot.request.destination).values == alone.values)
      }
    }
  }

  @Test("memory of others, and rows with gaps, are taken and given back as they are")
  func foreignMemory() throws {
    for device in devices {
      let shot = try Shot(.slope, 33, 17, fourCharacterCode("BGRA"), radius: 6)
      // Rows of 33 pixels every 37, so that the device's rows lie elsewhere.
      let pitch = 37 * 4
      let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: pitch * 17, alignment: 16)
      defer { memory.deallocate() }
      memory.initializeMemory(as: UInt8.self, repeating: 0xA5)
      var wrapped: CVPixelBuffer?
      _ = CVPixelBufferCreateWithBytes(
        nil, 33, 17, kCVPixelFormatType_32BGRA, memory.baseAddress!, pitch, nil, nil, nil, &wrapped)
      var request = shot.request
      request.destination = try #require(wrapped)
      let renderer = try Renderers.shared.renderer(device, .export)
      try renderer.render(request)
      try renderer.render(shot.request)
      #expect(try Picture(request.destination).values == Picture(shot.request.destination).values)
      let rowBytes = 33 * 4
      for row in 0..<17 {
        let gap = memory[row * pitch + rowBytes..<(row + 1) * pitch]
        #expect(gap.allSatisfy { $0 == 0xA5 })
      }
    }
  }

  @Test("nothing leaks, and memory does not grow with frames")
  func memory() throws {
    for device in devices {
      let renderer = try VulkanBokehRenderer(device: device, quality: .thumbnail, isAlone: true)
      let shot = try Shot(.slope, 64, 36, fourCharacterCode("420v"), radius: 4)
      // Every frame in flight has its memory, and none its tables' way to the device, after two rounds.
      for _ in 0..<6 { try renderer.render(shot.request) }
      let first = renderer.liveBuffers
      for _ in 0..<9 { try renderer.render(shot.request) }
      #expect(renderer.liveBuffers == first)
    }
  }

  @Test("a picture that the device has no room for is an error")
  func tooLarge() throws {
    for device in devices where device.kind == "software" {
      var shot = try Shot(.slope, 8, 8, fourCharacterCode("420v"), radius: 4)
      let large = try Picture(32_768, 32_768, "420v")
      (shot.request.source, shot.request.destination) = (large.buffer, try large.empty().buffer)
      let renderer = try VulkanBokehRenderer(device: device, quality: .export)
      do {
        try renderer.render(shot.request)
        Issue.record("A device with 2 GiB for a buffer took a picture of 8 GiB.")
      } catch let error as ComputeError {
        guard case .outOfMemory = error else { throw error }
      }
    }
  }

  @Test(
    "pixels in focus are the source's bit for bit", arguments: [BokehQuality.preview, .export],
    BokehRenderer.sourcePixelFormats)
  func untouched(quality: BokehQuality, format: OSType) throws {
    for device in devices { try expectUntouched(device, quality, format) }
  }

  private func expectUntouched(_ device: BokehDevice, _ quality: BokehQuality, _ format: OSType) throws {
    var shot = try Shot(.slope, 75, 41, format, radius: 10)
    shot.disparity.fill { _, _ in 0.5 }
    shot.request.focusDisparity = 0.52
    let pictures = try shot.render(on: device, quality)
    #expect(pictures.device.values == shot.source.values)
  }

  @Test("a lost device is an error that says so, and another renderer works", arguments: devices)
  func loss(device: BokehDevice) throws {
    let shot = try Shot(.slope, 32, 16, fourCharacterCode("BGRA"), radius: 4)
    let renderer = try VulkanBokehRenderer(device: device, quality: .export, isAlone: true)
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
    for wish in ["no device has this name", "", " ", "("] {
      #expect(throws: ComputeError.noSuchDevice(name: wish, known: BokehDevice.all.map(\.name))) {
        try BokehDevice.choose(wish)
      }
    }
  }

  @Test func softwareIsNeverChosenWithoutBeingAskedFor() throws {
    #expect(try BokehDevice.choose("auto").kind != "software")
    for device in BokehDevice.all { #expect(try BokehDevice.choose(device.name) == device) }
  }
}
