import CoreGeometry
import Foundation

/// A turn by quarters, with or without a mirror: how a stored picture is shown.
struct Orientation: Hashable, Sendable {
  // As in a transform: shown x = a · x + c · y, shown y = b · x + d · y, then moved so that the picture begins at (0,
  // 0).
  let a: Int
  let b: Int
  let c: Int
  let d: Int

  static let identity = Orientation(a: 1, b: 0, c: 0, d: 1)

  private init(a: Int, b: Int, c: Int, d: Int) {
    self.a = a
    self.b = b
    self.c = c
    self.d = d
  }

  /// The turn of a transform, or nil if it does something else than quarter turns and mirrors; its translation is not
  /// looked at.
  init?(_ transform: CGAffineTransform) {
    let parts = [transform.a, transform.b, transform.c, transform.d].map { Double($0).rounded() }
    let isClose = zip(parts, [transform.a, transform.b, transform.c, transform.d]).allSatisfy {
      abs($0 - Double($1)) < 1e-3 && abs($0) <= 1
    }
    guard isClose else { return nil }
    let whole = parts.map { Int($0) }
    guard abs(whole[0] * whole[3] - whole[1] * whole[2]) == 1, whole[0] * whole[1] == 0, whole[2] * whole[3] == 0
    else { return nil }
    self.init(a: whole[0], b: whole[1], c: whole[2], d: whole[3])
  }

  /// Whether width and height change places.
  var isTransposed: Bool { a == 0 }

  /// The size as shown.
  func size(_ width: Int, _ height: Int) -> (width: Int, height: Int) {
    isTransposed ? (height, width) : (width, height)
  }

  /// The stored place of the pixel that is shown at (u, v), in a stored picture of `width` x `height`.
  @inline(__always)
  func stored(_ u: Int, _ v: Int, _ width: Int, _ height: Int) -> (x: Int, y: Int) {
    (
      a &* u &+ b &* v &+ (a &+ b < 0 ? width &- 1 : 0),
      c &* u &+ d &* v &+ (c &+ d < 0 ? height &- 1 : 0)
    )
  }
}
