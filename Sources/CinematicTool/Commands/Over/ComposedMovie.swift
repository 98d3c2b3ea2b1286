import AVFoundation
import Bokeh
import Codecs
import Compositing
import Foundation
import QuickTime

/// A movie whose pictures are composed: QuickTime and MPEG-4 by their track, all else by FFmpeg.
struct ComposedMovie: Sendable {
  enum Kind: Sendable {
    case track(AVURLAsset, AVAssetTrack)
    case foreign(path: String)
  }

  let path: String
  let kind: Kind
  /// How a stored picture is shown.
  let transform: CGAffineTransform
  /// As shown.
  let size: (width: Int, height: Int)
  /// Width to height of a pixel as shown.
  let pixelAspect: (horizontal: Int, vertical: Int)
  /// When pictures begin, ascending, and the end of the last.
  let times: [CMTime]
  let end: CMTime
  let timescale: CMTimeScale
  let hasAlpha: Bool
  let isDeep: Bool

  init(_ path: String) async throws {
    let asset = AVURLAsset(url: URL(fileURLWithPath: path))
    if let track = try? await asset.loadTracks(withMediaType: .video).first, let format = track.formatDescriptions.first
    {
      try self.init(path, asset, track, format)
    } else {
      try self.init(foreign: path)
    }
  }

  private init(_ path: String, _ asset: AVURLAsset, _ track: AVAssetTrack, _ format: CMFormatDescription) throws {
    self.path = path
    kind = .track(asset, track)
    transform = track.preferredTransform
    let stored = format.dimensions
    size = try Self.shownSize(Int(stored.width), Int(stored.height), transform, path)
    let aspect = Self.pixelAspect(format)
    pixelAspect = transform.isTransposing ? (aspect.vertical, aspect.horizontal) : aspect
    let timeline = track.movieTrack.timeline
    let shown = timeline.shownSamples
    times = shown.map(timeline.presentationTime).sorted()
    end = shown.map { timeline.presentationTime($0) + timeline.duration($0) }.max() ?? .zero
    timescale = track.naturalTimeScale
    hasAlpha = track.hasMediaCharacteristic(.containsAlphaChannel)
    isDeep = PictureFormat.isDeep(format)
    try checkTimes()
  }

  private init(foreign path: String) throws {
    self.path = path
    kind = .foreign(path: path)
    let video = try ForeignMovie.open(URL(fileURLWithPath: path)).video
    transform = CGAffineTransform(
      quarterTurns: video.rotation / 90, of: CGSize(width: video.width, height: video.height))
    size = try Self.shownSize(video.width, video.height, transform, path)
    let aspect = video.pixelAspectRatio
    pixelAspect = transform.isTransposing ? (aspect.vertical, aspect.horizontal) : aspect
    (times, end) = try PictureInput.decodedTimes(path)
    timescale = times.last?.timescale ?? 600
    // What FFmpeg decodes with alpha is delivered with it; only the first picture tells.
    hasAlpha = false
    isDeep = (video.bitDepth ?? 8) > 8
    try checkTimes()
  }

  private func checkTimes() throws {
    guard times.isEmpty else { return }
    throw Failure(name: "unreadable", code: 2, message: "'\(path)' shows no pictures: choose another movie")
  }

  private static func shownSize(
    _ width: Int, _ height: Int, _ transform: CGAffineTransform, _ path: String
  ) throws -> (width: Int, height: Int) {
    guard let size = PictureExchange.shownSize(width, height, transform) else {
      throw Failure(
        name: "unsupported", code: 5,
        message: "the picture of '\(path)' is turned by something else than quarters: turn it before")
    }
    return size
  }

  private static func pixelAspect(_ format: CMFormatDescription) -> (horizontal: Int, vertical: Int) {
    let ratio =
      CMFormatDescriptionGetExtension(format, extensionKey: kCMFormatDescriptionExtension_PixelAspectRatio)
      as? [String: Any]
    guard let horizontal = ratio?[kCMFormatDescriptionKey_PixelAspectRatioHorizontalSpacing] as? Int,
      let vertical = ratio?[kCMFormatDescriptionKey_PixelAspectRatioVerticalSpacing] as? Int,
      horizontal > 0, vertical > 0
    else { return (1, 1) }
    return (horizontal, vertical)
  }

  /// Throws where a decoded picture is not of the size that was promised for all.
  func check(_ picture: CVPixelBuffer) throws {
    let shown = PictureExchange.shownSize(picture.width, picture.height, transform)
    guard let shown, shown == size else {
      throw Failure(
        name: "unsupported", code: 5,
        message:
          "the pictures of '\(path)' change their size from \(size.width)x\(size.height) pixels: convert it before")
    }
  }

  /// How long the last picture is shown.
  var lastDuration: CMTime { end - (times.last ?? .zero) }

  // MARK: What the movie says of its alpha

  /// How the movie's colours are stored, and who says so.
  var statedAlpha: (mode: AlphaMode, source: String) {
    guard case .track(_, let track) = kind else { return (.straight, "nothing says otherwise") }
    let mode = track.formatDescriptions.first.flatMap {
      CMFormatDescriptionGetExtension($0, extensionKey: kCMFormatDescriptionExtension_AlphaChannelMode)
    }
    switch mode as? String {
    case kCMFormatDescriptionAlphaChannelMode_PremultipliedAlpha: return (.premultiplied, "the movie's format says so")
    case kCMFormatDescriptionAlphaChannelMode_StraightAlpha: return (.straight, "the movie's format says so")
    default: break
    }
    // QuickTime's graphics modes: straight alpha, on white, on black, straight with blending.
    switch track.movieTrack.graphicsMode {
    case 257: return (.premultipliedWhite, "the track's graphics mode says so")
    case 258: return (.premultiplied, "the track's graphics mode says so")
    case 256, 260: return (.straight, "the track's graphics mode says so")
    default: return (.straight, "nothing says otherwise")
    }
  }

  // MARK: Sound

  /// A QuickTime or MPEG-4 movie with sound that can be copied.
  func soundAsset() async throws -> AVURLAsset? {
    guard case .track(let asset, _) = kind, try await !asset.loadTracks(withMediaType: .audio).isEmpty else {
      return nil
    }
    return asset
  }
}

extension CGAffineTransform {
  /// Whether width and height change places.
  fileprivate var isTransposing: Bool { abs(a) < 0.5 }
}

extension MovieTrack {
  /// The third field of `vmhd`: how the picture is drawn over others.
  fileprivate var graphicsMode: Int? {
    guard let header = informationHeader, header.type == "vmhd", header.payload.count >= 6 else { return nil }
    let bytes = [UInt8](header.payload.prefix(6))
    return Int(bytes[4]) << 8 | Int(bytes[5])
  }
}
