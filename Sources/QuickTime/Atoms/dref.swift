import Foundation

/// `dref`: the files in which a track's samples lie.
package struct DataReferenceAtom: Atom, Hashable, Sendable {
  package let type: FourCC = "dref"
  /// `url `, `alis`…; each starts with a version byte and flags of which bit 0 means this very file.
  package var entries: [StoredAtom]

  /// One entry: the file itself.
  package static func here(isQuickTime: Bool) -> DataReferenceAtom {
    DataReferenceAtom(entries: [StoredAtom(isQuickTime ? "alis" : "url ", Data([0, 0, 0, 1]))])
  }

  package init(entries: [StoredAtom]) {
    self.entries = entries
  }

  package init(reading reader: inout ByteReader) throws(QuickTimeError) {
    _ = try reader.versionAndFlags()
    _ = try reader.count(entryBytes: 8)
    entries = try reader.storedAtoms()
  }

  package func write(to writer: inout ByteWriter) {
    writer.versionAndFlags(0)
    writer.u32(UInt32(entries.count))
    for entry in entries { writer.atom(entry) }
  }

  /// Whether the entry, counted from 1 as in sample descriptions, is this file. Lists without it are taken for this file.
  package func isHere(_ index: Int) -> Bool {
    guard entries.indices.contains(index - 1), entries[index - 1].payload.count >= 4 else { return true }
    let payload = entries[index - 1].payload
    return payload[payload.startIndex + 3] & 1 != 0
  }
}
