package import CoreVideo

/// The codes of a picture, component by component; half floats as the order of their bits.
package func codes(_ buffer: CVPixelBuffer) -> [Int] {
  let name = fourCharacterString(CVPixelBufferGetPixelFormatType(buffer))
  guard let layout = PixelFormat.description(of: CVPixelBufferGetPixelFormatType(buffer)) else { return [] }
  return layout.planes.indices.flatMap { plane in
    buffer.withPlane(plane, readOnly: true) { base, pitch, width, height in
      let shape = layout.planes[plane]
      let byteCount = (width + shape.blockWidth - 1) / shape.blockWidth * shape.bytesPerBlock
      return (0..<height).flatMap { y in row(base + y * pitch, byteCount, name) }
    }
  }
}

private func row(_ bytes: UnsafeMutableRawPointer, _ byteCount: Int, _ format: String) -> [Int] {
  func words<Word: FixedWidthInteger>(_: Word.Type) -> [Word] {
    Array(UnsafeBufferPointer(start: bytes.assumingMemoryBound(to: Word.self), count: byteCount / (Word.bitWidth / 8)))
  }
  switch format {
  case "BGRA": return words(UInt8.self).map { Int($0) }
  case "v210": return words(UInt32.self).flatMap { word in [0, 10, 20].map { Int(word >> $0 & 1023) } }
  case "b64a": return words(UInt16.self).map { Int($0.byteSwapped) }
  case "x422", "x444": return words(UInt16.self).map { Int($0 >> 6) }
  case "RGhA": return words(UInt16.self).map { $0 >> 15 == 1 ? -Int($0 & 0x7FFF) : Int($0) }
  default: return words(UInt16.self).map { Int($0) }
  }
}

/// How far the codes of two pictures of one size and format are apart at most; nil where they have not as many.
package func greatestDifference(_ one: CVPixelBuffer, _ other: CVPixelBuffer) -> Int? {
  let (ours, theirs) = (codes(one), codes(other))
  guard ours.count == theirs.count else { return nil }
  return zip(ours, theirs).reduce(0) { max($0, abs($1.0 - $1.1)) }
}

/// How far a device's picture may be from the processor's: a code, and of R'G'B' in 16 bits four, since three codes of Y'CbCr that
/// differ by one make up to 1.2 + 2.1 of them.
package func allowedDifference(_ pixelFormat: OSType) -> Int { fourCharacterString(pixelFormat) == "b64a" ? 4 : 1 }
