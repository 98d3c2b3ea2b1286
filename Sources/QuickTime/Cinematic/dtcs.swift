package import Foundation

/// `dtcs`: the detections of a frame.
package struct CinematicDetectionList: Hashable, Sendable {
  package enum Child: Hashable, Sendable {
    case detection(CinematicDetection)
    /// An atom that is not understood, whole.
    case other(Data)
  }

  package var children: [Child]
  /// The 24 flags of the atom.
  var atomFlags: UInt32 = 0
  /// Bytes after the last child.
  var trailing = Data()

  package init(_ detections: [CinematicDetection]) {
    children = detections.map(Child.detection)
  }

  package var detections: [CinematicDetection] {
    children.compactMap {
      guard case .detection(let detection) = $0 else { return nil }
      return detection
    }
  }

  init(_ atom: CinematicAtom) throws(QuickTimeError) {
    var body = atom.body
    atomFlags = atom.flags
    children = []
    while let child = try body.nextCinematicAtom(path: "frme/dtcs/dtct") {
      let isKnown = child.type == "dtct" && child.version == 0
      children.append(isKnown ? .detection(try CinematicDetection(child)) : .other(child.stored))
    }
    if !body.isAtEnd { trailing = body.rest() }
  }

  func write(to writer: inout ByteWriter) {
    writer.cinematicAtom("dtcs", flags: atomFlags) {
      for child in children {
        switch child {
        case .detection(let detection): detection.write(to: &$0)
        case .other(let atom): $0.data(atom)
        }
      }
      $0.data(trailing)
    }
  }
}
