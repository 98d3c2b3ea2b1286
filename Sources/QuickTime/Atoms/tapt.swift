/// `tapt`: a track's size in pixels with (`clef`) and without (`prof`) its edges cut off, and as stored (`enof`).
package struct TrackApertureAtom: Atom, Hashable, Sendable {
  package struct Size: Hashable, Sendable {
    package var type: FourCC
    package var width: Double
    package var height: Double

    package init(_ type: FourCC, width: Double, height: Double) {
      self.type = type
      self.width = width
      self.height = height
    }
  }

  package let type: FourCC = "tapt"
  package var sizes: [Size]

  package init(sizes: [Size]) {
    self.sizes = sizes
  }

  package init(reading reader: inout ByteReader) throws(QuickTimeError) {
    sizes = []
    while var box = try reader.nextBox() {
      _ = try box.payload.versionAndFlags()
      sizes.append(Size(box.type, width: try box.payload.fixed16(), height: try box.payload.fixed16()))
    }
  }

  package func write(to writer: inout ByteWriter) {
    for size in sizes {
      writer.fullBox(size.type) { payload in
        payload.fixed16(size.width)
        payload.fixed16(size.height)
      }
    }
  }
}
