package import CoreVideo
internal import Foundation

/// Where pictures get their buffers: a pool for one size and format, replaced when either changes.
///
/// Safe to use from any thread.
package final class PicturePool: @unchecked Sendable {
  // Unchecked: everything that changes is guarded by the condition's lock.
  private let condition = NSCondition()
  private let attributes: [String: Any]
  private let minimumCount: Int
  /// The most buffers that are made of one size and format; nil for as many as are wanted.
  package let threshold: Int?
  private var current: CVPixelBufferPool?
  private var shape: (width: Int, height: Int, format: OSType) = (0, 0, 0)
  private var observer: (any NSObjectProtocol)?
  private var waits = false
  private var isClosed = false

  /// - Parameters:
  ///   - attributes: of the buffers, beside size and format.
  ///   - minimumCount: buffers that are kept though nobody uses them.
  package init(attributes: [String: Any] = [:], minimumCount: Int = 0, threshold: Int? = nil) {
    self.attributes = attributes
    self.minimumCount = minimumCount
    self.threshold = threshold
  }

  deinit { if let observer { NotificationCenter.default.removeObserver(observer) } }

  /// Whether `makeBuffer` waits, where all buffers that may be made are in use, until one comes back.
  package var waitsForBuffers: Bool {
    get { condition.withLock { waits } }
    set { condition.withLock { waits = newValue } }
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
    let pool = try prepared(width, height, format)
    while true {
      do {
        return try pool.makeBuffer(threshold: threshold)
      } catch {
        guard error.code == kCVReturnWouldExceedAllocationThreshold, waits, !isClosed else { throw error }
        condition.wait()
      }
    }
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
