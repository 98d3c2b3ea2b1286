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

  func writePlanar(_ row: Row, _ number: Int, to planes: [ProResDestination.Plane], isHalved: Bool, depth: Int) {
    let chroma = chromaSpan(isHalved)
    let (lumaX, chromaX) = (x + span.lowerBound, (isHalved ? x / 2 : x) + chroma.lowerBound)
    emit(number, planes[0], offset: lumaX * 2, row.luma + span.lowerBound, count: span.count)
    emit(number, planes[1], offset: chromaX * 2, row.chromaBlue + chroma.lowerBound, count: chroma.count)
    emit(number, planes[2], offset: chromaX * 2, row.chromaRed + chroma.lowerBound, count: chroma.count)
    guard planes.count > 3 else { return }
    emit(number, planes[3], offset: lumaX * 2, byteCount: span.count * 2) { to in
      eightByEight { column, place, count in
        store(row.alpha.eight(column) &>> UInt16(16 - depth), to + place * 2, byteCount: count * 2)
      }
    }
  }

  /// Y', interleaved CbCr, and alpha where there is a third plane; `shift` moves codes into the upper bits.
  func writeBiPlanar(_ row: Row, _ number: Int, to planes: [ProResDestination.Plane], isHalved: Bool, shift: UInt16) {
    let lumaX = x + span.lowerBound
    emit(number, planes[0], offset: lumaX * 2, byteCount: span.count * 2) { to in
      eightByEight { column, place, count in
        store(row.luma.eight(column) &<< shift, to + place * 2, byteCount: count * 2)
      }
    }
    let chroma = chromaSpan(isHalved)
    emit(
      number, planes[1], offset: ((isHalved ? x / 2 : x) + chroma.lowerBound) * 4, byteCount: chroma.count * 4
    ) { to in
      eightByEight(chroma) { column, place, count in
        let pairs = zip(row.chromaBlue.eight(column) &<< shift, row.chromaRed.eight(column) &<< shift)
        store(pairs, to + place * 4, byteCount: count * 4)
      }
    }
    guard planes.count > 2 else { return }
    emit(number, planes[2], offset: lumaX * 2, row.alpha + span.lowerBound, count: span.count)
  }

  func writeY416(_ row: Row, _ number: Int, to planes: [ProResDestination.Plane]) {
    emit(number, planes[0], offset: (x + span.lowerBound) * 8, byteCount: span.count * 8) { to in
      eightByEight { column, place, count in
        let first = zip(row.alpha.eight(column), row.luma.eight(column))
        let second = zip(row.chromaBlue.eight(column), row.chromaRed.eight(column))
        store(zipPairs(first, second), to + place * 8, byteCount: count * 8)
      }
    }
  }

  func writeV216(_ row: Row, _ number: Int, to planes: [ProResDestination.Plane]) {
    let pairs = chromaSpan(true)
    emit(number, planes[0], offset: (x / 2 + pairs.lowerBound) * 8, byteCount: pairs.count * 8) { to in
      var column = span.lowerBound
      // Sixteen pixels, then pairs; a last odd pixel is its own partner.
      while column + 16 <= span.upperBound {
        let chroma = zip(row.chromaBlue.eight(column >> 1), row.chromaRed.eight(column >> 1))
        let luma = UnsafeRawPointer(row.luma + column).loadUnaligned(as: SIMD16<UInt16>.self)
        store(zip(chroma, luma), to + (column - span.lowerBound) * 4, byteCount: 64)
        column += 16
      }
      while column < span.upperBound {
        let pair =
          UInt64(row.chromaBlue[column >> 1]) | UInt64(row.luma[column]) << 16
          | UInt64(row.chromaRed[column >> 1]) << 32
          | UInt64(row.luma[min(column + 1, span.upperBound - 1)]) << 48
        (to + (column - span.lowerBound) * 4).storeBytes(of: pair.littleEndian, as: UInt64.self)
        column += 2
      }
    }
  }

  func writeV210(_ row: Row, _ number: Int, to planes: [ProResDestination.Plane]) {
    let groups = (span.count + 5) / 6
    emit(number, planes[0], offset: (x + span.lowerBound) / 6 * 16, byteCount: groups * 16) { to in
      for group in 0..<groups {
        let column = span.lowerBound + group * 6
        // Beyond the picture's end the last pixel is repeated.
        let last = span.upperBound - 1
        func luma(_ index: Int) -> UInt32 { UInt32(row.luma[min(column + index, last)]) }
        func blue(_ index: Int) -> UInt32 { UInt32(row.chromaBlue[min(column + index, last) >> 1]) }
        func red(_ index: Int) -> UInt32 { UInt32(row.chromaRed[min(column + index, last) >> 1]) }
        let words = SIMD4<UInt32>(
          blue(0) | luma(0) << 10 | red(0) << 20, luma(1) | blue(2) << 10 | luma(2) << 20,
          red(2) | luma(3) << 10 | blue(4) << 20, luma(4) | red(4) << 10 | luma(5) << 20)
        (to + group * 16).storeBytes(of: words, as: SIMD4<UInt32>.self)
      }
    }
  }

  /// The columns of chroma that go with the span.
  private func chromaSpan(_ isHalved: Bool) -> Range<Int> {
    isHalved ? span.lowerBound >> 1..<(span.upperBound + 1) >> 1 : span
  }

  @inline(__always)
  func eightByEight(_ body: (_ column: Int, _ place: Int, _ count: Int) -> Void) { eightByEight(span, body) }

  /// Calls `body` with each eighth column, its place from the first, and how many columns there are from it, up to eight.
  @inline(__always)
  func eightByEight(_ columns: Range<Int>, _ body: (_ column: Int, _ place: Int, _ count: Int) -> Void) {
    var column = columns.lowerBound
    while column < columns.upperBound {
      body(column, column - columns.lowerBound, min(8, columns.upperBound - column))
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
