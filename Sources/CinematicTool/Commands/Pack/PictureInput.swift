import AVFoundation
import Codecs
import CoreVideo
import Foundation
import QuickTime

/// The pictures of a movie to be made: copied as they are stored where that is possible, else decoded and encoded anew.
enum PictureInput {
  /// A QuickTime or MPEG-4 track that goes over as it is.
  case copied(asset: AVURLAsset, track: AVAssetTrack)
  /// Anything else that FFmpeg reads, brought to square pixels.
  case encoded(path: String, size: (width: Int, height: Int), isDeep: Bool, color: [String: String], rotation: Int)

  /// - Parameter aspect: width to height as displayed, where the file does not say it right.
  init(_ path: String, aspect: (Int, Int)?) async throws {
    if aspect == nil, let copied = await Self.copyable(path) {
      self = copied
    } else {
      let movie = try ForeignMovie.open(URL(fileURLWithPath: path))
      let video = movie.video
      let size = Self.squareSize(video, aspect)
      if let failure = Failure.unencodable(path, width: size.width, height: size.height) { throw failure }
      self = .encoded(
        path: path, size: (Int(size.width), Int(size.height)), isDeep: (video.bitDepth ?? 8) > 8,
        color: Self.color(video.color), rotation: video.rotation)
    }
  }

  private static func copyable(_ path: String) async -> PictureInput? {
    let asset = AVURLAsset(url: URL(fileURLWithPath: path))
    guard let track = try? await asset.loadTracks(withMediaType: .video).first,
      let format = track.formatDescriptions.first, hasSquarePixels(format)
    else { return nil }
    return .copied(asset: asset, track: track)
  }

  private static func hasSquarePixels(_ format: CMFormatDescription) -> Bool {
    let stored = format.presentationDimensions(usePixelAspectRatio: false, useCleanAperture: false)
    return format.presentationDimensions(usePixelAspectRatio: true, useCleanAperture: false) == stored
  }

  // MARK: Sound

  /// A QuickTime or MPEG-4 movie whose sound can go over as it is, on the times of the pictures.
  func soundSource() async -> AVURLAsset? {
    switch self {
    case .copied(let asset, _): return asset
    case .encoded(let path, _, _, _, _):
      let asset = AVURLAsset(url: URL(fileURLWithPath: path))
      // The pictures are counted from the first: only where that is shown at 0 does the sound stay beside them.
      guard let track = try? await asset.loadTracks(withMediaType: .video).first,
        let first = track.movieTrack.timeline.shownSamples.first,
        track.movieTrack.timeline.presentationTime(first) == .zero
      else { return nil }
      return asset
    }
  }

  /// Says which sound is left out; nil where none is.
  func lostSound() async throws -> String? {
    guard case .encoded(let path, _, _, _, _) = self, await soundSource() == nil,
      try ForeignMovie.open(URL(fileURLWithPath: path)).streams.contains(where: { $0.kind == .audio })
    else { return nil }
    return "the sound of '\(path)' is left out: only that of QuickTime and MPEG-4 movies that begin at 0 is copied"
  }

  /// The size with square pixels: one side is kept, the other grows, so that no detail is lost. Both are even.
  private static func squareSize(_ video: ForeignStream, _ aspect: (Int, Int)?) -> (width: Double, height: Double) {
    let (width, height) = (Double(video.width), Double(video.height))
    let pixel = Double(video.pixelAspectRatio.horizontal) / Double(video.pixelAspectRatio.vertical)
    // An aspect is meant as displayed: turned for a picture that is stored on its side.
    let wanted = aspect.map { video.rotation % 180 == 0 ? Double($0.0) / Double($0.1) : Double($0.1) / Double($0.0) }
    let ratio = wanted ?? width * pixel / height
    func even(_ length: Double) -> Double { max(2, (length / 2).rounded() * 2) }
    return ratio > width / height ? (even(height * ratio), even(height)) : (even(width), even(width / ratio))
  }

  private static func color(_ tags: ColorTags) -> [String: String] {
    [
      AVVideoColorPrimariesKey: CVColorPrimariesGetStringForIntegerCodePoint(Int32(tags.primaries ?? 1))
        ?? kCVImageBufferColorPrimaries_ITU_R_709_2,
      AVVideoTransferFunctionKey: CVTransferFunctionGetStringForIntegerCodePoint(Int32(tags.transfer ?? 1))
        ?? kCVImageBufferTransferFunction_ITU_R_709_2,
      AVVideoYCbCrMatrixKey: CVYCbCrMatrixGetStringForIntegerCodePoint(Int32(tags.matrix ?? 1))
        ?? kCVImageBufferYCbCrMatrix_ITU_R_709_2,
    ]
  }

  // MARK: Times

  /// The times at which the pictures are shown, and the end of the last.
  func times() throws -> (times: [CMTime], end: CMTime) {
    switch self {
    case .copied(_, let track):
      let timeline = track.movieTrack.timeline
      let shown = timeline.shownSamples
      let ends = shown.map { timeline.presentationTime($0) + timeline.duration($0) }
      return (shown.map(timeline.presentationTime).sorted(), ends.max() ?? .zero)
    case .encoded(let path, _, _, _, _):
      return try Self.decodedTimes(path)
    }
  }

  static func decodedTimes(_ path: String) throws -> ([CMTime], CMTime) {
    let movie = try ForeignMovie.open(URL(fileURLWithPath: path))
    var times: [CMTime] = []
    while let frame = try movie.nextVideoFrame() { times.append(frame.presentationTime) }
    guard let first = times.first else { throw Failure("'\(path)' shows no pictures") }
    times = times.map { $0 - first }
    let rate = movie.video.frameRate ?? (30, 1)
    let frame = CMTime(value: Int64(rate.denominator), timescale: CMTimeScale(clamping: rate.numerator))
    return snapped(times, to: frame)
  }

  /// Containers that count in milliseconds round a steady frame rate: where that explains all times, the exact ones are taken.
  private static func snapped(_ times: [CMTime], to frame: CMTime) -> ([CMTime], CMTime) {
    let steady = times.indices.map { CMTimeMultiply(frame, multiplier: Int32($0)) }
    let isSteady = zip(times, steady).allSatisfy { abs(($0 - $1).seconds) < 0.0015 }
    let exact = isSteady ? steady : times
    return (exact, exact[exact.count - 1] + frame)
  }
}
