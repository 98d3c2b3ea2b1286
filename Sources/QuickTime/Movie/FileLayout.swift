import Foundation

/// An atom at the top level of a file.
package struct TopLevelAtom: Hashable, Sendable {
  package var type: FourCC
  package var offset: Int64
  package var headerBytes: Int
  /// With the header, as far as the file goes.
  package var byteCount: Int64
  /// What the header says; nil where it says "to the end of the file".
  package var statedByteCount: Int64?

  package var end: Int64 { offset + byteCount }
  /// Whether the file ends before the atom.
  package var isCutOff: Bool { statedByteCount.map { $0 > byteCount } ?? false }
  /// Whether more could have followed had the file not been cut off.
  var mayBeCutOff: Bool { isCutOff || statedByteCount == nil }
}

/// The atoms at the top level of a file, in order.
package struct FileLayout: Hashable, Sendable {
  package private(set) var atoms: [TopLevelAtom] = []
  package private(set) var warnings: [MovieWarning] = []

  /// Types a movie file may start with.
  private static let firstTypes: Set<FourCC> = [
    "ftyp", "moov", "mdat", "free", "skip", "wide", "pnot", "styp", "sidx", "moof", "uuid", "PICT", "junk", "udta",
  ]

  /// Walks over the headers; throws `.notAMovie` where the file does not start like one.
  package init(_ source: any ByteSource) throws(QuickTimeError) {
    var offset: Int64 = 0
    while source.byteCount - offset >= 8 {
      guard let atom = try Self.atom(source, offset) else {
        try stop(source, offset)
        return
      }
      guard atoms.count < ReadingLimit.topLevelAtoms else {
        throw QuickTimeError(
          .unsupported,
          "\(source.name) has more than \(ReadingLimit.topLevelAtoms) atoms at its top level; rewrite it with fewer fragments.",
          offset: offset)
      }
      atoms.append(atom)
      offset = atom.end
    }
    guard !atoms.isEmpty else { throw Self.notAMovie(source) }
    if offset < source.byteCount {
      warn("\(source.byteCount - offset) bytes behind the last atom are left out.", offset)
    }
  }

  package func first(_ type: FourCC) -> TopLevelAtom? { atoms.first { $0.type == type } }

  /// The bytes behind the last atom that are none, as one without a header; nil if there are none.
  func rest(of source: any ByteSource) -> TopLevelAtom? {
    let end = atoms.last?.end ?? 0
    guard end < source.byteCount else { return nil }
    return TopLevelAtom(
      type: "free", offset: end, headerBytes: 0, byteCount: source.byteCount - end, statedByteCount: nil)
  }

  /// Nil where the bytes are no atom.
  private static func atom(_ source: any ByteSource, _ offset: Int64) throws(QuickTimeError) -> TopLevelAtom? {
    let left = source.byteCount - offset
    var reader = ByteReader(try source.read(at: offset, count: Int(min(16, left))), offset: offset)
    let shortSize = try reader.u32()
    let type = try reader.fourCC()
    var headerBytes = 8
    var size: Int64? = shortSize == 0 ? nil : Int64(shortSize)
    if shortSize == 1 {
      guard reader.remaining == 8 else { return nil }
      headerBytes = 16
      size = Int64(exactly: try reader.u64())
      guard size != nil else { return nil }
    }
    guard size ?? left >= headerBytes, offset > 0 || isFirst(type, size ?? left, left) else { return nil }
    return TopLevelAtom(
      type: type, offset: offset, headerBytes: headerBytes, byteCount: min(size ?? left, left), statedByteCount: size)
  }

  private static func isFirst(_ type: FourCC, _ size: Int64, _ left: Int64) -> Bool {
    let characters = [24, 16, 8, 0].map { type.rawValue >> $0 & 0xFF }
    return firstTypes.contains(type) || (size <= left && characters.allSatisfy { (0x20...0x7E).contains($0) })
  }

  /// Bytes that are no atom are an error where the index has not been found yet.
  private mutating func stop(_ source: any ByteSource, _ offset: Int64) throws(QuickTimeError) {
    guard !atoms.isEmpty else { throw Self.notAMovie(source) }
    guard first("moov") != nil else {
      throw QuickTimeError(
        .malformed,
        "\(source.name) is damaged at byte \(offset), before its index (moov): no atom starts there; get the original again.",
        offset: offset)
    }
    warn("The \(source.byteCount - offset) bytes from byte \(offset) on are no atom and are left out.", offset)
  }

  private mutating func warn(_ message: String, _ offset: Int64) {
    warnings.append(MovieWarning(message, offset: offset))
  }

  private static func notAMovie(_ source: any ByteSource) -> QuickTimeError {
    let reason = source.byteCount == 0 ? "is empty" : "does not start with an atom of a QuickTime or MP4 movie"
    return QuickTimeError(.notAMovie, "\(source.name) \(reason); name a MOV or MP4 file.", offset: 0)
  }
}
