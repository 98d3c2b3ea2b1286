import Foundation

/// What the focus engine needs to know of optics: how far a change of disparity is in blur at 1080p and f/2.
///
/// That size and aperture are fixed, so that a schedule does not change with the picture's size or the chosen f-number.
struct FocusLens: Sendable {
  /// Blur radius in pixels for each unit of disparity: f² / (2N) · 1920 / 0.036, with f the 35 mm equivalent focal length in metres.
  let radiusPerDisparity: Double

  init(focalLength: Double) {
    radiusPerDisparity = focalLength * focalLength / (2 * 2) * 1920 / 0.036
  }

  /// How long a rack over the change of disparity takes in seconds: 0.3 + 0.12 · √|Δ radius|, at most 1.2.
  func rackDuration(_ change: Double) -> Double {
    min(0.3 + 0.12 * (radiusPerDisparity * abs(change)).squareRoot(), FocusTiming.longestRack)
  }

  /// A quarter of the depth of field, in disparity. In the field the circle of confusion stays below the classical 0.03 mm on 36 mm:
  /// a radius of 0.8 pixels on either side.
  var deadBand: Double { 2 * 0.8 / radiusPerDisparity / 4 }
}

/// The times of racks, in seconds.
enum FocusTiming {
  static let longestRack = 1.2
  /// Racks are not compressed below this.
  static let shortestRack = 0.2
  /// A tap while recording starts its rack when it happens.
  static let longestLiveRack = 0.5
  /// How long the difference between recorded and computed disparities takes to fade.
  static let fade = 0.5
  /// Half the width of the smoothing filter.
  static let smoothingReach = 0.1

  /// The minimum-jerk curve from 0 to 1: no velocity and no acceleration at its ends.
  static func minimumJerk(_ u: Double) -> Double {
    let u = min(max(u, 0), 1)
    return u * u * u * (10 + u * (6 * u - 15))
  }
}
