import CoreVideo

/// The pixels of a decoded frame.
enum FramePixels: @unchecked Sendable {
  case buffer(CVPixelBuffer)
  case planes(PlanarPicture)

  var size: (width: Int, height: Int) {
    switch self {
    case .buffer(let buffer): (buffer.width, buffer.height)
    case .planes(let planes): (planes.shape.width, planes.shape.height)
    }
  }
}

extension RawFormat {
  /// Hands the bytes of a frame, as this format has them in a file, to `write` in one piece or several.
  ///
  /// The frame has the format's pixel format, or its planes.
  func write(_ pixels: FramePixels, to write: (UnsafeRawBufferPointer) throws -> Void) throws {
    switch pixels {
    case .planes(let planes): try write(UnsafeRawBufferPointer(planes.bytes))
    case .buffer(let buffer):
      guard planarDepth == nil else {
        let planes = PlanarPicture(PlanarPicture.Shape(self, width: buffer.width, height: buffer.height))
        planes.copy(buffer)
        return try write(UnsafeRawBufferPointer(planes.bytes))
      }
      for plane in 0..<max(1, CVPixelBufferGetPlaneCount(buffer)) { try Self.write(plane, of: buffer, to: write) }
    }
  }

  /// One plane without the padding of its rows, a few hundred rows at a time.
  private static func write(
    _ plane: Int, of buffer: CVPixelBuffer, to write: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    guard let format = PixelFormat.description(of: CVPixelBufferGetPixelFormatType(buffer)) else { return }
    let block = format.planes[plane]
    try buffer.withPlane(plane, readOnly: true) { base, pitch, width, height in
      let blocks = (width + block.blockWidth - 1) / block.blockWidth
      let alignment = format.rowAlignment
      let length = (blocks * block.bytesPerBlock + alignment - 1) / alignment * alignment
      guard length < pitch else { return try write(UnsafeRawBufferPointer(start: base, count: pitch * height)) }
      let batch = max(1, (1 << 20) / length)
      let room = UnsafeMutableRawBufferPointer.allocate(byteCount: batch * length, alignment: 64)
      defer { room.deallocate() }
      for first in stride(from: 0, to: height, by: batch) {
        let rows = first..<min(first + batch, height)
        for row in rows {
          room.baseAddress!.advanced(by: (row - first) * length).copyMemory(from: base + row * pitch, byteCount: length)
        }
        try write(UnsafeRawBufferPointer(rebasing: room[..<(rows.count * length)]))
      }
    }
  }
}
