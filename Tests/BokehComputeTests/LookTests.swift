import Bokeh
import BokehCompute
import CoreGeometry
import CoreVideo
import Foundation
import Testing

private let devices = BokehDevice.all.filter(\.isVulkan)

@Suite(.enabled(if: !devices.isEmpty, "There is no Vulkan device, so looks on one are not tested."))
struct VulkanLookTests {
  static let looks: [String: BokehLook] = [
    "pentagon": look(.polygon(blades: 5, rotation: 10)),
    "nine curved blades": look(.polygon(blades: 9, curvature: 0.5)),
    "cat's eyes": look(.round, vignetting: 0.8),
    "cut heptagon": look(.polygon(blades: 7, rotation: -20), vignetting: 1),
    "highlights": look(.round, highlights: 0.6),
  ]

  private static func look(_ aperture: ApertureShape, vignetting: Float = 0, highlights: Float = 0) -> BokehLook {
    var look = BokehLook()
    (look.aperture, look.opticalVignetting, look.highlights) = (aperture, vignetting, highlights)
    return look
  }

  private func expectAlike(_ pictures: (processor: Picture, device: Picture)) {
    let difference = Difference(pictures.processor, pictures.device)
    #expect(difference.psnr >= Tolerance.psnr && difference.mean <= Tolerance.mean, "\(difference)")
  }

  /// A scene with lamps, white or nearly, where `lamps`.
  private func shot(_ look: BokehLook, _ scene: Scene, radius: Float, lamps: Bool) throws -> Shot {
    var shot = try Shot(scene, 192, 108, fourCharacterCode("x420"), radius: radius)
    shot.request.look = look
    guard lamps else { return shot }
    shot.source.fill { place, component in
      let (x, y) = ((place.x * 9).rounded(.down), (place.y * 5).rounded(.down))
      let middle = SIMD2((x + 0.5) / 9, (y + 0.5) / 5)
      let offset = (place - middle) * SIMD2(192, 108)
      let distance = (offset * offset).sum().squareRoot()
      guard distance < 3 else { return scene.value(place, component) * 0.8 }
      return component == .luma ? 0.9 + 0.0125 * x : 0.5
    }
    return shot
  }

  @Test("as the processor renders, in every quality", arguments: BokehQuality.allCases, looks.keys.sorted())
  func qualities(quality: BokehQuality, name: String) throws {
    for device in devices {
      let scene = quality == .thumbnail || quality == .export ? Scene.slope : .crowd
      // Light that is many times white shows the softer rims of discs that the device alone draws at half resolution.
      let isBright = name == "highlights"
      let shot = try shot(try #require(Self.looks[name]), scene, radius: isBright ? 12 : 20, lamps: isBright)
      expectAlike(try shot.render(on: device, quality))
    }
  }

  /// Points of light in the dark, before and behind the focus, that become discs about as bright as white.
  private func points(_ look: BokehLook) throws -> Shot {
    var shot = try Shot(.slope, 192, 108, fourCharacterCode("RGfA"), radius: 14)
    shot.request.look = look
    let key = kCVImageBufferTransferFunctionKey
    // Highlights are not what a picture in linear light has lost.
    let transfer =
      look.highlights > 0 ? kCVImageBufferTransferFunction_sRGB : kCVImageBufferTransferFunction_Linear
    CVBufferSetAttachment(shot.source.buffer, key, transfer, .shouldPropagate)
    shot.source.fill { place, component in
      guard component != .alpha else { return 1 }
      let (column, row) = (Int(place.x * 192), Int(place.y * 108))
      guard column % 24 / 4 == 3, row % 24 / 4 == 3 else { return 0 }
      return look.highlights > 0 ? 1 : 5
    }
    return shot
  }

  @Test("points of light get the form that the processor gives them, and no other", arguments: looks.keys.sorted())
  func forms(name: String) throws {
    for device in devices {
      let shot = try points(try #require(Self.looks[name]))
      for quality in [BokehQuality.export, .preview] {
        let pictures = try shot.render(on: device, quality)
        let alike = Difference(pictures.processor, pictures.device)
        var plain = shot
        plain.request.look = BokehLook()
        let other = Difference(pictures.processor, try plain.render(on: device, quality).processor)
        #expect(alike.psnr >= Tolerance.psnr && alike.mean <= Tolerance.mean, "\(name): \(alike)")
        // Nine blades that are bent are nearly a circle.
        if name != "nine curved blades" { #expect(other.psnr < alike.psnr - 10, "\(alike), plain discs \(other)") }
      }
    }
  }

  @Test("corners point up as the picture is shown", arguments: [(0, 1, -1, 0), (0, -1, 1, 0), (-1, 0, 0, 1)])
  func turns(a: Int, b: Int, c: Int, d: Int) throws {
    for device in devices {
      var shot = try shot(try #require(Self.looks["cut heptagon"]), .slope, radius: 16, lamps: true)
      shot.request.transform = CGAffineTransform(
        a: CGFloat(a), b: CGFloat(b), c: CGFloat(c), d: CGFloat(d), tx: 0, ty: 0)
      expectAlike(try shot.render(on: device, .export, size: a == 0 ? (108, 192) : (192, 108)))
    }
  }

  @Test("one renderer takes one look after the other")
  func changes() throws {
    for device in devices {
      let names = ["pentagon", "cut heptagon", "pentagon", "highlights", "cat's eyes"]
      for name in names {
        expectAlike(
          try shot(try #require(Self.looks[name]), .crowd, radius: 12, lamps: true).render(on: device, .export))
      }
    }
  }

  @Test("frames of other looks may be on their way at a time")
  func changesInFlight() throws {
    let names = ["pentagon", "cat's eyes", "highlights", "cut heptagon", "pentagon", "nine curved blades"]
    let shots = try names.map { try shot(try #require(Self.looks[$0]), .crowd, radius: 12, lamps: true) }
    for device in devices {
      let renderer = try VulkanBokehRenderer(device: device, quality: .preview, framesInFlight: 3)
      func render(_ shots: [Shot], waits: Bool) throws -> [Picture] {
        let targets = try shots.map { try $0.source.empty() }
        var pending: [PendingFrame] = []
        for (shot, target) in zip(shots, targets) {
          var request = shot.request
          request.destination = target.buffer
          pending.append(try renderer.submit(request))
          if waits { try pending.last?.wait() }
        }
        for frame in pending { try frame.wait() }
        return targets
      }
      let alone = try render(shots, waits: true)
      let together = try render(shots, waits: false)
      for (name, pair) in zip(names, zip(alone, together)) {
        #expect(pair.0.values == pair.1.values, "\(name)")
      }
      #expect(alone[0].values != alone[1].values)
    }
  }

  @Test("pixels in focus are the source's bit for bit", arguments: looks.keys.sorted())
  func untouched(name: String) throws {
    for device in devices {
      var shot = try shot(try #require(Self.looks[name]), .slope, radius: 10, lamps: true)
      shot.disparity.fill { _, _ in 0.5 }
      shot.request.focusDisparity = 0.54
      #expect(try shot.render(on: device, .export).device.values == shot.source.values)
    }
  }
}
