import Foundation
import Glibc

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
  /// Runs `produce` on a thread of its own; its end, or its error, ends the queue. So does a system that gives no thread.
  ///
  /// - Parameter produce: is given the function that hands a value on and says whether to go on.
  package static func filled(
    capacity: Int, named name: String, by produce: @escaping @Sendable ((sending Element) -> Bool) throws -> Void
  ) -> BoundedQueue {
    let queue = BoundedQueue(capacity: capacity)
    let isRunning = OwnThread.start(named: name) {
      do {
        try produce { queue.send($0) }
        queue.finish()
      } catch {
        queue.finish(throwing: error)
      }
    }
    if !isRunning {
      queue.finish(throwing: Failure.noThread)
    }
    return queue
  }
}

/// A thread whose start can fail: Foundation's `Thread` does not tell, and whoever waits for its work would wait for ever.
package enum OwnThread {
  private final class Work: Sendable {
    let name: String
    let body: @Sendable () -> Void

    init(_ name: String, _ body: @escaping @Sendable () -> Void) { (self.name, self.body) = (name, body) }
  }

  /// Runs `body` on a thread of its own; false where the system gives none.
  ///
  /// - Parameters:
  ///   - name: for debuggers.
  ///   - stackBytes: room for the row buffers of renderers, unless given.
  package static func start(named name: String, stackBytes: Int = 8 << 20, _ body: @escaping @Sendable () -> Void)
    -> Bool
  {
    let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
    pthread_attr_init(attributes)
    defer {
      pthread_attr_destroy(attributes)
      attributes.deallocate()
    }
    pthread_attr_setdetachstate(attributes, Int32(PTHREAD_CREATE_DETACHED))
    guard pthread_attr_setstacksize(attributes, stackBytes) == 0 else { return false }
    let context = Unmanaged.passRetained(Work(name, body))
    var created: pthread_t = 0
    let code = pthread_create(
      &created, attributes,
      { context in
        let work = Unmanaged<Work>.fromOpaque(context!).takeRetainedValue()
        Thread.current.name = work.name
        work.body()
        return nil
      }, context.toOpaque())
    if code != 0 { context.release() }
    return code == 0
  }
}
