package import CoreGeometry
package import CoreVideo

/// Pictures as R'G'B' and alpha in floats, for stages that compute with colours: read as they are shown, and written.
package enum PictureExchange {
  /// Whether pictures of the format can be read and written.
  package static func isSupported(_ format: OSType) -> Bool {
    PixelFormat.description(of: format).map(PictureMemory.isSupported) ?? false
  }

  /// The size of a picture as `transform` shows it; nil for a transform that is no turn by quarters, with or without a mirror.
  package static func shownSize(
    _ width: Int, _ height: Int, _ transform: CGAffineTransform
  ) -> (width: Int, height: Int)? {
    Orientation(transform)?.size(width, height)
  }

  /// Reads a picture into rows without padding. Missing alpha is 1; greys become equal components.
  ///
  /// - Parameters:
  ///   - transform: one that `shownSize` knows.
  ///   - pixels: room for the picture as it is shown.
  package static func read(
    _ buffer: CVPixelBuffer, color: ColorDescription, transform: CGAffineTransform,
    into pixels: UnsafeMutablePointer<SIMD4<Float>>, workers: Workers
  ) {
    guard let orientation = Orientation(transform), orientation != .identity else {
      return read(buffer, color, into: pixels, workers)
    }
    let room = Storage<SIMD4<Float>>()
    let plane = room.plane(buffer.width, buffer.height)
    defer { withExtendedLifetime(room) {} }
    read(buffer, color, into: plane.base, workers)
    let size = orientation.size(plane.width, plane.height)
    workers.rows(size.height) { _, rows in
      for v in rows {
        for u in 0..<size.width {
          let place = orientation.stored(u, v, plane.width, plane.height)
          pixels[v &* size.width &+ u] = plane[place.x, place.y]
        }
      }
    }
  }

  private static func read(
    _ buffer: CVPixelBuffer, _ color: ColorDescription, into pixels: UnsafeMutablePointer<SIMD4<Float>>,
    _ workers: Workers
  ) {
    let chroma = Storage<SIMD2<Float>>()
    defer { withExtendedLifetime(chroma) {} }
    PictureMemory.with(buffer, readOnly: true) { memory in
      let reader = PictureReader(memory, color: color)
      let width = memory.width
      let rooms = WorkerRows(width, in: chroma, workers)
      workers.rows(memory.height) { worker, rows in
        for y in rows {
          reader.read(y, 0..<width, into: pixels + y &* width, chroma: rooms[worker])
        }
      }
    }
  }

  /// Writes rows without padding into a picture of that size; chroma is the mean of the pixels around its place.
  package static func write(
    _ pixels: UnsafeMutablePointer<SIMD4<Float>>, color: ColorDescription, into buffer: CVPixelBuffer, workers: Workers
  ) {
    let (marks, sums) = (Storage<UInt8>(), Storage<Float>())
    defer { withExtendedLifetime((marks, sums)) {} }
    PictureMemory.with(buffer, readOnly: false) { target in
      if let writer = PlainWriter(target, matrix: color.matrix, siting: color.siting, room: sums) {
        workers.rows(target.height) { _, rows in
          for y in rows { writer.code(y, pixels + y &* target.width) }
        }
        return workers.rows(target.colors[1].height) { _, rows in
          for j in rows { writer.writeChroma(j) }
        }
      }
      let untouched = marks.plane(1, 1)
      let writer = PictureWriter(
        target: target, orientation: .identity, matrix: color.matrix, siting: color.siting,
        picture: Plane(base: pixels, width: target.width, height: target.height), untouched: untouched, source: nil)
      workers.rows(target.height) { _, rows in writer.write(rows) }
    }
  }
}
