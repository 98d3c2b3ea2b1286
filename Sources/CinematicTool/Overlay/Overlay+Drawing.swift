package import CoreVideo

extension Overlay {
  /// Draws into a picture of this overlay's size: white and yellow as bright as paper, also in HDR.
  ///
  /// Takes RGB and Y'CbCr formats with one pixel a block, planar or not, of 8 to 16 bits, half or single floats. Returns false, and
  /// draws nothing, for other formats and other sizes.
  @discardableResult
  package func draw(onto buffer: CVPixelBuffer) -> Bool {
    guard CVPixelBufferGetWidth(buffer) == width, CVPixelBufferGetHeight(buffer) == height,
      let ink = OverlayInk(buffer), let format = PixelFormat.description(of: CVPixelBufferGetPixelFormatType(buffer))
    else { return false }
    for (index, plane) in format.planes.enumerated() {
      let pixels = Dictionary(
        uniqueKeysWithValues: [Color.white, .yellow, .black].map { ($0, ink.pixel($0, plane: index)) })
      buffer.withPlane(index, readOnly: false) { base, pitch, width, height in
        for run in runs {
          let row = run.row / plane.verticalSubsampling
          let first = run.columns.lowerBound / plane.horizontalSubsampling
          let last = (run.columns.upperBound - 1) / plane.horizontalSubsampling
          guard row < height, last < width, let pixel = pixels[run.color] else { continue }
          Self.fill(base + row * pitch, first...last, pixel)
        }
      }
    }
    return true
  }

  private static func fill(_ row: UnsafeMutableRawPointer, _ columns: ClosedRange<Int>, _ pixel: [UInt8]) {
    for column in columns {
      for (offset, byte) in pixel.enumerated() {
        row.storeBytes(of: byte, toByteOffset: column * pixel.count + offset, as: UInt8.self)
      }
    }
  }
}
