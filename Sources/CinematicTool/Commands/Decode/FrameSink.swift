import AVFoundation
import Bokeh
import Compositing
import CoreMedia
import CoreVideo
import Foundation
import ImageFiles

/// Where decoded frames go.
protocol FrameSink {
  /// Whether more frames are wanted.
  var isOpen: Bool { get }
  mutating func write(_ frame: ShownFrame) throws
  /// Gives the result its place.
  func finish() throws
}

/// One frame after the other, with or without the marks of YUV4MPEG2.
struct RawSink: FrameSink {
  private let stream: ResultStream
  private let format: RawFormat
  private let track: PictureTrack
  private let isY4M: Bool
  /// Set by the first frame.
  private(set) var size: (width: Int, height: Int)?

  init(_ output: SafeOutput, _ format: RawFormat, _ track: PictureTrack, isY4M: Bool) throws {
    stream = try ResultStream(output)
    (self.format, self.track, self.isY4M) = (format, track, isY4M)
  }

  var isOpen: Bool { stream.isRead }

  mutating func write(_ frame: ShownFrame) throws {
    try begin(with: frame)
    if isY4M { try stream.write(Y4MHeader.frame) }
    try format.write(frame.pixels) { try stream.write($0) }
  }

  func finish() throws { try stream.finish() }

  /// All frames have the size of the first.
  private mutating func begin(with frame: ShownFrame) throws {
    let new = frame.pixels.size
    guard let size else {
      size = new
      return isY4M ? try stream.write(header(frame).text) : ()
    }
    guard size != new else { return }
    throw Failure(
      "frame #\(frame.index) has \(new.width)x\(new.height) pixels, and those before have \(size.width)x\(size.height), which one file does "
        + "not hold: end the '--range' before it, or write pictures")
  }

  private func header(_ frame: ShownFrame) -> Y4MHeader {
    let size = frame.pixels.size
    let fields: Y4MHeader.Fields =
      switch frame.fields {
      case .progressive: .progressive
      case .topFirst: .topFirst
      case .bottomFirst: .bottomFirst
      }
    return Y4MHeader(
      width: size.width, height: size.height, rate: track.frameRate().rate, fields: fields,
      pixelAspect: track.pixelAspect, color: Y4MHeader.color(of: format, siting: frame.pixels.chromaSiting) ?? "422p10",
      isFullRange: frame.pixels.isFullRange ?? track.track.formatDescriptions[0].isFullRange)
  }
}

extension FramePixels {
  /// Where the chroma of 4:2:0 lies, by Core Video's name.
  fileprivate var chromaSiting: String? {
    guard case .buffer(let buffer) = self else { return nil }
    return CVBufferCopyAttachment(buffer, kCVImageBufferChromaLocationTopFieldKey, nil) as? String
  }

  /// Nil for planes, which have the stream's own range.
  fileprivate var isFullRange: Bool? {
    guard case .buffer(let buffer) = self else { return nil }
    return PixelFormat.description(of: CVPixelBufferGetPixelFormatType(buffer))?.isFullRange
  }
}

/// A folder of numbered pictures, `frame-00012.png` being that of frame #12.
struct PictureSink: FrameSink {
  private let output: SafeOutput
  private let isEXR: Bool
  private let alpha: AlphaMode
  private let workers: Workers
  private let developer: PictureDeveloper
  private(set) var size: (width: Int, height: Int)?

  /// - Parameter alpha: how the movie's colours are stored beside their alpha.
  init(_ output: SafeOutput, isEXR: Bool, alpha: AlphaMode, threads: Int) {
    self.output = output
    self.isEXR = isEXR
    self.alpha = alpha
    workers = Workers(threads > 0 ? threads : ProcessInfo.processInfo.activeProcessorCount)
    developer = PictureDeveloper(threads: threads > 0 ? threads : nil)
  }

  var isOpen: Bool { true }

  mutating func write(_ frame: ShownFrame) throws {
    guard case .buffer(let buffer) = frame.pixels else { return }
    size = size ?? frame.pixels.size
    let name = String(format: "frame-%05d.%@", frame.index, isEXR ? "exr" : "png")
    let url = output.temporaryURL.appendingPathComponent(name)
    let picture = try straight(buffer)
    if isEXR { try writeEXR(picture, to: url) } else { try writePNG(picture, to: url) }
  }

  /// Colours as if alpha were 1, which is what PNG holds and what has a light; 16 bits hold what every codec gives.
  private func straight(_ buffer: CVPixelBuffer) throws -> CVPixelBuffer {
    guard alpha != .straight, buffer.hasTransparency,
      PictureExchange.isSupported(CVPixelBufferGetPixelFormatType(buffer))
    else { return buffer }
    let raster = Raster(width: buffer.width, height: buffer.height)
    let color = ColorDescription(buffer)
    PictureExchange.read(buffer, color: color, transform: .identity, into: raster.pixels, workers: workers)
    workers.rows(raster.height) { _, rows in
      for y in rows { alpha.makeStraight(raster.row(y), raster.width) }
    }
    let made = try CVBuffer.make(
      width: buffer.width, height: buffer.height, format: kCVPixelFormatType_4444AYpCbCr16)
    CVBufferPropagateAttachments(buffer, made)
    PictureExchange.write(raster.pixels, color: ColorDescription(made), into: made, workers: workers)
    return made
  }

  func finish() throws { try output.commit() }

  private func writePNG(_ buffer: CVPixelBuffer, to url: URL) throws {
    let picture = try developer.display(buffer).sixteenBits()
    try PNGFile.write(picture, to: url, keepsAlpha: buffer.hasTransparency)
  }

  private func writeEXR(_ buffer: CVPixelBuffer, to url: URL) throws {
    var light = try developer.light(of: buffer)
    // Colours of OpenEXR are multiplied by their alpha.
    light.pixels.withUnsafeMutableBufferPointer { pixels in
      for index in pixels.indices {
        let alpha = pixels[index].w
        pixels[index] *= alpha
        pixels[index].w = alpha
      }
    }
    var channels: [String: EXRFile.Plane] = [:]
    for (index, name) in ["R", "G", "B"].enumerated() { channels[name] = light.plane(index) }
    if buffer.hasTransparency { channels["A"] = light.plane(3) }
    try EXRFile.write(channels, to: url, part: "picture", chromaticities: buffer.chromaticities)
  }
}

extension FloatPicture {
  fileprivate func plane(_ index: Int) -> EXRFile.Plane {
    EXRFile.Plane(width: width, height: height, samples: component(index))
  }
}

extension CVPixelBuffer {
  /// Whether there is alpha that says something.
  fileprivate var hasTransparency: Bool {
    let isOpaque = CVBufferCopyAttachment(self, kCVImageBufferAlphaChannelIsOpaque, nil) as? Bool ?? false
    return PixelFormat.description(of: CVPixelBufferGetPixelFormatType(self))?.hasAlpha == true && !isOpaque
  }

  /// BT.709 where nothing is said; nil for primaries that have no row here.
  fileprivate var chromaticities: EXRFile.Chromaticities? {
    switch CVBufferCopyAttachment(self, kCVImageBufferColorPrimariesKey, nil) as? String {
    case kCVImageBufferColorPrimaries_ITU_R_2020: .bt2020
    case kCVImageBufferColorPrimaries_P3_D65: .p3
    case nil, kCVImageBufferColorPrimaries_ITU_R_709_2: .bt709
    default: nil
    }
  }
}
