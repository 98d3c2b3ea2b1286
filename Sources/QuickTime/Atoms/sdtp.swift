/// How a sample depends on others, two bits each: 0 unknown, 1 yes, 2 no, 3 reserved.
package struct SampleDependency: RawRepresentable, Hashable, Sendable {
  /// From the high bits: is leading, depends on others, is depended on, has redundancy.
  package var rawValue: UInt8

  package init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// Nil where the file does not say.
  package var dependsOnOthers: Bool? { answer(rawValue >> 4 & 3) }
  /// Nil where the file does not say; false means that the sample can be dropped.
  package var isDependedOn: Bool? { answer(rawValue >> 2 & 3) }
  /// Nil where the file does not say; true means that parts of the sample are coded twice.
  package var hasRedundantCoding: Bool? { answer(rawValue & 3) }

  private func answer(_ bits: UInt8) -> Bool? {
    bits == 1 ? true : bits == 2 ? false : nil
  }
}

/// `sdtp`: the dependency of each sample, one byte a sample.
package struct SampleDependencyAtom: Atom, Hashable, Sendable {
  package let type: FourCC = "sdtp"
  package var flags: [UInt8]

  package init(flags: [UInt8]) {
    self.flags = flags
  }

  package init(reading reader: inout ByteReader) throws(QuickTimeError) {
    _ = try reader.versionAndFlags()
    flags = [UInt8](reader.rest())
  }

  package func write(to writer: inout ByteWriter) {
    writer.versionAndFlags(0)
    for flag in flags { writer.u8(flag) }
  }
}
