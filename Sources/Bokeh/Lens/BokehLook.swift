/// How what is out of focus looks, besides how large its discs are.
public struct BokehLook: Hashable, Sendable {
  /// The form of the opening that lets light through.
  public var aperture = ApertureShape.round
  /// How much the rims of the lens cut off discs away from the picture's centre (“cat's eye”), 0 (not at all) to 1.
  ///
  /// A disc becomes what it has in common with a circle as large that is shifted towards the centre: at 1 and in a
  /// corner by its radius, between in proportion to the distance from the centre. Its light stays, so the picture does
  /// not get darker; and it stays around its point, so nothing moves. Discs of what lies before the focus are cut on the
  /// other side.
  public var opticalVignetting: Float = 0
  /// How much light highlights that the recording clipped are given back where they are blurred, 0 (none) to 1.
  ///
  /// Only what is small and nearly white in darker surroundings is brightened, and only in pictures in standard dynamic
  /// range; HLG and PQ say themselves how bright a light is.
  public var highlights: Float = 0

  /// Makes the plain look: round discs of what was recorded.
  public init() {}

  /// What is out of its range, if anything.
  var problem: (name: String, value: Float)? {
    if let problem = aperture.problem { return problem }
    if !(0...1).contains(opticalVignetting) { return ("optical vignetting", opticalVignetting) }
    if !(0...1).contains(highlights) { return ("strength of highlights", highlights) }
    return nil
  }
}
