import Dispatch
import Glibc
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

  /// Calls `body` with a worker's number and a range of rows until all `total` rows are done; no `Storage` may grow
  /// meanwhile.
  package func rows(_ total: Int, chunk: Int = 8, _ body: (_ worker: Int, _ rows: Range<Int>) -> Void) {
    guard count > 1, total > chunk else {
      if total > 0 { Workers.work { body(0, 0..<total) } }
      return
    }
    withoutActuallyEscaping(body) { body in
      // Workers write to disjoint rows, and all have ended when concurrentPerform returns.
      nonisolated(unsafe) let work = body
      let next = Atomic<Int>(0)
      DispatchQueue.concurrentPerform(iterations: min(count, (total + chunk - 1) / chunk)) { worker in
        Workers.work {
          while true {
            let start = next.wrappingAdd(chunk, ordering: .relaxed).oldValue
            guard start < total else { return }
            work(worker, start..<min(start + chunk, total))
          }
        }
      }
    }
  }

  /// Whether the present thread computes rows: then it must not make room that all workers use.
  static var isWorking: Bool { pthread_getspecific(mark) != nil }

  private static func work(_ body: () -> Void) {
    let before = pthread_getspecific(mark)
    pthread_setspecific(mark, UnsafeRawPointer(bitPattern: 1))
    body()
    pthread_setspecific(mark, before)
  }

  /// Each thread's own mark.
  private static let mark = {
    var key = pthread_key_t()
    let status = pthread_key_create(&key, nil)
    precondition(status == 0, "There is a key for one more mark of threads.")
    return key
  }()
}
