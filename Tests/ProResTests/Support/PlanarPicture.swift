import ProRes

/// Planes of 16-bit words that a frame is decoded into; they begin with a code that no sound decode leaves.
final class PlanarPicture {
  let destination: ProResDestination
  private let sizes: [Int]

  init(_ header: ProResFrameHeader, depth: Int, hasAlpha: Bool? = nil, scale: ProResScale = .full) {
    let size = scale.size(of: header)
    let chroma = header.chroma == .halved ? (size.width + 1) / 2 : size.width
    let widths = [size.width, chroma, chroma] + (hasAlpha ?? header.hasAlpha ? [size.width] : [])
    sizes = widths.map { $0 * size.height }
    let planes = widths.map { width in
      let memory = UnsafeMutableRawPointer.allocate(byteCount: width * size.height * 2, alignment: 64)
      memory.initializeMemory(as: UInt16.self, repeating: 0xDEAD, count: width * size.height)
      return ProResDestination.Plane(base: memory, bytesPerRow: width * 2)
    }
    destination = ProResDestination(
      layout: .planar(depth: depth), width: size.width, height: size.height, planes: planes)
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
  _ sample: [UInt8], depth: Int, hasAlpha: Bool? = nil, _ options: ProResDecoder.Options = .oneThread
) throws -> (planes: [[UInt16]], report: ProResReport) {
  try sample.withUnsafeBytes { bytes in
    let header = try ProResFrameHeader(bytes)
    let picture = PlanarPicture(header, depth: depth, hasAlpha: hasAlpha, scale: options.scale)
    let report = try ProResDecoder(codec: ProResDecoder.codecs[3])
      .decode(bytes, into: picture.destination, options: options)
    return (picture.planes, report)
  }
}

extension ProResDecoder.Options {
  static let oneThread: ProResDecoder.Options = {
    var options = ProResDecoder.Options()
    options.threads = 1
    return options
  }()
}
