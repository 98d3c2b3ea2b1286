import Foundation
import Metal
import Testing

/// What happened, in order.
private final class Log: @unchecked Sendable {
  private let lock = NSLock()
  private var lines: [String] = []
  var entries: [String] { lock.withLock { lines } }
  func add(_ line: String) { lock.withLock { lines.append(line) } }
}

private struct Failure: Error, Equatable { let number: Int }

private final class Resource: Sendable {}

struct CommandBufferTests {
  private let queue = MTLCreateSystemDefaultDevice()!.makeCommandQueue()!

  private func makeBuffer() throws -> any MTLCommandBuffer { try #require(queue.makeCommandBuffer()) }

  @Test func buffersRunInCommitOrder() throws {
    let log = Log()
    let buffers = try (0..<50).map { _ in try makeBuffer() }
    for (index, buffer) in buffers.enumerated().reversed() {
      buffer.encode("work") { log.add("\(index)a") }
      buffer.encode("work") { log.add("\(index)b") }
      buffer.commit()
    }
    buffers[0].waitUntilCompleted()
    #expect(log.entries == (0..<50).reversed().flatMap { ["\($0)a", "\($0)b"] })
    #expect(buffers.allSatisfy { $0.status == .completed && $0.error == nil })
  }

  @Test func enqueueReservesThePlace() throws {
    let (log, first, second) = (Log(), try makeBuffer(), try makeBuffer())
    first.enqueue()
    second.encode("work") { log.add("second") }
    second.commit()
    first.encode("work") { log.add("first") }
    first.commit()
    second.waitUntilCompleted()
    #expect(log.entries == ["first", "second"])
  }

  @Test func anAbandonedPlaceIsSkipped() throws {
    var abandoned: (any MTLCommandBuffer)? = try makeBuffer()
    abandoned?.enqueue()
    let next = try makeBuffer()
    next.commit()
    withExtendedLifetime(abandoned) { #expect(next.status == .committed) }
    abandoned = nil
    next.waitUntilCompleted()
    #expect(next.status == .completed)
  }

  @Test func handlersRunAroundTheWork() throws {
    let (log, buffer) = (Log(), try makeBuffer())
    buffer.addScheduledHandler { log.add("scheduled \($0.status == .scheduled)") }
    buffer.addCompletedHandler { log.add("completed \($0.status == .completed)") }
    buffer.addCompletedHandler { _ in log.add("again") }
    buffer.encode("work") { log.add("work") }
    #expect(buffer.status == .notEnqueued && log.entries.isEmpty)
    buffer.commit()
    buffer.waitUntilScheduled()
    buffer.waitUntilCompleted()
    #expect(log.entries == ["scheduled true", "work", "completed true", "again"])
  }

  @Test func aThrownErrorEndsOnlyItsBuffer() throws {
    let (log, failing, next) = (Log(), try makeBuffer(), try makeBuffer())
    failing.encode("fails") { throw Failure(number: 3) }
    failing.encode("skipped") { log.add("skipped") }
    failing.addCompletedHandler { log.add("handler \($0.error as? Failure == Failure(number: 3))") }
    next.encode("work") { log.add("next") }
    failing.commit()
    next.commit()
    next.waitUntilCompleted()
    #expect(log.entries == ["handler true", "next"])
    #expect(failing.status == .error && failing.error as? Failure == Failure(number: 3))
    #expect(next.status == .completed && next.error == nil)
  }

  @Test func aHandlerMayWaitForALaterBuffer() throws {
    let (log, first, second) = (Log(), try makeBuffer(), try makeBuffer())
    first.addCompletedHandler { _ in
      second.waitUntilCompleted()
      log.add("first")
    }
    second.encode("work") { log.add("second") }
    second.addCompletedHandler { _ in log.add("handler") }
    first.enqueue()
    second.commit()
    first.commit()
    first.waitUntilCompleted()
    #expect(log.entries == ["second", "handler", "first"])
  }

  @Test func workIsHeldUntilItIsDone() throws {
    let (entered, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let buffer = try makeBuffer()
    weak var resource: Resource?
    do {
      let made = Resource()
      resource = made
      buffer.encode("work") { [made] in
        entered.signal()
        gate.wait()
        withExtendedLifetime(made) {}
      }
    }
    #expect(resource != nil)
    buffer.commit()
    entered.wait()
    #expect(resource != nil)
    gate.signal()
    buffer.waitUntilCompleted()
    #expect(resource == nil)
  }

  /// Asks a buffer for its status as it goes.
  private final class Asking: @unchecked Sendable {
    weak var buffer: (any MTLCommandBuffer)?
    let answered: DispatchSemaphore

    init(_ buffer: any MTLCommandBuffer, _ answered: DispatchSemaphore) {
      self.buffer = buffer
      self.answered = answered
    }

    deinit { if buffer?.status == .completed { answered.signal() } }
  }

  @Test func whatHandlersHoldMayAskTheBufferAsItGoes() throws {
    let (buffer, answered) = (try makeBuffer(), DispatchSemaphore(value: 0))
    do {
      let asking = Asking(buffer, answered)
      buffer.addCompletedHandler { _ in withExtendedLifetime(asking) {} }
    }
    buffer.commit()
    #expect(answered.wait(timeout: .now() + 60) == .success)
    buffer.waitUntilCompleted()
  }

  @Test func aBufferLetGoOfStillRuns() throws {
    let done = DispatchSemaphore(value: 0)
    do {
      let buffer = try #require(MTLCreateSystemDefaultDevice()?.makeCommandQueue()?.makeCommandBuffer())
      buffer.encode("work") { done.signal() }
      buffer.commit()
    }
    #expect(done.wait(timeout: .now() + 60) == .success)
  }
}
