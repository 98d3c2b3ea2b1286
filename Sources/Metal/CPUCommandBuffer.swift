import Foundation

/// A command buffer whose work is closures.
final class CPUCommandBuffer: MTLCommandBuffer, @unchecked Sendable {
  struct Command {
    let label: String
    let work: @Sendable () throws -> Void
  }

  private struct State {
    var label: String?
    var status = MTLCommandBufferStatus.notEnqueued
    var error: (any Error)?
    var commands: [Command] = []
    var scheduledHandlers: [MTLCommandBufferHandler] = []
    var completedHandlers: [MTLCommandBufferHandler] = []
    var start = 0.0
    var end = 0.0
    /// The completed handlers have run too.
    var isFinished = false
  }

  let commandQueue: any MTLCommandQueue
  let retainedReferences = true
  private let order: CommandOrder
  private let condition = NSCondition()
  private var state = State()

  init(queue: CPUCommandQueue) {
    commandQueue = queue
    order = queue.order
  }

  deinit { if state.status == .enqueued { order.abandon(ObjectIdentifier(self)) } }

  var device: any MTLDevice { commandQueue.device }
  var status: MTLCommandBufferStatus { withState { $0.status } }
  var error: (any Error)? { withState { $0.error } }
  var kernelStartTime: Double { withState { $0.start } }
  var kernelEndTime: Double { withState { $0.end } }
  var label: String? {
    get { withState { $0.label } }
    set { withState { $0.label = newValue } }
  }

  func enqueue() {
    let isFirst = withState { state in
      guard state.status == .notEnqueued else { return false }
      state.status = .enqueued
      return true
    }
    if isFirst { order.reserve(for: self) }
  }

  func commit() {
    enqueue()
    withState { state in
      precondition(state.status == .enqueued, "A command buffer is committed once.")
      state.status = .committed
    }
    order.commit(self)
  }

  func addScheduledHandler(_ block: @escaping MTLCommandBufferHandler) {
    withOpenState { $0.scheduledHandlers.append(block) }
  }

  func addCompletedHandler(_ block: @escaping MTLCommandBufferHandler) {
    withOpenState { $0.completedHandlers.append(block) }
  }

  func add(_ command: Command) { withOpenState { $0.commands.append(command) } }

  func waitUntilScheduled() { wait { $0.status >= .scheduled } }

  func waitUntilCompleted() { wait { $0.isFinished } }
}

extension CPUCommandBuffer {
  /// Runs the handlers and the work; called once, by the queue.
  func run() {
    setStatus(.scheduled)
    for handler in withState({ $0.scheduledHandlers }) { handler(self) }
    withState { $0.start = ProcessInfo.processInfo.systemUptime }
    finish(runCommands())
    for handler in withState({ $0.completedHandlers }) { handler(self) }
    // Handlers often hold the buffer: dropping them ends the cycle. Outside the lock, for what they hold may ask the buffer as it goes.
    let handlers = withState { state in
      defer { (state.scheduledHandlers, state.completedHandlers) = ([], []) }
      return (state.scheduledHandlers, state.completedHandlers)
    }
    withExtendedLifetime(handlers) {}
    withState { $0.isFinished = true }
    condition.broadcast()
  }

  /// The first error, or nil.
  private func runCommands() -> (any Error)? {
    let commands = withState { state in
      defer { state.commands = [] }
      return state.commands
    }
    do {
      for command in commands { try command.work() }
      return nil
    } catch {
      return error
    }
  }

  private func finish(_ error: (any Error)?) {
    withState { state in
      state.error = error
      state.end = ProcessInfo.processInfo.systemUptime
      state.status = error == nil ? .completed : .error
    }
    condition.broadcast()
  }

  private func setStatus(_ status: MTLCommandBufferStatus) {
    withState { $0.status = status }
    condition.broadcast()
  }

  private func withState<R>(_ body: (inout State) -> R) -> R {
    condition.lock()
    defer { condition.unlock() }
    return body(&state)
  }

  private func withOpenState(_ body: (inout State) -> Void) {
    withState { state in
      precondition(state.status < .committed, "A committed command buffer takes nothing more.")
      body(&state)
    }
  }

  private func wait(until isReached: (State) -> Bool) {
    if order.isCurrentThread {
      while !withState({ isReached($0) }), order.runNext() {}
      return
    }
    condition.lock()
    defer { condition.unlock() }
    precondition(state.status >= .committed, "Only a committed command buffer can be waited for.")
    while !isReached(state) { condition.wait() }
  }
}
