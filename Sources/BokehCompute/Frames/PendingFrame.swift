import Bokeh
import Compute
import Foundation

/// A frame that has been handed to a device.
public final class PendingFrame: @unchecked Sendable {
  /// How long a stage of a frame took on the device.
  public struct StageTime: Hashable, Sendable {
    public let stage: String
    public let seconds: Double
  }

  private let lock = NSLock()
  private var work: (() throws -> [StageTime])?
  private var outcome: Result<[StageTime], any Error>?

  /// - Parameter work: waits for the device, and brings the picture to its destination.
  init(_ work: @escaping () throws -> [StageTime]) {
    self.work = work
  }

  /// Returns when the picture is in its destination.
  ///
  /// - Returns: the times of the stages in their order; empty where the device has no clock.
  /// - Throws: `ComputeError`, at every call.
  @discardableResult
  public func wait() throws -> [StageTime] {
    try lock.withLock {
      if let outcome { return try outcome.get() }
      let result = Result { try work?() ?? [] }
      outcome = result
      work = nil
      return try result.get()
    }
  }
}
