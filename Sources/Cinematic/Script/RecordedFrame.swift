package import CoreMedia
package import QuickTime

/// One frame of a script as recorded.
package struct RecordedFrame: Hashable, Sendable {
  /// Presentation time of the picture, after edit lists.
  package var time: CMTime
  /// Track ids; -1 means none.
  package var focusTrackID: Int64 = -1
  package var baseFocusTrackID: Int64 = -1
  /// With the group flag this is a group id.
  package var userFocusTrackID: Int64 = -1
  package var flags: CinematicFrameHeader.Flags = .detectorRan
  package var fNumber: Float = RecordedFrame.standardFNumber
  /// The disparity that was focused on: smoothed, and moving during a rack.
  package var focusDisparity: Float = RecordedFrame.standardFocusDisparity
  package var rawFocusDisparity: Float = RecordedFrame.standardFocusDisparity
  /// The eased share of a rack that is done, 0…1; 1 at rest.
  package var transitionCoefficient: Float = 1
  /// In seconds; 0 at rest.
  package var transitionElapsed: Float = 0
  package var transitionDuration: Float = 0
  package var detections: [CinematicDetection] = []

  /// What holds where a movie says nothing.
  package static let standardFNumber: Float = 4
  package static let standardFocusDisparity: Float = 1

  /// Whether an f-number can be rendered with: positive and finite.
  package static func isValidFNumber(_ fNumber: Float) -> Bool { fNumber > 0 && fNumber.isFinite }

  package init(time: CMTime) {
    self.time = time
  }

  /// Takes the fields of the atom `frmh` and the detections beside it.
  package init(time: CMTime, header: CinematicFrameHeader, detections: [CinematicDetection]) {
    self.time = time
    focusTrackID = header.focusTrackID
    baseFocusTrackID = header.baseFocusTrackID
    userFocusTrackID = header.userFocusTrackID
    flags = header.flags
    fNumber = header.aperture
    focusDisparity = header.focusDisparity
    rawFocusDisparity = header.rawFocusDisparity
    transitionCoefficient = header.transitionCoefficient
    transitionElapsed = header.transitionElapsed
    transitionDuration = header.transitionDuration
    self.detections = detections
  }

  /// The atom's fields.
  package var header: CinematicFrameHeader {
    var header = CinematicFrameHeader()
    header.focusTrackID = focusTrackID
    header.baseFocusTrackID = baseFocusTrackID
    header.userFocusTrackID = userFocusTrackID
    header.flags = flags
    header.aperture = fNumber
    header.focusDisparity = focusDisparity
    header.rawFocusDisparity = rawFocusDisparity
    header.transitionCoefficient = transitionCoefficient
    header.transitionElapsed = transitionElapsed
    header.transitionDuration = transitionDuration
    return header
  }
}
