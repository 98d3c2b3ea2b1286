/// The form of the opening that lets light through, and so of a blurred point of light.
///
/// Whatever its form an aperture has the area of the round one of the same f-number: as much light, and blur as wide on
/// the whole. A polygon's corners so reach a little beyond the circle.
public enum ApertureShape: Hashable, Sendable {
  /// A circle.
  case round
  /// A regular polygon.
  ///
  /// - Parameters:
  ///   - blades: how many sides it has, 5 to 9.
  ///   - rotation: in degrees, clockwise as the picture is shown; at 0 a corner points up in the discs of what lies behind
  ///     the focus. Discs of what lies before it are upside down, as a lens makes them.
  ///   - curvature: from 0 (straight blades) to 1 (arcs that make a circle).
  case polygon(blades: Int, rotation: Float = 0, curvature: Float = 0)

  /// How many sides a polygon may have.
  public static let bladeCounts = 5...9

  /// Whether this is a circle, by whatever name.
  var isRound: Bool {
    guard case .polygon(_, _, let curvature) = self else { return true }
    return curvature == 1
  }

  /// What is out of its range, if anything.
  var problem: (name: String, value: Float)? {
    guard case .polygon(let blades, let rotation, let curvature) = self else { return nil }
    if !ApertureShape.bladeCounts.contains(blades) { return ("number of aperture blades", Float(blades)) }
    if !rotation.isFinite { return ("aperture's rotation", rotation) }
    if !(0...1).contains(curvature) { return ("aperture blades' curvature", curvature) }
    return nil
  }
}
