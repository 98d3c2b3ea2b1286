import CoreVideo

/// A picture as planes of Y', Cb, Cr and perhaps alpha that follow each other without gaps: what a raw file holds of a frame.
///
/// Whoever holds one may write into it as long as no other thread reads.
final class PlanarPicture: @unchecked Sendable {
  /// What a picture is made of.
  struct Shape: Hashable, Sendable {
    let width: Int
    let height: Int
    /// Bits of a code: 8 in bytes, more in 16-bit little-endian words.
    let depth: Int
    /// Pixels that a chroma sample stands for.
    let across: Int
    let down: Int
    let hasAlpha: Bool

    init(_ format: RawFormat, width: Int, height: Int) {
      (self.width, self.height) = (width, height)
      depth = format.planarDepth ?? 16
      (across, down) = format.chromaSubsampling
      hasAlpha = format.hasAlpha
    }

    var bytesPerCode: Int { depth > 8 ? 2 : 1 }

    /// Columns and rows of each plane.
    var planes: [(columns: Int, rows: Int)] {
      let chroma = ((width + across - 1) / across, (height + down - 1) / down)
      return [(width, height), chroma, chroma] + (hasAlpha ? [(width, height)] : [])
    }

    var byteCount: Int { planes.reduce(0) { $0 + $1.columns * $1.rows } * bytesPerCode }
  }

  let shape: Shape
  let bytes: UnsafeMutableRawBufferPointer

  init(_ shape: Shape) {
    self.shape = shape
    bytes = .allocate(byteCount: shape.byteCount, alignment: 64)
  }

  deinit { bytes.deallocate() }

  /// Where a plane begins.
  func base(_ plane: Int) -> UnsafeMutableRawPointer {
    let before = shape.planes.prefix(plane).reduce(0) { $0 + $1.columns * $1.rows }
    return bytes.baseAddress! + before * shape.bytesPerCode
  }

  func bytesPerRow(_ plane: Int) -> Int { shape.planes[plane].columns * shape.bytesPerCode }
}

// MARK: - From bi-planar pixel buffers
extension PlanarPicture {
  /// Copies a picture of the bi-planar format that `RawFormat` names for the shape; codes of more bits are rounded to the depth, alpha is cut
  /// off as its scale asks.
  func copy(_ buffer: CVPixelBuffer) {
    let format = PixelFormat.description(of: CVPixelBufferGetPixelFormatType(buffer))
    let isUpper = format?.sample == .uint10InUpperBits
    let bits = format?.bitsPerComponent ?? 8
    precondition(buffer.width == shape.width && buffer.height == shape.height && bits >= shape.depth)
    for plane in 0..<(shape.hasAlpha ? 3 : 2) {
      buffer.withPlane(plane, readOnly: true) { base, pitch, width, height in
        for row in 0..<height {
          let source = base + row * pitch
          if shape.depth == 8 {
            copy(source.assumingMemoryBound(to: UInt8.self), plane, row, width) { $0 }
          } else if plane == 2 {
            let shift = UInt16(16 - shape.depth)
            copy(source.assumingMemoryBound(to: UInt16.self), plane, row, width) { $0 &>> shift }
          } else {
            let shift = UInt16(isUpper ? 16 - bits : bits - shape.depth), most = UInt16(1 << shape.depth - 1)
            let half: UInt16 = isUpper || shift == 0 ? 0 : 1 << (shift - 1)
            copy(source.assumingMemoryBound(to: UInt16.self), plane, row, width) { code in
              let (sum, isOver) = code.addingReportingOverflow(half)
              return isOver ? most : sum &>> shift
            }
          }
        }
      }
    }
  }

  /// Plane 0 is Y', 1 is CbCr, 2 is alpha.
  @inline(__always)
  private func copy<Code: FixedWidthInteger>(
    _ source: UnsafePointer<Code>, _ plane: Int, _ row: Int, _ width: Int, _ change: (Code) -> Code
  ) {
    func target(_ plane: Int) -> UnsafeMutablePointer<Code> {
      (base(plane) + row * bytesPerRow(plane)).assumingMemoryBound(to: Code.self)
    }
    guard plane == 1 else {
      let out = target(plane == 0 ? 0 : 3)
      for x in 0..<width { out[x] = change(source[x]).littleEndian }
      return
    }
    let (blue, red) = (target(1), target(2))
    for x in 0..<width {
      blue[x] = change(source[2 * x]).littleEndian
      red[x] = change(source[2 * x + 1]).littleEndian
    }
  }
}
