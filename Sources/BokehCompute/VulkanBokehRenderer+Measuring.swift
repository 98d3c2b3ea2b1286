package import Bokeh
import Compute
import Foundation

/// How fast a device renders.
package struct DeviceMeasurement: Sendable {
  /// The median time of each stage on the device, in the order of the stages; empty where the device has no clock.
  package let stages: [PendingFrame.StageTime]
  /// The median time of a whole frame on the device, from load to store, while nothing else is brought there or back, in
  /// seconds.
  package let deviceSeconds: Double
  /// Frames a second from pixel buffer to pixel buffer, with as many in flight as may be.
  package let framesPerSecond: Double
}

extension VulkanBokehRenderer {
  /// Renders frames one after the other, as a movie's are, and says how long they took: each stage of frames that have the
  /// device to themselves, and a whole run of them with upload, render and download overlapped.
  ///
  /// - Parameters:
  ///   - requests: frames that are rendered in turn. To overlap they need destinations of their own, more than there
  ///     are frames in flight.
  ///   - count: how many frames are measured in either way; as many as there are requests are rendered before, and not
  ///     counted.
  package func measure(_ requests: [RenderRequest], count: Int) throws -> DeviceMeasurement {
    for request in requests { try submit(request).wait() }
    let times = try (0..<count).map { try submit(requests[$0 % requests.count]).wait() }
    let start = ProcessInfo.processInfo.systemUptime
    let pending = try (0..<count).map { try submit(requests[$0 % requests.count]) }
    for frame in pending { try frame.wait() }
    let seconds = ProcessInfo.processInfo.systemUptime - start
    let stages = (times.first ?? []).indices.map { index in
      PendingFrame.StageTime(
        stage: times[0][index].stage, seconds: DeviceMeasurement.median(times.map { $0[index].seconds }))
    }
    return DeviceMeasurement(
      stages: stages, deviceSeconds: DeviceMeasurement.median(times.map { $0.reduce(0) { $0 + $1.seconds } }),
      framesPerSecond: Double(count) / seconds)
  }
}

extension DeviceMeasurement {
  fileprivate static func median(_ numbers: [Double]) -> Double {
    numbers.isEmpty ? 0 : numbers.sorted()[numbers.count / 2]
  }
}

extension VulkanBokehRenderer {
  /// How many bytes a second the device reads and writes together when it copies its own memory, or nil where it has no
  /// clock: what its memory can do.
  package func copyBandwidth() throws -> Double? {
    let buffers = try copyBuffers()
    let byteCount = buffers[0].byteCount
    let pipeline = try machine.makePipeline(Shaders.copy, constants: [])
    let constants = CopyConstants(
      source: buffers[0].address, target: buffers[1].address, count: UInt32(byteCount / 16))
    let list = try machine.makeCommandList(for: machine.compute, timeCapacity: 3)
    let timeline = try machine.makeTimeline()
    var best: Double?
    for round in 1...3 {
      try list.record { recorder in
        for buffer in buffers { recorder.use(buffer) }
        recorder.time("commands")
        for _ in 0..<CopyConstants.times {
          recorder.copy(buffers[0], to: buffers[1], byteCount: byteCount)
          recorder.barrier()
        }
        recorder.time("shader")
        for _ in 0..<CopyConstants.times {
          recorder.dispatch(pipeline, groups: (CopyConstants.groups, 1, 1), constants: constants)
          recorder.barrier()
        }
        recorder.time("end")
      }
      try machine.compute.submit(list, after: [], reaching: timeline.point(UInt64(round)))
      try list.finish()
      // Which of the two is the faster is a matter of the driver.
      let fastest = try list.times().map(\.nanoseconds).filter { $0 > 0 }.min()
      guard let fastest else { return nil }
      best = max(best ?? 0, 2e9 * Double(byteCount * CopyConstants.times) / fastest)
    }
    return best
  }

  /// Two buffers that are much larger than any cache, or as large as there is room for.
  private func copyBuffers() throws -> [Buffer] {
    // What computes in software is not slowed down by its memory.
    let most = device.kind == "software" ? 1 << 26 : 1 << 30
    var byteCount = min(most, machine.limits.largestAllocation & ~15)
    while true {
      do {
        return try (0..<2).map { _ in try machine.makeBuffer(byteCount, .device) }
      } catch ComputeError.outOfMemory where byteCount > 1 << 20 {
        byteCount /= 2
      }
    }
  }
}

private struct CopyConstants: BitwiseCopyable {
  var source: UInt64
  var target: UInt64
  /// Of 16 bytes each.
  var count: UInt32

  /// Copies in one go, so that starting and ending them takes no part of the time.
  static let times = 8
  /// Enough to keep a large device busy.
  static let groups = 8192
}
