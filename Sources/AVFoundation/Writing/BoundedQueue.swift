internal import Foundation

/// Runs work in order on a thread of its own; who hands in more than a few pieces waits.
///
/// What is handed in and not yet done is bounded, so that a fast source cannot fill memory in front of a slow encoder.
final class BoundedQueue: @unchecked Sendable {
  // Unchecked: the count is guarded by the condition.
  private let queue: DispatchQueue
  private let limit: Int
  private let condition = NSCondition()
  private var pending = 0

  /// `limit` pieces of work may be handed in and not yet done.
  init(_ label: String, limit: Int) {
    queue = DispatchQueue(label: label, qos: .userInitiated)
    self.limit = limit
  }

  /// Whether work would be taken at once.
  var hasRoom: Bool { condition.withLock { pending < limit } }

  /// Hands in work, which may not hand in more itself. Blocks while there is no room. `done` is called behind the work.
  func run(_ work: @escaping @Sendable () -> Void, done: @escaping @Sendable () -> Void) {
    condition.lock()
    while pending >= limit { condition.wait() }
    pending += 1
    condition.unlock()
    queue.async { [self] in
      work()
      condition.withLock {
        pending -= 1
        condition.signal()
      }
      done()
    }
  }

  /// Blocks until all work handed in so far is done.
  func drain() { queue.sync {} }
}
