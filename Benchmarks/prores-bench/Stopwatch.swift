import Foundation

/// Medians of what several ways take, run in turn so that a busy machine slows all of them.
struct Stopwatch {
  /// Nanoseconds a pixel of the frames: of the processor, or as they pass.
  enum Clock { case processor, wall }

  let clock: Clock
  let runs: Int
  let pixels: Double

  func medians(_ ways: [() throws -> Void]) throws -> [Double] {
    var times = [[Double]](repeating: [], count: ways.count)
    for _ in 0..<runs {
      for (index, way) in ways.enumerated() {
        let start = now
        try way()
        times[index].append((now - start) / pixels)
      }
    }
    return times.map { $0.sorted()[$0.count / 2] }
  }

  private var now: Double {
    var time = timespec()
    clock_gettime(clock == .processor ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
  }
}
