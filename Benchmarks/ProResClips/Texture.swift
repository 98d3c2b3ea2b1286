/// A moving picture with detail at all scales, edges, and light noise: what a camera may record.
public struct Texture: Sendable {
  private static let side = 512
  private let tile: [Float]

  public init() {
    var random = UInt64(1)
    var tile = [Float](repeating: 0, count: Self.side * Self.side)
    var amplitude: Float = 0.5
    var cells = 4
    while cells <= 256 {
      let grid = (0..<cells * cells).map { _ in Texture.noise(&random) }
      for y in 0..<Self.side {
        for x in 0..<Self.side {
          tile[y * Self.side + x] += amplitude * Texture.between(grid, cells, x * cells, y * cells)
        }
      }
      cells *= 2
      amplitude *= 0.55
    }
    self.tile = tile
  }

  /// A number from -0.5 to 0.5.
  private static func noise(_ state: inout UInt64) -> Float {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Float(state >> 40) / Float(1 << 24) - 0.5
  }

  private static func between(_ grid: [Float], _ cells: Int, _ x: Int, _ y: Int) -> Float {
    let (column, row) = (x / side % cells, y / side % cells)
    let (right, below) = ((column + 1) % cells, (row + 1) % cells)
    let (s, t) = (Float(x % side) / Float(side), Float(y % side) / Float(side))
    let top = grid[row * cells + column] * (1 - s) + grid[row * cells + right] * s
    let bottom = grid[below * cells + column] * (1 - s) + grid[below * cells + right] * s
    return top * (1 - t) + bottom * t
  }

  /// The 10-bit code of a component of a frame.
  public func code(_ frame: Int, _ component: Int, _ x: Int, _ y: Int) -> UInt16 {
    let (u, v) = (x + frame * 7 + component * 131, y + frame * 3 + component * 57)
    func tile(_ u: Int, _ v: Int) -> Float { self.tile[(v & (Self.side - 1)) * Self.side + (u & (Self.side - 1))] }
    let value = tile(u, v)
    // A matte: nothing, all, and soft edges between them.
    if component == 3 { return UInt16(max(0, min(1023, 500 + tile(u / 4, v / 4) * 8000))) }
    var random = UInt64(truncatingIfNeeded: (x &* 73_856_093) ^ (y &* 19_349_663) ^ (frame &* 83_492_791) ^ component)
    random = random &* 0x9E37_79B9_7F4A_7C15
    let noise = (Float(random >> 48) - Float(random >> 32 & 0xFFFF)) / 65536
    // An edge here and there.
    let edge: Float = (u / 61 + v / 47) % 3 == 0 ? 0.12 : 0
    let level = 0.45 + value * (component == 0 ? 0.55 : 0.25) + (component == 0 ? edge : edge * 0.3)
    return UInt16(max(64, min(940, 64 + level * 876 + noise * (component == 0 ? 6 : 3))))
  }
}
