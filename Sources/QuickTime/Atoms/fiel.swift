/// `fiel`: one or two fields a picture, and their order.
package struct FieldAtom: Atom, Hashable, Sendable {
  package let type: FourCC = "fiel"
  /// 1 progressive, 2 interlaced.
  package var count: UInt8
  /// 0 unknown; 1 top and 6 bottom field first, stored as two pictures; 9 top and 14 bottom field first, lines interleaved.
  package var detail: UInt8

  package init(count: UInt8, detail: UInt8) {
    self.count = count
    self.detail = detail
  }

  package init(reading reader: inout ByteReader) throws(QuickTimeError) {
    self.init(count: try reader.u8(), detail: try reader.u8())
  }

  package func write(to writer: inout ByteWriter) {
    writer.u8(count)
    writer.u8(detail)
  }
}
