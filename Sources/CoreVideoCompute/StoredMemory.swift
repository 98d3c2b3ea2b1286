package import Compute
package import CoreVideo
internal import Dispatch

/// How a pixel buffer's planes lie in a device's buffer: one after the other, rows at multiples of 16 bytes.
package struct StoredMemory {
  package struct Plane: Hashable, Sendable {
    package let offset: Int
    package let bytesPerRow: Int
    /// Bytes of a row that hold pixels.
    package let rowBytes: Int
    package let height: Int
  }

  package let planes: [Plane]
  package let byteCount: Int
  /// Whether rows lie as in the pixel buffer, so that a plane is copied at once.
  let hasBufferRows: Bool

  package init(_ buffer: CVPixelBuffer) {
    var planes: [Plane] = []
    var end = 0
    var hasBufferRows = true
    for (index, shape) in (buffer.format?.planes ?? []).enumerated() {
      let (width, height) = shape.size(width: buffer.width, height: buffer.height)
      let rowBytes = (width + shape.blockWidth - 1) / shape.blockWidth * shape.bytesPerBlock
      // Where rows already lie well, a plane is copied at once.
      let pitch = buffer.withPlane(index, readOnly: true) { _, pitch, _, _ in pitch }
      let own = (rowBytes + 15) & ~15
      let bytesPerRow = pitch % 16 == 0 && pitch <= own + 64 ? pitch : own
      hasBufferRows = hasBufferRows && bytesPerRow == pitch
      planes.append(Plane(offset: end, bytesPerRow: bytesPerRow, rowBytes: rowBytes, height: height))
      end += (bytesPerRow * height + 255) & ~255
    }
    self.planes = planes
    self.hasBufferRows = hasBufferRows
    byteCount = end
  }

  /// Planes of no pixel buffer's, of so many bytes a row and so many rows.
  package init(planes shapes: [(rowBytes: Int, height: Int)]) {
    var planes: [Plane] = []
    var end = 0
    for shape in shapes {
      let bytesPerRow = (shape.rowBytes + 15) & ~15
      planes.append(Plane(offset: end, bytesPerRow: bytesPerRow, rowBytes: shape.rowBytes, height: shape.height))
      end += (bytesPerRow * shape.height + 255) & ~255
    }
    self.planes = planes
    hasBufferRows = false
    byteCount = end
  }

  /// The memory of `buffer` as one of the device's, if the device can reach it, with the place of its first byte.
  package func imported(_ buffer: CVPixelBuffer, _ device: ComputeDevice) -> ImportedMemory? {
    guard hasBufferRows, device.importsHostMemory else { return nil }
    return buffer.companion(of: device) { ImportedMemory($0, device) }
  }

  /// The copies between a pixel buffer's memory and a device's buffer, as places in both and lengths.
  package func copies(_ buffer: CVPixelBuffer) -> [(host: Int, device: Int, byteCount: Int)] {
    planes.enumerated().map { index, plane in
      (buffer.offset(ofPlane: index), plane.offset, plane.bytesPerRow * (plane.height - 1) + plane.rowBytes)
    }
  }

  /// Copies the pixels of `buffer` to `bytes`.
  package func load(_ buffer: CVPixelBuffer, into bytes: UnsafeMutableRawBufferPointer) {
    forEachRow(buffer, bytes, readOnly: true) { host, device, count in device.copyMemory(from: host, byteCount: count) }
  }

  /// Copies pixels from `bytes` to `buffer`, and nothing to the memory between its rows.
  package func store(_ bytes: UnsafeMutableRawBufferPointer, into buffer: CVPixelBuffer) {
    forEachRow(buffer, bytes, readOnly: false) { host, device, count in host.copyMemory(from: device, byteCount: count)
    }
  }

  /// Copies pixels from `bytes` to planes of the host's, of so many bytes from row to row.
  package func store(
    _ bytes: UnsafeMutableRawBufferPointer, into planes: [(base: UnsafeMutableRawPointer, bytesPerRow: Int)]
  ) {
    for (index, plane) in planes.enumerated() {
      forEachRow(index, plane.base, plane.bytesPerRow, bytes) { host, device, count in
        host.copyMemory(from: device, byteCount: count)
      }
    }
  }

  private typealias RowCopy =
    @Sendable (
      _ host: UnsafeMutableRawPointer, _ device: UnsafeMutableRawPointer, _ byteCount: Int
    ) -> Void

  private func forEachRow(
    _ buffer: CVPixelBuffer, _ bytes: UnsafeMutableRawBufferPointer, readOnly: Bool, _ body: RowCopy
  ) {
    for index in planes.indices {
      buffer.withPlane(index, readOnly: readOnly) { base, pitch, _, _ in forEachRow(index, base, pitch, bytes, body) }
    }
  }

  /// Calls `body` for each row of a plane with its places in both memories, on several threads: one alone does not keep
  /// up with a device.
  private func forEachRow(
    _ index: Int, _ base: UnsafeMutableRawPointer, _ pitch: Int, _ bytes: UnsafeMutableRawBufferPointer,
    _ body: RowCopy
  ) {
    guard let start = bytes.baseAddress else { return }
    let plane = planes[index]
    // All rows have been copied, each once, when concurrentPerform returns.
    nonisolated(unsafe) let (host, device) = (base, start + plane.offset)
    let parts = min(StoredMemory.mostParts, 1 + plane.rowBytes * plane.height / StoredMemory.partBytes)
    DispatchQueue.concurrentPerform(iterations: parts) { part in
      for y in part * plane.height / parts..<(part + 1) * plane.height / parts {
        body(host + y * pitch, device + y * plane.bytesPerRow, plane.rowBytes)
      }
    }
  }

  /// How many threads copy at most, and how many bytes are worth one.
  private static let mostParts = 8
  private static let partBytes = 1 << 21
}

/// A pixel buffer's memory as a device reaches it: whole pages, of which the picture is a part.
package final class ImportedMemory {
  package let buffer: Buffer
  /// Bytes from the buffer's start to the memory's.
  package let offset: Int

  init?(_ memory: UnsafeMutableRawBufferPointer, _ device: ComputeDevice) {
    guard let base = memory.baseAddress else { return nil }
    let page = max(device.limits.importAlignment, 4096)
    let address = Int(bitPattern: base)
    offset = address % page
    let byteCount = (offset + memory.count + page - 1) / page * page
    // The pages exist, as parts of each are the picture's; nothing but the picture is ever read or written in them.
    let pages = UnsafeMutableRawBufferPointer(start: base - offset, count: byteCount)
    guard let buffer = device.importBuffer(pages, owner: nil) else { return nil }
    self.buffer = buffer
  }
}
