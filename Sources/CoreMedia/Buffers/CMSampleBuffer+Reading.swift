public import CoreVideo

// An invalidated buffer answers every question as an empty one would.

public func CMSampleBufferGetTypeID() -> CFTypeID {
  CFTypeID(bitPattern: ObjectIdentifier(CMSampleBuffer.self).hashValue)
}

/// The number of samples; 0 where the buffer is invalidated.
public func CMSampleBufferGetNumSamples(_ sbuf: CMSampleBuffer) -> CMItemCount { sbuf.numSamples }
/// The data; nil where it is an image or not there yet.
public func CMSampleBufferGetDataBuffer(_ sbuf: CMSampleBuffer) -> CMBlockBuffer? { sbuf.dataBuffer }
public func CMSampleBufferGetImageBuffer(_ sbuf: CMSampleBuffer) -> CVImageBuffer? { sbuf.imageBuffer }
public func CMSampleBufferGetFormatDescription(_ sbuf: CMSampleBuffer) -> CMFormatDescription? {
  sbuf.formatDescription
}
/// The sum of all sample durations; invalid where there is none.
public func CMSampleBufferGetDuration(_ sbuf: CMSampleBuffer) -> CMTime { sbuf.duration }
/// The earliest presentation time of all samples.
public func CMSampleBufferGetPresentationTimeStamp(_ sbuf: CMSampleBuffer) -> CMTime { sbuf.presentationTimeStamp }
/// The decode time of the first sample.
public func CMSampleBufferGetDecodeTimeStamp(_ sbuf: CMSampleBuffer) -> CMTime { sbuf.decodeTimeStamp }

extension CMSampleBuffer {
  public var isValid: Bool { withState { $0.isValid } }
  public var numSamples: Int { isValid ? sampleCount : 0 }
  public var dataBuffer: CMBlockBuffer? { withState { $0.isValid ? $0.dataBuffer : nil } }
  public var imageBuffer: CVImageBuffer? { isValid ? image : nil }
  public var formatDescription: CMFormatDescription? { isValid ? format : nil }
  /// The sum of all sample durations, whatever gaps lie between the samples; invalid where there is no timing.
  public var duration: CMTime { isValid ? timings.duration : .invalid }
  /// The earliest presentation time of all samples.
  public var presentationTimeStamp: CMTime { isValid ? timings.presentationTimeStamp : .invalid }
  /// The decode time of the first sample; invalid where samples are stored in presentation order.
  public var decodeTimeStamp: CMTime { isValid ? timings.decodeTimeStamp : .invalid }
}
