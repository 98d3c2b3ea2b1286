import Foundation

extension CGAffineTransform {
  /// The clockwise quarter turns (0–3) of the linear part, or nil if it is anything else than a rotation by a multiple of 90 degrees.
  ///
  /// Clockwise is as seen on a screen, with y pointing down: 1 is the usual `(0, 1, −1, 0)` of a phone held upright.
  package var quarterTurns: Int? {
    switch (a, b, c, d) {
    case (1, 0, 0, 1): 0
    case (0, 1, -1, 0): 1
    case (-1, 0, 0, -1): 2
    case (0, -1, 1, 0): 3
    default: nil
    }
  }

  /// The rotation by `quarterTurns` clockwise that brings a picture of `size` back to the origin.
  package init(quarterTurns: Int, of size: CGSize) {
    switch (quarterTurns % 4 + 4) % 4 {
    case 1: self.init(a: 0, b: 1, c: -1, d: 0, tx: size.height, ty: 0)
    case 2: self.init(a: -1, b: 0, c: 0, d: -1, tx: size.width, ty: size.height)
    case 3: self.init(a: 0, b: -1, c: 1, d: 0, tx: 0, ty: size.width)
    default: self = .identity
    }
  }
}
