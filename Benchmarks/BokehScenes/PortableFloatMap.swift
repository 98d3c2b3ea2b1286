package import Foundation

/// Portable float maps: `PF` and `Pf` with single floats (PFM), `PH` and `Ph` with half floats (PHM).
///
/// A header of three lines — letters, width and height, scale — is followed by the rows from the bottom to the top. A
/// negative scale says little-endian.
package enum PortableFloatMap {
  package enum ReadError: Error, CustomStringConvertible {
    case unreadable(path: String, reason: String)

    package var description: String {
      switch self {
      case .unreadable(let path, let reason): "\(path): \(reason)"
      }
    }
  }

  /// Reads colours; a grey map gives the same value three times.
  package static func light(_ url: URL) throws -> LightImage {
    let map = try Parsed(url)
    return LightImage(
      width: map.width, height: map.height,
      values: map.pixels { value in
        map.channels == 3 ? SIMD4(value(0), value(1), value(2), 1) : SIMD4(value(0), value(0), value(0), 1)
      })
  }

  /// Reads the first channel.
  package static func scalar(_ url: URL) throws -> ScalarImage {
    let map = try Parsed(url)
    return ScalarImage(width: map.width, height: map.height, values: map.pixels { value in value(0) })
  }

  /// The first two channels: horizontal and vertical.
  package static func vectors(_ url: URL) throws -> Image<SIMD2<Float>> {
    let map = try Parsed(url)
    guard map.channels == 3 else { throw ReadError.unreadable(path: url.path, reason: "a flow has three channels") }
    return Image(width: map.width, height: map.height, values: map.pixels { value in SIMD2(value(0), value(1)) })
  }

  package static func write(_ image: LightImage, to url: URL) throws {
    try write("PF", image.width, image.height, url) { row, x in
      let light = image[x, row]
      return [light.x, light.y, light.z]
    }
  }

  package static func write(_ image: ScalarImage, to url: URL) throws {
    try write("Pf", image.width, image.height, url) { row, x in [image[x, row]] }
  }

  private static func write(
    _ letters: String, _ width: Int, _ height: Int, _ url: URL, _ pixel: (_ row: Int, _ x: Int) -> [Float]
  ) throws {
    var data = Data("\(letters)\n\(width) \(height)\n-1.0\n".utf8)
    for row in stride(from: height - 1, through: 0, by: -1) {
      for x in 0..<width {
        for value in pixel(row, x) {
          withUnsafeBytes(of: value.bitPattern.littleEndian) { data.append(contentsOf: $0) }
        }
      }
    }
    try data.write(to: url, options: .atomic)
  }
}

/// A map's header and samples.
private struct Parsed {
  let width: Int
  let height: Int
  let channels: Int
  private let isHalf: Bool
  private let isLittleEndian: Bool
  private let samples: Data

  /// The longest side that is read.
  private static let maximumSide = 32_768

  init(_ url: URL) throws {
    func failure(_ reason: String) -> PortableFloatMap.ReadError { .unreadable(path: url.path, reason: reason) }
    let data = try Data(contentsOf: url)
    var offset = data.startIndex
    func word() -> String {
      while offset < data.endIndex, data[offset] <= 32 { offset += 1 }
      let start = offset
      while offset < data.endIndex, data[offset] > 32 { offset += 1 }
      return String(decoding: data[start..<offset], as: UTF8.self)
    }
    let letters = word()
    guard ["PF", "Pf", "PH", "Ph"].contains(letters) else { throw failure("is no portable float map") }
    guard let width = Int(word()), let height = Int(word()), let scale = Float(word()), width > 0, height > 0,
      max(width, height) <= Parsed.maximumSide
    else { throw failure("its header is broken") }
    self.width = width
    self.height = height
    channels = letters == "PF" || letters == "PH" ? 3 : 1
    isHalf = letters == "PH" || letters == "Ph"
    isLittleEndian = scale < 0
    samples = data.dropFirst(min(offset + 1 - data.startIndex, data.count))
    guard samples.count >= width * height * channels * (isHalf ? 2 : 4) else { throw failure("it ends too early") }
  }

  /// Makes an element of each pixel, the top row first.
  func pixels<Element>(_ make: (_ value: (_ channel: Int) -> Float) -> Element) -> [Element] {
    samples.withUnsafeBytes { bytes in
      (0..<width * height).map { i in
        let place = ((height - 1 - i / width) * width + i % width) * channels
        return make { self.value(bytes, place + $0) }
      }
    }
  }

  private func value(_ bytes: UnsafeRawBufferPointer, _ index: Int) -> Float {
    if isHalf {
      let bits = bytes.loadUnaligned(fromByteOffset: index * 2, as: UInt16.self)
      return Float(Float16(bitPattern: isLittleEndian ? bits.littleEndian : bits.bigEndian))
    }
    let bits = bytes.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self)
    return Float(bitPattern: isLittleEndian ? bits.littleEndian : bits.bigEndian)
  }
}
