package import CoreVideoCompute
internal import Foundation
package import ProRes

/// A batch that has been handed to a device.
package final class PendingBatch: @unchecked Sendable {
  // Unchecked: what changes is guarded by the lock.
  /// What became of a batch.
  package struct Outcome: Sendable {
    /// One a frame.
    package let reports: [ProResReport]
    /// The time of each stage on the device; empty where it has no clock.
    package let stages: [(label: String, nanoseconds: Double)]
  }

  /// The pictures, which hold pixels when they are `ready`.
  package let pictures: [DevicePicture]
  private let lock = NSLock()
  private var work: (() throws -> Outcome)?
  private var outcome: Result<Outcome, any Error>?

  /// - Parameter work: waits for the device, and brings pictures to their destinations.
  init(_ pictures: [DevicePicture], _ work: @escaping () throws -> Outcome) {
    self.pictures = pictures
    self.work = work
  }

  /// Returns when the pictures are in their destinations, if any were given.
  /// - Throws: `ComputeError`, at every call.
  @discardableResult
  package func wait() throws -> Outcome {
    try lock.withLock {
      if let outcome { return try outcome.get() }
      guard let work else { preconditionFailure("A batch without an outcome has work left.") }
      let result = Result { try work() }
      outcome = result
      self.work = nil
      return try result.get()
    }
  }
}
