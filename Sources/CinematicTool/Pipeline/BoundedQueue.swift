import Foundation

/// Hands values from one thread to another, a few at a time: the faster side waits for the slower.
///
/// The sender ends the queue with `finish()` or with the error that stopped it; a receiver that gives up says so with `close()`, and
/// the sender then finds that `send` returns false.
package final class BoundedQueue<Element>: @unchecked Sendable {
  private let condition = NSCondition()
  private let capacity: Int
  private var elements: [Element] = []
  private var end: Result<Void, any Error>?
  private var isClosed = false

  package init(capacity: Int) { self.capacity = capacity }

  /// Waits for room. False once the receiver has closed the queue: stop then.
  package func send(_ element: sending Element) -> Bool {
    condition.lock()
    defer { condition.unlock() }
    while elements.count >= capacity, !isClosed { condition.wait() }
    guard !isClosed else { return false }
    elements.append(element)
    condition.broadcast()
    return true
  }

  package func finish(throwing error: (any Error)? = nil) {
    condition.lock()
    end = end ?? (error.map { .failure($0) } ?? .success(()))
    condition.broadcast()
    condition.unlock()
  }

  /// The next value, in order; nil at the end; the sender's error after the values sent before it.
  package func receive() throws -> Element? {
    condition.lock()
    defer { condition.unlock() }
    while elements.isEmpty, end == nil { condition.wait() }
    guard elements.isEmpty else {
      condition.broadcast()
      return elements.removeFirst()
    }
    try end?.get()
    return nil
  }

  /// No value is wanted any more.
  package func close() {
    condition.lock()
    isClosed = true
    elements.removeAll()
    condition.broadcast()
    condition.unlock()
  }
}

extension BoundedQueue {
  /// Runs `produce` on a thread of its own; its end, or its error, ends the queue.
  ///
  /// - Parameter produce: is given the function that hands a value on and says whether to go on.
  package static func filled(
    capacity: Int, named name: String, by produce: @escaping @Sendable ((sending Element) -> Bool) throws -> Void
  ) -> BoundedQueue {
    let queue = BoundedQueue(capacity: capacity)
    let thread = Thread {
      do {
        try produce { queue.send($0) }
        queue.finish()
      } catch {
        queue.finish(throwing: error)
      }
    }
    thread.name = name
    thread.stackSize = 8 << 20
    thread.start()
    return queue
  }
}
