public import CoreVideo

/// A row of things: where it starts and how many there are.
public struct CFRange: Hashable, Sendable {
  public var location: Int
  public var length: Int

  public init() { self.init(location: 0, length: 0) }
  public init(location: Int, length: Int) {
    self.location = location
    self.length = length
  }
}

public func CFRangeMake(_ location: Int, _ length: Int) -> CFRange { CFRange(location: location, length: length) }

extension CMSampleBuffer {
  /// What a copy is made of; the data is shared.
  func parts() throws(Error) -> Parts {
    let (isValid, data, readiness) = withState { ($0.isValid, $0.dataBuffer, $0.readiness) }
    guard isValid else { throw .invalidated }
    return Parts(
      dataBuffer: data, image: image, isReady: readiness == .ready, makeReady: makeReady, format: format,
      count: sampleCount,
      timings: timings.entries, sizes: sizes)
  }

  /// A copy that shares the data and has the attachments of `original`; it becomes ready with it.
  convenience init(_ parts: Parts, like original: CMSampleBuffer, samples: Range<Int>? = nil) throws(Error) {
    self.init(parts)
    if !parts.isReady { try track(original) }
    CMPropagateAttachments(original, destination: self)
    let attachments = original.withState { $0.sampleAttachments }
    guard let attachments else { return }
    withState { $0.sampleAttachments = Array(attachments[samples ?? 0..<attachments.count]) }
  }

  /// A copy that shares the data.
  public convenience init(copying original: CMSampleBuffer) throws {
    try self.init(original.parts(), like: original)
    if case let time = original.withState({ $0.outputPresentationTimeStamp }), time.isValid { try setOutputTime(time) }
  }

  /// A copy that shares the data and has other times: none, one entry for all samples, or one for each.
  public convenience init(copying original: CMSampleBuffer, withNewTiming timings: [CMSampleTimingInfo]) throws {
    try self.init(retiming: original, timings)
  }

  convenience init(retiming original: CMSampleBuffer, _ timings: [CMSampleTimingInfo]) throws(Error) {
    var parts = try original.parts()
    guard timings.count <= 1 || timings.count == parts.count else { throw .invalidEntryCount }
    parts.timings = timings
    try self.init(parts, like: original)
  }

  /// A copy of some samples that shares their data.
  public convenience init(copying original: CMSampleBuffer, forRange range: Range<Int>) throws {
    try self.init(cutting: original, range)
  }

  convenience init(cutting original: CMSampleBuffer, _ range: Range<Int>) throws(Error) {
    var parts = try original.parts()
    guard range.lowerBound >= 0, range.upperBound <= parts.count else { throw .sampleIndexOutOfRange }
    if range.count < parts.count {
      guard original.image == nil || range.isEmpty else { throw .cannotSubdivide }
      parts.dataBuffer = range.isEmpty ? nil : try original.data(of: range)
    }
    parts.count = range.count
    parts.timings = original.timings.slice(range)
    if parts.sizes.count > 1 { parts.sizes = Array(parts.sizes[range]) }
    try self.init(parts, like: original, samples: range)
    keepAtEnds(of: original, isFirst: range.lowerBound == 0, isLast: range.upperBound == original.sampleCount)
  }

  /// The bytes of some samples.
  private func data(of range: Range<Int>) throws(Error) -> CMBlockBuffer {
    guard !sizes.isEmpty else { throw .cannotSubdivide }
    guard let data = withState({ $0.dataBuffer }) else { throw .bufferNotReady }
    guard let start = byteCount(of: 0..<range.lowerBound), let length = byteCount(of: range) else {
      throw .invalidSampleData
    }
    guard length > 0 else { return CMBlockBuffer() }
    var part: CMBlockBuffer?
    _ = CMBlockBufferCreateWithBufferReference(
      allocator: nil, referenceBuffer: data, offsetToData: start, dataLength: length, flags: 0, blockBufferOut: &part)
    guard let part else { throw .invalidSampleData }
    return part
  }

  /// A decoder is reset before the first of the parts and drained after the last, not at each.
  private func keepAtEnds(of original: CMSampleBuffer, isFirst: Bool, isLast: Bool) {
    if !isFirst { CMRemoveAttachment(self, key: kCMSampleBufferAttachmentKey_ResetDecoderBeforeDecoding) }
    if !isLast { CMRemoveAttachment(self, key: kCMSampleBufferAttachmentKey_DrainAfterDecoding) }
  }

  /// Every sample as a buffer of its own.
  public struct SingleSampleBuffers: RandomAccessCollection, Sendable {
    let buffers: [CMSampleBuffer]
    public var startIndex: Int { 0 }
    public var endIndex: Int { buffers.count }
    public subscript(position: Int) -> CMSampleBuffer { buffers[position] }
  }

  /// Every sample as a buffer of its own that shares the data. Throws `cannotSubdivide` where several samples have no
  /// sizes.
  public func singleSampleBuffers() throws -> SingleSampleBuffers {
    guard isValid else { throw Error.invalidated }
    return SingleSampleBuffers(buffers: try (0..<sampleCount).map { try CMSampleBuffer(cutting: self, $0..<$0 + 1) })
  }
}

/// Makes a copy that shares the data.
@discardableResult
public func CMSampleBufferCreateCopy(
  allocator: CFAllocator?, sampleBuffer: CMSampleBuffer, sampleBufferOut: UnsafeMutablePointer<CMSampleBuffer?>
) -> OSStatus {
  do {
    sampleBufferOut.pointee = try CMSampleBuffer(copying: sampleBuffer)
    return noErr
  } catch { return (error as? CMSampleBuffer.Error)?.code ?? kCMSampleBufferError_AllocationFailed }
}

/// Makes a copy that shares the data and has other times. -12738 where the count is neither 0, 1 nor the number of
/// samples.
@discardableResult
public func CMSampleBufferCreateCopyWithNewTiming(
  allocator: CFAllocator?, sampleBuffer: CMSampleBuffer, sampleTimingEntryCount: CMItemCount,
  sampleTimingArray: UnsafePointer<CMSampleTimingInfo>?, sampleBufferOut: UnsafeMutablePointer<CMSampleBuffer?>
) -> OSStatus {
  sampleStatus { () throws(CMSampleBuffer.Error) in
    guard sampleTimingEntryCount >= 0 else { throw .invalidEntryCount }
    guard sampleTimingEntryCount == 0 || sampleTimingArray != nil else { throw .requiredParameterMissing }
    let timings = Array(UnsafeBufferPointer(start: sampleTimingArray, count: sampleTimingEntryCount))
    sampleBufferOut.pointee = try CMSampleBuffer(retiming: sampleBuffer, timings)
  }
}

/// Makes a copy of some samples that shares their data. -12734 for samples that are not there, -12739 where several
/// samples have no sizes.
@discardableResult
public func CMSampleBufferCopySampleBufferForRange(
  allocator: CFAllocator?, sampleBuffer: CMSampleBuffer, sampleRange: CFRange,
  sampleBufferOut: UnsafeMutablePointer<CMSampleBuffer?>
) -> OSStatus {
  sampleStatus { () throws(CMSampleBuffer.Error) in
    let (end, overflow) = sampleRange.location.addingReportingOverflow(sampleRange.length)
    guard sampleRange.location >= 0, sampleRange.length >= 0, !overflow else { throw .sampleIndexOutOfRange }
    sampleBufferOut.pointee = try CMSampleBuffer(cutting: sampleBuffer, sampleRange.location..<end)
  }
}

/// Calls `handler` with every sample as a buffer of its own, until one call returns a status other than 0, and returns
/// that.
@discardableResult
public func CMSampleBufferCallBlockForEachSample(
  _ sbuf: CMSampleBuffer, handler: (CMSampleBuffer, CMItemCount) -> OSStatus
) -> OSStatus {
  var result = noErr
  let status = sampleStatus { () throws(CMSampleBuffer.Error) in
    guard sbuf.isValid else { throw .invalidated }
    for index in 0..<sbuf.sampleCount where result == noErr {
      result = handler(try CMSampleBuffer(cutting: sbuf, index..<index + 1), index)
    }
  }
  return status == noErr ? result : status
}

/// `CMSampleBufferCallBlockForEachSample` with a function and a pointer for it.
@discardableResult
public func CMSampleBufferCallForEachSample(
  _ sbuf: CMSampleBuffer, callback: (CMSampleBuffer, CMItemCount, UnsafeMutableRawPointer?) -> OSStatus,
  refcon: UnsafeMutableRawPointer?
) -> OSStatus {
  CMSampleBufferCallBlockForEachSample(sbuf) { callback($0, $1, refcon) }
}
