import CinematicTool
import Foundation
import Synchronization
import Testing

@Suite struct BoundedQueueTests {
  private struct Stopped: Error, Equatable {}

  @Test(arguments: [1, 2, 7])
  func `values come in order`(capacity: Int) throws {
    let queue = BoundedQueue<Int>.filled(capacity: capacity, named: "numbers") { hand in
      for number in 0..<1000 where !hand(number) { return }
    }
    for number in 0..<1000 { #expect(try queue.receive() == number) }
    #expect(try queue.receive() == nil)
    #expect(try queue.receive() == nil)
  }

  @Test func `the sender waits while the queue is full`() throws {
    // What the sender has finished sending, at most the capacity ahead of what was received.
    let sent = Mutex(0)
    let queue = BoundedQueue<Int>.filled(capacity: 3, named: "numbers") { hand in
      for number in 0..<200 {
        guard hand(number) else { return }
        sent.withLock { $0 += 1 }
      }
    }
    for received in 0..<200 {
      #expect(sent.withLock { $0 } <= received + 3)
      #expect(try queue.receive() == received)
    }
    #expect(try queue.receive() == nil)
    #expect(sent.withLock { $0 } == 200)
  }

  @Test func `an error comes after the values that were sent before it`() throws {
    let queue = BoundedQueue<Int>.filled(capacity: 8, named: "numbers") { hand in
      for number in 0..<3 { _ = hand(number) }
      throw Stopped()
    }
    for number in 0..<3 { #expect(try queue.receive() == number) }
    #expect(throws: Stopped()) { try queue.receive() }
    #expect(throws: Stopped()) { try queue.receive() }
  }

  @Test func `the first end counts`() throws {
    let queue = BoundedQueue<Int>(capacity: 2)
    queue.finish()
    queue.finish(throwing: Stopped())
    #expect(try queue.receive() == nil)
  }

  @Test func `a closed queue stops its sender, even a waiting one`() throws {
    let attempts = Mutex(0)
    let done = DispatchSemaphore(value: 0)
    let queue = BoundedQueue<Int>.filled(capacity: 1, named: "numbers") { hand in
      defer { done.signal() }
      while hand(0) { attempts.withLock { $0 += 1 } }
    }
    #expect(try queue.receive() == 0)
    queue.close()
    // Without an end to its waiting the sender would never come here.
    done.wait()
    #expect(!queue.send(1))
    #expect(attempts.withLock { $0 } <= 3)
    #expect(try queue.receive() == nil)
  }
}
