extension DecodedSlice {
  /// Makes the chroma that is written from the stream's; both follow luma's columns from the left.
  func resample(to wanted: ProResFrameHeader.Chroma, isAtEnd: Bool) {
    for (from, to) in [(chromaBlue, resampledBlue), (chromaRed, resampledRed)] {
      for row in 0..<rows {
        let (from, to) = (from + row * Self.pitch, to + row * Self.pitch)
        if wanted == .full { widen(from, to, isAtEnd: isAtEnd) } else { narrow(from, to, isAtEnd: isAtEnd) }
      }
    }
  }

  /// `a b c  →  a (a+b)/2 b (b+c)/2 c …`; the last one of a row is repeated.
  private func widen(_ from: UnsafeMutablePointer<UInt16>, _ to: UnsafeMutablePointer<UInt16>, isAtEnd: Bool) {
    let last = (width - 1) / 2
    for column in span {
      let left = column >> 1
      let right = isAtEnd && left >= last ? left : left + column & 1
      to[column] = UInt16(truncatingIfNeeded: (UInt32(from[left]) + UInt32(from[right]) + 1) >> 1)
    }
  }

  /// `a b c d e  →  … (b+2c+d)/4 …`, the first and last of a row standing in for what is beyond.
  private func narrow(_ from: UnsafeMutablePointer<UInt16>, _ to: UnsafeMutablePointer<UInt16>, isAtEnd: Bool) {
    for pair in span.lowerBound >> 1..<(span.upperBound + 1) >> 1 {
      let middle = pair * 2
      let left = UInt32(from[x + middle > 0 ? middle - 1 : middle])
      let right = UInt32(from[isAtEnd && middle + 1 >= width ? middle : middle + 1])
      to[pair] = UInt16(truncatingIfNeeded: (left + 2 * UInt32(from[middle]) + right + 2) >> 2)
    }
  }
}
