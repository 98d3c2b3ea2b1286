import CoreMedia
import Testing

@Suite struct CMTimebaseTests {
  private func seconds(_ value: Int64) -> CMTime { CMTime(value: value, timescale: 1) }

  /// A source whose time is set by hand.
  private func source() throws -> CMTimebase { try CMTimebase(sourceClock: CMClockGetHostTimeClock()) }

  @Test func theHostClockNeverGoesBack() {
    let clock = CMClockGetHostTimeClock()
    let first = clock.time
    #expect(first.isNumeric && first > .zero && CMClockGetTime(clock) >= first)
    #expect(CMClockConvertHostTimeToSystemUnits(CMClockMakeHostTimeFromSystemUnits(123_456)) == 123_456)
    #expect(CMClockConvertHostTimeToSystemUnits(seconds(2)) == 2_000_000_000)
    #expect(CMClockConvertHostTimeToSystemUnits(seconds(-2)) == 0)
    #expect(
      CMClockConvertHostTimeToSystemUnits(.positiveInfinity) == .max
        && CMClockConvertHostTimeToSystemUnits(.invalid) == 0)
    #expect(!CMClockMightDrift(clock, otherClock: clock))
  }

  @Test func timeFollowsTheSourceAtTheRate() throws {
    let source = try source()
    let line = try CMTimebase(sourceTimebase: source)
    #expect(line.time == .zero && line.rate == 0)
    try source.setTime(seconds(10))
    #expect(line.time == .zero, "it stands still at rate 0")
    try line.setTime(seconds(100))
    try line.setRate(2)
    try source.setTime(seconds(13))
    #expect(line.time == seconds(106))
    try line.setRate(-1)
    #expect(line.time == seconds(106), "a change of rate does not jump")
    try source.setTime(seconds(20))
    #expect(line.time == seconds(99))
    try line.setTime(seconds(5))
    try source.setTime(seconds(21))
    #expect(line.time == seconds(4) && line.rate == -1)
    try line.setRate(0.5, anchorTime: seconds(40), immediateSourceTime: seconds(11))
    #expect(line.time == seconds(45))
    try source.setRate(3)
    #expect(line.effectiveRate == 1.5 && CMTimebaseGetEffectiveRate(source) == 3)
  }

  @Test func timesConvertBetweenLines() throws {
    let source = try source()
    let (a, b) = (try CMTimebase(sourceTimebase: source), try CMTimebase(sourceTimebase: source))
    try source.setRate(1, anchorTime: .zero, immediateSourceTime: .zero)
    try a.setRate(2, anchorTime: seconds(10), immediateSourceTime: seconds(1))
    try b.setRate(0.5, anchorTime: .zero, immediateSourceTime: seconds(5))
    // a shows 18 when the source shows 5, and 26 when it shows 9.
    #expect(
      CMSyncConvertTime(seconds(18), from: a, to: b) == .zero
        && CMSyncConvertTime(seconds(26), from: a, to: b) == seconds(2))
    #expect(CMSyncConvertTime(seconds(2), from: b, to: a) == seconds(26))
    #expect(CMSyncConvertTime(seconds(7), from: a, to: a) == seconds(7))
    #expect(CMSyncConvertTime(seconds(26), from: a, to: source) == seconds(9))
    #expect(CMSyncConvertTime(seconds(9), from: CMClockGetHostTimeClock(), to: a) == seconds(26))
    try a.setRate(0)
    #expect(!CMSyncConvertTime(seconds(18), from: a, to: b).isValid)
  }

  @Test func whatCannotBeSet() throws {
    let line = try source()
    let invalid = kCMTimebaseError_InvalidParameter
    for time in nonNumbers { #expect(CMTimebaseSetTime(line, time: time) == invalid) }
    for rate in [Double.nan, .infinity] { #expect(CMTimebaseSetRate(line, rate: rate) == invalid) }
    #expect(CMTimebaseSetAnchorTime(line, timebaseTime: .zero, immediateSourceTime: .indefinite) == invalid)
    #expect(line.rate == 0 && line.time == .zero)
    #expect(CMTimebaseSetRateAndAnchorTime(line, rate: 0, anchorTime: seconds(3), immediateSourceTime: .zero) == noErr)
    #expect(CMTimebaseGetTimeWithTimeScale(line, timescale: 600, method: .default).value == 1800)
  }
}
