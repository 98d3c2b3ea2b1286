import CinematicTool
import Testing

@Suite struct TimeExpressionTests {
  @Test(
    arguments: [
      ("0", 0, 1), ("12.5", 125, 10), (".25", 25, 100), ("0:12.500", 12500, 1000), ("1:02:03.25", 372_325, 100),
      ("90:00", 5400, 1), ("3661", 3661, 1), ("0.000000001", 1, 1_000_000_000), ("10000:00:00", 36_000_000, 1),
    ] as [(String, Int64, Int32)])
  func `seconds and clocks are exact`(text: String, value: Int64, timescale: Int32) {
    #expect(TimeExpression(text) == .seconds(value: value, timescale: timescale))
  }

  @Test func `frames are counted from zero`() {
    #expect(TimeExpression("#0") == .frame(0))
    #expect(TimeExpression("#375") == .frame(375))
  }

  @Test(arguments: [
    "", " ", "-1", "+1", "1s", "1:", ":1", "1:60", "1:2:60", "1:60:00", "1:2:3:4", "1.", "1.2.3", "1,5", "#", "#-1",
    "#1.5", "nan", "inf", "1e3", "0x10", "36000001", "10001:00:00", "99999999999999999999", "#99999999999",
    "0.0000000001", "١",
  ])
  func `anything else is none`(text: String) {
    #expect(TimeExpression(text) == nil)
  }

  @Test func `ranges may be open`() throws {
    let range = try #require(TimeRangeExpression("0:10-0:12.5"))
    #expect(range.start == .seconds(value: 10, timescale: 1) && range.end == .seconds(value: 125, timescale: 10))
    #expect(TimeRangeExpression("#30-")?.end == nil)
    #expect(TimeRangeExpression("-4")?.start == nil)
    #expect(TimeRangeExpression("#3-5")?.start == .frame(3))
  }

  @Test(arguments: ["", "-", "5", "5-5", "5-4.999", "#3-#3", "a-b", "1-2-3", "1--2", "0.3-0.300000000"])
  func `empty and reversed ranges are none`(text: String) {
    #expect(TimeRangeExpression(text) == nil)
    #expect(TimeRangeExpression.isReversed(text) == ["5-5", "5-4.999", "#3-#3", "0.3-0.300000000"].contains(text))
  }
}
