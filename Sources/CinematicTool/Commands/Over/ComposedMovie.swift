import AVFoundation
import Bokeh
import Codecs
import CoreVideo
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
  /// As shown.
  let pixelAspect: PixelAspect
  /// When pictures begin, ascending, and the end of the last.
  let times: [CMTime]
  let end: CMTime
  let timescale: CMTimeScale
  let hasAlpha: Bool
  let alpha: StatedAlpha
  let isDeep: Bool

  /// Throws what is wrong with a QuickTime or MPEG-4 movie: FFmpeg, which would guess at it, is for other containers.
  init(_ path: String) async throws {
    // Numbered pictures are named by a pattern, which is no file.
    guard FileManager.default.fileExists(atPath: path) else {
      try self.init(foreign: path)
      return
    }
    let picture: PictureTrack
    do {
      picture = try await PictureTrack.open(path)
    } catch let error as AVError where error.code == .fileFormatNotRecognized {
      try self.init(foreign: path)
      return
    }
    try self.init(picture)
  }

  private init(_ picture: PictureTrack) throws {
    let (path, track, format) = (picture.path, picture.track, picture.track.formatDescriptions[0])
    self.path = path
    kind = .track(picture.asset, track)
    transform = track.preferredTransform
    let stored = try Self.storedSize(picture)
    size = try Self.shownSize(stored.width, stored.height, transform, path)
    pixelAspect = transform.isTransposing ? picture.pixelAspect.turned : picture.pixelAspect
    let timeline = track.movieTrack.timeline
    let shown = timeline.shownSamples
    times = shown.map(timeline.presentationTime).sorted()
    end = shown.map { timeline.presentationTime($0) + timeline.duration($0) }.max() ?? .zero
    timescale = track.naturalTimeScale
    hasAlpha = track.hasMediaCharacteristic(.containsAlphaChannel)
    alpha = StatedAlpha(track)
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
    let aspect = PixelAspect(horizontal: video.pixelAspectRatio.horizontal, vertical: video.pixelAspectRatio.vertical)
    pixelAspect = transform.isTransposing ? aspect.turned : aspect
    (times, end) = try PictureInput.decodedTimes(path)
    timescale = times.last?.timescale ?? 600
    hasAlpha = try Self.firstPictureHasAlpha(path)
    alpha = .silent
    isDeep = (video.bitDepth ?? 8) > 8
    try checkTimes()
  }

  /// That of the first picture; sample entries may be wrong, and say it only where no picture can be decoded.
  private static func storedSize(_ picture: PictureTrack) throws -> (width: Int, height: Int) {
    if let first = try FrameStream.firstPicture(picture.asset, picture.track) { return (first.width, first.height) }
    let said = picture.track.formatDescriptions[0].dimensions
    guard 1...16_384 ~= said.width, 1...16_384 ~= said.height else {
      throw Failure(
        name: "unreadable", code: 2,
        message: "no picture of '\(picture.path)' can be decoded: get the movie anew")
    }
    return (Int(said.width), Int(said.height))
  }

  /// What FFmpeg decodes with alpha is delivered with it; only a picture tells.
  private static func firstPictureHasAlpha(_ path: String) throws -> Bool {
    let picture = try ForeignMovie.open(URL(fileURLWithPath: path)).nextVideoFrame()?.pixelBuffer
    return picture.flatMap { PixelFormat.description(of: CVPixelBufferGetPixelFormatType($0)) }?.hasAlpha ?? false
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
