/// `stss`: the samples from which decoding can start. A track without it can start anywhere.
package struct SyncSampleAtom: Atom, Hashable, Sendable {
  package let type: FourCC = "stss"
  /// Sample numbers from 1, ascending.
  package var numbers: [UInt32]

  package init(numbers: [UInt32]) {
    self.numbers = numbers
  }

  package init(reading reader: inout ByteReader) throws(QuickTimeError) {
    _ = try reader.versionAndFlags()
    let place = reader
    let count = try reader.count(entryBytes: 4)
    numbers = try reader.u32s(count)
    var last: UInt32 = 0
    for number in numbers {
      guard number > last else { throw place.malformed("lists sync sample \(number) behind \(last)") }
      last = number
    }
  }

  package func write(to writer: inout ByteWriter) {
    writer.versionAndFlags(0)
    writer.u32(UInt32(numbers.count))
    for number in numbers { writer.u32(number) }
  }
}
