/// Gives clipped highlights more light where they are blurred, so that they bloom into discs as lights do.
///
/// A recording in standard dynamic range ends at white, however bright a light was; spread over a disc a lamp would be
/// grey. What is nearly white is multiplied, all colours alike: the more the nearer it is to white, the more it is
/// blurred, and the darker its surroundings are, for a bright wall is no lamp. Nothing changes where it is in focus.
struct HighlightRecovery: @unchecked Sendable {
  /// What white is multiplied by, less 1, where it is well blurred and all is dark around.
  let gain: Float
  /// The mean brightness in each cell of the picture, row by row; belongs to `LookStage`.
  private let surroundings: UnsafeMutablePointer<Float>

  /// The largest `gain`.
  static let mostGain: Float = 15
  /// Light from which on something may have been clipped; white is 1.
  static let threshold: Float = 0.8
  /// The radius in pixels of blur at which half of the light is given back.
  static let halfRadius: Float = 2.5
  /// The picture has so many cells in each direction.
  static let cells = 12

  /// - Parameters:
  ///   - strength: 0…1.
  ///   - surroundings: room for all cells.
  init(strength: Float, surroundings: UnsafeMutablePointer<Float>) {
    gain = HighlightRecovery.gain(strength)
    self.surroundings = surroundings
  }

  static func gain(_ strength: Float) -> Float { strength * mostGain }

  /// Measures how bright the picture is in each cell.
  func measure(_ light: Plane<SIMD4<Float>>, workers: Workers) {
    workers.rows(HighlightRecovery.cells) { _, rows in
      for row in rows {
        let lines = HighlightRecovery.pixels(row, light.height)
        for column in 0..<HighlightRecovery.cells {
          let columns = HighlightRecovery.pixels(column, light.width)
          var sum: Float = 0
          for y in lines {
            let line = light.row(y)
            for x in columns { sum += min(max(line[x].brightness, 0), 1) }
          }
          surroundings[row &* HighlightRecovery.cells &+ column] = sum / Float(lines.count &* columns.count)
        }
      }
    }
  }

  /// The pixels of a cell in one direction; at least one.
  private static func pixels(_ cell: Int, _ length: Int) -> Range<Int> {
    let first = cell * length / cells
    return first..<max(first + 1, (cell + 1) * length / cells)
  }

  /// Brightens pixels of row `y` of a picture by their radii.
  ///
  /// - Parameter size: the picture's.
  func apply(
    _ light: UnsafeMutablePointer<SIMD4<Float>>, _ keys: UnsafePointer<DepthKey>, _ columns: Range<Int>, y: Int,
    size: (width: Int, height: Int)
  ) {
    for x in columns where keys[x].index > DiscTable.sharpIndex {
      let most = light[x].brightness
      guard most > HighlightRecovery.threshold else { continue }
      let bright = brightness((Float(x) + 0.5) / Float(size.width), (Float(y) + 0.5) / Float(size.height))
      let dark = (1 - bright) * (1 - bright)
      light[x] = SIMD4(light[x] * (1 + factor(most, keys[x].index) * dark * dark), weight: light[x].w)
    }
  }

  /// The brightness around a place, 0…1 in each direction: that of the cells, linear between their middles.
  @inline(__always)
  private func brightness(_ u: Float, _ v: Float) -> Float {
    let cells = HighlightRecovery.cells
    let (x, y) = (max(u * Float(cells) - 0.5, 0), max(v * Float(cells) - 0.5, 0))
    let (left, top) = (min(Int(x), cells &- 1), min(Int(y), cells &- 1))
    let (right, down) = (min(left &+ 1, cells &- 1) &- left, (min(top &+ 1, cells &- 1) &- top) &* cells)
    let (across, along) = (x - Float(left), y - Float(top))
    let corner = surroundings + (top &* cells &+ left)
    let upper = corner[0] + (corner[right] - corner[0]) * across
    let lower = corner[down] + (corner[down &+ right] - corner[down]) * across
    return upper + (lower - upper) * along
  }

  /// What light whose greatest component is `most` is multiplied by at a radius index, less 1, if all is dark around.
  @inline(__always)
  private func factor(_ most: Float, _ index: UInt32) -> Float {
    let way = min((most - HighlightRecovery.threshold) / (1 - HighlightRecovery.threshold), 1)
    let blur = Float(index &- DiscTable.sharpIndex) / DiscTable.stepsPerPixel
    let halfBlur = HighlightRecovery.halfRadius - 0.5
    return gain * way * way * (blur * blur / (blur * blur + halfBlur * halfBlur))
  }
}
