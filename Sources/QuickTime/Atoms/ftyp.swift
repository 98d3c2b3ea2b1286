/// `ftyp`: what kind of file this is.
package struct FileTypeAtom: Atom, Hashable, Sendable {
  package let type: FourCC = "ftyp"
  package var brand: FourCC
  package var minorVersion: UInt32
  package var compatibleBrands: [FourCC]

  package init(brand: FourCC, minorVersion: UInt32 = 0, compatibleBrands: [FourCC]) {
    self.brand = brand
    self.minorVersion = minorVersion
    self.compatibleBrands = compatibleBrands
  }

  package init(reading reader: inout ByteReader) throws(QuickTimeError) {
    brand = try reader.fourCC()
    minorVersion = try reader.u32()
    compatibleBrands = []
    while reader.remaining >= 4 { compatibleBrands.append(try reader.fourCC()) }
  }

  package func write(to writer: inout ByteWriter) {
    writer.fourCC(brand)
    writer.u32(minorVersion)
    for brand in compatibleBrands { writer.fourCC(brand) }
  }
}
