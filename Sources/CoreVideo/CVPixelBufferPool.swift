public import Foundation

public let kCVPixelBufferPoolMinimumBufferCountKey: CFString = "MinimumBufferCount"
/// Seconds after which an unused buffer is freed; 1 by default, 0 keeps it for ever.
public let kCVPixelBufferPoolMaximumBufferAgeKey: CFString = "MaximumBufferAge"
public let kCVPixelBufferPoolAllocationThresholdKey: CFString = "BufferPoolAllocationThreshold"
/// Posted, with the pool as its object, when a pool that had refused to make another buffer has one again: it came back, and nothing uses
/// its surface.
public let kCVPixelBufferPoolFreeBufferNotification = Notification.Name("CVPixelBufferPoolFreeBufferNotification")

public struct CVPixelBufferPoolFlushFlags: OptionSet, Sendable {
  public let rawValue: UInt64
  public init(rawValue: UInt64) { self.rawValue = rawValue }
  /// Frees every unused buffer, not only those that have aged out.
  public static let excessBuffers = CVPixelBufferPoolFlushFlags(rawValue: 1)
}

/// Pixel buffers of one kind whose memory is used again once nobody holds the buffer.
///
/// What is lent out is a new `CVBuffer` around recycled memory: it starts without attachments, and the memory comes back when its last
/// reference goes. Thread-safe.
public final class CVPixelBufferPool: @unchecked Sendable {
  let poolAttributes: [String: Any]
  let pixelBufferAttributes: [String: Any]
  private let layout: PixelLayout
  private let minimumCount: Int
  private let maximumAge: Double
  private let now: @Sendable () -> Double
  private let guardian = NSLock()
  private var unused: [(storage: PixelStorage, since: Double)] = []
  private var lent = 0
  private var hasRefused = false

  /// - Parameter now: seconds on a clock that never goes back.
  package init(
    poolAttributes: [String: Any], pixelBufferAttributes: [String: Any],
    now: @escaping @Sendable () -> Double = { ProcessInfo.processInfo.systemUptime }
  ) throws(CVError) {
    self.poolAttributes = poolAttributes
    self.pixelBufferAttributes = pixelBufferAttributes
    self.now = now
    minimumCount = try Self.value(poolAttributes, kCVPixelBufferPoolMinimumBufferCountKey, standard: 0)
    let age = poolAttributes[kCVPixelBufferPoolMaximumBufferAgeKey] ?? 1
    maximumAge = number(age) ?? .nan
    guard maximumAge >= 0 else { throw CVError(code: kCVReturnInvalidPoolAttributes) }
    guard let width = integer(pixelBufferAttributes[kCVPixelBufferWidthKey]),
      let height = integer(pixelBufferAttributes[kCVPixelBufferHeightKey]),
      let format = integer(pixelBufferAttributes[kCVPixelBufferPixelFormatTypeKey]).flatMap(OSType.init(exactly:))
    else { throw CVError(code: kCVReturnInvalidPixelBufferAttributes) }
    layout = try PixelLayout(width: width, height: height, format: format, attributes: pixelBufferAttributes)
  }

  private static func value(_ attributes: [String: Any], _ key: String, standard: Int) throws(CVError) -> Int {
    guard let value = attributes[key] else { return standard }
    guard let count = integer(value), count >= 0 else { throw CVError(code: kCVReturnInvalidPoolAttributes) }
    return count
  }

  /// A zeroed or recycled buffer without attachments but those of the pool's attributes.
  package func makeBuffer(threshold: Int? = nil) throws(CVError) -> CVPixelBuffer {
    let storage = try takeStorage(threshold: threshold)
    let buffer = CVBuffer(content: .pixels(storage), lease: PoolLease(pool: self))
    buffer.attachDefaults(of: pixelBufferAttributes)
    return buffer
  }

  private func takeStorage(threshold: Int?) throws(CVError) -> PixelStorage {
    guardian.lock()
    defer { guardian.unlock() }
    dropAged()
    if let place = unused.lastIndex(where: { !$0.storage.surface.isInUse }) {
      lent += 1
      return unused.remove(at: place).storage
    }
    if let threshold, lent + unused.count >= threshold {
      hasRefused = true
      throw CVError(code: kCVReturnWouldExceedAllocationThreshold)
    }
    let storage = try PixelStorage(layout: layout)
    storage.surface.whenIdle { [weak self] in self?.tellIfAwaited() }
    lent += 1
    return storage
  }

  private func tellIfAwaited() {
    let canLend = guardian.withLock {
      guard hasRefused, unused.contains(where: { !$0.storage.surface.isInUse }) else { return false }
      hasRefused = false
      return true
    }
    if canLend { NotificationCenter.default.post(name: kCVPixelBufferPoolFreeBufferNotification, object: self) }
  }

  fileprivate func takeBack(_ storage: PixelStorage) {
    guardian.withLock {
      lent -= 1
      unused.append((storage, now()))
      dropAged()
    }
    tellIfAwaited()
  }

  func flush(_ flags: CVPixelBufferPoolFlushFlags) {
    guardian.withLock {
      if flags.contains(.excessBuffers) { unused.removeAll { !$0.storage.surface.isInUse } } else { dropAged() }
    }
  }

  /// Unused buffers lie in the order in which they came back: the oldest are at the front. Those whose surface is in use stay.
  private func dropAged() {
    guard maximumAge > 0 else { return }
    let limit = now() - maximumAge
    while lent + unused.count > minimumCount,
      let oldest = unused.firstIndex(where: { $0.since < limit && !$0.storage.surface.isInUse })
    {
      unused.remove(at: oldest)
    }
  }

  /// Buffers that exist, and those of them that are in use.
  package var counts: (total: Int, inUse: Int) { guardian.withLock { (lent + unused.count, lent) } }
}

/// A buffer's claim on memory of a pool.
struct PoolLease: Sendable {
  let pool: CVPixelBufferPool
  func end(_ storage: PixelStorage) { pool.takeBack(storage) }
}

@discardableResult
public func CVPixelBufferPoolCreate(
  _ allocator: CFAllocator?, _ poolAttributes: CFDictionary?, _ pixelBufferAttributes: CFDictionary?,
  _ poolOut: UnsafeMutablePointer<CVPixelBufferPool?>
) -> CVReturn {
  do {
    poolOut.pointee = try CVPixelBufferPool(
      poolAttributes: poolAttributes ?? [:], pixelBufferAttributes: pixelBufferAttributes ?? [:])
    return kCVReturnSuccess
  } catch {
    return error.code
  }
}

@discardableResult
public func CVPixelBufferPoolCreatePixelBuffer(
  _ allocator: CFAllocator?, _ pool: CVPixelBufferPool, _ pixelBufferOut: UnsafeMutablePointer<CVPixelBuffer?>
) -> CVReturn {
  CVPixelBufferPoolCreatePixelBufferWithAuxAttributes(allocator, pool, nil, pixelBufferOut)
}

/// With `kCVPixelBufferPoolAllocationThresholdKey`, `kCVReturnWouldExceedAllocationThreshold` instead of one buffer more.
@discardableResult
public func CVPixelBufferPoolCreatePixelBufferWithAuxAttributes(
  _ allocator: CFAllocator?, _ pool: CVPixelBufferPool, _ auxAttributes: CFDictionary?,
  _ pixelBufferOut: UnsafeMutablePointer<CVPixelBuffer?>
) -> CVReturn {
  do {
    let threshold = integer(auxAttributes?[kCVPixelBufferPoolAllocationThresholdKey])
    pixelBufferOut.pointee = try pool.makeBuffer(threshold: threshold)
    return kCVReturnSuccess
  } catch {
    return error.code
  }
}

public func CVPixelBufferPoolFlush(_ pool: CVPixelBufferPool, _ options: CVPixelBufferPoolFlushFlags) {
  pool.flush(options)
}

public func CVPixelBufferPoolGetAttributes(_ pool: CVPixelBufferPool) -> CFDictionary? { pool.poolAttributes }

public func CVPixelBufferPoolGetPixelBufferAttributes(_ pool: CVPixelBufferPool) -> CFDictionary? {
  pool.pixelBufferAttributes
}
