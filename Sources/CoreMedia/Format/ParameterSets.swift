internal import Foundation

/// The parameter sets of an H.264 or HEVC configuration record (`avcC`, `hvcC`), in memory that lives as long as this.
final class ParameterSets: Sendable {
  // Never written after the start.
  nonisolated(unsafe) let memory: UnsafeRawBufferPointer
  let ranges: [Range<Int>]
  /// How many bytes the length in front of each unit of a sample has.
  let lengthSize: Int

  convenience init?(extensions: [String: Any]) {
    if let record = extensions.configurationAtom("avcC") {
      self.init(avcC: record)
    } else if let record = extensions.configurationAtom("hvcC") {
      self.init(hvcC: record)
    } else {
      return nil
    }
  }

  init?(avcC data: Data) {
    var reader = RecordReader(bytes: [UInt8](data))
    guard reader.byte() == 1, reader.skip(3), let lengths = reader.byte(), let spsCount = reader.byte(),
      reader.sets(Int(spsCount & 0x1f)), let ppsCount = reader.byte(), reader.sets(Int(ppsCount))
    else { return nil }
    (memory, ranges, lengthSize) = (reader.copy(), reader.ranges, Int(lengths & 3) + 1)
  }

  init?(hvcC data: Data) {
    var reader = RecordReader(bytes: [UInt8](data))
    guard reader.byte() == 1, reader.skip(20), let lengths = reader.byte(), let arrayCount = reader.byte() else {
      return nil
    }
    for _ in 0..<arrayCount {
      guard reader.skip(1), let count = reader.word(), reader.sets(count) else { return nil }
    }
    (memory, ranges, lengthSize) = (reader.copy(), reader.ranges, Int(lengths & 3) + 1)
  }

  deinit { memory.deallocate() }

  var count: Int { ranges.count }
  subscript(index: Int) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[ranges[index]]) }
}

/// Reads a configuration record; every step answers nil or false at the end of the bytes.
private struct RecordReader {
  let bytes: [UInt8]
  var position = 0
  var ranges: [Range<Int>] = []

  init(bytes: [UInt8]) { self.bytes = bytes }

  mutating func byte() -> UInt8? {
    guard position < bytes.count else { return nil }
    defer { position += 1 }
    return bytes[position]
  }

  mutating func word() -> Int? {
    guard let high = byte(), let low = byte() else { return nil }
    return Int(high) << 8 | Int(low)
  }

  mutating func skip(_ count: Int) -> Bool {
    guard count <= bytes.count - position else { return false }
    position += count
    return true
  }

  /// Notes where `count` parameter sets lie, each with its length in two bytes in front.
  mutating func sets(_ count: Int) -> Bool {
    for _ in 0..<count {
      guard let length = word() else { return false }
      let start = position
      guard skip(length) else { return false }
      ranges.append(start..<start + length)
    }
    return true
  }

  func copy() -> UnsafeRawBufferPointer {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    memory.copyBytes(from: bytes)
    return UnsafeRawBufferPointer(memory)
  }
}

extension [String: Any] {
  /// The payload of a codec-configuration atom among a format description's extensions; the first where there are
  /// several.
  func configurationAtom(_ name: String) -> Data? {
    let atom = (self[kCMFormatDescriptionExtension_SampleDescriptionExtensionAtoms] as? [String: Any])?[name]
    return atom as? Data ?? (atom as? [Any])?.first as? Data
  }
}
