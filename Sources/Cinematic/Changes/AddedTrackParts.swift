import CoreMedia

/// What the stored forms of an added track say: of a fixed-focus track a disparity and perhaps its origin, of a custom one detections.
struct AddedTrackParts {
  var id: Int64 = -1
  var focusDisparity: Float?
  var original: CNDetection?
  var detections: [CNDetection] = []

  init() {}

  init(_ track: CNDetectionTrack) {
    id = track.detectionID.rawValue
    detections = track.discreteDetections
    if let fixed = track as? CNFixedDetectionTrack {
      focusDisparity = fixed.focusDisparity
      original = fixed.originalDetection.flatMap { $0.isNumeric ? $0 : nil }
    }
  }

  /// Throws `.malformed` for values that no track can have.
  func track() throws(CNCinematicError) -> CNDetectionTrack {
    guard id >= 0 else { throw damaged("has no id") }
    guard focusDisparity.map(CNDetection.isValidDisparity) ?? true else {
      throw damaged("has the impossible disparity \(focusDisparity ?? 0)")
    }
    guard original?.isNumeric ?? true else { throw damaged("has an origin with values that are not numbers") }
    let track: CNDetectionTrack
    if let focusDisparity {
      track = CNFixedDetectionTrack(focusDisparity: focusDisparity, originalDetection: original)
    } else {
      track = CNCustomDetectionTrack(detections: detections, smooth: false)
      guard track.discreteDetections.count == detections.count else {
        throw damaged("has two detections at one time, or values that are not numbers")
      }
    }
    track.assign(CNDetectionID(id))
    return track
  }

  private func damaged(_ problem: String) -> CNCinematicError {
    CNCinematicError(.malformed, "The added track \(id) of the changes \(problem); use a copy that is whole.")
  }
}
