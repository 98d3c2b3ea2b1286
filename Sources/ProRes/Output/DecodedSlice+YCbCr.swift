extension DecodedSlice {
  /// A pointer into each plane at column 0 of a row.
  struct Row {
    let luma: UnsafeMutablePointer<UInt16>
    let chromaBlue: UnsafeMutablePointer<UInt16>
    let chromaRed: UnsafeMutablePointer<UInt16>
    let alpha: UnsafeMutablePointer<UInt16>
  }

  func samples(_ row: Int, isResampled: Bool) -> Row {
    let start = row * Self.pitch
    return Row(
      luma: luma + start, chromaBlue: (isResampled ? resampledBlue : chromaBlue) + start,
      chromaRed: (isResampled ? resampledRed : chromaRed) + start, alpha: alpha + start)
  }

  func writePlanar(_ row: Row, _ number: Int, to destination: ProResDestination, isHalved: Bool, depth: Int) {
    let planes = destination.planes
    let chroma = isHalved ? span.lowerBound >> 1..<(span.upperBound + 1) >> 1 : span
    let chromaX = isHalved ? x / 2 : x
    func copy(_ samples: UnsafeMutablePointer<UInt16>, _ columns: Range<Int>, _ x: Int, _ plane: Int) {
      let to = self.row(number, of: planes[plane]) + (x + columns.lowerBound) * 2
      to.copyMemory(from: samples + columns.lowerBound, byteCount: columns.count * 2)
    }
    copy(row.luma, span, x, 0)
    copy(row.chromaBlue, chroma, chromaX, 1)
    copy(row.chromaRed, chroma, chromaX, 2)
    guard planes.count > 3 else { return }
    let to = (self.row(number, of: planes[3]) + x * 2).assumingMemoryBound(to: UInt16.self)
    for column in span { to[column] = row.alpha[column] &>> UInt16(16 - depth) }
  }

  /// Y', interleaved CbCr, and alpha where there is a third plane; `shift` moves codes into the upper bits.
  func writeBiPlanar(_ row: Row, _ number: Int, to destination: ProResDestination, isHalved: Bool, shift: UInt16) {
    let luma = (self.row(number, of: destination.planes[0]) + x * 2).assumingMemoryBound(to: UInt16.self)
    for column in span { luma[column] = row.luma[column] &<< shift }
    let chroma = isHalved ? span.lowerBound >> 1..<(span.upperBound + 1) >> 1 : span
    let chromaX = isHalved ? x / 2 : x
    let pairs = (self.row(number, of: destination.planes[1]) + chromaX * 4).assumingMemoryBound(to: UInt16.self)
    for column in chroma {
      pairs[2 * column] = row.chromaBlue[column] &<< shift
      pairs[2 * column + 1] = row.chromaRed[column] &<< shift
    }
    guard destination.planes.count > 2 else { return }
    let alpha = self.row(number, of: destination.planes[2]) + (x + span.lowerBound) * 2
    alpha.copyMemory(from: row.alpha + span.lowerBound, byteCount: span.count * 2)
  }

  func writeY416(_ row: Row, _ number: Int, to destination: ProResDestination) {
    let to = self.row(number, of: destination.planes[0]) + x * 8
    eightByEight { column, count in
      let first = zip(row.alpha.eight(column), row.luma.eight(column))
      let second = zip(row.chromaBlue.eight(column), row.chromaRed.eight(column))
      store(zipPairs(first, second), to + column * 8, byteCount: count * 8)
    }
  }

  func writeV216(_ row: Row, _ number: Int, to destination: ProResDestination) {
    let to = self.row(number, of: destination.planes[0]) + x * 4
    var column = span.lowerBound
    // Sixteen pixels, then pairs; a last odd pixel is its own partner.
    while column + 16 <= span.upperBound {
      let chroma = zip(row.chromaBlue.eight(column >> 1), row.chromaRed.eight(column >> 1))
      let luma = UnsafeRawPointer(row.luma + column).loadUnaligned(as: SIMD16<UInt16>.self)
      store(zip(chroma, luma), to + column * 4, byteCount: 64)
      column += 16
    }
    while column < span.upperBound {
      let pair =
        UInt64(row.chromaBlue[column >> 1]) | UInt64(row.luma[column]) << 16
        | UInt64(row.chromaRed[column >> 1]) << 32 | UInt64(row.luma[min(column + 1, span.upperBound - 1)]) << 48
      (to + column * 4).storeBytes(of: pair.littleEndian, as: UInt64.self)
      column += 2
    }
  }

  func writeV210(_ row: Row, _ number: Int, to destination: ProResDestination) {
    let to = self.row(number, of: destination.planes[0])
    for column in stride(from: span.lowerBound, to: span.upperBound, by: 6) {
      // Beyond the picture's end the last pixel is repeated.
      let last = span.upperBound - 1
      func luma(_ index: Int) -> UInt32 { UInt32(row.luma[min(column + index, last)]) }
      func blue(_ index: Int) -> UInt32 { UInt32(row.chromaBlue[min(column + index, last) >> 1]) }
      func red(_ index: Int) -> UInt32 { UInt32(row.chromaRed[min(column + index, last) >> 1]) }
      let words = SIMD4<UInt32>(
        blue(0) | luma(0) << 10 | red(0) << 20, luma(1) | blue(2) << 10 | luma(2) << 20,
        red(2) | luma(3) << 10 | blue(4) << 20, luma(4) | red(4) << 10 | luma(5) << 20)
      (to + (x + column) / 6 * 16).storeBytes(of: words, as: SIMD4<UInt32>.self)
    }
  }

  /// Calls `body` with each eighth column of the span, and how many columns from there are in it.
  @inline(__always)
  func eightByEight(_ body: (_ column: Int, _ count: Int) -> Void) {
    var column = span.lowerBound
    while column < span.upperBound {
      body(column, min(8, span.upperBound - column))
      column += 8
    }
  }
}

extension UnsafeMutablePointer<UInt16> {
  @inline(__always)
  func eight(_ column: Int) -> SIMD8<UInt16> {
    UnsafeRawPointer(self + column).loadUnaligned(as: SIMD8<UInt16>.self)
  }
}

/// `a0 b0 a1 b1 …`
@inline(__always)
func zip(_ a: SIMD8<UInt16>, _ b: SIMD8<UInt16>) -> SIMD16<UInt16> {
  var both = SIMD16<UInt16>()
  both.evenHalf = a
  both.oddHalf = b
  return both
}

/// `a0 b0 a1 b1 …`
@inline(__always)
func zip(_ a: SIMD16<UInt16>, _ b: SIMD16<UInt16>) -> SIMD32<UInt16> {
  var both = SIMD32<UInt16>()
  both.evenHalf = a
  both.oddHalf = b
  return both
}

/// `a0 a1 b0 b1 a2 a3 b2 b3 …`
@inline(__always)
func zipPairs(_ a: SIMD16<UInt16>, _ b: SIMD16<UInt16>) -> SIMD32<UInt16> {
  var both = SIMD16<UInt32>()
  both.evenHalf = unsafeBitCast(a, to: SIMD8<UInt32>.self)
  both.oddHalf = unsafeBitCast(b, to: SIMD8<UInt32>.self)
  return unsafeBitCast(both, to: SIMD32<UInt16>.self)
}

/// Stores the first bytes of a vector.
@inline(__always)
func store<Vector>(_ vector: Vector, _ to: UnsafeMutableRawPointer, byteCount: Int) {
  if byteCount == MemoryLayout<Vector>.size {
    to.storeBytes(of: vector, as: Vector.self)
  } else {
    withUnsafeBytes(of: vector) { to.copyMemory(from: $0.baseAddress!, byteCount: byteCount) }
  }
}
