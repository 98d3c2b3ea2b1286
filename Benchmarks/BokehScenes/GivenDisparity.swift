import Foundation

/// How well the disparity is known.
package enum GivenDisparity: String, CaseIterable, Sendable {
  case exact
  /// A third or a sixth of the size, in codes of 10 bits, logarithmic from 0 to 1.
  case third, sixth
  /// With noise, or edges that are 2 pixels (at 960) too far out or too far in.
  case noisy, dilated, eroded

  package func degrade(_ disparity: ScalarImage) -> ScalarImage {
    let reach = max(1, (disparity.width * 2 + 480) / 960)
    switch self {
    case .exact: return disparity
    case .third: return GivenDisparity.coded(disparity, by: 3)
    case .sixth: return GivenDisparity.coded(disparity, by: 6)
    case .noisy: return GivenDisparity.noisy(disparity, seed: 11)
    case .dilated: return GivenDisparity.extreme(disparity, reach, max)
    case .eroded: return GivenDisparity.extreme(disparity, reach, min)
    }
  }

  /// At a third of the size, with noise that is another one in each frame of a movie.
  package static func flickering(_ disparity: ScalarImage, frame: Int) -> ScalarImage {
    noisy(third.degrade(disparity), seed: 100 + UInt64(frame))
  }

  /// Means of blocks, then codes.
  private static func coded(_ disparity: ScalarImage, by factor: Int) -> ScalarImage {
    let (width, height) = (max(1, disparity.width / factor), max(1, disparity.height / factor))
    return ScalarImage(width: width, height: height, filler: 0) { y, row in
      for x in row.indices {
        var (sum, count) = (Float(0), Float(0))
        for line in y * disparity.height / height..<(y + 1) * disparity.height / height {
          for column in x * disparity.width / width..<(x + 1) * disparity.width / width {
            sum += disparity[column, line]
            count += 1
          }
        }
        let code = (log2(max(sum / count, 0) + 1) * 1023).rounded()
        row[x] = exp2(code / 1023) - 1
      }
    }
  }

  private static func noisy(_ disparity: ScalarImage, seed: UInt64) -> ScalarImage {
    var random = SeededRandom(seed)
    return ScalarImage(
      width: disparity.width, height: disparity.height,
      values: disparity.values.map { max(0, $0 + (random.float(-1..<1) + random.float(-1..<1)) * 0.01) })
  }

  private static func extreme(
    _ disparity: ScalarImage, _ reach: Int, _ choose: @Sendable (Float, Float) -> Float
  ) -> ScalarImage {
    ScalarImage(width: disparity.width, height: disparity.height, filler: 0) { y, row in
      for x in row.indices {
        var value = disparity[x, y]
        for dy in -reach...reach {
          for dx in -reach...reach { value = choose(value, disparity.clamped(x + dx, y + dy)) }
        }
        row[x] = value
      }
    }
  }
}

extension ScalarImage {
  /// Enlarged with linear interpolation, as a way that knows no edges does.
  package func enlarged(width: Int, height: Int) -> ScalarImage {
    guard (width, height) != (self.width, self.height) else { return self }
    return ScalarImage(width: width, height: height, filler: 0) { y, row in
      let v = (Float(y) + 0.5) * Float(self.height) / Float(height) - 0.5
      let line = Int(v.rounded(.down))
      for x in row.indices {
        let u = (Float(x) + 0.5) * Float(self.width) / Float(width) - 0.5
        let column = Int(u.rounded(.down))
        let (dx, dy) = (u - Float(column), v - Float(line))
        let top = clamped(column, line) * (1 - dx) + clamped(column + 1, line) * dx
        let bottom = clamped(column, line + 1) * (1 - dx) + clamped(column + 1, line + 1) * dx
        row[x] = top * (1 - dy) + bottom * dy
      }
    }
  }
}
