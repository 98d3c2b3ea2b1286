internal import CoreVideo

/// The label of a frame on a time-code track, as in `01:02:03:04`; this package's own type.
///
/// Tracks store a code as the number of a frame since `00:00:00:00`; how it is written is up to a rule, which comes from the track's
/// format description.
public struct TimeCode: Hashable, Sendable {
  /// The frame's number; `00:00:00:00` is frame 0.
  public var frame: Int64
  public var rule: Rule

  public init(frame: Int64, rule: Rule) {
    self.frame = frame
    self.rule = rule
  }

  /// How frames are labelled.
  public struct Rule: Hashable, Sendable {
    /// How many labels a second has: frames a second, rounded up; at least 1.
    public let framesPerSecond: Int
    /// Whether some labels are left out so that hours of 29.97, 59.94 or 119.88 frames a second end on time.
    ///
    /// The labels are the first of every minute but each tenth: 2 of 30 a second, 4 of 60. Of other rates none is left out.
    public var isDropFrame: Bool
    /// Whether 24:00:00:00 is 00:00:00:00 again.
    public var wrapsAfter24Hours: Bool
    /// Whether the code is a plain number of frames.
    public var isCounter: Bool

    public init(
      framesPerSecond: Int, isDropFrame: Bool = false, wrapsAfter24Hours: Bool = false, isCounter: Bool = false
    ) {
      precondition(framesPerSecond > 0, "A second has at least one frame.")
      self.framesPerSecond = framesPerSecond
      self.isDropFrame = isDropFrame
      self.wrapsAfter24Hours = wrapsAfter24Hours
      self.isCounter = isCounter
    }

    /// How many labels a minute leaves out at its start.
    var droppedLabels: Int64 { isDropFrame && framesPerSecond % 30 == 0 ? Int64(framesPerSecond / 15) : 0 }
    /// How many frames a minute has in which labels are left out.
    var framesPerMinute: Int64 { Int64(framesPerSecond) * 60 - droppedLabels }
    var framesPerTenMinutes: Int64 { framesPerMinute * 10 + droppedLabels }
    /// How many frames 24 hours have.
    public var framesPerDay: Int64 { framesPerTenMinutes * 6 * 24 }

    /// The frame itself, or where codes wrap the one of the day that has the same label.
    func wrapped(_ frame: Int64) -> Int64 {
      guard wrapsAfter24Hours else { return frame }
      let rest = frame % framesPerDay
      return rest < 0 ? rest + framesPerDay : rest
    }
  }
}

// MARK: - Text

extension TimeCode: CustomStringConvertible {
  /// `HH:MM:SS:FF`, with `;` in front of the frame where labels are left out. Frames have as many digits as the rate needs, hours as
  /// many as they need. A minus stands before what lies before zero, unless codes wrap. A counter gives its number.
  public var description: String {
    guard !rule.isCounter else { return String(frame) }
    let frame = rule.wrapped(frame)
    // The magnitude of the least number does not fit: a label of many hours is close enough to it.
    let label = Label(ofFrame: frame == .min ? .max : abs(frame), rule)
    return (frame < 0 ? "-" : "") + label.text(rule)
  }

  /// The code that is written as `text`: what `description` gives, or with `:`, `;` or `.` before the frame whatever the rule, and with
  /// fewer digits.
  ///
  /// Nil where it is none: minutes or seconds above 59, a frame that a second does not have, a label that is left out, a negative code
  /// or one of a day or more where codes wrap, or one beyond 64 bits.
  public init?(_ text: String, rule: Rule) {
    guard !rule.isCounter else {
      guard let frame = Int64(text) else { return nil }
      self.init(frame: frame, rule: rule)
      return
    }
    let isNegative = text.hasPrefix("-")
    guard let frame = Label(text.dropFirst(isNegative ? 1 : 0), rule)?.frame(rule) else { return nil }
    guard !rule.wrapsAfter24Hours || (!isNegative && frame < rule.framesPerDay) else { return nil }
    self.init(frame: isNegative ? -frame : frame, rule: rule)
  }
}

/// The four numbers of a code, none of them negative.
private struct Label {
  var hours: Int64
  var minutes: Int64
  var seconds: Int64
  var frames: Int64

  init(ofFrame frame: Int64, _ rule: TimeCode.Rule) {
    let number = Self.number(ofFrame: frame, rule)
    let rate = Int64(rule.framesPerSecond)
    let second = number / rate
    (hours, minutes, seconds, frames) = (second / 3600, second / 60 % 60, second % 60, number % rate)
  }

  /// The frame's number with the labels that are left out counted. The first minute of ten has all of its labels.
  private static func number(ofFrame frame: Int64, _ rule: TimeCode.Rule) -> Int64 {
    let dropped = rule.droppedLabels
    guard dropped > 0 else { return frame }
    let (tens, rest) = frame.quotientAndRemainder(dividingBy: rule.framesPerTenMinutes)
    let minutes = rest < dropped ? 0 : (rest - dropped) / rule.framesPerMinute
    let (number, overflow) = frame.addingReportingOverflow(dropped * (tens * 9 + minutes))
    return overflow ? .max : number
  }

  init?(_ text: Substring, _ rule: TimeCode.Rule) {
    let parts = text.split(omittingEmptySubsequences: false) { ":;.".contains($0) }
    let separators = text.filter { ":;.".contains($0) }
    guard parts.count == 4, separators.hasPrefix("::") else { return nil }
    let numbers = parts.compactMap { part in part.allSatisfy(\.isASCIIDigit) ? Int64(part) : nil }
    guard numbers.count == 4 else { return nil }
    (hours, minutes, seconds, frames) = (numbers[0], numbers[1], numbers[2], numbers[3])
    guard minutes < 60, seconds < 60, frames < rule.framesPerSecond, !isLeftOut(rule) else { return nil }
  }

  private func isLeftOut(_ rule: TimeCode.Rule) -> Bool {
    minutes % 10 != 0 && seconds == 0 && frames < rule.droppedLabels
  }

  /// Nil beyond 64 bits.
  func frame(_ rule: TimeCode.Rule) -> Int64? {
    let (minute, overflow) = hours.multipliedReportingOverflow(by: 60)
    guard !overflow, minute < .max / 60 - 60 else { return nil }
    let allMinutes = minute + minutes
    let (number, overflow2) = (allMinutes * 60 + seconds).multipliedReportingOverflow(by: Int64(rule.framesPerSecond))
    guard !overflow2, number <= .max - frames else { return nil }
    return number + frames - rule.droppedLabels * (allMinutes - allMinutes / 10)
  }

  func text(_ rule: TimeCode.Rule) -> String {
    let separator = rule.droppedLabels > 0 ? ";" : ":"
    let digits = String(rule.framesPerSecond - 1).count
    return [hours, minutes, seconds].map { $0.digits(2) }.joined(separator: ":") + separator
      + frames.digits(max(2, digits))
  }
}

extension Int64 {
  fileprivate func digits(_ count: Int) -> String {
    let text = String(self)
    return String(repeating: "0", count: Swift.max(0, count - text.count)) + text
  }
}

extension Character {
  fileprivate var isASCIIDigit: Bool { ("0"..."9").contains(self) }
}

// MARK: - Media

extension TimeCode.Rule {
  /// The rule of a track's format description; nil for what is no time code or has no frames.
  public init?(formatDescription: CMFormatDescription) {
    guard formatDescription.mediaType == .timeCode else { return nil }
    let duration = formatDescription.frameDuration
    var rate = Int(formatDescription.frameQuanta)
    if rate == 0, duration.isNumeric, duration.value > 0 {
      // Rounded up without a sum: a stored duration may be as long as 64 bits allow.
      let (whole, rest) = Int64(duration.timescale).quotientAndRemainder(dividingBy: duration.value)
      rate = Int(rest > 0 ? whole + 1 : whole)
    }
    guard rate > 0 else { return nil }
    let flags = CMTimeCodeFormatDescriptionGetTimeCodeFlags(formatDescription)
    let counters = [kCMTimeCodeFormatType_Counter32, kCMTimeCodeFormatType_Counter64]
    self.init(
      framesPerSecond: rate, isDropFrame: flags & kCMTimeCodeFlag_DropFrame != 0,
      wrapsAfter24Hours: flags & kCMTimeCodeFlag_24HourMax != 0,
      isCounter: flags & Self.counterFlag != 0 || counters.contains(formatDescription.mediaSubType.rawValue))
  }

  /// Of a sample entry of QuickTime's; the interfaces have another media subtype for counters.
  private static let counterFlag: UInt32 = 1 << 3

  /// The format description of a track of such codes, with one sample for each stretch of frames that follow each other.
  ///
  /// `frameDuration` is a frame's, such as 1001/30 000 of a second. Throws `CMFormatDescription.Error` unless it is a positive number.
  public func formatDescription(frameDuration: CMTime) throws -> CMFormatDescription {
    var flags: UInt32 = isDropFrame ? kCMTimeCodeFlag_DropFrame : 0
    if wrapsAfter24Hours { flags |= kCMTimeCodeFlag_24HourMax } else { flags |= kCMTimeCodeFlag_NegTimesOK }
    if isCounter { flags |= Self.counterFlag }
    var format: CMFormatDescription?
    let status = CMTimeCodeFormatDescriptionCreate(
      allocator: nil, timeCodeFormatType: kCMTimeCodeFormatType_TimeCode32, frameDuration: frameDuration,
      frameQuanta: UInt32(clamping: framesPerSecond), flags: flags, extensions: nil, formatDescriptionOut: &format)
    guard let format else { throw CMFormatDescription.Error(code: status) }
    return format
  }
}

extension TimeCode {
  /// The code of the first frame of a sample of a time-code track; nil for a buffer of anything else.
  public init?(sampleBuffer: CMSampleBuffer) {
    guard sampleBuffer.numSamples > 0, let format = sampleBuffer.formatDescription,
      let rule = Rule(formatDescription: format), let bytes = try? sampleBuffer.dataBuffer?.dataBytes()
    else { return nil }
    self.init(sample: Array(bytes), rule: rule)
  }

  /// The code of the first frame of a sample: a big-endian number of 32 or 64 bits, with a sign. Nil for other lengths.
  package init?(sample bytes: [UInt8], rule: Rule) {
    guard bytes.count == 4 || bytes.count == 8 else { return nil }
    let number = bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let frame = bytes.count == 4 ? Int64(Int32(truncatingIfNeeded: number)) : Int64(bitPattern: number)
    self.init(frame: frame, rule: rule)
  }

  /// A sample of a time-code track that labels frames from this one on for a range of time.
  ///
  /// `format` comes from `Rule.formatDescription(frameDuration:)` or from a track. Throws `CMSampleBuffer.Error.invalidSampleData` for
  /// a frame that does not fit the format's 32 bits.
  public func sampleBuffer(for range: CMTimeRange, format: CMFormatDescription) throws -> CMSampleBuffer {
    let isLong = [kCMTimeCodeFormatType_TimeCode64, kCMTimeCodeFormatType_Counter64]
      .contains(format.mediaSubType.rawValue)
    guard isLong || Int32(exactly: frame) != nil else { throw CMSampleBuffer.Error.invalidSampleData }
    let width = isLong ? 8 : 4
    let block = try CMBlockBuffer(length: width)
    let bytes = (0..<width).map { UInt8(truncatingIfNeeded: frame >> (8 * (width - 1 - $0))) }
    try bytes.withUnsafeBytes { try block.replaceDataBytes(with: $0) }
    let timing = CMSampleTimingInfo(
      duration: range.duration, presentationTimeStamp: range.start, decodeTimeStamp: .invalid)
    return try CMSampleBuffer(
      dataBuffer: block, formatDescription: format, numSamples: 1, sampleTimings: [timing], sampleSizes: [width])
  }
}
