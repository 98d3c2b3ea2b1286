/// Memory that a frame is decoded into; it stays the caller's.
package struct ProResDestination: @unchecked Sendable {
  // Unchecked: the pointers are used only while `decode` runs, each row by one thread.
  /// One plane of the picture, or all of it where the layout is packed.
  package struct Plane {
    /// The first byte of the top row.
    package let base: UnsafeMutableRawPointer
    /// Bytes from the start of a row to that of the row below.
    package let bytesPerRow: Int

    package init(base: UnsafeMutableRawPointer, bytesPerRow: Int) {
      self.base = base
      self.bytesPerRow = bytesPerRow
    }
  }

  /// How samples lie in the planes.
  package let layout: ProResLayout
  /// Pixels of the picture: the frame's, divided by the scale and rounded up.
  package let width: Int
  package let height: Int
  /// In the order of the layout.
  package let planes: [Plane]

  /// - Parameter planes: top rows first; each has memory for all rows that the layout and the stream's chroma ask for.
  package init(layout: ProResLayout, width: Int, height: Int, planes: [Plane]) {
    self.layout = layout
    self.width = width
    self.height = height
    self.planes = planes
  }
}

extension ProResDestination {
  /// Refuses memory that a frame does not fit; `name` is the picture's in the sentence of the error.
  package func check(
    for header: ProResFrameHeader, scale: ProResScale, as name: String = "the picture to fill"
  ) throws(ProResError) {
    let size = scale.size(of: header)
    guard width == size.width, height == size.height else {
      throw ProResError(
        .wrongDestination,
        "it makes \(size.width)x\(size.height) pixels, but \(name) has \(width)x\(height); make another")
    }
    let blocks = layout.blocks(header.chroma, planeCount: max(3, planes.count))
    guard planes.count == blocks.count, 8...16 ~= layout.depth,
      zip(planes, blocks).allSatisfy({ $0.bytesPerRow >= (width - 1) / $1.pixels * $1.byteCount + $1.byteCount })
    else {
      throw ProResError(
        .wrongDestination, "\(name) lacks a plane, or has rows that are too short; make one for the frame's size")
    }
  }

  package func check(isLike other: ProResDestination) throws(ProResError) {
    guard layout == other.layout, width == other.width, height == other.height, planes.count == other.planes.count
    else {
      throw ProResError(
        .wrongDestination, "the picture to conceal with differs in size or layout; give one like the picture to fill")
    }
  }

  /// Copies the place of a damaged slice, as far as no neighbour shares its blocks, from a picture like this one.
  package func copy(_ damage: ProResReport.Damage, from other: ProResDestination, _ stream: ProResFrameHeader.Chroma) {
    let blocks = layout.blocks(stream, planeCount: planes.count)
    for (index, block) in blocks.enumerated() {
      let (to, from) = (planes[index], other.planes[index])
      let first = (damage.columns.lowerBound + block.pixels - 1) / block.pixels
      let isLast = damage.columns.upperBound == width
      let end = (damage.columns.upperBound + (isLast ? block.pixels - 1 : 0)) / block.pixels
      guard first < end else { continue }
      for row in stride(from: damage.rows.lowerBound, to: damage.rows.upperBound, by: damage.rowStep) {
        (to.base + row * to.bytesPerRow + first * block.byteCount).copyMemory(
          from: from.base + row * from.bytesPerRow + first * block.byteCount,
          byteCount: (end - first) * block.byteCount)
      }
    }
  }
}
