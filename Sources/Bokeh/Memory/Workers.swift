import Dispatch
import Synchronization

/// The threads that share a stage's rows.
///
/// Every row is computed by one worker from inputs that no worker changes meanwhile, so that results never depend on
/// how many there are.
package struct Workers: Sendable {
  /// How many rows may be in work at a time.
  package let count: Int

  package init(_ count: Int) {
    self.count = max(1, min(count, 256))
  }

  /// Calls `body` with a worker's number and a range of rows until all `total` rows are done.
  package func rows(_ total: Int, chunk: Int = 8, _ body: (_ worker: Int, _ rows: Range<Int>) -> Void) {
    guard count > 1, total > chunk else {
      if total > 0 { body(0, 0..<total) }
      return
    }
    withoutActuallyEscaping(body) { body in
      // Workers write to disjoint rows, and all have ended when concurrentPerform returns.
      nonisolated(unsafe) let work = body
      let next = Atomic<Int>(0)
      DispatchQueue.concurrentPerform(iterations: min(count, (total + chunk - 1) / chunk)) { worker in
        while true {
          let start = next.wrappingAdd(chunk, ordering: .relaxed).oldValue
          guard start < total else { return }
          work(worker, start..<min(start + chunk, total))
        }
      }
    }
  }
}
