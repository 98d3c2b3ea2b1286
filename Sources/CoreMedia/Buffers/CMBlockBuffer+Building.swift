public import CoreVideo

public let kCMBlockBufferCustomBlockSourceVersion: UInt32 = 0

/// Functions that allocate and free the memory of one block. `version` must be 0; `AllocateBlock` may be null where
/// memory is given.
public struct CMBlockBufferCustomBlockSource {
  public typealias Allocate =
    @convention(c) (_ refCon: UnsafeMutableRawPointer?, _ sizeInBytes: Int) -> UnsafeMutableRawPointer?
  public typealias Free =
    @convention(c) (
      _ refCon: UnsafeMutableRawPointer?, _ doomedMemoryBlock: UnsafeMutableRawPointer, _ sizeInBytes: Int
    ) -> Void

  public var version: UInt32
  public var AllocateBlock: Allocate?
  public var FreeBlock: Free?
  public var refCon: UnsafeMutableRawPointer?

  public init() { self.init(version: 0, AllocateBlock: nil, FreeBlock: nil, refCon: nil) }
  public init(version: UInt32, AllocateBlock: Allocate?, FreeBlock: Free?, refCon: UnsafeMutableRawPointer?) {
    self.version = version
    self.AllocateBlock = AllocateBlock
    self.FreeBlock = FreeBlock
    self.refCon = refCon
  }
}

// MARK: - Creating

/// Makes a buffer without data. `capacity` and the allocator are hints without effect.
@discardableResult
public func CMBlockBufferCreateEmpty(
  allocator: CFAllocator?, capacity: UInt32, flags: CMBlockBufferFlags,
  blockBufferOut: UnsafeMutablePointer<CMBlockBuffer?>
) -> OSStatus {
  blockBufferOut.pointee = CMBlockBuffer()
  return kCMBlockBufferNoErr
}

/// Makes a buffer of `dataLength` bytes from `offsetToData` on in a memory block of `blockLength` bytes.
///
/// Given memory is freed with the last buffer that uses it: by the custom source, else by `free` unless
/// `blockAllocator` is `kCFAllocatorNull`. Null memory is allocated when first needed, or now with the flag. -12704 for
/// a block length of zero.
@discardableResult
public func CMBlockBufferCreateWithMemoryBlock(
  allocator: CFAllocator?, memoryBlock: UnsafeMutableRawPointer?, blockLength: Int, blockAllocator: CFAllocator?,
  customBlockSource: UnsafePointer<CMBlockBufferCustomBlockSource>?, offsetToData: Int, dataLength: Int,
  flags: CMBlockBufferFlags,
  blockBufferOut: UnsafeMutablePointer<CMBlockBuffer?>
) -> OSStatus {
  status { () throws(CMBlockBuffer.Error) in
    let memory = try blockMemory(memoryBlock, blockLength, blockAllocator, customBlockSource?.pointee, flags)
    blockBufferOut.pointee = CMBlockBuffer(segments: [try segment(of: memory, offsetToData, dataLength)])
  }
}

/// Makes a buffer of a range of another one, without copying. A `dataLength` of 0 means all from the offset on.
@discardableResult
public func CMBlockBufferCreateWithBufferReference(
  allocator: CFAllocator?, referenceBuffer: CMBlockBuffer, offsetToData: Int, dataLength: Int,
  flags: CMBlockBufferFlags,
  blockBufferOut: UnsafeMutablePointer<CMBlockBuffer?>
) -> OSStatus {
  status { () throws(CMBlockBuffer.Error) in
    let flags = CMBlockBuffer.Flags(rawValue: flags)
    blockBufferOut.pointee = CMBlockBuffer(segments: try segments(of: referenceBuffer, offsetToData, dataLength, flags))
  }
}

/// Makes a buffer whose bytes lie in a row: a reference where the source's already do and the flag does not ask for a
/// copy, else a copy. A `dataLength` of 0 means all from the offset on.
@discardableResult
public func CMBlockBufferCreateContiguous(
  allocator: CFAllocator?, sourceBuffer: CMBlockBuffer, blockAllocator: CFAllocator?,
  customBlockSource: UnsafePointer<CMBlockBufferCustomBlockSource>?, offsetToData: Int, dataLength: Int,
  flags: CMBlockBufferFlags,
  blockBufferOut: UnsafeMutablePointer<CMBlockBuffer?>
) -> OSStatus {
  status { () throws(CMBlockBuffer.Error) in
    let range = try sourceBuffer.range(offsetToData, dataLength, zeroMeansAll: true)
    guard flags & kCMBlockBufferAlwaysCopyDataFlag != 0 || !sourceBuffer.isContiguous(range) else {
      blockBufferOut.pointee = CMBlockBuffer(segments: sourceBuffer.segments(in: range))
      return
    }
    let assured = flags | kCMBlockBufferAssureMemoryNowFlag
    let memory = try blockMemory(nil, range.count, blockAllocator, customBlockSource?.pointee, assured)
    let copy = CMBlockBuffer(segments: [CMBlockBuffer.Segment(source: .memory(memory), offset: 0, length: range.count)])
    try sourceBuffer.copyBytes(in: range, to: copy.assuredPointer(at: 0))
    blockBufferOut.pointee = copy
  }
}

// MARK: - Appending

/// Adds a memory block, as `CMBlockBufferCreateWithMemoryBlock` takes it.
@discardableResult
public func CMBlockBufferAppendMemoryBlock(
  _ theBuffer: CMBlockBuffer, memoryBlock: UnsafeMutableRawPointer?, length blockLength: Int,
  blockAllocator: CFAllocator?,
  customBlockSource: UnsafePointer<CMBlockBufferCustomBlockSource>?, offsetToData: Int, dataLength: Int,
  flags: CMBlockBufferFlags
) -> OSStatus {
  status { () throws(CMBlockBuffer.Error) in
    let memory = try blockMemory(memoryBlock, blockLength, blockAllocator, customBlockSource?.pointee, flags)
    theBuffer.append(try segment(of: memory, offsetToData, dataLength))
  }
}

/// Adds a range of another buffer, without copying. A `dataLength` of 0 means all from the offset on.
@discardableResult
public func CMBlockBufferAppendBufferReference(
  _ theBuffer: CMBlockBuffer, targetBBuf: CMBlockBuffer, offsetToData: Int, dataLength: Int, flags: CMBlockBufferFlags
) -> OSStatus {
  status { () throws(CMBlockBuffer.Error) in
    let added = try segments(of: targetBBuf, offsetToData, dataLength, CMBlockBuffer.Flags(rawValue: flags))
    // A buffer that refers to itself as such would never end.
    guard !added.contains(where: { $0.leads(to: theBuffer) }) else { throw .badPointerParameter }
    for segment in added { theBuffer.append(segment) }
  }
}

/// Allocates every block that has not been yet, in referenced buffers too.
@discardableResult
public func CMBlockBufferAssureBlockMemory(_ theBuffer: CMBlockBuffer) -> OSStatus {
  status { () throws(CMBlockBuffer.Error) in
    guard !theBuffer.hasNoSegments else { throw .emptyBlockBuffer }
    try theBuffer.forEachBlock(in: 0..<theBuffer.length, assure: true) { _, _ in }
  }
}

// MARK: - Parts

private func blockMemory(
  _ pointer: UnsafeMutableRawPointer?, _ length: Int, _ allocator: CFAllocator?,
  _ source: CMBlockBufferCustomBlockSource?,
  _ flags: CMBlockBufferFlags
) throws(CMBlockBuffer.Error) -> BlockMemory {
  guard length > 0 else { throw .badLengthParameter }
  let memory: BlockMemory
  if let source {
    guard source.version == kCMBlockBufferCustomBlockSourceVersion, pointer != nil || source.AllocateBlock != nil else {
      throw .badCustomBlockSource
    }
    memory = BlockMemory(
      pointer: pointer, length: length, allocate: { source.AllocateBlock?(source.refCon, $0) },
      free: { source.FreeBlock?(source.refCon, $0, $1) })
  } else if allocator === kCFAllocatorNull {
    guard pointer != nil else { throw .blockAllocationFailed }
    memory = BlockMemory(pointer: pointer, length: length, allocate: { _ in nil }, free: { _, _ in })
  } else {
    memory = BlockMemory(system: pointer, length: length)
  }
  if flags & kCMBlockBufferAssureMemoryNowFlag != 0, memory.assured() == nil { throw .blockAllocationFailed }
  return memory
}

private func segment(of memory: BlockMemory, _ offset: Int, _ length: Int) throws(CMBlockBuffer.Error)
  -> CMBlockBuffer.Segment
{
  guard (0...memory.length).contains(offset) else { throw .badOffsetParameter }
  guard (0...memory.length - offset).contains(length) else { throw .badLengthParameter }
  return CMBlockBuffer.Segment(source: .memory(memory), offset: offset, length: length)
}

private func segments(
  of buffer: CMBlockBuffer, _ offset: Int, _ length: Int, _ flags: CMBlockBuffer.Flags
) throws(CMBlockBuffer.Error) -> [CMBlockBuffer.Segment] {
  guard offset >= 0 else { throw .badOffsetParameter }
  guard length >= 0, !offset.addingReportingOverflow(length).overflow else { throw .badLengthParameter }
  let reference = CMBlockBuffer.Segment(source: .buffer(buffer), offset: offset, length: length)
  if flags.contains(.permitEmptyReference), offset + length > buffer.length || buffer.hasNoSegments {
    return [reference]
  }
  guard !buffer.hasNoSegments else { throw .emptyBlockBuffer }
  let range = try buffer.range(offset, length, zeroMeansAll: true)
  guard flags.contains(.dontOptimizeDepth) else { return buffer.segments(in: range) }
  return [CMBlockBuffer.Segment(source: .buffer(buffer), offset: range.lowerBound, length: range.count)]
}

extension CMBlockBuffer.Segment {
  func leads(to buffer: CMBlockBuffer) -> Bool {
    guard case .buffer(let target) = source else { return false }
    return target === buffer || target.segments(in: 0..<target.length).contains { $0.leads(to: buffer) }
  }
}
