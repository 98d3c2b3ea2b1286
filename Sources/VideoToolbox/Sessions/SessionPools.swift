internal import Codecs
internal import CoreVideo

/// Where the pictures of a session get their buffers. Safe to use from any thread.
struct SessionPools: Sendable {
  /// Of what decoders make; put out where nothing else is done to it.
  let decoded: PicturePool
  /// Of pictures without fields that are then scaled.
  let progressive: PicturePool
  /// Of what is put out once it has been scaled, or its fields have been taken apart.
  let finished: PicturePool

  /// - Throws: `CVError` for attributes that no buffer of the pixel format can have.
  init(_ attributes: ImageBufferAttributes, _ format: OSType) throws {
    func pool() -> PicturePool {
      PicturePool(
        attributes: attributes.others, minimumCount: attributes.minimumCount, threshold: attributes.threshold)
    }
    // Whatever the pictures' size will be: only what is asked for beside it is looked at.
    _ = try pool().prepare(width: 16, height: 16, format: format)
    (decoded, progressive, finished) = (pool(), PicturePool(attributes: attributes.others), pool())
  }

  private var all: [PicturePool] { [decoded, progressive, finished] }

  func renew(minimumCount: Int) {
    decoded.renew(minimumCount: minimumCount)
    finished.renew(minimumCount: minimumCount)
  }

  /// Whether frames wait, where all buffers are in use, until one comes back.
  func setWaiting(_ waits: Bool) { for pool in all { pool.waitsForBuffers = waits } }

  /// Calls `body`; no frame waits meanwhile.
  func hurrying<R>(_ body: () throws -> R) rethrows -> R {
    for pool in all { pool.beginHurry() }
    defer { for pool in all { pool.endHurry() } }
    return try body()
  }

  func stopWaiting() { for pool in all { pool.stopWaiting() } }
}
