package import CoreGeometry

/// The 3x3 matrix of a movie or track header as it is stored: rows `a b u`, `c d v`, `x y w`.
///
/// A point `(p, q)` of the stored picture is shown at `(a p + c q + x, b p + d q + y)`, in pixels, y downwards.
package struct MovieMatrix: Hashable, Sendable {
  /// Nine numbers: 16.16 fixed point, but 2.30 in the third column.
  package var raw: [Int32]

  package static let identity = MovieMatrix(a: 1, b: 0, c: 0, d: 1, x: 0, y: 0)

  package init(a: Double, b: Double, c: Double, d: Double, x: Double, y: Double) {
    raw = [
      Self.fixed(a), Self.fixed(b), 0, Self.fixed(c), Self.fixed(d), 0, Self.fixed(x), Self.fixed(y), 1 << 30,
    ]
  }

  init(reading reader: inout ByteReader) throws(QuickTimeError) {
    raw = []
    for _ in 0..<9 { raw.append(try reader.i32()) }
  }

  func write(to writer: inout ByteWriter) {
    for value in raw { writer.i32(value) }
  }

  package var a: Double { Double(raw[0]) / 65_536 }
  package var b: Double { Double(raw[1]) / 65_536 }
  package var c: Double { Double(raw[3]) / 65_536 }
  package var d: Double { Double(raw[4]) / 65_536 }
  package var x: Double { Double(raw[6]) / 65_536 }
  package var y: Double { Double(raw[7]) / 65_536 }

  /// The matrix without its third column, which is 0, 0, 1 in all known files.
  package init(_ transform: CGAffineTransform) {
    self.init(a: transform.a, b: transform.b, c: transform.c, d: transform.d, x: transform.tx, y: transform.ty)
  }

  package var transform: CGAffineTransform { CGAffineTransform(a: a, b: b, c: c, d: d, tx: x, ty: y) }

  private static func fixed(_ value: Double) -> Int32 {
    let scaled = (value * 65_536).rounded()
    return scaled.isNaN ? 0 : Int32(max(-2_147_483_648, min(2_147_483_647, scaled)))
  }
}
