import Bokeh
import BokehScenes
import CoreVideo

/// A pixel buffer whose samples a test sets and reads one by one, by component: Y', Cb, Cr, alpha, or R', G', B',
/// alpha, or grey.
struct Picture {
  let buffer: CVPixelBuffer
  let format: PixelFormat
  let width: Int
  let height: Int

  init(buffer: CVPixelBuffer) {
    self.buffer = buffer
    format = PixelFormat.description(of: CVPixelBufferGetPixelFormatType(buffer))!
    (width, height) = (CVPixelBufferGetWidth(buffer), CVPixelBufferGetHeight(buffer))
  }

  init(_ width: Int, _ height: Int, _ code: String) throws {
    try self.init(width, height, fourCharacterCode(code))
  }

  init(_ width: Int, _ height: Int, _ code: OSType) throws {
    buffer = try CVPixelBuffer.make(width: width, height: height, format: code)
    format = PixelFormat.description(of: code)!
    (self.width, self.height) = (width, height)
  }

  func tag(transfer: String? = nil, primaries: String? = nil, matrix: String? = nil, siting: String? = nil) {
    let tags = [
      (kCVImageBufferTransferFunctionKey, transfer), (kCVImageBufferColorPrimariesKey, primaries),
      (kCVImageBufferYCbCrMatrixKey, matrix), (kCVImageBufferChromaLocationTopFieldKey, siting),
    ]
    for case (let key, let value?) in tags { CVBufferSetAttachment(buffer, key, value, .shouldPropagate) }
  }

  func tag(_ key: String) -> String? { CVBufferCopyAttachment(buffer, key, nil) as? String }

  /// The names of the components in the order in which tests number them.
  var components: [PixelFormat.Component] {
    let colors: [PixelFormat.Component] =
      switch format.model {
      case .yCbCr: [.luma, .chromaBlue, .chromaRed]
      case .rgb: [.red, .green, .blue]
      default: [.first]
      }
    return colors + (format.hasAlpha ? [.alpha] : [])
  }

  /// Calls `body` with the address of each sample.
  func forEachSample(_ body: (_ x: Int, _ y: Int, _ component: Int, UnsafeMutableRawPointer) -> Void) {
    for (number, component) in components.enumerated() {
      for (index, plane) in format.planes.enumerated() {
        let places = plane.components.indices.filter { plane.components[$0] == component }
        guard !places.isEmpty else { continue }
        buffer.withPlane(index, readOnly: false) { base, pitch, planeWidth, planeHeight in
          for y in 0..<planeHeight {
            for block in 0..<(planeWidth + plane.blockWidth - 1) / plane.blockWidth {
              for (i, place) in places.enumerated() {
                let (x, offset) = (
                  block * places.count + i, block * plane.bytesPerBlock + place * format.sample.byteCount
                )
                // The last pair of an odd row has one pixel.
                if x < width { body(x, y, number, base + y * pitch + offset) }
              }
            }
          }
        }
      }
    }
  }

  private func store(_ code: Int, _ address: UnsafeMutableRawPointer) {
    switch format.sample {
    case .uint8: address.storeBytes(of: UInt8(truncatingIfNeeded: code), as: UInt8.self)
    case .uint10InUpperBits: address.storeBytes(of: UInt16(truncatingIfNeeded: code << 6), as: UInt16.self)
    case .uint12InUpperBits: address.storeBytes(of: UInt16(truncatingIfNeeded: code << 4), as: UInt16.self)
    case .uint16BigEndian: address.storeBytes(of: UInt16(truncatingIfNeeded: code).bigEndian, as: UInt16.self)
    case .float: address.storeBytes(of: UInt32(truncatingIfNeeded: code), as: UInt32.self)
    default: address.storeBytes(of: UInt16(truncatingIfNeeded: code), as: UInt16.self)
    }
  }

  private func load(_ address: UnsafeMutableRawPointer) -> Int {
    switch format.sample {
    case .uint8: Int(address.load(as: UInt8.self))
    case .uint10InUpperBits: Int(address.load(as: UInt16.self) >> 6)
    case .uint12InUpperBits: Int(address.load(as: UInt16.self) >> 4)
    case .uint16BigEndian: Int(address.load(as: UInt16.self).bigEndian)
    case .float: Int(address.load(as: UInt32.self))
    default: Int(address.load(as: UInt16.self))
    }
  }

  func fill(_ code: (_ x: Int, _ y: Int, _ component: Int) -> Int) {
    forEachSample { x, y, component, address in store(code(x, y, component), address) }
  }

  /// Sets the numbers of a floating-point picture.
  func fillValues(_ value: (_ x: Int, _ y: Int, _ component: Int) -> Float) {
    fill { x, y, component in
      let number = value(x, y, component)
      return format.sample == .half ? Int(Float16(number).bitPattern) : Int(number.bitPattern)
    }
  }

  /// Any codes; numbers from 0 to 1 in floating-point pictures, alpha included.
  func fillRandomly(seed: UInt64) {
    var random = SeededRandom(seed)
    if format.isFloat {
      fillValues { _, _, _ in random.float(0..<1) }
    } else {
      fill { _, _, _ in Int(random.next() & (1 << UInt64(format.bitsPerComponent) - 1)) }
    }
  }

  func code(_ column: Int, _ row: Int, _ number: Int) -> Int {
    var found = -1
    forEachSample { x, y, component, address in
      if (x, y, component) == (column, row, number) { found = load(address) }
    }
    return found
  }

  func value(_ x: Int, _ y: Int, _ component: Int) -> Float {
    let code = code(x, y, component)
    return switch format.sample {
    case .half: Float(Float16(bitPattern: UInt16(code)))
    case .float: Float(bitPattern: UInt32(code))
    default: Float(code) / Float(1 << format.bitsPerComponent - 1)
    }
  }

  /// All samples of all planes, without padding.
  var bytes: [[Int]] {
    var planes = [[Int]](repeating: [], count: components.count)
    forEachSample { _, _, component, address in planes[component].append(load(address)) }
    return planes
  }

  /// A disparity picture of one value, or of a function of place.
  static func disparity(_ width: Int, _ height: Int, _ value: (Int, Int) -> Float) throws -> Picture {
    let picture = try Picture(width, height, "fdis")
    picture.fillValues { x, y, _ in value(x, y) }
    return picture
  }

  static func render(
    _ source: Picture, _ target: Picture, disparity: Float, focus: Float, fNumber: Float,
    quality: BokehQuality = .export, _ change: (inout RenderRequest) -> Void = { _ in }
  ) throws {
    let depth = try Picture.disparity(4, 4) { _, _ in disparity }
    try render(source, target, depth, focus: focus, fNumber: fNumber, quality: quality, change)
  }

  static func render(
    _ source: Picture, _ target: Picture, _ disparity: Picture, focus: Float, fNumber: Float,
    quality: BokehQuality = .export, _ change: (inout RenderRequest) -> Void = { _ in }
  ) throws {
    var request = RenderRequest(
      source: source.buffer, disparity: disparity.buffer, destination: target.buffer, focusDisparity: focus,
      fNumber: fNumber)
    change(&request)
    try BokehRenderer(quality: quality, threads: 2).render(request)
  }
}
