/// `mdcv`: the colours of the display on which a picture was graded (SMPTE ST 2086).
package struct MasteringDisplayAtom: Atom, Hashable, Sendable {
  package let type: FourCC = "mdcv"
  /// x, y of green, blue, red and white, in units of 0.00002.
  package var chromaticities: [UInt16]
  /// In units of 0.0001 cd/m².
  package var maximumLuminance: UInt32
  package var minimumLuminance: UInt32

  package init(chromaticities: [UInt16], maximumLuminance: UInt32, minimumLuminance: UInt32) {
    precondition(chromaticities.count == 8)
    self.chromaticities = chromaticities
    self.maximumLuminance = maximumLuminance
    self.minimumLuminance = minimumLuminance
  }

  package init(reading reader: inout ByteReader) throws(QuickTimeError) {
    chromaticities = []
    for _ in 0..<8 { chromaticities.append(try reader.u16()) }
    maximumLuminance = try reader.u32()
    minimumLuminance = try reader.u32()
  }

  package func write(to writer: inout ByteWriter) {
    for value in chromaticities { writer.u16(value) }
    writer.u32(maximumLuminance)
    writer.u32(minimumLuminance)
  }
}

/// `clli`: the brightest pixel and the brightest picture, in cd/m².
package struct ContentLightLevelAtom: Atom, Hashable, Sendable {
  package let type: FourCC = "clli"
  package var maximumContent: UInt16
  package var maximumAverage: UInt16

  package init(maximumContent: UInt16, maximumAverage: UInt16) {
    self.maximumContent = maximumContent
    self.maximumAverage = maximumAverage
  }

  package init(reading reader: inout ByteReader) throws(QuickTimeError) {
    self.init(maximumContent: try reader.u16(), maximumAverage: try reader.u16())
  }

  package func write(to writer: inout ByteWriter) {
    writer.u16(maximumContent)
    writer.u16(maximumAverage)
  }
}
