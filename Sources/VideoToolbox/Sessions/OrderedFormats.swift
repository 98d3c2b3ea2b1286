internal import Codecs
internal import CoreVideo

/// The pixel formats that a session can put out, the best first.
struct OrderedFormats {
  let native: OSType
  let isProRes: Bool

  /// What pictures in colour can be converted to: colour, and grey in whole numbers.
  static let ofPictures = PixelConverter.usableFormats.filter { code in
    guard let format = PixelFormat.description(of: code) else { return false }
    return format.isYCbCr || format.model == .rgb || (format.model == .oneComponent && !format.isFloat)
  }

  private var all: [OSType] { isProRes ? ProResOutputFormat.usable : Self.ofPictures }

  /// The native one, then those that the decoder writes too, then those that are converted to.
  var byPerformance: [OSType] { [native] + all.filter { $0 != native } }

  /// The native one, then by what is lost: depth, chroma, alpha, and last the codes themselves to another model.
  var byQuality: [OSType] {
    guard let from = PixelFormat.description(of: native) else { return byPerformance }
    let losses = byPerformance.map { ($0, PixelFormat.description(of: $0).map { Loss(from, $0) }) }
    return losses.enumerated().sorted { a, b in
      guard let first = a.element.1, let second = b.element.1, first != second else { return a.offset < b.offset }
      return first < second
    }.map(\.element.0)
  }

  private struct Loss: Comparable {
    let parts: [Int]

    init(_ from: PixelFormat, _ to: PixelFormat) {
      let isColor = to.isYCbCr || to.model == .rgb
      let chroma = (to.chromaSubsampling, from.chromaSubsampling)
      let lost = [
        isColor ? 0 : 1, max(0, from.bitsPerComponent - to.bitsPerComponent),
        chroma.0.horizontal * chroma.0.vertical > chroma.1.horizontal * chroma.1.vertical ? 1 : 0,
        from.hasAlpha && !to.hasAlpha ? 1 : 0, from.model == to.model && from.isFullRange == to.isFullRange ? 0 : 1,
      ]
      parts = from.code == to.code ? [] : lost
    }

    static func < (a: Loss, b: Loss) -> Bool { a.parts.lexicographicallyPrecedes(b.parts) }
  }
}
