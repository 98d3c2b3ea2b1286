import COpenEXR
package import Foundation

/// OpenEXR pictures by OpenEXRCore: planes of floats under the names of their channels.
package enum EXRFile {
  /// One channel of a picture: `width` x `height` samples, rows from the top.
  package struct Plane: Sendable, Equatable {
    package var width: Int
    package var height: Int
    package var samples: [Float]

    package init(width: Int, height: Int, samples: [Float]) {
      precondition(samples.count == width * height)
      self.width = width
      self.height = height
      self.samples = samples
    }
  }

  /// x and y of the primaries and of white (CIE 1931): what the numbers of R, G and B mean.
  package struct Chromaticities: Sendable, Hashable {
    package let red: SIMD2<Float>
    package let green: SIMD2<Float>
    package let blue: SIMD2<Float>
    package let white: SIMD2<Float>

    private static let d65 = SIMD2<Float>(0.3127, 0.3290)
    /// ITU-R BT.709.
    package static let bt709 = Self(red: [0.64, 0.33], green: [0.30, 0.60], blue: [0.15, 0.06], white: d65)
    /// SMPTE EG 432-1 with the white point D65.
    package static let p3 = Self(red: [0.680, 0.320], green: [0.265, 0.690], blue: [0.150, 0.060], white: d65)
    /// ITU-R BT.2020.
    package static let bt2020 = Self(red: [0.708, 0.292], green: [0.170, 0.797], blue: [0.131, 0.046], white: d65)

    package init(red: SIMD2<Float>, green: SIMD2<Float>, blue: SIMD2<Float>, white: SIMD2<Float>) {
      (self.red, self.green, self.blue, self.white) = (red, green, blue, white)
    }

    fileprivate init(numbers n: [Float]) {
      self.init(red: [n[0], n[1]], green: [n[2], n[3]], blue: [n[4], n[5]], white: [n[6], n[7]])
    }

    fileprivate var numbers: [Float] { [red, green, blue, white].flatMap { [$0.x, $0.y] } }

    /// Whether both mean the same colours: programs round to three digits.
    package func isNear(_ other: Chromaticities) -> Bool {
      zip(numbers, other.numbers).allSatisfy { abs($0 - $1) < 0.002 }
    }

    package var text: String { numbers.map { "\($0)" }.joined(separator: ", ") }
  }

  /// Writes channels of one size as 32-bit floats, compressed without loss (ZIP).
  ///
  /// - Parameters:
  ///   - part: what the picture is, as its part is named.
  ///   - chromaticities: nil for numbers that are no colours, and for unknown colours.
  package static func write(
    _ channels: [String: Plane], to url: URL, part: String = "disparity", chromaticities: Chromaticities? = nil
  ) throws(ImageFileError) {
    guard let first = channels.values.first,
      channels.values.allSatisfy({ $0.width == first.width && $0.height == first.height })
    else { throw ImageFileError(.unsupported, "The channels of an EXR picture must have one size.") }
    let names = channels.keys.sorted()
    var failure = cexr_failure()
    let code = withCStrings(names) { names in
      withPlanes(channels.sorted { $0.key < $1.key }.map(\.value.samples)) {
        (planes: UnsafeBufferPointer<UnsafePointer<Float>?>) in
        (chromaticities?.numbers).withOptionalAddress {
          cexr_write(
            url.path, part, $0, Int32(first.width), Int32(first.height), Int32(planes.count), names, planes.baseAddress,
            &failure)
        }
      }
    }
    guard code == EXR_ERR_SUCCESS.rawValue else {
      throw ImageFileError(.file, "'\(url.path)' cannot be written: \(text(of: failure)).")
    }
  }

  /// Reads one channel of a picture made of scanlines, whatever its type is stored as.
  package static func read(_ channel: String, from url: URL) throws(ImageFileError) -> Plane {
    try ImageFileError.refuseStreams(url)
    var failure = cexr_failure()
    let memory = PlaneMemory()
    let code = cexr_read(
      url.path, channel, Int32(maximumImageSide), Unmanaged.passUnretained(memory).toOpaque(),
      { context, width, height in
        Unmanaged<PlaneMemory>.fromOpaque(context!).takeUnretainedValue().allocate(Int(width), Int(height))
      }, &failure)
    switch exr_error_code_t(UInt32(bitPattern: code)) {
    case EXR_ERR_SUCCESS: return memory.plane
    case EXR_ERR_FILE_ACCESS: throw ImageFileError(.file, "'\(url.path)' cannot be read: \(text(of: failure)).")
    case EXR_ERR_OUT_OF_MEMORY where memory.isTooLarge:
      throw ImageFileError(
        .unsupported,
        "'\(url.path)' has more than \(maximumImagePixels) pixels, or more than memory holds: scale it down.")
    case EXR_ERR_MISSING_REQ_ATTR where memory.isAllocated:
      throw ImageFileError(.malformed, "'\(url.path)' has no channel '\(channel)': name another one.")
    default:
      throw ImageFileError(.malformed, "'\(url.path)' is not a readable EXR picture: \(text(of: failure)).")
    }
  }

  /// What the numbers of R, G and B mean; nil where the picture does not say.
  package static func chromaticities(of url: URL) throws(ImageFileError) -> Chromaticities? {
    try ImageFileError.refuseStreams(url)
    var failure = cexr_failure()
    var numbers = [Float](repeating: 0, count: 8)
    var isStated: Int32 = 0
    let code = cexr_read_chromaticities(url.path, &numbers, &isStated, &failure)
    guard code == EXR_ERR_SUCCESS.rawValue else {
      throw ImageFileError(.malformed, "'\(url.path)' is not a readable EXR picture: \(text(of: failure)).")
    }
    return isStated == 0 ? nil : Chromaticities(numbers: numbers)
  }

  private static func text(of failure: cexr_failure) -> String {
    withUnsafeBytes(of: failure.text) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }

  private static func withCStrings<R>(
    _ strings: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> R
  ) -> R {
    let copies = strings.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    return copies.map { UnsafePointer($0) }.withUnsafeBufferPointer { body($0.baseAddress) }
  }

  /// Calls `body` with the addresses of all planes at once.
  private static func withPlanes<R>(
    _ planes: [[Float]], _ body: (UnsafeBufferPointer<UnsafePointer<Float>?>) -> R
  ) -> R {
    func next(_ addresses: [UnsafePointer<Float>?]) -> R {
      guard addresses.count < planes.count else { return addresses.withUnsafeBufferPointer(body) }
      return planes[addresses.count].withUnsafeBufferPointer { next(addresses + [$0.baseAddress]) }
    }
    return next([])
  }

  private final class PlaneMemory {
    private var samples: UnsafeMutableBufferPointer<Float>?
    private var size = (width: 0, height: 0)

    private(set) var isTooLarge = false

    deinit { free(samples?.baseAddress) }

    var isAllocated: Bool { samples != nil }
    var plane: Plane { Plane(width: size.width, height: size.height, samples: Array(samples!)) }

    func allocate(_ width: Int, _ height: Int) -> UnsafeMutablePointer<Float>? {
      // Zeroed by the system when touched: what the header promises costs nothing until the samples come.
      guard width * height <= maximumImagePixels, let memory = calloc(width * height, MemoryLayout<Float>.stride) else {
        isTooLarge = true
        return nil
      }
      let floats = memory.bindMemory(to: Float.self, capacity: width * height)
      samples = UnsafeMutableBufferPointer(start: floats, count: width * height)
      size = (width, height)
      return floats
    }
  }
}

extension [Float]? {
  /// Calls `body` with the address of the numbers, or nil where there are none.
  fileprivate func withOptionalAddress<R>(_ body: (UnsafePointer<Float>?) -> R) -> R {
    guard let self else { return body(nil) }
    return self.withUnsafeBufferPointer { body($0.baseAddress) }
  }
}
