public import CoreVideo

public typealias CMSampleBufferMakeDataReadyCallback = (CMSampleBuffer, UnsafeMutableRawPointer?) -> OSStatus
public typealias CMSampleBufferMakeDataReadyHandler = (CMSampleBuffer) -> OSStatus

extension CMSampleBuffer.Parts {
  /// The parts, checked: arrays have no entry, one for all, or one a sample; sizes are not negative and fit the data.
  func checked() throws(CMSampleBuffer.Error) -> CMSampleBuffer.Parts {
    guard count >= 0 else { throw .requiredParameterMissing }
    for entries in [timings.count, sizes.count] where entries > 1 && entries != count { throw .invalidEntryCount }
    if timings.count == 1, count > 1, timings[0].decodeTimeStamp.isValid, !timings[0].duration.isNumeric {
      throw .sampleTimingInfoInvalid
    }
    if isReady, count > 0, dataBuffer == nil, image == nil { throw .requiredParameterMissing }
    guard sizes.allSatisfy({ $0 >= 0 }) else { throw .invalidSampleData }
    return self
  }
}

/// Makes a sample buffer. Arrays of one element stand for all samples; everything is copied.
///
/// The data may be null or not there yet unless `dataReady`. -12738 where a count of entries is neither 0, 1 nor the
/// number of samples,
/// -12731 for a negative number of samples, or for samples that are ready and have no data.
@discardableResult
public func CMSampleBufferCreate(
  allocator: CFAllocator?, dataBuffer: CMBlockBuffer?, dataReady: Bool,
  makeDataReadyCallback: CMSampleBufferMakeDataReadyCallback?,
  refcon makeDataReadyRefcon: UnsafeMutableRawPointer?, formatDescription: CMFormatDescription?,
  sampleCount numSamples: CMItemCount,
  sampleTimingEntryCount numSampleTimingEntries: CMItemCount, sampleTimingArray: UnsafePointer<CMSampleTimingInfo>?,
  sampleSizeEntryCount numSampleSizeEntries: CMItemCount, sampleSizeArray: UnsafePointer<Int>?,
  sampleBufferOut: UnsafeMutablePointer<CMSampleBuffer?>
) -> OSStatus {
  var handler: CMSampleBufferMakeDataReadyHandler?
  if let callback = makeDataReadyCallback {
    nonisolated(unsafe) let refcon = makeDataReadyRefcon
    handler = { callback($0, refcon) }
  }
  return CMSampleBufferCreateWithMakeDataReadyHandler(
    allocator: allocator, dataBuffer: dataBuffer, dataReady: dataReady, formatDescription: formatDescription,
    sampleCount: numSamples, sampleTimingEntryCount: numSampleTimingEntries, sampleTimingArray: sampleTimingArray,
    sampleSizeEntryCount: numSampleSizeEntries, sampleSizeArray: sampleSizeArray, sampleBufferOut: sampleBufferOut,
    makeDataReadyHandler: handler)
}

/// `CMSampleBufferCreate` with a closure that makes the data ready.
@discardableResult
public func CMSampleBufferCreateWithMakeDataReadyHandler(
  allocator: CFAllocator?, dataBuffer: CMBlockBuffer?, dataReady: Bool, formatDescription: CMFormatDescription?,
  sampleCount numSamples: CMItemCount, sampleTimingEntryCount numSampleTimingEntries: CMItemCount,
  sampleTimingArray: UnsafePointer<CMSampleTimingInfo>?, sampleSizeEntryCount numSampleSizeEntries: CMItemCount,
  sampleSizeArray: UnsafePointer<Int>?, sampleBufferOut: UnsafeMutablePointer<CMSampleBuffer?>,
  makeDataReadyHandler: CMSampleBufferMakeDataReadyHandler?
) -> OSStatus {
  sampleStatus { () throws(CMSampleBuffer.Error) in
    let parts = CMSampleBuffer.Parts(
      dataBuffer: dataBuffer, isReady: dataReady, makeReady: makeDataReadyHandler.map(throwing),
      format: formatDescription,
      count: numSamples, timings: try entries(sampleTimingArray, numSampleTimingEntries, of: numSamples),
      sizes: try entries(sampleSizeArray, numSampleSizeEntries, of: numSamples))
    sampleBufferOut.pointee = CMSampleBuffer(try parts.checked())
  }
}

/// `CMSampleBufferCreate` of data that is there.
@discardableResult
public func CMSampleBufferCreateReady(
  allocator: CFAllocator?, dataBuffer: CMBlockBuffer?, formatDescription: CMFormatDescription?,
  sampleCount numSamples: CMItemCount, sampleTimingEntryCount numSampleTimingEntries: CMItemCount,
  sampleTimingArray: UnsafePointer<CMSampleTimingInfo>?, sampleSizeEntryCount numSampleSizeEntries: CMItemCount,
  sampleSizeArray: UnsafePointer<Int>?, sampleBufferOut: UnsafeMutablePointer<CMSampleBuffer?>
) -> OSStatus {
  CMSampleBufferCreateWithMakeDataReadyHandler(
    allocator: allocator, dataBuffer: dataBuffer, dataReady: true, formatDescription: formatDescription,
    sampleCount: numSamples,
    sampleTimingEntryCount: numSampleTimingEntries, sampleTimingArray: sampleTimingArray,
    sampleSizeEntryCount: numSampleSizeEntries, sampleSizeArray: sampleSizeArray, sampleBufferOut: sampleBufferOut,
    makeDataReadyHandler: nil)
}

private func entries<Entry>(
  _ array: UnsafePointer<Entry>?, _ count: Int, of samples: Int
) throws(CMSampleBuffer.Error) -> [Entry] {
  guard count == 0 || count == 1 || count == samples else { throw .invalidEntryCount }
  guard count > 0 else { return [] }
  guard let array else { throw .requiredParameterMissing }
  return Array(UnsafeBufferPointer(start: array, count: count))
}

/// A handler that returns a status, as one that throws it.
func throwing(_ handler: @escaping CMSampleBufferMakeDataReadyHandler) -> (CMSampleBuffer) throws -> Void {
  { buffer in
    let status = handler(buffer)
    guard status == noErr else { throw CMSampleBuffer.Error(code: status) }
  }
}

// MARK: - Images

/// Makes a sample buffer of one image. -12743 where the format description does not describe the image.
@discardableResult
public func CMSampleBufferCreateForImageBuffer(
  allocator: CFAllocator?, imageBuffer: CVImageBuffer, dataReady: Bool,
  makeDataReadyCallback: CMSampleBufferMakeDataReadyCallback?,
  refcon makeDataReadyRefcon: UnsafeMutableRawPointer?, formatDescription: CMVideoFormatDescription,
  sampleTiming: UnsafePointer<CMSampleTimingInfo>, sampleBufferOut: UnsafeMutablePointer<CMSampleBuffer?>
) -> OSStatus {
  sampleStatus { () throws(CMSampleBuffer.Error) in
    var handler: ((CMSampleBuffer) throws -> Void)?
    if let callback = makeDataReadyCallback {
      nonisolated(unsafe) let refcon = makeDataReadyRefcon
      handler = throwing { callback($0, refcon) }
    }
    sampleBufferOut.pointee = CMSampleBuffer(
      try CMSampleBuffer.imageParts(imageBuffer, dataReady, handler, formatDescription, sampleTiming.pointee))
  }
}

/// Makes a sample buffer of one image that is there. -12743 where the format description does not describe the image.
@discardableResult
public func CMSampleBufferCreateReadyWithImageBuffer(
  allocator: CFAllocator?, imageBuffer: CVImageBuffer, formatDescription: CMVideoFormatDescription,
  sampleTiming: UnsafePointer<CMSampleTimingInfo>, sampleBufferOut: UnsafeMutablePointer<CMSampleBuffer?>
) -> OSStatus {
  sampleStatus { () throws(CMSampleBuffer.Error) in
    sampleBufferOut.pointee = CMSampleBuffer(
      try CMSampleBuffer.imageParts(imageBuffer, true, nil, formatDescription, sampleTiming.pointee))
  }
}

extension CMSampleBuffer {
  /// What a buffer of one image is made of. Throws `invalidMediaFormat` where the format description does not describe
  /// it.
  static func imageParts(
    _ image: CVImageBuffer, _ isReady: Bool, _ makeReady: ((CMSampleBuffer) throws -> Void)?,
    _ format: CMFormatDescription,
    _ timing: CMSampleTimingInfo
  ) throws(Error) -> Parts {
    guard format.matchesImageBuffer(image) else { throw .invalidMediaFormat }
    return Parts(image: image, isReady: isReady, makeReady: makeReady, format: format, count: 1, timings: [timing])
  }
}
