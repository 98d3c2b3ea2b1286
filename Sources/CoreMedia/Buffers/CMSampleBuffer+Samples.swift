public import CoreVideo

// The timing and the size of each sample.

extension CMSampleBuffer {
  /// The timing of one sample, its own times even where one entry stands for all.
  public func sampleTimingInfo(at index: CMItemIndex) throws -> CMSampleTimingInfo { try timing(at: index) }

  func timing(at index: Int) throws(Error) -> CMSampleTimingInfo {
    guard isValid else { throw .invalidated }
    guard (0..<sampleCount).contains(index) else { throw .sampleIndexOutOfRange }
    guard !timings.isEmpty else { throw .bufferHasNoSampleTimingInfo }
    return timings[index]
  }

  /// The timing entries as stored: one where it stands for all samples.
  public func sampleTimingInfos() throws -> [CMSampleTimingInfo] { try storedTimings() }

  func storedTimings() throws(Error) -> [CMSampleTimingInfo] {
    guard isValid else { throw .invalidated }
    guard !timings.isEmpty else { throw .bufferHasNoSampleTimingInfo }
    return timings.entries
  }

  /// The sizes in bytes as stored: one where it stands for all samples.
  public func sampleSizes() throws -> [Int] { try storedSizes() }

  func storedSizes() throws(Error) -> [Int] {
    guard isValid else { throw .invalidated }
    guard !sizes.isEmpty else { throw .bufferHasNoSampleSizes }
    return sizes
  }

  /// The size of one sample in bytes; 0 where there is no such sample or no size.
  public func sampleSize(at index: Int) -> Int {
    guard isValid, (0..<sampleCount).contains(index), let first = sizes.first else { return 0 }
    return sizes.count == 1 ? first : sizes[index]
  }

  /// The size of all samples in bytes; 0 where there are no sizes.
  public var totalSampleSize: Int { isValid ? byteCount(of: 0..<sampleCount) ?? .max : 0 }

  /// The bytes that the samples have; nil where they are more than can be counted.
  func byteCount(of range: Range<Int>) -> Int? {
    guard sizes.count != 1 else {
      let (total, overflow) = sizes[0].multipliedReportingOverflow(by: range.count)
      return overflow ? nil : total
    }
    var total = 0
    for size in sizes.isEmpty ? [] : sizes[range] {
      let (sum, overflow) = total.addingReportingOverflow(size)
      if overflow { return nil }
      total = sum
    }
    return total
  }
}

/// The timing of one sample. -12734 where there is no such sample, -12736 where there is no timing.
@discardableResult
public func CMSampleBufferGetSampleTimingInfo(
  _ sbuf: CMSampleBuffer, at sampleIndex: CMItemIndex, timingInfoOut: UnsafeMutablePointer<CMSampleTimingInfo>
) -> OSStatus {
  sampleStatus { () throws(CMSampleBuffer.Error) in timingInfoOut.pointee = try sbuf.timing(at: sampleIndex) }
}

/// The timing entries as stored, one where it stands for all; how many there are, where `arrayToFill` is null. -12737
/// where it is too small,
/// -12736 where there is no timing.
@discardableResult
public func CMSampleBufferGetSampleTimingInfoArray(
  _ sbuf: CMSampleBuffer, entryCount: CMItemCount, arrayToFill: UnsafeMutablePointer<CMSampleTimingInfo>?,
  entriesNeededOut: UnsafeMutablePointer<CMItemCount>?
) -> OSStatus {
  fill(arrayToFill, entryCount, entriesNeededOut) { () throws(CMSampleBuffer.Error) in try sbuf.storedTimings() }
}

/// The sizes in bytes as stored, one where it stands for all; how many there are, where `arrayToFill` is null. -12737
/// where it is too small,
/// -12735 where there are no sizes.
@discardableResult
public func CMSampleBufferGetSampleSizeArray(
  _ sbuf: CMSampleBuffer, entryCount: CMItemCount, arrayToFill: UnsafeMutablePointer<Int>?,
  entriesNeededOut: UnsafeMutablePointer<CMItemCount>?
) -> OSStatus {
  fill(arrayToFill, entryCount, entriesNeededOut) { () throws(CMSampleBuffer.Error) in try sbuf.storedSizes() }
}

public func CMSampleBufferGetSampleSize(_ sbuf: CMSampleBuffer, at sampleIndex: CMItemIndex) -> Int {
  sbuf.sampleSize(at: sampleIndex)
}

public func CMSampleBufferGetTotalSampleSize(_ sbuf: CMSampleBuffer) -> Int { sbuf.totalSampleSize }

/// Copies what `entries` gives into an array of the caller's, if it is large enough.
func fill<Entry>(
  _ array: UnsafeMutablePointer<Entry>?, _ capacity: Int, _ needed: UnsafeMutablePointer<CMItemCount>?,
  _ entries: () throws(CMSampleBuffer.Error) -> [Entry]
) -> OSStatus {
  needed?.pointee = 0
  return sampleStatus { () throws(CMSampleBuffer.Error) in
    let entries = try entries()
    needed?.pointee = entries.count
    guard let array else { return }
    guard capacity >= entries.count else { throw .arrayTooSmall }
    array.update(from: entries, count: entries.count)
  }
}
