import Foundation

/// `dtct`: one subject that was detected in a frame.
package struct CinematicDetection: Hashable, Sendable {
  package var trackID: Int64
  /// The subject's group, -1 for none.
  package var groupID: Int64
  /// A number of `CNDetectionType`, or another that is kept as it is.
  package var type: UInt32
  package var focusDisparity: Float
  /// Normalised to the un-rotated frame, origin at the top left.
  package var x: Float
  package var y: Float
  package var width: Float
  package var height: Float
  /// The 24 flags of the atom.
  var atomFlags: UInt32 = 0
  /// Bytes after the known fields.
  var trailing = Data()

  package init(
    trackID: Int64, groupID: Int64 = -1, type: UInt32, focusDisparity: Float,
    x: Float, y: Float, width: Float, height: Float
  ) {
    self.trackID = trackID
    self.groupID = groupID
    self.type = type
    self.focusDisparity = focusDisparity
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }

  init(_ atom: CinematicAtom) throws(QuickTimeError) {
    var body = atom.body
    atomFlags = atom.flags
    trackID = try body.i64()
    groupID = try body.i64()
    type = try body.u32()
    focusDisparity = try body.f32()
    x = try body.f32()
    y = try body.f32()
    width = try body.f32()
    height = try body.f32()
    if !body.isAtEnd { trailing = body.rest() }
  }

  func write(to writer: inout ByteWriter) {
    writer.cinematicAtom("dtct", flags: atomFlags) {
      $0.i64(trackID)
      $0.i64(groupID)
      $0.u32(type)
      for value in [focusDisparity, x, y, width, height] { $0.f32(value) }
      $0.data(trailing)
    }
  }
}
