/// `tref`: the tracks a track refers to.
package struct TrackReferenceAtom: Atom, Hashable, Sendable {
  package struct Reference: Hashable, Sendable {
    /// `cdsc`, `tmcd`, `auxl`…
    package var type: FourCC
    package var trackIDs: [UInt32]

    package init(_ type: FourCC, _ trackIDs: [UInt32]) {
      self.type = type
      self.trackIDs = trackIDs
    }
  }

  package let type: FourCC = "tref"
  package var references: [Reference]

  package init(references: [Reference]) {
    self.references = references
  }

  package init(reading reader: inout ByteReader) throws(QuickTimeError) {
    references = []
    while var box = try reader.nextBox() {
      references.append(Reference(box.type, try box.payload.u32s(box.payload.remaining / 4)))
    }
  }

  package func write(to writer: inout ByteWriter) {
    for reference in references {
      writer.box(reference.type) { payload in
        for id in reference.trackIDs { payload.u32(id) }
      }
    }
  }
}
