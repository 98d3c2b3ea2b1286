import Cinematic
import CinematicTool
import CoreGeometry
import CoreVideo
import Foundation
import ImageFiles
import QuickTime
import Testing

@Suite struct FrameTests {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  @Test(.enabled(if: SharedMovie.isThere, "needs ../shared/media/cinematic/cup.mov"))
  func `a frame is upright and has its boxes`() async throws {
    let path = folder.path("a.png")
    let arguments = [
      "frame", SharedMovie.path, "--at", "#120", "--quality", "thumbnail", "--boxes", "-o", path, "--json",
    ]
    let result = await cinematic(arguments)
    #expect(result.status == 0 && result.errors.isEmpty)
    #expect(result.json["time"] as? String == "4/1" && result.json["focus_id"] as? Int == 2)
    let picture = try PNGFile.read(URL(fileURLWithPath: path))
    #expect(CVPixelBufferGetWidth(picture) == 720 && CVPixelBufferGetHeight(picture) == 1280)
    // Boxes as displayed: a solid white side for detection 1, dashes in yellow from the corner on for 2, which is in focus.
    #expect(colors(picture, result.json, detection: 0) == ["white"])
    #expect(colors(picture, result.json, detection: 1) == ["yellow", "other"])
    #expect(await cinematic(arguments).errors.contains("-y"))
  }

  /// The colours along the left side of a detection's box, each once.
  private func colors(_ picture: CVPixelBuffer, _ json: [String: Any], detection index: Int) -> [String] {
    let detections = json["detections"] as? [[String: Any]] ?? []
    guard let sides = detections[index]["displayed_rect"] as? [Double] else { return [] }
    let x = Int((sides[0] * 720).rounded()) + 1
    let rows = Int((sides[1] * 1280).rounded()) + 1..<Int(((sides[1] + sides[3]) * 1280).rounded()) - 1
    var found: [String] = []
    picture.withPlane(0, readOnly: true) { base, pitch, _, _ in
      for row in rows {
        let pixel = (base + row * pitch + x * 4).assumingMemoryBound(to: UInt8.self)
        let (blue, green, red) = (pixel[0], pixel[1], pixel[2])
        let color = (red, green) != (255, 255) ? "other" : blue == 255 ? "white" : blue == 0 ? "yellow" : "other"
        if !found.contains(color) { found.append(color) }
      }
    }
    return found
  }

  @Test func `a frame needs a time and an output`() async throws {
    #expect(await cinematic("frame", "a.mov", "-o", "b.png").errors.contains("'--at' is needed"))
    #expect(await cinematic("frame", "a.mov", "--at", "1").errors.contains("'--output' is needed"))
    #expect(await cinematic("frame", "a.mov", "--at", "soon", "-o", "b.png").status == 2)
  }

  @Test func `a picture is called png, or nothing`() async throws {
    let result = await cinematic("frame", "a.mov", "--at", "0", "-o", folder.path("b.jpg"))
    #expect(result.status == 2 && result.errors.contains("ends in .png") && folder.names.isEmpty)
  }

  @Test func `an f-number may be written as it is shown`() async throws {
    let source = try await synth(folder)
    for (text, number) in [("2.8", 2.8), ("f/2.8", 2.8), ("F/4", 4)] {
      let result = await cinematic(
        "frame", source, "--at", "0", "--aperture", text, "-o", folder.path("a.png"), "-y", "--json")
      #expect(result.json["aperture"] as? Double == Double(Float(number)))
    }
    for text in ["f/", "f2", "f/0.5", "2.8/f"] {
      #expect(await cinematic("frame", source, "--at", "0", "--aperture", text, "-o", "b.png").status == 2)
    }
  }

  @Test func `a frame that the shell took for a comment is named`() async {
    #expect(await cinematic("frame", "a.mov", "-o", "b.png", "--at").errors.contains("'#75'"))
  }

  @Test func `a picture that cannot be decoded leaves nothing behind`() async throws {
    try TestMovie().write(to: folder.path("a.mov"))
    let result = await cinematic("frame", folder.path("a.mov"), "--at", "0", "-o", folder.path("b.png"))
    #expect(result.status == 1 && result.errors.split(separator: "\n").count == 1)
    #expect(folder.names == ["a.mov"])
  }

  @Test(arguments: [
    (CGAffineTransform(a: 1, b: 0, c: 0, d: 1, tx: 0, ty: 0), 0, CGPoint(x: 0.1, y: 0.2)),
    (CGAffineTransform(a: 0, b: 1, c: -1, d: 0, tx: 720, ty: 0), 90, CGPoint(x: 0.8, y: 0.1)),
    (CGAffineTransform(a: -1, b: 0, c: 0, d: -1, tx: 0, ty: 0), 180, CGPoint(x: 0.9, y: 0.8)),
    (CGAffineTransform(a: 0, b: -1, c: 1, d: 0, tx: 0, ty: 0), 270, CGPoint(x: 0.2, y: 0.9)),
  ])
  func `points turn with the picture and back`(transform: CGAffineTransform, rotation: Int, displayed: CGPoint) {
    let display = DisplayGeometry(width: 1280, height: 720, transform: transform)
    #expect(display.rotation == rotation)
    #expect((display.width, display.height) == (rotation % 180 == 0 ? (1280, 720) : (720, 1280)))
    let point = display.displayed(CGPoint(x: 0.1, y: 0.2)), back = display.stored(displayed)
    #expect(abs(point.x - displayed.x) < 1e-9 && abs(point.y - displayed.y) < 1e-9)
    #expect(abs(back.x - 0.1) < 1e-9 && abs(back.y - 0.2) < 1e-9)
  }

  @Test(
    arguments: [
      ("420v", [235], [128, 128]), ("420f", [255], [128, 128]), ("x420", [0, 235], [0, 128, 0, 128]),
    ] as [(String, [UInt8], [UInt8])])
  func `white is white in every format`(format: String, luma: [UInt8], chroma: [UInt8]) throws {
    let buffer = try CVBuffer.make(width: 8, height: 8, format: fourCharacterCode(format))
    var overlay = Overlay(width: 8, height: 8)
    overlay.fill(columns: 2..<6, rows: 2..<6, .white)
    #expect(overlay.draw(onto: buffer))
    for (plane, expected) in [(0, luma), (1, chroma)] {
      let found = buffer.withPlane(plane, readOnly: true) { base, pitch, width, _ in
        let place = base + (plane == 0 ? 3 : 1) * pitch + (plane == 0 ? 3 : 1) * expected.count
        return (0..<expected.count).map { place.load(fromByteOffset: $0, as: UInt8.self) }
      }
      #expect(found == expected)
    }
    #expect(!Overlay(width: 4, height: 4).draw(onto: buffer))
  }

  @Test func `an upright disparity is turned to where the picture has it`() throws {
    try TestMovie(isUpright: true).write(to: folder.path("a.mov"))
    let tracks = CinematicTracks(try Movie.open(URL(fileURLWithPath: folder.path("a.mov"))))
    let upright = try #require(UprightDisparity(tracks))
    let displayed = try CVBuffer.make(width: 16, height: 32, format: kCVPixelFormatType_OneComponent10)
    displayed.withPlane(0, readOnly: false) { base, pitch, width, height in
      for y in 0..<height {
        for x in 0..<width {
          (base + y * pitch).storeBytes(of: UInt16(y * 16 + x), toByteOffset: x * 2, as: UInt16.self)
        }
      }
    }
    let stored = try upright.turnedBack(displayed)
    #expect(CVPixelBufferGetWidth(stored) == 32 && CVPixelBufferGetHeight(stored) == 16)
    stored.withPlane(0, readOnly: true) { base, pitch, width, height in
      for y in 0..<height {
        for x in 0..<width {
          // The same point, found by way of its rectangle.
          let place = upright.place(CGRect(x: CGFloat(x) / 32, y: CGFloat(y) / 16, width: 1.0 / 32, height: 1.0 / 16))
          let expected = Int((place.midY * 32).rounded(.down)) * 16 + Int((place.midX * 16).rounded(.down))
          #expect((base + y * pitch).load(fromByteOffset: x * 2, as: UInt16.self) == UInt16(expected))
        }
      }
    }
    try TestMovie().write(to: folder.path("b.mov"))
    #expect(UprightDisparity(CinematicTracks(try Movie.open(URL(fileURLWithPath: folder.path("b.mov"))))) == nil)
  }

  @Test func `white in HLG is reference white`() throws {
    let buffer = try CVBuffer.make(width: 4, height: 4, format: kCVPixelFormatType_32BGRA)
    CVBufferSetAttachment(
      buffer, kCVImageBufferTransferFunctionKey, kCVImageBufferTransferFunction_ITU_R_2100_HLG as AnyObject,
      .shouldPropagate)
    var overlay = Overlay(width: 4, height: 4)
    overlay.fill(columns: 0..<4, rows: 0..<4, .yellow)
    overlay.draw(onto: buffer)
    // 75 % of 255, no blue, opaque.
    let pixel = buffer.withPlane(0, readOnly: true) { base, _, _, _ in
      (0..<4).map { base.load(fromByteOffset: $0, as: UInt8.self) }
    }
    #expect(pixel == [0, 191, 191, 255])
  }
}
