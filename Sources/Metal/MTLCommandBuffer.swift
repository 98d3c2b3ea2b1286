import Foundation

public enum MTLCommandBufferStatus: UInt, Sendable, Comparable {
  case notEnqueued = 0
  case enqueued = 1
  case committed = 2
  case scheduled = 3
  case completed = 4
  case error = 5

  public static func < (a: MTLCommandBufferStatus, b: MTLCommandBufferStatus) -> Bool { a.rawValue < b.rawValue }
}

public typealias MTLCommandBufferHandler = @Sendable (any MTLCommandBuffer) -> Void

/// Work for a queue: filled, committed once, and run when all that was enqueued before it has run.
///
/// It holds all that its work uses until the work is done. Adding work or handlers after `commit()`, and committing twice, are
/// precondition failures.
public protocol MTLCommandBuffer: AnyObject, Sendable {
  var device: any MTLDevice { get }
  var commandQueue: any MTLCommandQueue { get }
  var label: String? { get set }
  /// Whether used resources are held: always.
  var retainedReferences: Bool { get }
  var status: MTLCommandBufferStatus { get }
  /// Why the status is `error`.
  var error: (any Error)? { get }
  /// Seconds on the system's steady clock; 0 until known.
  var kernelStartTime: Double { get }
  var kernelEndTime: Double { get }

  /// Takes the next place in the queue's order without being ready yet; later buffers wait.
  func enqueue()
  func commit()
  /// Called on the queue's thread just before the work begins.
  func addScheduledHandler(_ block: @escaping MTLCommandBufferHandler)
  /// Called on the queue's thread, in the order added, after the work is done or has failed.
  func addCompletedHandler(_ block: @escaping MTLCommandBufferHandler)
  func waitUntilScheduled()
  /// Returns when the work is done and the completed handlers have run.
  ///
  /// Called by a handler of the same queue it runs the queue's work up to this buffer itself, as nobody else could.
  func waitUntilCompleted()
}

/// An ordered stream of command buffers.
public protocol MTLCommandQueue: AnyObject, Sendable {
  var device: any MTLDevice { get }
  var label: String? { get set }
  func makeCommandBuffer() -> (any MTLCommandBuffer)?
  /// The same: what a command uses is always held.
  func makeCommandBufferWithUnretainedReferences() -> (any MTLCommandBuffer)?
}

extension MTLCommandBuffer {
  /// Adds work to be run on the queue's thread, after what was added before.
  ///
  /// The first work that throws ends the buffer: the rest is skipped, the status becomes `error`, and the completed handlers run.
  package func encode(_ label: String, _ work: @escaping @Sendable () throws -> Void) {
    guard let buffer = self as? CPUCommandBuffer else {
      preconditionFailure("The command buffer was not made by this package.")
    }
    buffer.add(CPUCommandBuffer.Command(label: label, work: work))
  }
}
