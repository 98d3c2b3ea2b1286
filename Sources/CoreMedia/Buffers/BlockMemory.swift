internal import CoreVideo
internal import Foundation

/// One block of memory that block buffers share; allocated when first needed and freed with the last of them.
final class BlockMemory: @unchecked Sendable {
  // Unchecked: `pointer` is guarded by the lock; the bytes themselves are guarded by nobody, as in the original.
  let length: Int
  private let guardian = NSLock()
  private var pointer: UnsafeMutableRawPointer?
  private let allocate: (Int) -> UnsafeMutableRawPointer?
  private let free: (UnsafeMutableRawPointer, Int) -> Void

  init(
    pointer: UnsafeMutableRawPointer?, length: Int, allocate: @escaping (Int) -> UnsafeMutableRawPointer?,
    free: @escaping (UnsafeMutableRawPointer, Int) -> Void
  ) {
    self.pointer = pointer
    self.length = length
    self.allocate = allocate
    self.free = free
  }

  /// Memory of the system, of `length` bytes; `given` (from `malloc`) or to be allocated.
  convenience init(system given: UnsafeMutableRawPointer?, length: Int) {
    self.init(
      pointer: given, length: length, allocate: { malloc($0) }, free: { pointer, _ in Foundation.free(pointer) })
  }

  deinit {
    if let pointer { free(pointer, length) }
  }

  /// The memory, if it has been allocated.
  var current: UnsafeMutableRawPointer? { guardian.withLock { pointer } }

  /// The memory, allocated now if need be; nil where that fails.
  func assured() -> UnsafeMutableRawPointer? {
    guardian.withLock {
      if pointer == nil { pointer = allocate(length) }
      return pointer
    }
  }
}
