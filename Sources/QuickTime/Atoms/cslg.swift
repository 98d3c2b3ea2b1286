/// `cslg`: how far composition times lie from decode times, in units of the media's time scale.
package struct CompositionShiftAtom: Atom, Hashable, Sendable {
  package let type: FourCC = "cslg"
  /// What to add to composition times so that none lies before its decode time.
  package var shiftToDecodeTime: Int64
  package var leastOffset: Int64
  package var greatestOffset: Int64
  package var startTime: Int64
  package var endTime: Int64

  package init(shiftToDecodeTime: Int64, leastOffset: Int64, greatestOffset: Int64, startTime: Int64, endTime: Int64) {
    self.shiftToDecodeTime = shiftToDecodeTime
    self.leastOffset = leastOffset
    self.greatestOffset = greatestOffset
    self.startTime = startTime
    self.endTime = endTime
  }

  package init(reading reader: inout ByteReader) throws(QuickTimeError) {
    let (version, _) = try reader.versionAndFlags()
    var numbers: [Int64] = []
    for _ in 0..<5 { numbers.append(try version == 1 ? reader.i64() : Int64(reader.i32())) }
    self.init(
      shiftToDecodeTime: numbers[0], leastOffset: numbers[1], greatestOffset: numbers[2], startTime: numbers[3],
      endTime: numbers[4])
  }

  package func write(to writer: inout ByteWriter) {
    let numbers = [shiftToDecodeTime, leastOffset, greatestOffset, startTime, endTime]
    let isLong = numbers.contains { Int32(exactly: $0) == nil }
    writer.versionAndFlags(isLong ? 1 : 0)
    for number in numbers {
      if isLong { writer.i64(number) } else { writer.i32(Int32(number)) }
    }
  }
}
