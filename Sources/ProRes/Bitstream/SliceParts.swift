/// Where the planes of a slice lie (RDD 36, 5.3.1).
struct SliceParts {
  /// What all weights of the slice are multiplied by: 1 to 512.
  let quantiserScale: Int
  /// Byte ranges in the frame of luma, Cb, Cr and alpha; the last is empty where there is none.
  let planes: (luma: Range<Int>, chromaBlue: Range<Int>, chromaRed: Range<Int>, alpha: Range<Int>)

  /// Nil where the header contradicts the bytes that are there: the slice is damaged.
  init?(_ frame: UnsafeRawBufferPointer, _ slice: Range<Int>, hasAlpha: Bool) {
    let leastHeader = hasAlpha ? 8 : 6
    guard slice.count >= leastHeader else { return nil }
    let headerSize = Int(frame[slice.lowerBound]) >> 3
    let index = Int(frame[slice.lowerBound + 1])
    guard headerSize >= leastHeader, headerSize <= slice.count, 1...224 ~= index else { return nil }
    let luma = slice.lowerBound + headerSize
    let chromaBlue = luma + frame.bigEndian16(at: slice.lowerBound + 2)
    let chromaRed = chromaBlue + frame.bigEndian16(at: slice.lowerBound + 4)
    let alpha = hasAlpha ? chromaRed + frame.bigEndian16(at: slice.lowerBound + 6) : slice.upperBound
    guard chromaRed <= alpha, alpha <= slice.upperBound else { return nil }
    quantiserScale = index > 128 ? (index - 96) * 4 : index
    planes = (luma..<chromaBlue, chromaBlue..<chromaRed, chromaRed..<alpha, alpha..<slice.upperBound)
  }
}
