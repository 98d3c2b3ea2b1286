public import CoreVideo

// When the samples are to be presented once the attachments that trim, stretch and reverse them have been followed.

extension CMSampleBuffer {
  private var trimAtStart: CMTime { time(kCMSampleBufferAttachmentKey_TrimDurationAtStart) }
  private var trimAtEnd: CMTime { time(kCMSampleBufferAttachmentKey_TrimDurationAtEnd) }
  private var isReversed: Bool { attachmentStore.get(kCMSampleBufferAttachmentKey_Reverse)?.value as? Bool ?? false }

  /// How many times faster than recorded; 1 where it is not said or not a positive number.
  private var speed: Double {
    let speed = number(attachmentStore.get(kCMSampleBufferAttachmentKey_SpeedMultiplier)?.value) ?? 1
    return speed.isFinite && speed > 0 ? speed : 1
  }

  private func time(_ key: String) -> CMTime {
    switch attachmentStore.get(key)?.value {
    case let time as CMTime: time
    case let dictionary as CFDictionary: CMTimeMakeFromDictionary(dictionary)
    default: .zero
    }
  }

  private func stretched(_ time: CMTime) -> CMTime {
    speed == 1 ? time : CMTimeMultiplyByFloat64(time, multiplier: 1 / speed)
  }

  /// (duration - trimmed at start - trimmed at end) / speed.
  public var outputDuration: CMTime { stretched(duration - trimAtStart - trimAtEnd) }

  /// What was set, else the presentation time after the trimmed start; of reversed samples, the end before the trimmed
  /// end.
  public var outputPresentationTimeStamp: CMTime {
    let (isValid, explicit) = withState { ($0.isValid, $0.outputPresentationTimeStamp) }
    guard isValid else { return .invalid }
    if explicit.isValid { return explicit }
    return isReversed ? presentationTimeStamp + duration - trimAtEnd : presentationTimeStamp + trimAtStart
  }

  /// Output presentation time + (decode time - presentation time) / speed.
  public var outputDecodeTimeStamp: CMTime {
    outputPresentationTimeStamp + stretched(decodeTimeStamp - presentationTimeStamp)
  }

  /// Sets the output presentation time; an invalid time goes back to what is calculated.
  public func setOutputPresentationTimeStamp(_ time: CMTime) throws { try setOutputTime(time) }

  func setOutputTime(_ time: CMTime) throws(Error) {
    let isValid = withState { state in
      if state.isValid { state.outputPresentationTimeStamp = time }
      return state.isValid
    }
    guard isValid else { throw .invalidated }
  }

  /// The timing of each sample on the output time line. Trimmed samples come before the output presentation time or
  /// after its end.
  public func outputSampleTimingInfos() throws -> [CMSampleTimingInfo] { try outputTimings() }

  func outputTimings() throws(Error) -> [CMSampleTimingInfo] {
    let stored = try storedTimings()
    let origin = isReversed ? presentationTimeStamp + duration - trimAtEnd : presentationTimeStamp + trimAtStart
    let isSame = speed == 1 && !isReversed && origin == outputPresentationTimeStamp
    if isSame { return stored }
    return (0..<(stored.count == 1 && !isReversed ? 1 : sampleCount)).map { output(of: timings[$0], origin) }
  }

  private func output(of timing: CMSampleTimingInfo, _ origin: CMTime) -> CMSampleTimingInfo {
    let time = timing.presentationTimeStamp
    let offset = isReversed ? origin - (time + timing.duration) : time - origin
    let presentation = outputPresentationTimeStamp + stretched(offset)
    return CMSampleTimingInfo(
      duration: stretched(timing.duration), presentationTimeStamp: presentation,
      decodeTimeStamp: presentation + stretched(timing.decodeTimeStamp - time))
  }
}

public func CMSampleBufferGetOutputDuration(_ sbuf: CMSampleBuffer) -> CMTime { sbuf.outputDuration }
public func CMSampleBufferGetOutputPresentationTimeStamp(_ sbuf: CMSampleBuffer) -> CMTime {
  sbuf.outputPresentationTimeStamp
}
public func CMSampleBufferGetOutputDecodeTimeStamp(_ sbuf: CMSampleBuffer) -> CMTime { sbuf.outputDecodeTimeStamp }

/// Sets the output presentation time; an invalid time goes back to what is calculated.
@discardableResult
public func CMSampleBufferSetOutputPresentationTimeStamp(_ sbuf: CMSampleBuffer, newValue: CMTime) -> OSStatus {
  sampleStatus { () throws(CMSampleBuffer.Error) in try sbuf.setOutputTime(newValue) }
}

/// `CMSampleBufferGetSampleTimingInfoArray` on the output time line.
@discardableResult
public func CMSampleBufferGetOutputSampleTimingInfoArray(
  _ sbuf: CMSampleBuffer, entryCount: CMItemCount, arrayToFill: UnsafeMutablePointer<CMSampleTimingInfo>?,
  entriesNeededOut: UnsafeMutablePointer<CMItemCount>?
) -> OSStatus {
  fill(arrayToFill, entryCount, entriesNeededOut) { () throws(CMSampleBuffer.Error) in try sbuf.outputTimings() }
}
