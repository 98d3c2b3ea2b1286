/// `pasp`: the shape of a pixel, horizontal to vertical spacing.
package struct PixelAspectAtom: Atom, Hashable, Sendable {
  package let type: FourCC = "pasp"
  package var horizontal: UInt32
  package var vertical: UInt32

  package init(horizontal: UInt32, vertical: UInt32) {
    self.horizontal = horizontal
    self.vertical = vertical
  }

  package init(reading reader: inout ByteReader) throws(QuickTimeError) {
    self.init(horizontal: try reader.u32(), vertical: try reader.u32())
  }

  package func write(to writer: inout ByteWriter) {
    writer.u32(horizontal)
    writer.u32(vertical)
  }
}
