package import CoreVideo
internal import Foundation

/// Where pictures get their buffers: a pool for one size and format, replaced when either changes.
///
/// Safe to use from any thread.
package final class PicturePool: @unchecked Sendable {
  // Unchecked: everything that changes is guarded by the condition's lock.
  private let condition = NSCondition()
  private let attributes: [String: Any]
  private var minimumCount: Int
  /// The most buffers that are made of one size and format, beside `reserve`; nil for as many as are wanted.
  package let threshold: Int?
  private var reserved = 0
  private var current: CVPixelBufferPool?
  private var shape: (width: Int, height: Int, format: OSType) = (0, 0, 0)
  private var observer: (any NSObjectProtocol)?
  private var waits = false
  private var isClosed = false
  /// Callers for whom nothing may wait.
  private var hurried = 0
  /// Buffers that nobody but their maker can give back.
  private var unhanded: [WeakBuffer] = []

  private struct WeakBuffer {
    weak var buffer: CVPixelBuffer?
  }

  /// - Parameters:
  ///   - attributes: of the buffers, beside size and format.
  ///   - minimumCount: buffers that are kept though nobody uses them.
  package init(attributes: [String: Any] = [:], minimumCount: Int = 0, threshold: Int? = nil) {
    self.attributes = attributes
    self.minimumCount = minimumCount
    self.threshold = threshold
  }

  deinit { if let observer { NotificationCenter.default.removeObserver(observer) } }

  /// Whether `makeBuffer` waits, where all buffers that may be made are in use, until one comes back. It does not wait for those that
  /// were made since `handedOn()`, since they cannot come back meanwhile.
  package var waitsForBuffers: Bool {
    get { condition.withLock { waits } }
    set { condition.withLock { waits = newValue } }
  }

  /// Says that all buffers made until now have been put out, but for `reserve`.
  package func handedOn() { condition.withLock { unhanded = [] } }

  /// Buffers that whoever makes pictures keeps for himself; that many more are made.
  package var reserve: Int {
    get { condition.withLock { reserved } }
    set {
      condition.withLock {
        reserved = newValue
        condition.broadcast()
      }
    }
  }

  /// From now on, until `endHurry()` has been called as often, nothing waits; what waits already gets an error.
  package func beginHurry() {
    condition.withLock {
      hurried += 1
      condition.broadcast()
    }
  }

  package func endHurry() { condition.withLock { hurried -= 1 } }

  /// From now on buffers come from another pool, which keeps so many; so do those that are waited for.
  package func renew(minimumCount: Int) {
    condition.withLock {
      self.minimumCount = minimumCount
      current = nil
      condition.broadcast()
    }
  }

  /// Ends waiting for good: from now on, where all buffers are in use, `makeBuffer` throws.
  package func stopWaiting() {
    condition.withLock {
      isClosed = true
      condition.broadcast()
    }
  }

  /// The pool of the last size and format; nil before the first buffer.
  package var pool: CVPixelBufferPool? { condition.withLock { current } }

  /// The pool for a size and format, which is the current one from now on.
  ///
  /// - Throws: `CVError`.
  package func prepare(width: Int, height: Int, format: OSType) throws(CVError) -> CVPixelBufferPool {
    condition.lock()
    defer { condition.unlock() }
    return try prepared(width, height, format)
  }

  /// A buffer whose pixels are whatever they were.
  ///
  /// - Throws: `CVError`; its code is `kCVReturnWouldExceedAllocationThreshold` where all that may be made are in use.
  package func makeBuffer(width: Int, height: Int, format: OSType) throws(CVError) -> CVPixelBuffer {
    condition.lock()
    defer { condition.unlock() }
    while true {
      let limit = threshold.map { $0 + reserved }
      // While this waits, the pool may be replaced.
      let pool = try prepared(width, height, format)
      do {
        let buffer = try pool.makeBuffer(threshold: limit)
        note(buffer)
        return buffer
      } catch {
        guard error.code == kCVReturnWouldExceedAllocationThreshold, canWait(limit) else { throw error }
        condition.wait()
      }
    }
  }

  private func note(_ buffer: CVPixelBuffer) {
    guard threshold != nil else { return }
    unhanded.removeAll { $0.buffer == nil }
    unhanded.append(WeakBuffer(buffer: buffer))
  }

  private func canWait(_ limit: Int?) -> Bool {
    guard waits, !isClosed, hurried == 0 else { return false }
    return unhanded.count { $0.buffer != nil } < limit ?? .max
  }

  private func prepared(_ width: Int, _ height: Int, _ format: OSType) throws(CVError) -> CVPixelBufferPool {
    if let current, shape == (width, height, format) { return current }
    var buffer = attributes
    buffer[kCVPixelBufferWidthKey] = width
    buffer[kCVPixelBufferHeightKey] = height
    buffer[kCVPixelBufferPixelFormatTypeKey] = format
    let made = try CVPixelBufferPool(
      poolAttributes: minimumCount > 0 ? [kCVPixelBufferPoolMinimumBufferCountKey: minimumCount] : [:],
      pixelBufferAttributes: buffer)
    current = made
    shape = (width, height, format)
    if threshold != nil { observe(made) }
    return made
  }

  private func observe(_ pool: CVPixelBufferPool) {
    if let observer { NotificationCenter.default.removeObserver(observer) }
    observer = NotificationCenter.default.addObserver(
      forName: kCVPixelBufferPoolFreeBufferNotification, object: pool, queue: nil
    ) { [weak self] _ in
      guard let self else { return }
      condition.withLock { condition.broadcast() }
    }
  }
}
