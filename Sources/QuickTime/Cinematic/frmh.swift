import Foundation

/// `frmh`: the focus and the aperture of one frame as recorded.
package struct CinematicFrameHeader: Hashable, Sendable {
  package struct Flags: OptionSet, Hashable, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The detector ran on this frame; without it the listed detections are carried over.
    package static let detectorRan = Flags(rawValue: 1 << 0)
    package static let detectorUnknown = Flags(rawValue: 1 << 1)
    package static let userFocusIsStrong = Flags(rawValue: 1 << 2)
    /// The user focus is a group: its track id is a group id.
    package static let userFocusIsGroup = Flags(rawValue: 1 << 3)
    /// Set on the first frame after a tap has ended.
    package static let userFocusEnds = Flags(rawValue: 1 << 4)
  }

  /// Track ids; -1 means none. The focus is the user's where there is one, else the base's.
  package var focusTrackID: Int64 = -1
  package var baseFocusTrackID: Int64 = -1
  package var userFocusTrackID: Int64 = -1
  /// The f-number.
  package var aperture: Float = 4
  /// Smoothed.
  package var focusDisparity: Float = 1
  package var rawFocusDisparity: Float = 1
  /// The eased share of a rack that is done, 0…1; 1 at rest.
  package var transitionCoefficient: Float = 1
  /// In seconds; 0 at rest.
  package var transitionElapsed: Float = 0
  package var transitionDuration: Float = 0
  package var flags: Flags = .detectorRan
  /// The 24 flags of the atom.
  var atomFlags: UInt32 = 0
  /// Bytes after the known fields.
  var trailing = Data()

  package init() {}

  init(_ atom: CinematicAtom) throws(QuickTimeError) {
    var body = atom.body
    atomFlags = atom.flags
    focusTrackID = try body.i64()
    baseFocusTrackID = try body.i64()
    userFocusTrackID = try body.i64()
    aperture = try body.f32()
    focusDisparity = try body.f32()
    rawFocusDisparity = try body.f32()
    transitionCoefficient = try body.f32()
    transitionElapsed = try body.f32()
    transitionDuration = try body.f32()
    flags = Flags(rawValue: try body.u32())
    if !body.isAtEnd { trailing = body.rest() }
  }

  func write(to writer: inout ByteWriter) {
    writer.cinematicAtom("frmh", flags: atomFlags) {
      for id in [focusTrackID, baseFocusTrackID, userFocusTrackID] { $0.i64(id) }
      $0.f32(aperture)
      $0.f32(focusDisparity)
      $0.f32(rawFocusDisparity)
      $0.f32(transitionCoefficient)
      $0.f32(transitionElapsed)
      $0.f32(transitionDuration)
      $0.u32(flags.rawValue)
      $0.data(trailing)
    }
  }
}
