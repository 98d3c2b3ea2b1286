package import CoreVideo
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
    package var concealment = ProResConcealment.grey
    package var scale = ProResScale.full
    /// The matrix of R'G'B' layouts, as ITU-T H.273 numbers it; nil is the frame header's, and BT.709 where that is silent.
    package var matrix: Int?
    /// Whether codes span all values; only R'G'B' layouts ask.
    package var isFullRange = false

    package init() {}
  }

  /// The sample entries of the six profiles.
  package static let codecs = ["apco", "apcs", "apcn", "apch", "ap4h", "ap4x"].map(fourCharacterCode)

  /// - Parameter codec: the sample entry's four characters. They do not change how frames are decoded: a frame says what it is.
  /// - Throws: `ProResError.unsupported` where it is none of the six.
  package init(codec: OSType) throws(ProResError) {
    guard Self.codecs.contains(codec) else {
      let name = fourCharacterString(codec)
      let isRaw = ["aprn", "aprh"].contains(name)
      throw ProResError(
        .unsupported,
        isRaw
          ? "'\(name)' is ProRes RAW, another bitstream than ProRes; convert it with the camera maker's tools"
          : "'\(name)' is not ProRes; use the decoder of that codec")
    }
  }

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
    let frame = try numbered { () throws(ProResError) in
      let frame = try ProResFrame(sample, pixelBudget: options.pixelBudget)
      try destination.check(for: frame.header, scale: options.scale)
      if case .picture(let other) = options.concealment {
        try destination.check(isLike: other)
        try other.check(for: frame.header, scale: options.scale, as: "the picture to conceal with")
      }
      return frame
    }
    let report = decode(frame, of: sample, into: destination, options)
    if case .picture(let other) = options.concealment {
      for damage in report.damage { destination.copy(damage, from: other, frame.header.chroma) }
    }
    return report
  }

  /// Prepares for a sample that is about to be decoded. One that is refused counts as handed in.
  func prepare<Value>(_ body: () throws(ProResError) -> Value) throws(ProResError) -> Value {
    guardian.lock()
    defer { guardian.unlock() }
    do {
      return try numbered(body)
    } catch {
      frameNumber += 1
      throw error
    }
  }

  private func numbered<Value>(_ body: () throws(ProResError) -> Value) throws(ProResError) -> Value {
    do {
      return try body()
    } catch {
      var error = error
      error.frame = frameNumber
      throw error
    }
  }

  private func decode(
    _ frame: ProResFrame, of sample: UnsafeRawBufferPointer, into destination: ProResDestination, _ options: Options
  ) -> ProResReport {
    let rows = frame.pictures.map(\.macroblockRows)
    let total = rows.reduce(0, +)
    let cores = options.threads > 0 ? options.threads : ProcessInfo.processInfo.activeProcessorCount
    let count = max(1, min(cores, total, 256))
    while workspaces.count < count { workspaces.append(SliceWorkspace()) }
    nonisolated(unsafe) let spaces = workspaces
    nonisolated(unsafe) let bytes = sample
    let next = Atomic<Int>(0)
    // Workers write to disjoint rows, each with a workspace of its own; all have ended when this returns.
    Self.perform(count) { worker in
      var decoder = SliceDecoder(bytes, frame, destination, spaces[worker], options)
      while true {
        let row = next.wrappingAdd(1, ordering: .relaxed).oldValue
        guard row < total else { return decoder.end() }
        let isSecond = row >= rows[0]
        decoder.decode(
          row: isSecond ? row - rows[0] : row, of: frame.pictures[isSecond ? 1 : 0],
          firstSlice: isSecond ? frame.pictures[0].sliceCount : 0)
      }
    }
    let damage = spaces.prefix(count).flatMap { space in
      defer { space.damage = [] }
      return space.damage
    }
    return ProResReport(
      header: frame.header, sliceCount: frame.sliceCount, damage: damage.sorted { $0.slice < $1.slice })
  }

  private static func perform(_ count: Int, _ body: @Sendable (Int) -> Void) {
    if count == 1 {
      body(0)
    } else {
      DispatchQueue.concurrentPerform(iterations: count, execute: body)
    }
  }
}
