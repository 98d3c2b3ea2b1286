/// Memory for one kind of value that grows to the largest frame met and is kept from frame to frame.
package final class Storage<Element: BitwiseCopyable> {
  private var memory: UnsafeMutableRawPointer?
  private var capacity = 0

  package init() {}

  /// Room for `count` values, its content undefined; pointers of earlier calls end here if it has to grow, which no worker
  /// may ask for.
  package func reserve(_ count: Int) -> UnsafeMutablePointer<Element> {
    if memory == nil || count > capacity {
      precondition(!Workers.isWorking, "Room is made before there are workers, who all use it.")
      memory?.deallocate()
      capacity = max(count, 1)
      memory = .allocate(byteCount: capacity * MemoryLayout<Element>.stride, alignment: 64)
    }
    return memory!.assumingMemoryBound(to: Element.self)
  }

  /// Room for a plane, its content undefined.
  func plane(_ width: Int, _ height: Int) -> Plane<Element> {
    Plane(base: reserve(width * height), width: width, height: height)
  }

  /// Bytes held now.
  var byteCount: Int { capacity * MemoryLayout<Element>.stride }

  deinit {
    memory?.deallocate()
  }
}

/// Rows of values without padding, in memory that a `Storage` owns.
struct Plane<Element: BitwiseCopyable> {
  let base: UnsafeMutablePointer<Element>
  let width: Int
  let height: Int

  var count: Int { width * height }

  func row(_ y: Int) -> UnsafeMutablePointer<Element> { base + y &* width }

  /// The row nearest to `y` that exists.
  func clampedRow(_ y: Int) -> UnsafeMutablePointer<Element> { row(min(max(y, 0), height &- 1)) }

  subscript(x: Int, y: Int) -> Element {
    get { base[y &* width &+ x] }
    nonmutating set { base[y &* width &+ x] = newValue }
  }

  func fill(_ value: Element) {
    base.update(repeating: value, count: count)
  }
}
