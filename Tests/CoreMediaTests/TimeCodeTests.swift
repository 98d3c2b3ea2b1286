import CoreMedia
import Testing

struct TimeCodeTests {
  struct Rate: Sendable, CustomTestStringConvertible {
    var framesPerSecond: Int
    /// How many labels minutes leave out, as the standards for each rate say.
    var dropped = 0
    var testDescription: String { "\(framesPerSecond)\(dropped > 0 ? " drop" : "")" }
    var rule: TimeCode.Rule { TimeCode.Rule(framesPerSecond: framesPerSecond, isDropFrame: dropped > 0) }
  }

  static let rates = [
    Rate(framesPerSecond: 24), Rate(framesPerSecond: 25), Rate(framesPerSecond: 30),
    Rate(framesPerSecond: 30, dropped: 2), Rate(framesPerSecond: 50), Rate(framesPerSecond: 60),
    Rate(framesPerSecond: 60, dropped: 4), Rate(framesPerSecond: 100), Rate(framesPerSecond: 120),
    Rate(framesPerSecond: 120, dropped: 8), Rate(framesPerSecond: 1), Rate(framesPerSecond: 240),
  ]

  private func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

  /// The label of a frame of a minute, counted from the minute's own start.
  private func label(minute: Int, frame: Int, _ rate: Rate) -> String {
    let number = frame + (minute % 10 == 0 ? 0 : rate.dropped)
    let (second, rest) = (number / rate.framesPerSecond, number % rate.framesPerSecond)
    let frames = rate.framesPerSecond > 100 && rest < 100 ? "0" + two(rest) : two(rest)
    return "\(two(minute / 60)):\(two(minute % 60)):\(two(second))" + (rate.dropped > 0 ? ";" : ":") + frames
  }

  /// Every frame of the first twenty-two minutes, and the frames around every minute of two days.
  @Test(arguments: rates) func everyFrameHasItsLabel(_ rate: Rate) throws {
    var first = 0
    for minute in 0..<2880 {
      let frames = rate.framesPerSecond * 60 - (minute % 10 == 0 ? 0 : rate.dropped)
      for frame in 0..<frames where minute < 22 || frame < 10 || frame >= frames - 3 {
        let code = TimeCode(frame: Int64(first + frame), rule: rate.rule)
        let text = label(minute: minute, frame: frame, rate)
        guard code.description == text, TimeCode(text, rule: rate.rule) == code else {
          Issue.record(
            "Frame \(code.frame) is \(code), not \(text), which reads \(String(describing: TimeCode(text, rule: rate.rule)))"
          )
          return
        }
      }
      first += frames
      if minute == 1439 { #expect(rate.rule.framesPerDay == Int64(first)) }
    }
  }

  @Test(arguments: rates.filter { $0.dropped > 0 }) func labelsThatAreLeftOutAreNone(_ rate: Rate) {
    for minute in 0..<60 {
      for frame in 0..<rate.dropped {
        let code = TimeCode("00:\(two(minute)):00;\(two(frame))", rule: rate.rule)
        #expect((code == nil) == (minute % 10 != 0))
      }
    }
  }

  @Test(arguments: rates) func negativeCodesMirror(_ rate: Rate) {
    for frame in stride(from: Int64(1), to: 100_000, by: 37) {
      let (before, behind) = (TimeCode(frame: -frame, rule: rate.rule), TimeCode(frame: frame, rule: rate.rule))
      #expect(before.description == "-" + behind.description)
      #expect(TimeCode(before.description, rule: rate.rule) == before)
    }
  }

  @Test(arguments: rates) func codesWrapAfterADay(_ rate: Rate) {
    var rule = rate.rule
    rule.wrapsAfter24Hours = true
    let day = rule.framesPerDay
    for frame in [-day - 1, -day, -1, 0, 1, day - 1, day, day + 5, 3 * day - 1] {
      let inside = ((frame % day) + day) % day
      #expect(TimeCode(frame: frame, rule: rule).description == TimeCode(frame: inside, rule: rate.rule).description)
    }
    let last = rate.framesPerSecond - 1
    #expect(TimeCode(frame: -1, rule: rule).description.hasPrefix("23:59:59"))
    #expect(TimeCode("23:59:59:\(last)", rule: rule)?.frame == day - 1)
    #expect(TimeCode("24:00:00:00", rule: rule) == nil && TimeCode("-00:00:00:00", rule: rule) == nil)
    #expect(TimeCode("24:00:00:00", rule: rate.rule)?.frame == day)
  }

  @Test func textThatIsNoCode() {
    let rule = TimeCode.Rule(framesPerSecond: 30)
    for text in [
      "", "1", "00:00:00", "00:00:00:00:00", "00:60:00:00", "00:00:60:00", "00:00:00:30", "a0:00:00:00", "00:00:00:",
      "--00:00:00:01", "00:-1:00:00", "+1:00:00:00", "00;00:00:00", "٠٠:00:00:00", " 00:00:00:00",
      "9223372036854775807:00:00:00", "99999999999999999999:00:00:00",
    ] { #expect(TimeCode(text, rule: rule) == nil, "\(text)") }
    let frame: Int64 = ((1 * 60 + 2) * 60 + 3) * 30 + 4
    for text in ["1:2:3:4", "01:02:03;04", "01:02:03.04", "0001:2:03:4"] {
      #expect(TimeCode(text, rule: rule)?.frame == frame)
    }
    #expect(TimeCode("100:00:00:00", rule: rule)?.description == "100:00:00:00")
  }

  @Test func theFurthestFramesHaveText() {
    for rate in Self.rates {
      for frame in [Int64.min, .min + 1, .max - 1, .max] {
        let text = TimeCode(frame: frame, rule: rate.rule).description
        #expect(text.hasPrefix("-") == (frame < 0) && text.contains(":"))
      }
    }
  }

  @Test func countersAreNumbers() {
    let rule = TimeCode.Rule(framesPerSecond: 10, isCounter: true)
    #expect(TimeCode(frame: -42, rule: rule).description == "-42")
    #expect(TimeCode("1234", rule: rule)?.frame == 1234 && TimeCode("0:0:0:1", rule: rule) == nil)
  }

  @Test func ratesWithoutDroppedLabelsDropNone() {
    let rule = TimeCode.Rule(framesPerSecond: 25, isDropFrame: true)
    #expect(TimeCode(frame: 25 * 60, rule: rule).description == "00:01:00:00")
  }

  @Test func formatsAndSamplesKeepCodes() throws {
    let duration = CMTime(value: 1001, timescale: 60_000)
    let rule = TimeCode.Rule(framesPerSecond: 60, isDropFrame: true, wrapsAfter24Hours: true)
    let format = try rule.formatDescription(frameDuration: duration)
    #expect(TimeCode.Rule(formatDescription: format) == rule && format.frameDuration == duration)
    let range = CMTimeRange(start: .zero, duration: CMTime(value: 10, timescale: 1))
    for frame in [0, 1, -1, 215_784, Int64(Int32.max), Int64(Int32.min)] {
      let buffer = try TimeCode(frame: frame, rule: rule).sampleBuffer(for: range, format: format)
      #expect(buffer.duration == range.duration && buffer.presentationTimeStamp == .zero)
      #expect(TimeCode(sampleBuffer: buffer) == TimeCode(frame: frame, rule: rule))
    }
    #expect(throws: CMSampleBuffer.Error.invalidSampleData) {
      try TimeCode(frame: 1 << 31, rule: rule).sampleBuffer(for: range, format: format)
    }
    #expect(throws: CMFormatDescription.Error.invalidParameter) { try rule.formatDescription(frameDuration: .zero) }
  }

  /// A track may say any duration of its frames, and no rate.
  @Test(arguments: [(.max, 1), (.max - 5, 1), (30_000, 1), (1001, 30), (1, 30_000)] as [(Int64, Int)])
  func theRateIsTheDurationsRoundedUp(value: Int64, rate: Int) throws {
    var format: CMFormatDescription?
    #expect(
      CMTimeCodeFormatDescriptionCreate(
        allocator: nil, timeCodeFormatType: kCMTimeCodeFormatType_TimeCode32,
        frameDuration: CMTime(value: value, timescale: 30_000), frameQuanta: 0, flags: 0, extensions: nil,
        formatDescriptionOut: &format) == noErr)
    #expect(TimeCode.Rule(formatDescription: try #require(format))?.framesPerSecond == rate)
  }

  @Test func longFormatsHold64Bits() throws {
    var format: CMFormatDescription?
    #expect(
      CMTimeCodeFormatDescriptionCreate(
        allocator: nil, timeCodeFormatType: kCMTimeCodeFormatType_Counter64,
        frameDuration: CMTime(value: 1, timescale: 25), frameQuanta: 0, flags: 0, extensions: nil,
        formatDescriptionOut: &format) == noErr)
    let long = try #require(format)
    let rule = try #require(TimeCode.Rule(formatDescription: long))
    #expect(rule == TimeCode.Rule(framesPerSecond: 25, isCounter: true))
    let range = CMTimeRange(start: .zero, duration: CMTime(value: 1, timescale: 1))
    for frame in [Int64.min, -1, 1 << 40, .max] {
      let buffer = try TimeCode(frame: frame, rule: rule).sampleBuffer(for: range, format: long)
      #expect(TimeCode(sampleBuffer: buffer)?.frame == frame)
    }
  }
}
