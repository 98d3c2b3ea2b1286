import AVFoundation
import Bokeh
import CoreMedia
import CoreVideo
import VideoToolbox

// The formats that are taken where the user names none. A track may have several sample descriptions, and a file has one format: the
// richest of the decoders' own is taken.
extension DecodingPlan {
  /// The sample descriptions that are asked; each takes a decoder, and a file may claim any number.
  private static let mostDescriptions = 16

  /// The decoders' own pixel formats, one for each description, without doubles.
  func nativePixelFormats(of track: PictureTrack) throws -> [OSType] {
    var found: [OSType] = []
    for description in track.track.formatDescriptions.prefix(Self.mostDescriptions) {
      var plan = self
      (plan.format, plan.pixelFormat) = (nil, nil)
      let decoder = try PictureDecoderFactory.standard.makeDecoder(
        for: description, options: plan.options(for: description))
      if !found.contains(decoder.pixelFormat) { found.append(decoder.pixelFormat) }
    }
    return found
  }

  /// What a raw file holds.
  func native(of track: PictureTrack) throws -> RawFormat {
    let code = try richest(of: track).code
    if let format = RawFormat.of(code) { return format }
    throw Failure(
      "frames come as '\(fourCharacterString(code))', which is no raw format here: choose one with '--format'")
  }

  /// What a YUV4MPEG2 file holds: planes of the decoder's depth and chroma, up to 12 bits, which is what ProRes is made for.
  func planar(of track: PictureTrack) throws -> RawFormat {
    let format = try richest(of: track)
    let (across, down) = format.chromaSubsampling
    let sampling = format.isYCbCr && across > 1 ? (down > 1 ? "420" : "422") : "444"
    let depth = sampling == "444" ? min(12, format.bitsPerComponent) : min(10, format.bitsPerComponent)
    let name = "yuv\(sampling)p" + (depth > 8 ? "\(depth)" : "")
    if let planar = RawFormat.named(name) { return planar }
    throw Failure("YUV4MPEG2 holds no \(name) here: choose a '--format'")
  }

  /// What pictures are developed from: nil, the decoder's own, if that can be.
  func developable(of track: PictureTrack) throws -> OSType? {
    let usable = Set(PictureDeveloper.pixelFormats)
    return try nativePixelFormats(of: track).allSatisfy(usable.contains) ? nil : kCVPixelFormatType_64RGBAHalf
  }

  private func richest(of track: PictureTrack) throws -> PixelFormat {
    let formats = try nativePixelFormats(of: track).compactMap(PixelFormat.description)
    func rank(_ format: PixelFormat) -> Int {
      let sampling = format.chromaSubsampling
      return (format.hasAlpha ? 1000 : 0) + 400 / (sampling.horizontal * sampling.vertical) + format.bitsPerComponent
    }
    guard let best = formats.max(by: { rank($0) < rank($1) }) else {
      throw Failure("no decoder says what its frames are: choose a '--format'")
    }
    return best
  }
}
