public import CoreVideo
internal import Foundation

extension CMBlockBuffer {
  /// The range of bytes, checked against the data.
  func range(_ offset: Int, _ length: Int, zeroMeansAll: Bool = false) throws(Error) -> Range<Int> {
    let total = self.length
    guard (0...total).contains(offset), offset < total || (length == 0 && !zeroMeansAll) else {
      throw .badOffsetParameter
    }
    guard (0...total - offset).contains(length) else { throw .badLengthParameter }
    return offset..<(length == 0 && zeroMeansAll ? total : offset + length)
  }

  /// Calls `body` with each stretch of memory that covers the range, in order, and where in the range it starts.
  func forEachBlock(
    in range: Range<Int>, assure: Bool, _ body: (UnsafeMutableRawBufferPointer, Int) -> Void
  ) throws(Error) {
    var position = 0
    for segment in segments(in: range) {
      let start = position
      switch segment.source {
      case .memory(let memory):
        guard let base = assure ? memory.assured() : memory.current else {
          throw assure ? .blockAllocationFailed : .unallocatedBlock
        }
        body(UnsafeMutableRawBufferPointer(start: base + segment.offset, count: segment.length), start)
      case .buffer(let buffer):
        let inner = try buffer.range(segment.offset, segment.length)
        try buffer.forEachBlock(in: inner, assure: assure) { body($0, start + $1) }
      }
      position += segment.length
    }
  }

  /// Whether the bytes of the range lie in a row in memory (or will, once allocated).
  func isContiguous(_ range: Range<Int>) -> Bool {
    let parts = segments(in: range)
    guard parts.count == 1, let part = parts.first else {
      return parts.isEmpty || (try? pointerToRow(range)) ?? nil != nil
    }
    guard case .buffer(let buffer) = part.source else { return true }
    guard let inner = try? buffer.range(part.offset, part.length) else { return false }
    return buffer.isContiguous(inner)
  }

  /// The address of the range if its blocks are allocated and happen to lie in a row.
  func pointerToRow(_ range: Range<Int>) throws(Error) -> UnsafeMutableRawPointer? {
    var row: UnsafeMutableRawBufferPointer?
    var isBroken = false
    try forEachBlock(in: range, assure: false) { block, _ in
      guard let current = row, let start = current.baseAddress else { return row = block }
      if start + current.count == block.baseAddress {
        row = UnsafeMutableRawBufferPointer(start: start, count: current.count + block.count)
      } else {
        isBroken = true
      }
    }
    return isBroken ? nil : row?.baseAddress
  }

  func copyBytes(in range: Range<Int>, to destination: UnsafeMutableRawPointer) throws(Error) {
    try forEachBlock(in: range, assure: false) { block, offset in
      (destination + offset).copyMemory(from: block.baseAddress!, byteCount: block.count)
    }
  }

  /// The address of the byte and how many follow it in the same stretch; allocated if need be.
  func assuredPointer(at offset: Int) throws(Error) -> UnsafeMutableRawPointer {
    try row(at: offset, assure: true).baseAddress!
  }

  /// The bytes from the offset on that lie in one stretch of memory.
  func row(at offset: Int, assure: Bool) throws(Error) -> UnsafeMutableRawBufferPointer {
    guard let segment = segments(in: try range(offset, 1)).first else { throw .badOffsetParameter }
    let rest = segments(in: offset..<length)[0].length
    switch segment.source {
    case .memory(let memory):
      guard let base = assure ? memory.assured() : memory.current else {
        throw assure ? .blockAllocationFailed : .unallocatedBlock
      }
      return UnsafeMutableRawBufferPointer(start: base + segment.offset, count: rest)
    case .buffer(let buffer):
      let inner = try buffer.row(at: segment.offset, assure: assure)
      return UnsafeMutableRawBufferPointer(start: inner.baseAddress, count: min(rest, inner.count))
    }
  }
}

// MARK: - The C interface

/// Gives the address of `length` bytes: in place where they lie in a row, else copied into `temporaryBlock`, of at
/// least that many bytes.
@discardableResult
public func CMBlockBufferAccessDataBytes(
  _ theBuffer: CMBlockBuffer, atOffset offset: Int, length: Int, temporaryBlock: UnsafeMutableRawPointer,
  returnedPointerOut: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
) -> OSStatus {
  status { () throws(CMBlockBuffer.Error) in
    guard !theBuffer.hasNoSegments else { throw .emptyBlockBuffer }
    let range = try theBuffer.range(offset, length)
    let place = try theBuffer.pointerToRow(range)
    if place == nil { try theBuffer.copyBytes(in: range, to: temporaryBlock) }
    returnedPointerOut.pointee = (place ?? temporaryBlock).assumingMemoryBound(to: CChar.self)
  }
}

/// Copies bytes out of the buffer. -12707 where a block has no memory yet.
@discardableResult
public func CMBlockBufferCopyDataBytes(
  _ theSourceBuffer: CMBlockBuffer, atOffset offsetToData: Int, dataLength: Int, destination: UnsafeMutableRawPointer
) -> OSStatus {
  status { () throws(CMBlockBuffer.Error) in
    guard !theSourceBuffer.hasNoSegments else { throw .emptyBlockBuffer }
    try theSourceBuffer.copyBytes(in: theSourceBuffer.range(offsetToData, dataLength), to: destination)
  }
}

/// Copies bytes into the buffer; blocks without memory are allocated.
@discardableResult
public func CMBlockBufferReplaceDataBytes(
  with sourceBytes: UnsafeRawPointer, blockBuffer destinationBuffer: CMBlockBuffer, offsetIntoDestination: Int,
  dataLength: Int
) -> OSStatus {
  write(to: destinationBuffer, offsetIntoDestination, dataLength) { block, offset in
    block.copyMemory(from: UnsafeRawBufferPointer(start: sourceBytes + offset, count: block.count))
  }
}

/// Fills a range of the buffer with one byte; blocks without memory are allocated.
@discardableResult
public func CMBlockBufferFillDataBytes(
  with fillByte: CChar, blockBuffer destinationBuffer: CMBlockBuffer, offsetIntoDestination: Int, dataLength: Int
) -> OSStatus {
  write(to: destinationBuffer, offsetIntoDestination, dataLength) { block, _ in
    memset(block.baseAddress!, Int32(fillByte), block.count)
  }
}

private func write(
  to buffer: CMBlockBuffer, _ offset: Int, _ length: Int, _ body: (UnsafeMutableRawBufferPointer, Int) -> Void
) -> OSStatus {
  status { () throws(CMBlockBuffer.Error) in
    guard !buffer.hasNoSegments else { throw .emptyBlockBuffer }
    try buffer.forEachBlock(in: buffer.range(offset, length), assure: true, body)
  }
}

/// Gives the address of the byte at the offset, how many bytes lie in a row from there, and the length of all data.
///
/// The address stays valid as long as the buffer. -12707 where the block there has no memory yet.
@discardableResult
public func CMBlockBufferGetDataPointer(
  _ theBuffer: CMBlockBuffer, atOffset offset: Int, lengthAtOffsetOut: UnsafeMutablePointer<Int>?,
  totalLengthOut: UnsafeMutablePointer<Int>?, dataPointerOut: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> OSStatus {
  status { () throws(CMBlockBuffer.Error) in
    guard !theBuffer.hasNoSegments else { throw .emptyBlockBuffer }
    let row = try theBuffer.row(at: offset, assure: false)
    lengthAtOffsetOut?.pointee = row.count
    totalLengthOut?.pointee = theBuffer.length
    dataPointerOut?.pointee = row.baseAddress?.assumingMemoryBound(to: CChar.self)
  }
}

/// How many bytes of data the buffer has.
public func CMBlockBufferGetDataLength(_ theBuffer: CMBlockBuffer) -> Int { theBuffer.length }

/// Whether the bytes of the range lie in a row. A `length` of 0 means all from the offset on; false for a range outside
/// the data.
public func CMBlockBufferIsRangeContiguous(_ theBuffer: CMBlockBuffer, atOffset offset: Int, length: Int) -> Bool {
  guard let range = try? theBuffer.range(offset, length, zeroMeansAll: true) else { return false }
  return theBuffer.isContiguous(range)
}

/// Whether the buffer has neither blocks nor references.
public func CMBlockBufferIsEmpty(_ theBuffer: CMBlockBuffer) -> Bool { theBuffer.hasNoSegments }
public func CMBlockBufferGetTypeID() -> CFTypeID {
  CFTypeID(bitPattern: ObjectIdentifier(CMBlockBuffer.self).hashValue)
}
