import Bokeh
import CoreVideo
import Foundation

/// A picture whose samples are set as numbers 0…1 by component: Y', Cb, Cr, or R', G', B', or grey; and alpha.
struct Picture {
  let buffer: CVPixelBuffer
  let format: PixelFormat

  init(_ width: Int, _ height: Int, _ code: OSType) throws {
    try self.init(try CVPixelBuffer.make(width: width, height: height, format: code))
  }

  init(_ buffer: CVPixelBuffer) throws {
    self.buffer = buffer
    guard let format = buffer.format else { throw BokehError.unsupportedFormat(role: "test", format: "") }
    self.format = format
  }

  init(_ width: Int, _ height: Int, _ code: String) throws { try self.init(width, height, fourCharacterCode(code)) }

  /// Another of the same kind.
  func empty(_ width: Int? = nil, _ height: Int? = nil) throws -> Picture {
    try Picture(width ?? buffer.width, height ?? buffer.height, format.code)
  }

  /// Calls `body` with the place in the picture, 0…1, the component, and the address of each sample.
  func forEachSample(_ body: (SIMD2<Float>, PixelFormat.Component, UnsafeMutableRawPointer) -> Void) {
    for (index, plane) in format.planes.enumerated() {
      buffer.withPlane(index, readOnly: false) { base, pitch, width, height in
        let bytes = format.sample.byteCount
        let count = (width + plane.blockWidth - 1) / plane.blockWidth * plane.components.count
        for y in 0..<height {
          for i in 0..<count {
            let (block, k) = (i / plane.components.count, i % plane.components.count)
            let x = block * plane.blockWidth + plane.components[..<k].count { $0 == plane.components[k] }
            // The last pair of an odd row has one pixel.
            guard x < width else { continue }
            let place = SIMD2((Float(x) + 0.5) / Float(width), (Float(y) + 0.5) / Float(height))
            body(place, plane.components[k], base + y * pitch + i * bytes)
          }
        }
      }
    }
  }

  func fill(_ value: (SIMD2<Float>, PixelFormat.Component) -> Float) {
    forEachSample { place, component, address in store(value(place, component), address) }
  }

  private func store(_ value: Float, _ address: UnsafeMutableRawPointer) {
    let code = Int((min(max(value.isNaN ? 0 : value, 0), 1) * Float(1 << format.bitsPerComponent - 1)).rounded())
    switch format.sample {
    case .uint8: address.storeBytes(of: UInt8(code), as: UInt8.self)
    case .uint10InUpperBits: address.storeBytes(of: UInt16(code << 6), as: UInt16.self)
    case .uint12InUpperBits: address.storeBytes(of: UInt16(code << 4), as: UInt16.self)
    case .uint16BigEndian: address.storeBytes(of: UInt16(code).bigEndian, as: UInt16.self)
    case .half: address.storeBytes(of: Float16(value).bitPattern, as: UInt16.self)
    case .float: address.storeBytes(of: value, as: Float.self)
    default: address.storeBytes(of: UInt16(code), as: UInt16.self)
    }
  }

  private func load(_ address: UnsafeMutableRawPointer) -> Float {
    let most = Float(1 << format.bitsPerComponent - 1)
    return switch format.sample {
    case .uint8: Float(address.load(as: UInt8.self)) / most
    case .uint10InUpperBits: Float(address.load(as: UInt16.self) >> 6) / most
    case .uint12InUpperBits: Float(address.load(as: UInt16.self) >> 4) / most
    case .uint16BigEndian: Float(address.load(as: UInt16.self).bigEndian) / most
    case .half: Float(Float16(bitPattern: address.load(as: UInt16.self)))
    case .float: address.load(as: Float.self)
    default: Float(address.load(as: UInt16.self)) / most
    }
  }

  /// All samples in the order of memory.
  var values: [Float] {
    var values: [Float] = []
    forEachSample { _, _, address in values.append(load(address)) }
    return values
  }
}

/// What two renditions differ by.
struct Difference: CustomStringConvertible {
  /// In dB, of 0…1.
  let psnr: Double
  /// In codes of 8 bits.
  let mean: Double

  init(_ a: Picture, _ b: Picture) {
    var (squares, sum) = (0.0, 0.0)
    let pairs = zip(a.values, b.values)
    for (x, y) in pairs {
      let difference = Double(min(max(x, -1), 2)) - Double(min(max(y, -1), 2))
      squares += difference * difference
      sum += abs(difference)
    }
    let count = Double(a.values.count)
    psnr = -10 * log10(max(squares / count, 1e-12))
    mean = sum / count * 255
  }

  var description: String { "\(psnr) dB, mean \(mean) codes" }
}

/// Scenes by formula; places are 0…1.
enum Scene: String, CaseIterable, Sendable {
  /// One surface from far on the left to near on the right.
  case slope
  /// Round heads, nearer ones before farther ones, before a far wall.
  case crowd

  func disparity(_ place: SIMD2<Float>) -> Float {
    switch self {
    case .slope: place.x
    case .crowd: Scene.head(place)?.depth ?? 0
    }
  }

  private static func head(_ place: SIMD2<Float>) -> (depth: Float, number: Int)? {
    for number in stride(from: 23, through: 0, by: -1) {
      let centre = SIMD2(fraction(Float(number) * 0.618_034), fraction(Float(number) * 0.754_878))
      let offset = (place - centre) * SIMD2(1.6, 1)
      let radius = 0.06 + 0.1 * fraction(Float(number) * 0.414_214)
      if (offset * offset).sum() < radius * radius { return (Float(number + 1) / 24, number) }
    }
    return nil
  }

  private static func fraction(_ x: Float) -> Float { x - x.rounded(.down) }

  /// A number 0…1 for a component.
  func value(_ place: SIMD2<Float>, _ component: PixelFormat.Component) -> Float {
    let number = self == .crowd ? Scene.head(place)?.number ?? -1 : 0
    let texture = 0.5 + 0.3 * sin(place.x * 61 + Float(number)) * sin(place.y * 43 + Float(number) * 2)
    switch component {
    case .alpha: return 0.75
    case .chromaBlue: return 0.5 + 0.15 * sin(Float(number) * 1.7 + place.x * 9)
    case .chromaRed: return 0.5 + 0.15 * cos(Float(number) * 2.3 + place.y * 7)
    case .green: return texture * 0.8
    case .blue: return 0.9 - texture * 0.7
    default: return texture
    }
  }
}
