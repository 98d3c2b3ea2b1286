/// `chan`: where the channels of a sound belong.
package struct ChannelLayoutAtom: Atom, Hashable, Sendable {
  package struct Description: Hashable, Sendable {
    package var label: UInt32
    package var flags: UInt32
    package var coordinates: [Float]

    package init(label: UInt32, flags: UInt32 = 0, coordinates: [Float] = [0, 0, 0]) {
      precondition(coordinates.count == 3)
      self.label = label
      self.flags = flags
      self.coordinates = coordinates
    }
  }

  package let type: FourCC = "chan"
  /// An audio channel layout tag of Core Audio, such as 101 << 16 | 2 for stereo; 0 means by descriptions, 1 << 16 by bitmap.
  package var tag: UInt32
  package var bitmap: UInt32
  package var descriptions: [Description]

  package init(tag: UInt32, bitmap: UInt32 = 0, descriptions: [Description] = []) {
    self.tag = tag
    self.bitmap = bitmap
    self.descriptions = descriptions
  }

  package init(reading reader: inout ByteReader) throws(QuickTimeError) {
    _ = try reader.versionAndFlags()
    tag = try reader.u32()
    bitmap = try reader.u32()
    descriptions = []
    for _ in 0..<(try reader.count(entryBytes: 20)) {
      let (label, flags) = (try reader.u32(), try reader.u32())
      let coordinates = [try reader.f32(), try reader.f32(), try reader.f32()]
      descriptions.append(Description(label: label, flags: flags, coordinates: coordinates))
    }
  }

  package func write(to writer: inout ByteWriter) {
    writer.versionAndFlags(0)
    writer.u32(tag)
    writer.u32(bitmap)
    writer.u32(UInt32(descriptions.count))
    for description in descriptions {
      writer.u32(description.label)
      writer.u32(description.flags)
      for coordinate in description.coordinates { writer.f32(coordinate) }
    }
  }
}
