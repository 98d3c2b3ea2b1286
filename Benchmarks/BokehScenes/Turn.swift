import Foundation

/// Directions in the plane.
enum Turn {
  static func cosine(_ angle: Float) -> Float { cos(angle) }
  static func sine(_ angle: Float) -> Float { sin(angle) }

  /// `direction` turned by the golden angle.
  @inline(__always)
  static func golden(_ direction: SIMD2<Float>) -> SIMD2<Float> {
    SIMD2(
      direction.x * goldenX - direction.y * goldenY,
      direction.x * goldenY + direction.y * goldenX)
  }

  private static let goldenX: Float = cos(Float.pi * (3 - Float(5).squareRoot()))
  private static let goldenY: Float = sin(Float.pi * (3 - Float(5).squareRoot()))
}

func exponential(_ x: Float) -> Float { exp(x) }
