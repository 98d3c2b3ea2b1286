/// The keys of discs at one lower resolution: those of `DepthKey.reduced`, by table but for the largest.
struct ReducedRadii: @unchecked Sendable {
  private let indices: UnsafePointer<UInt16>
  private let scale: Float

  /// Level 1 is half resolution.
  static func level(_ level: Int) -> ReducedRadii { levels[level] }

  /// As many as the largest radius of all needs, and more.
  private static let levels = (0...12).map { ReducedRadii(scale: Float(1 << $0)) }

  private init(scale: Float) {
    self.scale = scale
    let indices = UnsafeMutablePointer<UInt16>.allocate(capacity: DiscTable.indexCount)
    for index in 0..<DiscTable.indexCount {
      indices[index] = UInt16(DepthKey(index: UInt32(index), bin: 0).reduced(by: scale).index)
    }
    self.indices = UnsafePointer(indices)
  }

  /// The key at the resolution of a disc that has this radius index at full resolution.
  @inline(__always)
  func key(_ index: UInt32, _ bin: UInt32) -> DepthKey {
    guard index < DiscTable.indexCount else { return DepthKey(index: index, bin: bin).reduced(by: scale) }
    return DepthKey(index: UInt32(indices[Int(truncatingIfNeeded: index)]), bin: bin)
  }
}
