import CoreVideo
import Foundation
import PictureCodes
import ProRes
import ProResFuzz
import QuickTimeFuzz
import Testing

/// What the fuzzers start from is sound, and a short damaged run of each finds nothing.
@Suite struct FuzzSeedTests {
  @Test func seedsAreSound() throws {
    for seed in try FuzzTarget.proResSlices.seeds() {
      let report = try decodePlanes([UInt8](seed), depth: 10).report
      #expect(report.isSound)
    }
  }

  @Test func damagedSeedsKeepThePromises() throws {
    for target in [FuzzTarget.proResHeader, .proResSlices, .proResAlpha] {
      var random = SplitMix(state: 5)
      for seed in try target.seeds() {
        for _ in 0..<200 {
          var bytes = seed
          for _ in 0..<3 { bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next()) }
          target.run(bytes)
        }
      }
    }
  }
}
