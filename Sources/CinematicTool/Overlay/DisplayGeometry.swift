package import CoreGeometry
import QuickTime

/// How a stored picture is turned for showing, and where its points are then.
///
/// Points and rectangles are normalised: 0…1 across the picture, the origin at the top left, of the stored picture and of the picture
/// as displayed respectively.
package struct DisplayGeometry: Sendable {
  /// Quarter turns clockwise, 0…3.
  package let quarterTurns: Int
  /// Displayed pixels.
  package let width: Int
  package let height: Int

  /// Takes the size of the stored picture and the track's matrix; matrices other than quarter turns count as the nearest one.
  package init(width: Int, height: Int, transform: CGAffineTransform) {
    let (a, b) = (transform.a, transform.b)
    quarterTurns = abs(a) >= abs(b) ? (a >= 0 ? 0 : 2) : (b >= 0 ? 1 : 3)
    let isTurned = quarterTurns % 2 == 1
    (self.width, self.height) = isTurned ? (height, width) : (width, height)
  }

  /// Takes the size of the stored picture and the matrix of a track.
  init(_ track: MovieTrack) {
    let size = TrackReport(track: track).size
    self.init(width: size.width, height: size.height, transform: track.matrix.transform)
  }

  /// Degrees clockwise.
  package var rotation: Int { quarterTurns * 90 }

  /// Where a point of the stored picture is displayed.
  package func displayed(_ point: CGPoint) -> CGPoint {
    switch quarterTurns {
    case 1: CGPoint(x: 1 - point.y, y: point.x)
    case 2: CGPoint(x: 1 - point.x, y: 1 - point.y)
    case 3: CGPoint(x: point.y, y: 1 - point.x)
    default: point
    }
  }

  /// Where a displayed point lies in the stored picture.
  package func stored(_ point: CGPoint) -> CGPoint {
    switch quarterTurns {
    case 1: CGPoint(x: point.y, y: 1 - point.x)
    case 2: CGPoint(x: 1 - point.x, y: 1 - point.y)
    case 3: CGPoint(x: 1 - point.y, y: point.x)
    default: point
    }
  }

  /// Where a rectangle of the stored picture is displayed.
  package func displayed(_ rectangle: CGRect) -> CGRect {
    let a = displayed(CGPoint(x: rectangle.minX, y: rectangle.minY))
    let b = displayed(CGPoint(x: rectangle.maxX, y: rectangle.maxY))
    return CGRect(x: min(a.x, b.x), y: min(a.y, b.y), width: abs(a.x - b.x), height: abs(a.y - b.y))
  }
}
