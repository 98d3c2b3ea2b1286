package import Foundation

/// `frme`: the cinematography item, everything that was recorded about the focus of one frame.
///
/// Atoms that are not understood, atoms of another version than 0 and trailing bytes are kept, so that writing an item that was read gives
/// the same bytes.
package struct CinematicFrameItem: Hashable, Sendable {
  package enum Child: Hashable, Sendable {
    case header(CinematicFrameHeader)
    case detections(CinematicDetectionList)
    /// An atom that is not understood, whole.
    case other(Data)
  }

  package var children: [Child]
  /// The 24 flags of the atom.
  var atomFlags: UInt32 = 0
  /// Bytes of the atom after its last child.
  var trailing = Data()
  /// Atoms of the item in front of `frme`, and everything after it.
  var before = Data()
  var after = Data()

  package init(header: CinematicFrameHeader, detections: [CinematicDetection]) {
    children = [.header(header), .detections(CinematicDetectionList(detections))]
  }

  /// The first `frmh`; setting it adds one in front where there is none.
  package var header: CinematicFrameHeader? {
    get {
      for case .header(let header) in children { return header }
      return nil
    }
    set {
      children.removeAll { if case .header = $0 { true } else { false } }
      if let newValue { children.insert(.header(newValue), at: 0) }
    }
  }

  /// The detections of every `dtcs` in their order; setting them replaces the first list and drops the others.
  package var detections: [CinematicDetection] {
    get {
      children.flatMap { child -> [CinematicDetection] in
        guard case .detections(let list) = child else { return [] }
        return list.detections
      }
    }
    set {
      children.removeAll { if case .detections = $0 { true } else { false } }
      children.append(.detections(CinematicDetectionList(newValue)))
    }
  }
}

extension CinematicFrameItem {
  /// Reads the payload of a cinematography item. Throws `.malformed` or `.truncated` for lengths that do not fit, `.unsupported`
  /// where no `frme` of version 0 is found.
  package init(payload: ByteReader) throws(QuickTimeError) {
    var reader = payload
    children = []
    while let atom = try reader.nextCinematicAtom(path: "frme") {
      guard atom.type == "frme", atom.version == 0 else {
        before.append(atom.stored)
        continue
      }
      try read(atom)
      after = reader.rest()
      return
    }
    throw payload.malformed("holds no atom 'frme' of version 0", .unsupported)
  }

  package init(payload: Data) throws(QuickTimeError) {
    try self.init(payload: ByteReader(payload, path: "cinematography"))
  }

  private mutating func read(_ atom: CinematicAtom) throws(QuickTimeError) {
    var body = atom.body
    atomFlags = atom.flags
    while let child = try body.nextCinematicAtom(path: "frme/child") {
      switch (child.type, child.version) {
      case ("frmh", 0): children.append(.header(try CinematicFrameHeader(child)))
      case ("dtcs", 0): children.append(.detections(try CinematicDetectionList(child)))
      default: children.append(.other(child.stored))
      }
    }
    if !body.isAtEnd { trailing = body.rest() }
  }

  /// The payload of a cinematography item.
  package var payload: Data {
    var writer = ByteWriter()
    writer.data(before)
    writer.cinematicAtom("frme", flags: atomFlags) {
      for child in children {
        switch child {
        case .header(let header): header.write(to: &$0)
        case .detections(let list): list.write(to: &$0)
        case .other(let atom): $0.data(atom)
        }
      }
      $0.data(trailing)
    }
    writer.data(after)
    return writer.data
  }
}
