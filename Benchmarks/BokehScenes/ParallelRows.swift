import Dispatch
import Synchronization

/// Shares rows among the machine's threads.
enum ParallelRows {
  static func run(_ count: Int, _ body: @Sendable (_ y: Int) -> Void) {
    let next = Atomic<Int>(0)
    DispatchQueue.concurrentPerform(iterations: min(count, 64)) { _ in
      while true {
        let y = next.wrappingAdd(1, ordering: .relaxed).oldValue
        guard y < count else { return }
        body(y)
      }
    }
  }
}
