import CinematicTool
import Foundation
import QuickTime
import Testing

@Suite struct DepthCodingTests {
  /// Of a disparity: a single-precision number has 24 bits.
  private static let relativeTolerance: Float = 4e-7

  private func expectClose(_ found: Float, _ wanted: Double, _ what: String) {
    let difference = abs(Double(found) - wanted)
    #expect(difference <= Double(Self.relativeTolerance) * max(1, abs(wanted)), "\(what): \(found) for \(wanted)")
  }

  private func share(_ code: Int, _ bits: Int, _ levels: DepthCoding.Levels) -> Double {
    switch levels {
    case .full: return Double(code) / Double((1 << bits) - 1)
    case .video:
      // ITU-R BT.2100, table 9: black is 16 and white 235, times 2^(bits - 8).
      let scale = Double(1 << (bits - 8))
      return min(max((Double(code) / scale - 16) / 219, 0), 1)
    }
  }

  @Test(arguments: [8, 10, 16], [DepthCoding.Levels.full, .video])
  func `every code has the disparity of its formula`(bits: Int, levels: DepthCoding.Levels) throws {
    let log = try #require(DepthCoding(.log, range: nil)), linear = try #require(DepthCoding(.linear, range: 0.5...3))
    let inverse = try #require(DepthCoding(.inverse, range: 0.25...10))
    for code in stride(from: 0, to: 1 << bits, by: bits == 16 ? 251 : 1) {
      let share = share(code, bits, levels)
      func found(_ coding: DepthCoding) -> Float { coding.disparity(code: code, bits: bits, levels: levels) }
      // (0, 16): 17^share - 1.
      expectClose(found(log), pow(17, share) - 1, "log \(code)")
      expectClose(found(linear), 0.5 + 2.5 * share, "linear \(code)")
      expectClose(found(inverse), 1 / (0.25 + 9.75 * share), "inverse \(code)")
    }
  }

  @Test(arguments: [8, 10, 16], [DepthCoding.Levels.full, .video])
  func `the ends of the range are black and white`(bits: Int, levels: DepthCoding.Levels) throws {
    let unit = 1 << (bits - 8), white = levels == .full ? (1 << bits) - 1 : 235 * unit
    let black = levels == .full ? 0 : 16 * unit
    let coding = try #require(DepthCoding(.log, range: 0.25...8))
    expectClose(coding.disparity(code: black, bits: bits, levels: levels), 0.25, "black")
    expectClose(coding.disparity(code: white, bits: bits, levels: levels), 8, "white")
    // Codes beyond them, which video has, count as them.
    if levels == .video {
      #expect(
        coding.disparity(code: 0, bits: bits, levels: levels)
          == coding.disparity(code: black, bits: bits, levels: levels))
      expectClose(coding.disparity(code: (1 << bits) - 1, bits: bits, levels: levels), 8, "whiter than white")
    }
  }

  @Test func `the codes of a track are kept as they are`() throws {
    for range in [0...16, 0.25...8] as [ClosedRange<Double>] {
      let coding = try #require(DepthCoding(.log, range: range))
      #expect((coding.track.minimum, coding.track.maximum) == (range.lowerBound, range.upperBound))
      for code in 0...1023 {
        let disparity = coding.disparity(code: code, bits: 10, levels: .full)
        #expect(coding.track.code(disparity: disparity) == UInt16(code))
        // As a picture of 16 bits, black to white.
        let deep = coding.disparity(code: (code * 65_535 + 511) / 1023, bits: 16, levels: .full)
        #expect(coding.track.code(disparity: deep) == UInt16(code))
      }
    }
  }

  @Test func `metric codes are millimetres, and none is far away`() throws {
    let coding = try #require(DepthCoding(.metric, range: nil))
    for levels in [DepthCoding.Levels.full, .video] {
      #expect(coding.disparity(code: 0, bits: 16, levels: levels) == 0)
      for millimetres in [50, 333, 1000, 65_535] {
        expectClose(
          coding.disparity(code: millimetres, bits: 16, levels: levels), 1000 / Double(millimetres), "\(millimetres) mm"
        )
      }
      // Nearer than the range allows is as near as it allows.
      expectClose(coding.disparity(code: 1, bits: 16, levels: levels), 20, "1 mm")
    }
  }

  @Test func `floating point numbers are shares or metres`() throws {
    let metric = try #require(DepthCoding(.metric, range: nil)), linear = try #require(DepthCoding(.linear, range: nil))
    expectClose(metric.disparity(number: 2.5), 0.4, "2.5 m")
    for unknown: Float in [0, -1, .nan, -Float.infinity] { #expect(metric.disparity(number: unknown) == 0) }
    expectClose(metric.disparity(number: Float.infinity), 0.001, "infinity")
    expectClose(linear.disparity(number: 0.5), 2, "a half")
    expectClose(linear.disparity(number: 7), 4, "beyond white")
    #expect(linear.disparity(number: .nan) == 0)
  }

  @Test(arguments: [
    (DepthCoding.Kind.log, -1.0...2.0), (.log, 0...40_000), (.log, 2...2), (.linear, -1...2), (.linear, 1...1),
    (.inverse, 0...10), (.metric, -1...10),
  ])
  func `ranges that a coding cannot have are none`(kind: DepthCoding.Kind, range: ClosedRange<Double>) {
    #expect(DepthCoding(kind, range: range) == nil)
  }
}
