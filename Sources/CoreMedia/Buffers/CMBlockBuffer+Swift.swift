public import CoreVideo
internal import Foundation

/// What stands for a range of a block buffer's bytes: the whole buffer or a slice.
public protocol CMBlockBufferProtocol {
  /// The buffer that holds the bytes.
  var owner: CMBlockBuffer { get }
  /// The range's first byte in the owner.
  var startIndex: Int { get }
  /// The byte after the range's last one in the owner.
  var endIndex: Int { get }
}

extension CMBlockBuffer: CMBlockBufferProtocol {
  public var owner: CMBlockBuffer { self }
  public var startIndex: Int { 0 }
  public var endIndex: Int { length }

  /// A range of a block buffer's bytes; it keeps the buffer.
  public struct Slice: CMBlockBufferProtocol, Sendable {
    public let owner: CMBlockBuffer
    public let startIndex: Int
    public let endIndex: Int
  }
}

extension CMBlockBufferProtocol {
  /// How many bytes there are.
  public var dataLength: Int { endIndex - startIndex }
  /// Whether the bytes lie in a row.
  public var isContiguous: Bool { owner.isContiguous(startIndex..<endIndex) }

  public func isRangeContiguous(_ range: Range<Int>) -> Bool {
    range.lowerBound >= startIndex && range.upperBound <= endIndex && owner.isContiguous(range)
  }

  /// A part of the bytes, by the owner's offsets, which must lie in this range.
  public subscript<R: RangeExpression>(range: R) -> CMBlockBuffer.Slice where R.Bound == Int {
    let bounds = range.relative(to: startIndex..<endIndex)
    precondition(
      bounds.lowerBound >= startIndex && bounds.upperBound <= endIndex,
      "The range \(bounds) is not in \(startIndex)..<\(endIndex).")
    return CMBlockBuffer.Slice(owner: owner, startIndex: bounds.lowerBound, endIndex: bounds.upperBound)
  }

  /// A copy of the bytes.
  public func dataBytes() throws -> Data {
    var data = Data(count: dataLength)
    try data.withUnsafeMutableBytes { try copyDataBytes(to: $0) }
    return data
  }

  /// Copies the bytes to the start of `destination`. Throws `insufficientSpace` where it is too small.
  public func copyDataBytes(to destination: UnsafeMutableRawBufferPointer) throws {
    guard destination.count >= dataLength else { throw CMBlockBuffer.Error.insufficientSpace }
    guard let base = destination.baseAddress, dataLength > 0 else { return }
    try owner.copyBytes(in: startIndex..<endIndex, to: base)
  }

  /// Writes all of `source` over the first bytes; blocks without memory are allocated.
  public func replaceDataBytes(with source: UnsafeRawBufferPointer) throws {
    guard source.count <= dataLength else { throw CMBlockBuffer.Error.badLengthParameter }
    try owner.forEachBlock(in: startIndex..<(startIndex + source.count), assure: true) { block, offset in
      block.copyMemory(from: UnsafeRawBufferPointer(rebasing: source[offset..<(offset + block.count)]))
    }
  }

  /// Fills all bytes with one value; blocks without memory are allocated.
  public func fillDataBytes(with byte: Int8) throws {
    try owner.forEachBlock(in: startIndex..<endIndex, assure: true) { block, _ in
      block.initializeMemory(as: Int8.self, repeating: byte)
    }
  }

  /// A buffer of the same bytes in a row: a reference where they already are, unless `flags` ask for a copy.
  public func makeContiguous(
    blockAllocator: CFAllocator? = kCFAllocatorDefault, flags: CMBlockBuffer.Flags = []
  ) throws -> CMBlockBuffer {
    guard dataLength > 0 else { return CMBlockBuffer() }
    var buffer: CMBlockBuffer?
    let status = CMBlockBufferCreateContiguous(
      allocator: nil, sourceBuffer: owner, blockAllocator: blockAllocator, customBlockSource: nil,
      offsetToData: startIndex,
      dataLength: dataLength, flags: flags.rawValue, blockBufferOut: &buffer)
    guard let buffer else { throw CMBlockBuffer.Error(code: status) }
    return buffer
  }

  /// Calls `body` with the bytes in a row: in place where they are, else of a copy.
  public func withContiguousStorage<R>(_ body: (UnsafeRawBufferPointer) throws -> R) throws -> R {
    guard dataLength > 0 else { return try body(UnsafeRawBufferPointer(start: nil, count: 0)) }
    let range = startIndex..<endIndex
    if let place = try owner.pointerToRow(range) {
      return try withExtendedLifetime(owner) { try body(UnsafeRawBufferPointer(start: place, count: range.count)) }
    }
    return try dataBytes().withUnsafeBytes(body)
  }
}

extension CMBlockBuffer {
  public typealias CustomBlockAllocator = @Sendable (_ length: Int) -> UnsafeMutableRawPointer?
  public typealias CustomBlockDeallocator = @Sendable (_ block: UnsafeMutableRawPointer, _ length: Int) -> Void

  public convenience init(capacity: Int = 0, flags: Flags = []) throws { self.init() }

  /// A buffer of new memory.
  public convenience init(
    length: Int, allocator: CFAllocator? = kCFAllocatorDefault, range: Range<Int>? = nil, flags: Flags = []
  )
    throws
  {
    self.init()
    try append(length: length, allocator: allocator, range: range, flags: flags)
  }

  /// A buffer of the given memory, freed with the allocator.
  public convenience init(
    buffer: UnsafeMutableRawBufferPointer, allocator: CFAllocator? = kCFAllocatorDefault, flags: Flags = []
  ) throws {
    self.init()
    try append(buffer: buffer, allocator: allocator, flags: flags)
  }

  /// A buffer of the given memory, freed by the closure.
  public convenience init(
    buffer: UnsafeMutableRawBufferPointer, deallocator: @escaping CustomBlockDeallocator, flags: Flags = []
  ) throws {
    self.init()
    try append(buffer: buffer, deallocator: deallocator, flags: flags)
  }

  /// A buffer that refers to a range of another.
  public convenience init<T: CMBlockBufferProtocol>(bufferReference: T, flags: Flags = []) throws {
    self.init()
    try append(bufferReference: bufferReference, flags: flags)
  }

  /// A buffer of new memory that `fill` writes; without segments where `length` is 0.
  package convenience init(length: Int, fill: (UnsafeMutableRawBufferPointer) throws -> Void) throws {
    self.init()
    guard length > 0 else { return }
    let memory = BlockMemory(system: nil, length: length)
    guard let base = memory.assured() else { throw Error.blockAllocationFailed }
    try fill(UnsafeMutableRawBufferPointer(start: base, count: length))
    append(Segment(source: .memory(memory), offset: 0, length: length))
  }

  /// A buffer of a copy of the bytes; without segments where there are none.
  package convenience init(copying data: Data) throws(Error) {
    self.init()
    guard !data.isEmpty else { return }
    let memory = BlockMemory(system: nil, length: data.count)
    guard let base = memory.assured() else { throw .blockAllocationFailed }
    data.copyBytes(to: UnsafeMutableRawBufferPointer(start: base, count: data.count))
    append(Segment(source: .memory(memory), offset: 0, length: data.count))
  }

  public var isEmpty: Bool { hasNoSegments }

  public func append(
    length: Int, allocator: CFAllocator? = kCFAllocatorDefault, range: Range<Int>? = nil, flags: Flags = []
  ) throws {
    let range = range ?? 0..<max(0, length)
    try check(
      CMBlockBufferAppendMemoryBlock(
        self, memoryBlock: nil, length: length, blockAllocator: allocator, customBlockSource: nil,
        offsetToData: range.lowerBound,
        dataLength: range.count, flags: flags.rawValue))
  }

  public func append(
    buffer: UnsafeMutableRawBufferPointer, allocator: CFAllocator? = kCFAllocatorDefault, flags: Flags = []
  ) throws {
    try check(
      CMBlockBufferAppendMemoryBlock(
        self, memoryBlock: buffer.baseAddress, length: buffer.count, blockAllocator: allocator, customBlockSource: nil,
        offsetToData: 0, dataLength: buffer.count, flags: flags.rawValue))
  }

  public func append(
    buffer: UnsafeMutableRawBufferPointer, deallocator: @escaping CustomBlockDeallocator, flags: Flags = []
  ) throws {
    guard let base = buffer.baseAddress, buffer.count > 0 else { throw Error.badLengthParameter }
    let memory = BlockMemory(pointer: base, length: buffer.count, allocate: { _ in nil }, free: deallocator)
    append(Segment(source: .memory(memory), offset: 0, length: buffer.count))
  }

  public func append(
    length: Int, allocator: @escaping CustomBlockAllocator, deallocator: @escaping CustomBlockDeallocator,
    range: Range<Int>? = nil, flags: Flags = []
  ) throws {
    let range = range ?? 0..<max(0, length)
    guard length > 0, range.upperBound <= length else { throw Error.badLengthParameter }
    let memory = BlockMemory(pointer: nil, length: length, allocate: allocator, free: deallocator)
    if flags.contains(.assureMemoryNow), memory.assured() == nil { throw Error.blockAllocationFailed }
    append(Segment(source: .memory(memory), offset: range.lowerBound, length: range.count))
  }

  public func append<T: CMBlockBufferProtocol>(bufferReference: T, flags: Flags = []) throws {
    guard bufferReference.dataLength > 0 || flags.contains(.permitEmptyReference) else { throw Error.emptyBlockBuffer }
    try check(
      CMBlockBufferAppendBufferReference(
        self, targetBBuf: bufferReference.owner, offsetToData: bufferReference.startIndex,
        dataLength: bufferReference.dataLength,
        flags: flags.rawValue))
  }

  public func assureBlockMemory() throws { try check(CMBlockBufferAssureBlockMemory(self)) }

  /// Calls `body` with the bytes from the offset on that lie in a row; a block without memory is allocated.
  public func withUnsafeMutableBytes<R>(atOffset offset: Int = 0, _ body: (UnsafeMutableRawBufferPointer) throws -> R)
    throws -> R
  {
    guard !hasNoSegments else { throw Error.emptyBlockBuffer }
    let row = try row(at: offset, assure: true)
    return try withExtendedLifetime(self) { try body(row) }
  }

  private func check(_ status: OSStatus) throws {
    guard status == kCMBlockBufferNoErr else { throw Error(code: status) }
  }
}
