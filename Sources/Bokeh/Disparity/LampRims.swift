/// Gives the pixels of a lamp's rim the lamp's disparity.
///
/// Such a pixel shows little of the lamp, and has the disparity of what it shows most of; but most of its light is the
/// lamp's, and would make a disc of the wrong size, or a sharp bright line on what is in focus.
struct LampRims {
  /// Linear light, 1 being white.
  let picture: Plane<SIMD4<Float>>
  let disparity: Plane<Float>

  /// Rims of lamps are brighter than this; what is not becomes no disc that is seen.
  private static let leastLight: Float = 1
  /// A lamp is this many times brighter than its rim.
  private static let contrast: Float = 1.5
  /// How many pixels away from the lamp its rim may lie.
  private static let reach = 2

  /// Changes row `y` of the disparity. Lamps are no rims, so what is read is never changed.
  func apply(_ y: Int) {
    let light = picture.row(y)
    for first in stride(from: 0, to: picture.width, by: 8) {
      let pixels = first..<min(first &+ 8, picture.width)
      // Seldom is anything so bright.
      var most = light[first]
      for x in pixels { most = most.most(light[x]) }
      guard most.brightness > LampRims.leastLight else { continue }
      for x in pixels where light[x].brightness > LampRims.leastLight {
        guard let lamp = brighter(x, y), brighter(lamp.x, lamp.y) == nil else { continue }
        disparity[x, y] = disparity[lamp.x, lamp.y]
      }
    }
  }

  /// The brightest pixel around one, if it is so much brighter.
  private func brighter(_ x: Int, _ y: Int) -> (x: Int, y: Int)? {
    var most = picture[x, y].brightness * LampRims.contrast
    var place: (x: Int, y: Int)?
    let reach = LampRims.reach
    for row in max(0, y &- reach)...min(y &+ reach, picture.height &- 1) {
      let light = picture.row(row)
      for column in max(0, x &- reach)...min(x &+ reach, picture.width &- 1) where light[column].brightness > most {
        (most, place) = (light[column].brightness, (column, row))
      }
    }
    return place
  }
}
