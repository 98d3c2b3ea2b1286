internal import CoreVideo

/// `v210`: six pixels of 4:2:2 at 10 bits in four little-endian words, low bits first; rows padded to 128 bytes.
///
///     Cb0 Y0 Cr0 | Y1 Cb1 Y2 | Cr1 Y3 Cb2 | Y4 Cr2 Y5
enum V210 {
  /// Which component (0 Y', 1 Cb, 2 Cr) and which of its codes in the group each of the twelve fields holds.
  private static let fields: [(component: Int, index: Int)] = [
    (1, 0), (0, 0), (2, 0), (0, 1), (1, 1), (0, 2), (2, 1), (0, 3), (1, 2), (0, 4), (2, 2), (0, 5),
  ]

  static func store(_ frame: Frame, into buffer: CVPixelBuffer) throws {
    guard let shape = FrameShape(frame.pixelFormat), !shape.isFloat else { return }
    let change = DepthChange(from: (shape.depth, 0), to: (10, 0))
    try buffer.withPlane(0, readOnly: false) { base, pitch, _, _ in
      try eachRow(of: frame) { row, planes, columns in
        let words = (base + row * pitch).assumingMemoryBound(to: UInt32.self)
        for group in 0..<(columns.luma + 5) / 6 {
          pack(group, columns, into: words + group * 4) { component, index in
            shape.depth <= 8
              ? change(UInt32(planes[component].assumingMemoryBound(to: UInt8.self)[index]))
              : change(UInt32(planes[component].assumingMemoryBound(to: UInt16.self)[index]))
          }
        }
      }
    }
  }

  static func load(_ buffer: CVPixelBuffer, into frame: Frame) throws {
    try buffer.withPlane(0, readOnly: true) { base, pitch, _, _ in
      try eachRow(of: frame) { row, planes, columns in
        let words = (base + row * pitch).assumingMemoryBound(to: UInt32.self)
        for group in 0..<(columns.luma + 5) / 6 {
          for (field, place) in fields.enumerated() {
            let index = group * (place.component == 0 ? 6 : 3) + place.index
            guard index < (place.component == 0 ? columns.luma : columns.chroma) else { continue }
            let code = words[group * 4 + field / 3] &>> UInt32(10 * (field % 3)) & 0x3FF
            planes[place.component].assumingMemoryBound(to: UInt16.self)[index] = UInt16(code)
          }
        }
      }
    }
  }

  private typealias Columns = (luma: Int, chroma: Int)

  @inline(__always)
  private static func pack(
    _ group: Int, _ columns: Columns, into words: UnsafeMutablePointer<UInt32>, code: (Int, Int) -> UInt32
  ) {
    for word in 0..<4 {
      var value: UInt32 = 0
      for part in 0..<3 {
        let place = fields[word * 3 + part]
        let index = group * (place.component == 0 ? 6 : 3) + place.index
        let last = (place.component == 0 ? columns.luma : columns.chroma) - 1
        value |= code(place.component, min(index, last)) &<< UInt32(10 * part)
      }
      words[word] = value
    }
  }

  private static func eachRow(
    of frame: Frame, _ body: (_ row: Int, _ planes: [UnsafeMutableRawPointer], _ columns: Columns) -> Void
  ) throws {
    let columns = (luma: frame.width, chroma: (frame.width + 1) / 2)
    try frame.withPlane(0) { luma, lumaPitch in
      try frame.withPlane(1) { first, firstPitch in
        try frame.withPlane(2) { second, secondPitch in
          for row in 0..<frame.height {
            body(row, [luma + row * lumaPitch, first + row * firstPitch, second + row * secondPitch], columns)
          }
        }
      }
    }
  }
}
