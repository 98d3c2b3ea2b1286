package import Compute
package import CoreVideo
internal import Foundation

/// A picture in a device's memory, for work on the same device.
///
/// Its memory goes to another picture when nobody holds this one any more and all work that was said to use it is done.
package final class DevicePicture: @unchecked Sendable {
  // Unchecked: what changes is guarded by the lock.
  package let width: Int
  package let height: Int
  /// Nil where the planes are those of no pixel format.
  package let pixelFormat: OSType?
  /// How the planes lie in the buffer.
  package let memory: StoredMemory
  package let buffer: Buffer
  /// When the pixels are there.
  package let ready: Timeline.Point

  private let pool: DevicePictureMemory
  private let lock = NSLock()
  private var users: [Timeline.Point]

  fileprivate init(_ request: Request, _ buffer: Buffer, _ pool: DevicePictureMemory) {
    (width, height, pixelFormat) = (request.width, request.height, request.pixelFormat)
    memory = request.memory
    ready = request.ready
    users = [request.ready]
    self.buffer = buffer
    self.pool = pool
  }

  deinit { pool.giveBack(buffer, usedUntil: users) }

  /// Keeps the memory until work that reads the picture has reached `point`, even if nobody holds the picture any more.
  package func use(until point: Timeline.Point) { lock.withLock { users.append(point) } }
}

extension DevicePicture {
  /// A picture to be.
  package struct Request {
    package var width: Int
    package var height: Int
    package var pixelFormat: OSType?
    package var memory: StoredMemory
    package var ready: Timeline.Point

    package init(width: Int, height: Int, pixelFormat: OSType?, memory: StoredMemory, ready: Timeline.Point) {
      (self.width, self.height, self.pixelFormat) = (width, height, pixelFormat)
      self.memory = memory
      self.ready = ready
    }
  }
}

/// Memory of pictures that are gone, for those to come.
package final class DevicePictureMemory: @unchecked Sendable {
  // Unchecked: what changes is guarded by the lock.
  private let device: ComputeDevice
  private let lock = NSLock()
  private var free: [(buffer: Buffer, usedUntil: [Timeline.Point])] = []

  /// Buffers that are kept for pictures to come.
  private static let mostKept = 32

  package init(_ device: ComputeDevice) { self.device = device }

  /// A picture of undefined pixels.
  package func makePicture(_ request: DevicePicture.Request) throws(ComputeError) -> DevicePicture {
    DevicePicture(request, try take(request.memory.byteCount), self)
  }

  /// A buffer of this size that no work uses any more.
  private func take(_ byteCount: Int) throws(ComputeError) -> Buffer {
    let found = lock.withLock { () -> Buffer? in
      free.removeAll { $0.buffer.byteCount != byteCount }
      guard let index = free.firstIndex(where: { isReached($0.usedUntil) }) else { return nil }
      return free.remove(at: index).buffer
    }
    if let found { return found }
    return try device.makeBuffer(max(byteCount, 16), .device)
  }

  fileprivate func giveBack(_ buffer: Buffer, usedUntil points: [Timeline.Point]) {
    lock.withLock {
      if free.count < Self.mostKept { free.append((buffer, points)) }
    }
  }

  private func isReached(_ points: [Timeline.Point]) -> Bool {
    points.allSatisfy { point in ((try? point.timeline.value()) ?? 0) >= point.value }
  }
}
