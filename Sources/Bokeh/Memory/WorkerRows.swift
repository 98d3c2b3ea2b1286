/// A row of memory for each worker, made before they start.
struct WorkerRows<Element: BitwiseCopyable>: @unchecked Sendable {
  private let base: UnsafeMutablePointer<Element>
  private let length: Int

  /// - Parameter length: the values of a row, whose content is undefined.
  init(_ length: Int, in memory: Storage<Element>, _ workers: Workers) {
    base = memory.reserve(workers.count * length)
    self.length = length
  }

  /// What worker number `worker` may use.
  subscript(worker: Int) -> UnsafeMutablePointer<Element> { base + worker &* length }
}
