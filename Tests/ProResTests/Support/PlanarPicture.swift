import ProRes

/// Planes of 16-bit words that a frame is decoded into; they begin with a code that no sound decode leaves.
final class PlanarPicture {
  let destination: ProResDestination
  private let sizes: [Int]

  init(_ header: ProResFrameHeader, depth: Int, hasAlpha: Bool? = nil) {
    let chroma = header.chroma == .halved ? (header.width + 1) / 2 : header.width
    let widths = [header.width, chroma, chroma] + (hasAlpha ?? header.hasAlpha ? [header.width] : [])
    sizes = widths.map { $0 * header.height }
    let planes = widths.map { width in
      let memory = UnsafeMutableRawPointer.allocate(byteCount: max(2, width * header.height * 2), alignment: 64)
      memory.initializeMemory(as: UInt16.self, repeating: 0xDEAD, count: width * header.height)
      return ProResDestination.Plane(base: memory, bytesPerRow: width * 2)
    }
    destination = ProResDestination(
      layout: .planar(depth: depth), width: header.width, height: header.height, planes: planes)
  }

  deinit { for plane in destination.planes { plane.base.deallocate() } }

  var planes: [[UInt16]] {
    zip(destination.planes, sizes).map { plane, size in
      Array(UnsafeBufferPointer(start: plane.base.assumingMemoryBound(to: UInt16.self), count: size))
    }
  }
}

/// A sample's planes and report.
func decodePlanes(
  _ sample: [UInt8], depth: Int, hasAlpha: Bool? = nil, threads: Int = 1
) throws -> (planes: [[UInt16]], report: ProResReport) {
  try sample.withUnsafeBytes { bytes in
    let picture = PlanarPicture(try ProResFrameHeader(bytes), depth: depth, hasAlpha: hasAlpha)
    var options = ProResDecoder.Options()
    options.threads = threads
    let report = try ProResDecoder().decode(bytes, into: picture.destination, options: options)
    return (picture.planes, report)
  }
}
