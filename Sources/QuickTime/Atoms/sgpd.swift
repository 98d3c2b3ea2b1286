package import Foundation

/// `sgpd`: what the groups of one way of grouping have in common.
package struct SampleGroupDescriptionAtom: Atom, Hashable, Sendable {
  package let type: FourCC = "sgpd"
  /// `roll`, `prol`, `rap `…
  package var grouping: FourCC
  /// The bytes of each group's entry, from the first group on.
  package var entries: [Data]

  package init(grouping: FourCC, entries: [Data]) {
    self.grouping = grouping
    self.entries = entries
  }

  /// Only version 1 tells how long entries are; those of others are taken to be equally long.
  package init(reading reader: inout ByteReader) throws(QuickTimeError) {
    let (version, _) = try reader.versionAndFlags()
    grouping = try reader.fourCC()
    let stated = version == 1 ? Int(try reader.u32()) : 0
    if version > 1 { try reader.skip(4) }
    let count = Int(try reader.u32())
    guard count <= ReadingLimit.sampleGroups else { throw reader.malformed("has \(count) groups, too many") }
    let equal = version == 1 ? stated : reader.remaining / max(1, count)
    entries = []
    for _ in 0..<count {
      let length = version == 1 && stated == 0 ? Int(try reader.u32()) : equal
      entries.append(try reader.data(length))
    }
  }

  /// As version 1, with the length in front of each entry unless all are equally long.
  package func write(to writer: inout ByteWriter) {
    let lengths = Set(entries.map(\.count))
    let length = lengths.count == 1 ? lengths.first ?? 0 : 0
    writer.versionAndFlags(1)
    writer.fourCC(grouping)
    writer.u32(UInt32(length))
    writer.u32(UInt32(entries.count))
    for entry in entries {
      if length == 0 { writer.u32(UInt32(entry.count)) }
      writer.data(entry)
    }
  }
}
