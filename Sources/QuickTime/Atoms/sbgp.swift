/// `sbgp`: which group each sample belongs to, in one way of grouping.
package struct SampleToGroupAtom: Atom, Hashable, Sendable {
  package let type: FourCC = "sbgp"
  /// `roll`, `prol`, `rap `…
  package var grouping: FourCC
  /// Nil in version 0.
  package var parameter: UInt32?
  /// The group of each sample: 0 for none, else the number, from 1, of an entry of the `sgpd` of the same grouping.
  package var groups: RunTable<UInt32>

  package init(grouping: FourCC, parameter: UInt32? = nil, groups: RunTable<UInt32>) {
    self.grouping = grouping
    self.parameter = parameter
    self.groups = groups
  }

  package init(reading reader: inout ByteReader) throws(QuickTimeError) {
    let (version, _) = try reader.versionAndFlags()
    grouping = try reader.fourCC()
    parameter = version > 0 ? try reader.u32() : nil
    groups = RunTable()
    let place = reader
    for _ in 0..<(try reader.count(entryBytes: 8)) {
      let (count, group) = (try reader.u32(), try reader.u32())
      guard groups.append(count: count, value: group) else { throw place.malformed("has groups beyond all limits") }
    }
  }

  package func write(to writer: inout ByteWriter) {
    writer.versionAndFlags(parameter == nil ? 0 : 1)
    writer.fourCC(grouping)
    if let parameter { writer.u32(parameter) }
    writer.u32(UInt32(groups.runCount))
    for (count, group) in zip(groups.counts, groups.values) {
      writer.u32(count)
      writer.u32(group)
    }
  }
}
