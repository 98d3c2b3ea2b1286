import Bokeh

extension Command.Option {
  /// What is out of focus looks like.
  static let look: [Self] = [
    Self("blades", value: "N", "Give the aperture N straight blades, 5 to 9: lights become polygons instead of discs."),
    Self("blade-angle", value: "DEGREES", "Turn the blades clockwise; at 0 a corner points up in the background."),
    Self("blade-curve", value: "C", "Bend the blades, from 0 (straight) to 1 (a circle)."),
    Self(
      "cat-eye", value: "S",
      "Cut discs off towards the picture's borders as a lens does, from 0 (not, the default) to 1."),
    Self(
      "highlights", value: "S",
      "Give blurred lights that the recording clipped to white their brightness back, from 0 (not) to 1; 0.3 by default. HDR is "
        + "kept as it is."),
  ]
}

extension Invocation {
  /// Whether highlights are asked for, and not just what is usual.
  var asksForHighlights: Bool { value("highlights").flatMap(Float.init) ?? 0 > 0 }

  /// What is out of focus is to look like; `UsageError` for numbers out of their ranges, and options that need another.
  func look() throws -> BokehLook {
    var look = BokehLook()
    let rotation = try number("blade-angle", in: -360...360)
    let curvature = try number("blade-curve", in: 0...1)
    if let blades = try integer("blades", in: ApertureShape.bladeCounts) {
      look.aperture = .polygon(blades: blades, rotation: Float(rotation ?? 0), curvature: Float(curvature ?? 0))
    } else if let name = ["blade-angle", "blade-curve"].first(where: has) {
      throw UsageError("'--\(name)' needs '--blades' with the number of blades", path: path)
    }
    look.opticalVignetting = Float(try number("cat-eye", in: 0...1) ?? 0)
    // Strong enough for lamps, too weak to change a bright window.
    look.highlights = Float(try number("highlights", in: 0...1) ?? 0.3)
    return look
  }
}
