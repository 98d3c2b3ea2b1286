import Foundation
import Glibc

/// A queue that runs its command buffers one after the other on a thread of its own.
final class CPUCommandQueue: MTLCommandQueue, @unchecked Sendable {
  let device: any MTLDevice
  let order = CommandOrder()
  private let name = Guarded<String?>(nil)

  /// Nil where the system gives no thread.
  init?(device: any MTLDevice) {
    self.device = device
    guard order.start() else { return nil }
  }

  deinit { order.close() }

  var label: String? {
    get { name.withLock { $0 } }
    set { name.withLock { $0 = newValue } }
  }

  func makeCommandBuffer() -> (any MTLCommandBuffer)? { CPUCommandBuffer(queue: self) }

  func makeCommandBufferWithUnretainedReferences() -> (any MTLCommandBuffer)? { makeCommandBuffer() }
}

/// The places of a queue in their order, and the thread that works them off.
///
/// `A (committed)  B (enqueued only)  C (committed)`: A runs, then the thread waits for B. If B goes away uncommitted,
/// its place is skipped and C runs.
final class CommandOrder: @unchecked Sendable {
  private struct Place {
    /// Not a reference, not even a weak one: letting go of the last would free the buffer, and its queue, under the lock.
    let id: ObjectIdentifier
    /// Holds the buffer from its commit until it has run.
    var committed: CPUCommandBuffer?
  }

  private let condition = NSCondition()
  private var places: [Place] = []
  private var isClosed = false
  private let thread = Guarded<pthread_t?>(nil)

  /// False where the system gives no thread: Foundation's `Thread` would not tell, and whoever waits for a command would wait for ever.
  func start() -> Bool {
    let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
    pthread_attr_init(attributes)
    defer {
      pthread_attr_destroy(attributes)
      attributes.deallocate()
    }
    pthread_attr_setdetachstate(attributes, Int32(PTHREAD_CREATE_DETACHED))
    // Renderers keep row buffers on the stack of whoever runs them.
    pthread_attr_setstacksize(attributes, 8 << 20)
    let context = Unmanaged.passRetained(self)
    var created: pthread_t = 0
    let code = pthread_create(
      &created, attributes,
      { context in
        let order = Unmanaged<CommandOrder>.fromOpaque(context!).takeRetainedValue()
        Thread.current.name = "MTLCommandQueue"
        order.thread.withLock { $0 = pthread_self() }
        order.work()
        return nil
      }, context.toOpaque())
    if code != 0 { context.release() }
    return code == 0
  }

  /// Ends the thread; no buffer is left, since each holds its queue.
  func close() {
    condition.lock()
    isClosed = true
    condition.broadcast()
    condition.unlock()
  }

  func reserve(for buffer: CPUCommandBuffer) {
    condition.lock()
    places.append(Place(id: ObjectIdentifier(buffer)))
    condition.unlock()
  }

  func commit(_ buffer: CPUCommandBuffer) {
    condition.lock()
    let place = places.firstIndex { $0.id == ObjectIdentifier(buffer) }
    places[place!].committed = buffer
    condition.broadcast()
    condition.unlock()
  }

  /// A buffer went away between its enqueueing and its commit: those behind it move up.
  func abandon(_ buffer: ObjectIdentifier) {
    condition.lock()
    places.removeAll { $0.id == buffer }
    condition.broadcast()
    condition.unlock()
  }

  var isCurrentThread: Bool { thread.withLock { $0 } == pthread_self() }

  /// Runs the next committed buffer; false if none is ready.
  func runNext() -> Bool {
    condition.lock()
    let next = takeNext()
    condition.unlock()
    next?.run()
    return next != nil
  }

  private func work() {
    while let next = waitForNext() { next.run() }
  }

  /// Nil once the queue is closed.
  private func waitForNext() -> CPUCommandBuffer? {
    condition.lock()
    defer { condition.unlock() }
    while true {
      if let next = takeNext() { return next }
      if isClosed { return nil }
      condition.wait()
    }
  }

  /// The buffer whose turn it is, if it has been committed; the lock is held.
  private func takeNext() -> CPUCommandBuffer? {
    guard let next = places.first?.committed else { return nil }
    places.removeFirst()
    return next
  }
}
