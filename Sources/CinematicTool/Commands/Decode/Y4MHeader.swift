import CoreMedia

/// The head of a YUV4MPEG2 file, and what stands before each of its frames.
struct Y4MHeader: Equatable {
  enum Fields: String {
    case progressive = "p"
    case topFirst = "t"
    case bottomFirst = "b"
  }

  var width: Int
  var height: Int
  var rate: FrameRate
  var fields: Fields
  var pixelAspect: PixelAspect
  var color: String
  var isFullRange: Bool

  static let frame = "FRAME\n"

  /// One line with its newline.
  var text: String {
    "YUV4MPEG2 W\(width) H\(height) F\(rate.frames):\(rate.seconds) I\(fields.rawValue) "
      + "A\(pixelAspect.horizontal):\(pixelAspect.vertical) C\(color) XCOLORRANGE=\(isFullRange ? "FULL" : "LIMITED")\n"
  }

  static func == (one: Y4MHeader, other: Y4MHeader) -> Bool { one.text == other.text }

  /// How YUV4MPEG2 calls the planes of a format; nil for one that it cannot hold.
  ///
  /// - Parameter siting: where the chroma of 4:2:0 lies, by Core Video's name.
  static func color(of format: RawFormat, siting: String?) -> String? {
    guard let depth = format.planarDepth, !format.hasAlpha else { return nil }
    let (across, down) = format.chromaSubsampling
    let sampling = across == 1 ? "444" : down == 1 ? "422" : "420"
    if depth > 8 { return "\(sampling)p\(depth)" }
    guard sampling == "420" else { return sampling }
    switch siting {
    case "Center": return "420jpeg"
    case "TopLeft", "DV420": return "420paldv"
    default: return "420mpeg2"
    }
  }
}
