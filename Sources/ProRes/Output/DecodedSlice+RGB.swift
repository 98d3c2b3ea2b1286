extension DecodedSlice {
  /// Eight pixels.
  struct Colors {
    let red: SIMD8<Float>
    let green: SIMD8<Float>
    let blue: SIMD8<Float>
    /// 0 to 1.
    let alpha: SIMD8<Float>
  }

  @inline(__always)
  private func colors(_ row: Row, _ column: Int, _ matrix: ColorMatrix) -> Colors {
    let luma = (float(row.luma.eight(column)) - matrix.lumaOffset) * matrix.lumaScale
    let blue = float(row.chromaBlue.eight(column)) - 32768
    let red = float(row.chromaRed.eight(column)) - 32768
    return Colors(
      red: luma + red * matrix.red, green: luma + blue * matrix.greenBlue + red * matrix.greenRed,
      blue: luma + blue * matrix.blue, alpha: float(row.alpha.eight(column)) * (1 / 65535))
  }

  func writeB64a(_ row: Row, _ number: Int, to planes: [ProResDestination.Plane], _ matrix: ColorMatrix) {
    emit(number, planes[0], offset: (x + span.lowerBound) * 8, byteCount: span.count * 8) { to in
      eightByEight { column, place, count in
        let colors = colors(row, column, matrix)
        let first = zip(bigEndian(row.alpha.eight(column)), bigEndian(codes(colors.red, 65535)))
        let second = zip(bigEndian(codes(colors.green, 65535)), bigEndian(codes(colors.blue, 65535)))
        store(zipPairs(first, second), to + place * 8, byteCount: count * 8)
      }
    }
  }

  func writeBGRA(_ row: Row, _ number: Int, to planes: [ProResDestination.Plane], _ matrix: ColorMatrix) {
    emit(number, planes[0], offset: (x + span.lowerBound) * 4, byteCount: span.count * 4) { to in
      eightByEight { column, place, count in
        let colors = colors(row, column, matrix)
        // Two bytes are one word.
        let first = codes(colors.blue, 255) | codes(colors.green, 255) &<< 8
        let second = codes(colors.red, 255) | codes(colors.alpha, 255) &<< 8
        store(zip(first, second), to + place * 4, byteCount: count * 4)
      }
    }
  }

  func writeRGBAHalf(_ row: Row, _ number: Int, to planes: [ProResDestination.Plane], _ matrix: ColorMatrix) {
    emit(number, planes[0], offset: (x + span.lowerBound) * 8, byteCount: span.count * 8) { to in
      eightByEight { column, place, count in
        let colors = colors(row, column, matrix)
        let first = zip(half(colors.red), half(colors.green))
        let second = zip(half(colors.blue), half(colors.alpha))
        store(zipPairs(first, second), to + place * 8, byteCount: count * 8)
      }
    }
  }
}

/// The integers as floats: put into the lowest bits of 2^23, which is then taken off.
@inline(__always)
private func float(_ codes: SIMD8<UInt16>) -> SIMD8<Float> {
  let bits = SIMD8<UInt32>(truncatingIfNeeded: codes) | 0x4B00_0000
  return unsafeBitCast(bits, to: SIMD8<Float>.self) - 8_388_608
}

/// Codes from 0 to `most` of values from 0 to 1.
@inline(__always)
private func codes(_ values: SIMD8<Float>, _ most: Float) -> SIMD8<UInt16> {
  let scaled = (values * most).clamped(lowerBound: SIMD8(repeating: 0), upperBound: SIMD8(repeating: most))
  return SIMD8<UInt16>(truncatingIfNeeded: unsafeBitCast(scaled + 8_388_608, to: SIMD8<UInt32>.self))
}

@inline(__always)
private func bigEndian(_ codes: SIMD8<UInt16>) -> SIMD8<UInt16> { codes &<< 8 | codes &>> 8 }

/// Half floats, rounded to the nearest; the values are far below the largest one.
///
/// Processors without an instruction for it would call a function for each.
@inline(__always)
private func half(_ values: SIMD8<Float>) -> SIMD8<UInt16> {
  let bits = unsafeBitCast(values, to: SIMD8<UInt32>.self)
  let sign = bits &>> 16 & 0x8000
  let magnitude = bits & 0x7FFF_FFFF
  let even = magnitude &>> 13 & 1
  let normal = (magnitude &+ 0xFFF &+ even) &>> 13 &- (112 &<< 10)
  // Below the smallest normal one, a half's steps are those of a float near 0.5.
  let small =
    unsafeBitCast(unsafeBitCast(magnitude, to: SIMD8<Float>.self) + 0.5, to: SIMD8<UInt32>.self) &- 0x3F00_0000
  let isSmall = magnitude .< 0x3880_0000
  return SIMD8<UInt16>(truncatingIfNeeded: normal.replacing(with: small, where: isSmall) | sign)
}
