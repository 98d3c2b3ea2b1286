/// Reads big-endian numbers of a frame, never past its end.
struct ByteReader {
  let bytes: UnsafeRawBufferPointer
  /// What is being read, for the sentence of an error.
  let name: String
  private(set) var offset: Int

  init(_ bytes: UnsafeRawBufferPointer, at offset: Int = 0, _ name: String) {
    self.bytes = bytes
    self.offset = offset
    self.name = name
  }

  var bytesLeft: Int { bytes.count - offset }

  mutating func skip(_ count: Int) throws(ProResError) {
    guard count >= 0, count <= bytesLeft else {
      throw ProResError(
        .truncated, "\(name) needs \(count) more bytes, but \(bytesLeft) are left; the sample is cut off")
    }
    offset += count
  }

  mutating func uint8() throws(ProResError) -> Int {
    try skip(1)
    return Int(bytes[offset - 1])
  }

  mutating func uint16() throws(ProResError) -> Int {
    try skip(2)
    return bytes.bigEndian16(at: offset - 2)
  }

  mutating func uint32() throws(ProResError) -> Int {
    try skip(4)
    return bytes.bigEndian16(at: offset - 4) << 16 | bytes.bigEndian16(at: offset - 2)
  }

  mutating func bytes(_ count: Int) throws(ProResError) -> [UInt8] {
    try skip(count)
    return Array(bytes[offset - count..<offset])
  }
}

extension UnsafeRawBufferPointer {
  /// The caller has checked that both bytes are there.
  @inline(__always)
  func bigEndian16(at offset: Int) -> Int { Int(self[offset]) << 8 | Int(self[offset + 1]) }
}
