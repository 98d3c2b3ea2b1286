import CoreMedia
import Foundation
import Testing

/// Counts what the memory functions of a block buffer do.
private final class MemoryLog {
  var allocated = 0
  var freed = 0
  var refusesMemory = false
}

private func source(_ log: MemoryLog) -> CMBlockBufferCustomBlockSource {
  CMBlockBufferCustomBlockSource(
    version: kCMBlockBufferCustomBlockSourceVersion,
    AllocateBlock: { log, size in
      let log = Unmanaged<MemoryLog>.fromOpaque(log!).takeUnretainedValue()
      log.allocated += size
      return log.refusesMemory ? nil : malloc(size)
    },
    FreeBlock: { log, block, size in
      Unmanaged<MemoryLog>.fromOpaque(log!).takeUnretainedValue().freed += size
      free(block)
    },
    refCon: Unmanaged.passUnretained(log).toOpaque())
}

/// A buffer put together of blocks of these many bytes, and its bytes: 0, 1, 2 …
private func buffer(ofBlocks counts: [Int]) throws -> (CMBlockBuffer, [UInt8]) {
  let buffer = try CMBlockBuffer()
  for count in counts { try buffer.append(length: count, flags: .assureMemoryNow) }
  let bytes = (0..<counts.reduce(0, +)).map { UInt8($0) }
  try bytes.withUnsafeBytes { try buffer.replaceDataBytes(with: $0) }
  return (buffer, bytes)
}

private func copy(_ buffer: CMBlockBuffer, _ offset: Int, _ length: Int) -> (OSStatus, [UInt8]) {
  var bytes = [UInt8](repeating: 0xEE, count: max(length, 0) + 1)
  let status = CMBlockBufferCopyDataBytes(buffer, atOffset: offset, dataLength: length, destination: &bytes)
  #expect(bytes.last == 0xEE, "wrote beyond the end")
  return (status, Array(bytes.dropLast()))
}

@Suite struct CMBlockBufferTests {
  /// Every way to put six bytes together of blocks.
  static let arrangements: [[Int]] = [[6], [1, 5], [2, 4], [3, 3], [1, 2, 3], [2, 2, 2], [1, 1, 1, 1, 1, 1]]

  @Test(arguments: arrangements) func everyRangeOfEveryArrangement(_ counts: [Int]) throws {
    let (buffer, bytes) = try buffer(ofBlocks: counts)
    #expect(CMBlockBufferGetDataLength(buffer) == 6)
    let ends = counts.reduce(into: [0]) { $0.append($0.last! + $1) }
    for start in 0..<6 {
      for length in 1...6 - start {
        #expect(copy(buffer, start, length) == (kCMBlockBufferNoErr, Array(bytes[start..<start + length])))
        let inOneBlock = zip(ends, ends.dropFirst()).contains { $0 <= start && start + length <= $1 }
        // Blocks that the allocator happens to put side by side count as contiguous too.
        if inOneBlock { #expect(CMBlockBufferIsRangeContiguous(buffer, atOffset: start, length: length)) }
        try checkAccess(buffer, bytes, start, length)
        try checkReferences(to: buffer, bytes, start, length)
      }
      var (inRow, total) = (0, 0)
      var pointer: UnsafeMutablePointer<CChar>?
      let status = CMBlockBufferGetDataPointer(
        buffer, atOffset: start, lengthAtOffsetOut: &inRow, totalLengthOut: &total, dataPointerOut: &pointer)
      #expect(status == noErr && total == 6 && inRow == ends.first { $0 > start }! - start)
      #expect(try #require(pointer).pointee == CChar(start))
    }
  }

  private func checkAccess(_ buffer: CMBlockBuffer, _ bytes: [UInt8], _ start: Int, _ length: Int) throws {
    var temporary = [UInt8](repeating: 0xEE, count: length)
    var place: UnsafeMutablePointer<CChar>?
    let isCopy = try temporary.withUnsafeMutableBytes { block in
      let status = CMBlockBufferAccessDataBytes(
        buffer, atOffset: start, length: length, temporaryBlock: block.baseAddress!, returnedPointerOut: &place)
      #expect(status == kCMBlockBufferNoErr)
      let place = try #require(place)
      #expect(Array(UnsafeRawBufferPointer(start: place, count: length)) == Array(bytes[start..<start + length]))
      return UnsafeMutableRawPointer(place) == block.baseAddress
    }
    #expect(isCopy != CMBlockBufferIsRangeContiguous(buffer, atOffset: start, length: length))
    if !isCopy { #expect(temporary.allSatisfy { $0 == 0xEE }) }
  }

  private func checkReferences(to buffer: CMBlockBuffer, _ bytes: [UInt8], _ start: Int, _ length: Int) throws {
    for flags in [CMBlockBuffer.Flags(), .dontOptimizeDepth, .permitEmptyReference] {
      let reference = try CMBlockBuffer(bufferReference: buffer[start..<start + length], flags: flags)
      #expect(try Array(reference.dataBytes()) == Array(bytes[start..<start + length]))
      // A reference to the reference, with a byte of its own in front.
      let outer = try CMBlockBuffer(length: 1, flags: .assureMemoryNow)
      try outer.fillDataBytes(with: 99)
      try outer.append(bufferReference: reference, flags: flags)
      #expect(try Array(outer.dataBytes()) == [99] + Array(bytes[start..<start + length]))
    }
  }

  @Test(arguments: arrangements) func everyRangeIsReplacedAndFilled(_ counts: [Int]) throws {
    for start in 0..<6 {
      for length in 1...6 - start {
        let (buffer, bytes) = try buffer(ofBlocks: counts)
        let new = (0..<length).map { UInt8(100 + $0) }
        var expected = bytes
        expected.replaceSubrange(start..<start + length, with: new)
        let status = CMBlockBufferReplaceDataBytes(
          with: new, blockBuffer: buffer, offsetIntoDestination: start, dataLength: length)
        #expect(status == noErr && copy(buffer, 0, 6).1 == expected)
        expected.replaceSubrange(start..<start + length, with: repeatElement(0xFF, count: length))
        _ = CMBlockBufferFillDataBytes(with: -1, blockBuffer: buffer, offsetIntoDestination: start, dataLength: length)
        #expect(copy(buffer, 0, 6).1 == expected)
      }
    }
  }

  @Test func referencesShareTheBytes() throws {
    let (buffer, _) = try buffer(ofBlocks: [3, 3])
    for flags in [CMBlockBuffer.Flags(), .dontOptimizeDepth] {
      let reference = try CMBlockBuffer(bufferReference: buffer[2..<5], flags: flags)
      try buffer[3..<4].fillDataBytes(with: 77)
      #expect(try Array(reference.dataBytes()) == [2, 77, 4])
      try reference[0..<1].fillDataBytes(with: 2)
      try buffer[3..<4].fillDataBytes(with: 3)
    }
  }

  @Test func contiguousBuffersCopyOnlyWhereTheyMust() throws {
    let (buffer, bytes) = try buffer(ofBlocks: [4])
    func address(_ buffer: CMBlockBuffer) throws -> UnsafeMutableRawPointer? {
      try buffer.withUnsafeMutableBytes { $0.baseAddress }
    }
    let same = try buffer[1..<4].makeContiguous()
    #expect(try address(same) == address(buffer).map { $0 + 1 })
    let copied = try buffer.makeContiguous(flags: .alwaysCopyData)
    #expect(try address(copied) != address(buffer) && Array(copied.dataBytes()) == bytes)
    let parts = try self.buffer(ofBlocks: [1, 2, 3])
    let row = try parts.0.makeContiguous()
    #expect(try row.isContiguous && Array(row.dataBytes()) == parts.1)
    var length = 0
    _ = CMBlockBufferGetDataPointer(
      row, atOffset: 0, lengthAtOffsetOut: &length, totalLengthOut: nil, dataPointerOut: nil)
    #expect(length == 6)
  }

  private func buffer(ofBlocks counts: [Int]) throws -> (CMBlockBuffer, [UInt8]) {
    try CoreMediaTests.buffer(ofBlocks: counts)
  }

  // MARK: - Memory

  @Test func memoryIsAllocatedWhenNeededAndFreedOnce() throws {
    let log = MemoryLog()
    var source = source(log)
    var buffer: CMBlockBuffer?
    let status = CMBlockBufferCreateWithMemoryBlock(
      allocator: nil, memoryBlock: nil, blockLength: 16, blockAllocator: nil, customBlockSource: &source,
      offsetToData: 4,
      dataLength: 8, flags: 0, blockBufferOut: &buffer)
    #expect(status == noErr && log.allocated == 0)
    #expect(copy(buffer!, 0, 8).0 == kCMBlockBufferUnallocatedBlockErr)
    #expect(
      CMBlockBufferGetDataPointer(
        buffer!, atOffset: 0, lengthAtOffsetOut: nil, totalLengthOut: nil, dataPointerOut: nil)
        == kCMBlockBufferUnallocatedBlockErr)
    var reference: CMBlockBuffer? = try CMBlockBuffer(bufferReference: buffer!)
    #expect(CMBlockBufferAssureBlockMemory(reference!) == noErr && log.allocated == 16)
    #expect(CMBlockBufferAssureBlockMemory(buffer!) == noErr && log.allocated == 16)
    #expect(copy(buffer!, 0, 8).0 == noErr)
    buffer = nil
    #expect(log.freed == 0)
    withExtendedLifetime(reference) {}
    reference = nil
    #expect(log.freed == 16)
  }

  @Test func memoryNeverNeededIsNeverAllocated() throws {
    let log = MemoryLog()
    var source = source(log)
    var buffer: CMBlockBuffer?
    _ = CMBlockBufferCreateWithMemoryBlock(
      allocator: nil, memoryBlock: nil, blockLength: 16, blockAllocator: nil, customBlockSource: &source,
      offsetToData: 0,
      dataLength: 16, flags: 0, blockBufferOut: &buffer)
    #expect(buffer != nil)
    buffer = nil
    #expect(log.allocated == 0 && log.freed == 0)
  }

  @Test func memoryThatIsRefused() throws {
    let log = MemoryLog()
    log.refusesMemory = true
    var source = source(log)
    var buffer: CMBlockBuffer?
    func create(_ flags: CMBlockBufferFlags) -> OSStatus {
      CMBlockBufferCreateWithMemoryBlock(
        allocator: nil, memoryBlock: nil, blockLength: 16, blockAllocator: nil, customBlockSource: &source,
        offsetToData: 0,
        dataLength: 16, flags: flags, blockBufferOut: &buffer)
    }
    #expect(create(kCMBlockBufferAssureMemoryNowFlag) == kCMBlockBufferBlockAllocationFailedErr && buffer == nil)
    #expect(create(0) == noErr)
    let byte = [UInt8(1)]
    let status = CMBlockBufferReplaceDataBytes(
      with: byte, blockBuffer: buffer!, offsetIntoDestination: 0, dataLength: 1)
    #expect(status == kCMBlockBufferBlockAllocationFailedErr && log.freed == 0)
  }

  @Test func givenMemoryIsFreedByItsOwner() throws {
    var bytes: [UInt8] = [1, 2, 3]
    try bytes.withUnsafeMutableBytes { memory in
      // Freed by nobody: an array's memory in `free` would end the program.
      let buffer = try CMBlockBuffer(buffer: memory, allocator: kCFAllocatorNull)
      #expect(try Array(buffer.dataBytes()) == [1, 2, 3])
      try buffer.fillDataBytes(with: 9)
    }
    #expect(bytes == [9, 9, 9])

    nonisolated(unsafe) var freed: [Int] = []
    var buffer: CMBlockBuffer? = try CMBlockBuffer(
      buffer: UnsafeMutableRawBufferPointer.allocate(byteCount: 5, alignment: 1),
      deallocator: { block, length in
        block.deallocate()
        freed.append(length)
      })
    #expect(freed.isEmpty && buffer?.dataLength == 5)
    buffer = nil
    #expect(freed == [5])
    // Memory of malloc is freed by the default allocator.
    buffer = try CMBlockBuffer(buffer: UnsafeMutableRawBufferPointer(start: malloc(4), count: 4))
    #expect(buffer?.dataLength == 4)
  }

  // MARK: - Errors

  @Test func wrongParametersHaveTheirCodes() throws {
    var out: CMBlockBuffer?
    func create(
      _ memory: UnsafeMutableRawPointer?, _ length: Int, _ allocator: CFAllocator?, _ offset: Int, _ dataLength: Int
    ) -> OSStatus {
      CMBlockBufferCreateWithMemoryBlock(
        allocator: nil, memoryBlock: memory, blockLength: length, blockAllocator: allocator, customBlockSource: nil,
        offsetToData: offset, dataLength: dataLength, flags: 0, blockBufferOut: &out)
    }
    #expect(create(nil, 0, nil, 0, 0) == kCMBlockBufferBadLengthParameterErr)
    #expect(create(nil, -4, nil, 0, 0) == kCMBlockBufferBadLengthParameterErr)
    #expect(create(nil, 4, nil, 5, 0) == kCMBlockBufferBadOffsetParameterErr)
    #expect(create(nil, 4, nil, -1, 1) == kCMBlockBufferBadOffsetParameterErr)
    #expect(create(nil, 4, nil, 2, 3) == kCMBlockBufferBadLengthParameterErr)
    #expect(create(nil, 4, nil, 2, .max) == kCMBlockBufferBadLengthParameterErr)
    #expect(create(nil, 4, kCFAllocatorNull, 0, 4) == kCMBlockBufferBlockAllocationFailedErr)
    var bad = CMBlockBufferCustomBlockSource(version: 1, AllocateBlock: nil, FreeBlock: nil, refCon: nil)
    func createWithBadSource() -> OSStatus {
      CMBlockBufferCreateWithMemoryBlock(
        allocator: nil, memoryBlock: nil, blockLength: 4, blockAllocator: nil, customBlockSource: &bad, offsetToData: 0,
        dataLength: 4, flags: 0, blockBufferOut: &out)
    }
    #expect(createWithBadSource() == kCMBlockBufferBadCustomBlockSourceErr)
    bad.version = 0
    #expect(createWithBadSource() == kCMBlockBufferBadCustomBlockSourceErr)
    #expect(out == nil)
  }

  @Test func rangesOutsideTheData() throws {
    let (buffer, _) = try buffer(ofBlocks: [2, 4])
    for (offset, length, code) in [
      (-1, 1, kCMBlockBufferBadOffsetParameterErr), (6, 1, kCMBlockBufferBadOffsetParameterErr),
      (7, 0, kCMBlockBufferBadOffsetParameterErr), (0, 7, kCMBlockBufferBadLengthParameterErr),
      (5, 2, kCMBlockBufferBadLengthParameterErr), (0, -1, kCMBlockBufferBadLengthParameterErr),
      (1, .max, kCMBlockBufferBadLengthParameterErr),
    ] {
      var byte = UInt8(0)
      #expect(CMBlockBufferCopyDataBytes(buffer, atOffset: offset, dataLength: length, destination: &byte) == code)
      #expect(
        CMBlockBufferReplaceDataBytes(
          with: &byte, blockBuffer: buffer, offsetIntoDestination: offset, dataLength: length) == code)
      #expect(!CMBlockBufferIsRangeContiguous(buffer, atOffset: offset, length: length))
      var out: CMBlockBuffer?
      #expect(
        CMBlockBufferCreateWithBufferReference(
          allocator: nil, referenceBuffer: buffer, offsetToData: offset, dataLength: length, flags: 0,
          blockBufferOut: &out) == code)
    }
    #expect(throws: CMBlockBuffer.Error.insufficientSpace) {
      try buffer.copyDataBytes(to: UnsafeMutableRawBufferPointer(start: nil, count: 0))
    }
    #expect(throws: CMBlockBuffer.Error.badLengthParameter) {
      try [UInt8](repeating: 0, count: 7).withUnsafeBytes { try buffer.replaceDataBytes(with: $0) }
    }
  }

  @Test func buffersWithoutData() throws {
    var out: CMBlockBuffer?
    #expect(CMBlockBufferCreateEmpty(allocator: nil, capacity: 4, flags: 0, blockBufferOut: &out) == noErr)
    let empty = try #require(out)
    var byte = UInt8(0)
    #expect(CMBlockBufferIsEmpty(empty) && empty.isEmpty && empty.dataLength == 0)
    #expect(
      CMBlockBufferCopyDataBytes(empty, atOffset: 0, dataLength: 0, destination: &byte) == kCMBlockBufferEmptyBBufErr)
    #expect(CMBlockBufferAssureBlockMemory(empty) == kCMBlockBufferEmptyBBufErr)
    #expect(throws: CMBlockBuffer.Error.emptyBlockBuffer) { try CMBlockBuffer(bufferReference: empty) }
    #expect(try empty.dataBytes().isEmpty)
    #expect(try empty.withContiguousStorage { $0.count } == 0)
    #expect(try CMBlockBuffer(copying: Data()).isEmpty)
  }

  @Test func emptyReferencesMayBeFilledLater() throws {
    let target = try CMBlockBuffer()
    let reference = try CMBlockBuffer()
    let status = CMBlockBufferAppendBufferReference(
      reference, targetBBuf: target, offsetToData: 1, dataLength: 2, flags: kCMBlockBufferPermitEmptyReferenceFlag)
    #expect(status == noErr && reference.dataLength == 2)
    #expect(copy(reference, 0, 2).0 == kCMBlockBufferBadOffsetParameterErr)
    try target.append(length: 4, flags: .assureMemoryNow)
    try [5, 6, 7, 8].withUnsafeBufferPointer { (bytes: UnsafeBufferPointer<UInt8>) in
      try target.replaceDataBytes(with: UnsafeRawBufferPointer(bytes))
    }
    #expect(copy(reference, 0, 2) == (noErr, [6, 7]))
  }

  @Test func aBufferCannotContainItself() throws {
    let buffer = try CMBlockBuffer(length: 4)
    let flags = kCMBlockBufferDontOptimizeDepthFlag
    #expect(
      CMBlockBufferAppendBufferReference(buffer, targetBBuf: buffer, offsetToData: 0, dataLength: 4, flags: flags)
        == kCMBlockBufferBadPointerParameterErr)
    let outer = try CMBlockBuffer(bufferReference: buffer, flags: .dontOptimizeDepth)
    #expect(
      CMBlockBufferAppendBufferReference(buffer, targetBBuf: outer, offsetToData: 0, dataLength: 4, flags: flags)
        == kCMBlockBufferBadPointerParameterErr)
    // Its blocks, though, may come twice.
    #expect(
      CMBlockBufferAppendBufferReference(buffer, targetBBuf: buffer, offsetToData: 0, dataLength: 4, flags: 0) == noErr)
    #expect(buffer.dataLength == 8)
  }

  @Test func manyBlocksAreFoundQuickly() throws {
    let buffer = try CMBlockBuffer()
    for index in 0..<2000 {
      try buffer.append(bufferReference: CMBlockBuffer(copying: Data([UInt8(index & 0xFF), 1])))
    }
    for index in stride(from: 0, to: 2000, by: 97) {
      #expect(copy(buffer, index * 2, 2).1 == [UInt8(index & 0xFF), 1])
    }
    #expect(try buffer.dataBytes().count == 4000)
  }
}
