public typealias CMItemCount = Int
public typealias CMItemIndex = Int
public typealias CMPersistentTrackID = Int32
public let kCMPersistentTrackID_Invalid: CMPersistentTrackID = 0

/// Duration and time stamps of a sample, or of each of a row of samples where one entry stands for all.
///
/// `decodeTimeStamp` is invalid where samples are stored in presentation order.
public struct CMSampleTimingInfo: Hashable, Sendable {
  public var duration: CMTime
  public var presentationTimeStamp: CMTime
  public var decodeTimeStamp: CMTime

  public init() { self = .invalid }
  public init(duration: CMTime, presentationTimeStamp: CMTime, decodeTimeStamp: CMTime) {
    self.duration = duration
    self.presentationTimeStamp = presentationTimeStamp
    self.decodeTimeStamp = decodeTimeStamp
  }

  public static let invalid = CMSampleTimingInfo(
    duration: .invalid, presentationTimeStamp: .invalid, decodeTimeStamp: .invalid)
}

public let kCMTimingInfoInvalid = CMSampleTimingInfo.invalid

/// The timing of each of a number of samples, stored once where it is the same for all.
struct SampleTimings: Sendable {
  /// None, one for all, or one for each.
  var entries: [CMSampleTimingInfo]
  var count: Int

  var isEmpty: Bool { entries.isEmpty }

  /// The timing of one sample: of a single entry, moved by its duration as often as samples lie before it.
  subscript(index: Int) -> CMSampleTimingInfo {
    guard entries.count == 1, index > 0 else { return entries[index] }
    var info = entries[0]
    let offset = CMTimeMultiply(info.duration, multiplier: Int32(clamping: index))
    info.presentationTimeStamp = moved(info.presentationTimeStamp, by: offset)
    info.decodeTimeStamp = moved(info.decodeTimeStamp, by: offset)
    return info
  }

  /// The sum of all durations, whatever gaps there are.
  var duration: CMTime {
    guard let first = entries.first else { return .invalid }
    if entries.count == 1 { return CMTimeMultiply(first.duration, multiplier: Int32(clamping: count)) }
    return entries.dropFirst().reduce(first.duration) { CMTimeAdd($0, $1.duration) }
  }

  /// The earliest presentation time.
  var presentationTimeStamp: CMTime { entries.map(\.presentationTimeStamp).min() ?? .invalid }

  /// The decode time of the first sample.
  var decodeTimeStamp: CMTime { entries.first?.decodeTimeStamp ?? .invalid }

  /// The timings of some of the samples.
  func slice(_ range: Range<Int>) -> [CMSampleTimingInfo] {
    guard !entries.isEmpty, !range.isEmpty else { return entries.isEmpty ? [] : Array(entries.prefix(1)) }
    return entries.count == 1 ? [self[range.lowerBound]] : Array(entries[range])
  }

  private func moved(_ time: CMTime, by offset: CMTime) -> CMTime {
    guard time.isNumeric else { return time }
    var result = CMTimeAdd(time, offset)
    if result.isNumeric { result.epoch = time.epoch }
    return result
  }
}
