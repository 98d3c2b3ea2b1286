/// How decoded samples lie in memory. Every layout is written from the slices; there is no conversion afterwards.
package enum ProResLayout: Sendable, Hashable {
  /// Planes of Y', Cb, Cr and, where a fourth is given, alpha; codes of this many bits (8 to 16) in the lower bits of 16-bit
  /// little-endian words. Chroma has the stream's own resolution.
  case planar(depth: Int)
}

extension ProResLayout {
  /// Bits that a sample is computed with.
  var depth: Int {
    switch self {
    case .planar(let depth): depth
    }
  }
}

/// Memory that a frame is decoded into; it stays the caller's.
package struct ProResDestination: @unchecked Sendable {
  // Unchecked: the pointers are used only while `decode` runs, each row by one thread.
  package struct Plane {
    package let base: UnsafeMutableRawPointer
    package let bytesPerRow: Int

    package init(base: UnsafeMutableRawPointer, bytesPerRow: Int) {
      self.base = base
      self.bytesPerRow = bytesPerRow
    }
  }

  package let layout: ProResLayout
  package let width: Int
  package let height: Int
  package let planes: [Plane]

  /// - Parameter planes: top rows first; each has memory for all rows that the layout and the stream's chroma ask for.
  package init(layout: ProResLayout, width: Int, height: Int, planes: [Plane]) {
    self.layout = layout
    self.width = width
    self.height = height
    self.planes = planes
  }
}
