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
      original = fixed.originalDetection
    }
  }

  /// Throws `.malformed` for values that no track can have.
  func track() throws(CNCinematicError) -> CNDetectionTrack {
    guard id >= 0 else { throw damaged("has no id") }
    let disparities = [focusDisparity ?? 0] + detections.map(\.focusDisparity)
    guard disparities.allSatisfy(\.isFinite) else { throw damaged("has a disparity that is not a number") }
    guard focusDisparity != nil || !detections.isEmpty else { throw damaged("has no detections") }
    let track =
      focusDisparity.map { CNFixedDetectionTrack(focusDisparity: $0, originalDetection: original) }
      ?? CNCustomDetectionTrack(detections: detections, smooth: false)
    track.assign(CNDetectionID(id))
    return track
  }

  private func damaged(_ problem: String) -> CNCinematicError {
    CNCinematicError(.malformed, "The added track \(id) of the changes \(problem); use a copy that is whole.")
  }
}
