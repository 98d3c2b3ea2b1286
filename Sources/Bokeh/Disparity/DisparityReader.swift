import CoreVideo

/// Reads disparity of any of its formats as 1/m; what is not valid becomes NaN.
struct DisparityReader {
  /// The table of an integer coding, kept while it stays the same.
  final class Codes {
    private let table = Storage<Float>()
    private var known: (coding: DisparityCodes, bits: Int)?

    /// A value for each code of `bits` bits.
    func table(_ coding: DisparityCodes, bits: Int) -> UnsafePointer<Float> {
      let values = table.reserve(1 << bits)
      if known?.coding != coding || known?.bits != bits {
        for code in 0..<1 << bits { values[code] = coding.disparity(Float(code) / Float(1 << bits - 1)) }
        known = (coding, bits)
      }
      return UnsafePointer(values)
    }
  }

  static func isSupported(_ format: PixelFormat) -> Bool {
    switch format.model {
    case .disparity, .depth, .oneComponent: true
    default: false
    }
  }

  /// Reads `buffer`, whose format must be supported, into a plane of its size.
  static func read(_ buffer: CVPixelBuffer, coding: DisparityCodes, codes: Codes, into plane: Plane<Float>) {
    guard let format = buffer.format else { return }
    buffer.withPlane(0, readOnly: true) { base, bytesPerRow, _, _ in
      for y in 0..<plane.height {
        let row = base + y &* bytesPerRow
        let out = plane.row(y)
        switch format.sample {
        case .half: for x in 0..<plane.width { out[x] = HalfSample.value(row.sample(x, 2)) }
        case .float, .packed10: for x in 0..<plane.width { out[x] = FloatSample.value(row.sample(x, 4)) }
        case .uint8: readCodes(UInt8.self, row, shift: 0, codes.table(coding, bits: 8), out, plane.width)
        case .uint10InUpperBits: readCodes(UInt16.self, row, shift: 6, codes.table(coding, bits: 10), out, plane.width)
        case .uint12InUpperBits: readCodes(UInt16.self, row, shift: 4, codes.table(coding, bits: 12), out, plane.width)
        case .uint16, .uint16BigEndian:
          readCodes(UInt16.self, row, shift: 0, codes.table(coding, bits: 16), out, plane.width)
        }
        for x in 0..<plane.width { out[x] = valid(out[x], isDepth: format.model == .depth) }
      }
    }
  }

  @inline(__always)
  private static func readCodes<Bits: FixedWidthInteger & BitwiseCopyable>(
    _: Bits.Type, _ row: UnsafeMutableRawPointer, shift: Int, _ table: UnsafePointer<Float>,
    _ out: UnsafeMutablePointer<Float>, _ count: Int
  ) {
    for x in 0..<count {
      let code: Bits = row.sample(x, MemoryLayout<Bits>.size)
      out[x] = table[Int(truncatingIfNeeded: code >> shift)]
    }
  }

  /// Depth in metres becomes its reciprocal; a depth of 0 is not valid.
  @inline(__always)
  private static func valid(_ value: Float, isDepth: Bool) -> Float {
    let disparity = isDepth ? 1 / value : value
    return HoleFiller.isValid(disparity) ? disparity : .nan
  }
}
