internal import Dispatch
internal import Foundation
internal import Synchronization

/// Decodes the frames of a ProRes stream (SMPTE RDD 36), each on its own.
///
/// Safe to use from any thread; calls wait for each other. A frame that is refused changes nothing for the next.
package final class ProResDecoder: @unchecked Sendable {
  // Unchecked: everything that changes is guarded by the lock.
  private let guardian = NSLock()
  private var workspaces: [SliceWorkspace] = []
  private var frameNumber = 0

  package struct Options: Sendable {
    /// The threads that share a frame's slices; 0 uses all cores.
    package var threads = 0
    /// Frames of more pixels are refused.
    package var pixelBudget = ProResFrame.standardPixelBudget

    package init() {}
  }

  package init() {}

  /// Decodes a sample into memory of the caller's, all of which is written.
  ///
  /// - Returns: which slices were damaged; they have been concealed.
  /// - Throws: `ProResError`; the destination then may have been written in part or not at all.
  package func decode(
    _ sample: UnsafeRawBufferPointer, into destination: ProResDestination, options: Options = Options()
  ) throws(ProResError) -> ProResReport {
    guardian.lock()
    defer {
      frameNumber += 1
      guardian.unlock()
    }
    do {
      let frame = try ProResFrame(sample, pixelBudget: options.pixelBudget)
      try destination.check(for: frame.header)
      return decode(frame, of: sample, into: destination, threads: options.threads)
    } catch {
      var error = error
      error.frame = frameNumber
      throw error
    }
  }

  private func decode(
    _ frame: ProResFrame, of sample: UnsafeRawBufferPointer, into destination: ProResDestination, threads: Int
  ) -> ProResReport {
    let rows = frame.pictures.map(\.macroblockRows)
    let total = rows.reduce(0, +)
    let cores = threads > 0 ? threads : ProcessInfo.processInfo.activeProcessorCount
    let count = max(1, min(cores, total, 256))
    while workspaces.count < count { workspaces.append(SliceWorkspace()) }
    nonisolated(unsafe) let spaces = workspaces
    nonisolated(unsafe) let bytes = sample
    let next = Atomic<Int>(0)
    // Workers write to disjoint rows, each with a workspace of its own; all have ended when this returns.
    Self.perform(count) { worker in
      var decoder = SliceDecoder(bytes, frame, destination, spaces[worker])
      while true {
        let row = next.wrappingAdd(1, ordering: .relaxed).oldValue
        guard row < total else { return }
        let isSecond = row >= rows[0]
        decoder.decode(
          row: isSecond ? row - rows[0] : row, of: frame.pictures[isSecond ? 1 : 0],
          firstSlice: isSecond ? frame.pictures[0].sliceCount : 0)
      }
    }
    var damaged: [Int] = []
    for space in spaces.prefix(count) {
      damaged += space.damaged
      space.damaged = []
    }
    return ProResReport(header: frame.header, sliceCount: frame.sliceCount, damagedSlices: damaged.sorted())
  }

  private static func perform(_ count: Int, _ body: @Sendable (Int) -> Void) {
    if count == 1 {
      body(0)
    } else {
      DispatchQueue.concurrentPerform(iterations: count, execute: body)
    }
  }
}

extension ProResDestination {
  /// Refuses memory that a frame does not fit.
  func check(for header: ProResFrameHeader) throws(ProResError) {
    guard width == header.width, height == header.height else {
      throw ProResError(
        .wrongDestination,
        "it has \(header.width)x\(header.height) pixels, but the picture to fill \(width)x\(height); make another")
    }
    let chromaWidth = header.chroma == .halved ? (width + 1) / 2 : width
    let widths = [width, chromaWidth, chromaWidth, width]
    guard 3...4 ~= planes.count, 8...16 ~= layout.depth,
      zip(planes, widths).allSatisfy({ $0.bytesPerRow >= $1 * 2 })
    else {
      throw ProResError(.wrongDestination, "the picture to fill lacks a plane, or has rows that are too short")
    }
  }
}
