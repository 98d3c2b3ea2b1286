internal import Foundation

/// Reads bits, most significant first, from a NAL unit whose emulation prevention bytes have been removed.
///
/// Reading past the end throws; nothing here allocates by what it reads.
struct BitReader {
  private let bytes: [UInt8]
  private var position = 0

  /// `unit` is a whole NAL unit as stored; the 3 in every 0, 0, 3 is taken out first.
  init(nalUnit unit: Data) {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(unit.count)
    var zeros = 0
    for byte in unit {
      if zeros >= 2 && byte == 3 {
        zeros = 0
        continue
      }
      zeros = byte == 0 ? zeros + 1 : 0
      bytes.append(byte)
    }
    self.bytes = bytes
  }

  mutating func bit() throws(CodecError) -> Int {
    guard position >> 3 < bytes.count else {
      throw CodecError(.damaged, "A parameter set ends too early; the codec configuration is damaged.")
    }
    let value = bytes[position >> 3] >> (7 - UInt8(position & 7)) & 1
    position += 1
    return Int(value)
  }

  /// Up to 32 bits as an unsigned number.
  mutating func bits(_ count: Int) throws(CodecError) -> Int {
    precondition(count <= 32)
    var value = 0
    for _ in 0..<count { value = value << 1 | (try bit()) }
    return value
  }

  mutating func skip(_ count: Int) { position += count }

  /// An unsigned Exp-Golomb number, ue(v), of at most 31 suffix bits.
  mutating func unsignedGolomb() throws(CodecError) -> Int {
    var zeros = 0
    while try bit() == 0 {
      zeros += 1
      guard zeros < 32 else {
        throw CodecError(.damaged, "A parameter set holds an impossible number; the codec configuration is damaged.")
      }
    }
    return (1 << zeros) - 1 + (try bits(zeros))
  }
}
