import AVFoundation
import Bokeh
import Compositing
import Foundation

/// One over: read → background → mix → write, with decoding and encoding on threads of their own.
struct OverJob: Sendable {
  let options: OverOptions
  private let foreground: ComposedMovie
  private let background: ComposedMovie?
  private let canvas: OverCanvas
  private let times: OverTimes
  private let alpha: StatedAlpha
  private let workers = Workers(ProcessInfo.processInfo.activeProcessorCount)

  var frameCount: Int { times.times.count }

  init(_ options: OverOptions) async throws {
    self.options = options
    foreground = try await ComposedMovie(options.foreground)
    var backgroundSize: (width: Int, height: Int)?
    switch options.background {
    case .movie(let path):
      background = try await ComposedMovie(path)
      backgroundSize = background?.size
    case .picture(let path):
      background = nil
      if case .background = options.size { backgroundSize = try StillPicture(path, workers: workers).size }
    case .color: background = nil
    }
    canvas = OverCanvas(options, foreground: foreground, background: backgroundSize)
    times = try OverTimes(options, foreground: foreground, background: background)
    alpha = options.alpha.map { StatedAlpha(mode: $0, source: "as asked") } ?? foreground.alpha
    let size = canvas.size
    if let failure = Failure.unencodable(options.foreground, width: Double(size.width), height: Double(size.height)) {
      throw failure
    }
    guard size.width * size.height <= Self.mostPixels else {
      throw Failure(
        name: "unsupported", code: 5,
        message:
          "the result would have \(size.width)x\(size.height) pixels, and no more than 8K has are composed: choose a smaller '--size'"
      )
    }
  }

  /// Of the canvas, which is held several times in single precision: those of 7680x4320, and some.
  private static let mostPixels = 1 << 25

  func run(to url: URL, progress: ProgressReporter) async throws -> OverReport {
    let front = try FrameStream(foreground, loops: options.loops)
    guard let first = front.first() else {
      throw Failure(
        name: "unreadable", code: 2, message: "no picture of '\(foreground.path)' can be decoded: get the movie anew")
    }
    let color = ColorDescription(first)
    let back = try BackgroundSource(
      options.background, background, canvas: canvas, fit: options.backgroundFit, loops: options.loops, color: color,
      workers: workers)
    let sound = try await OverSound(options, foreground, background, end: times.end)
    let keepsAlpha = options.encoding.codec.is4444 && (back.hasAlpha || options.keepsAlpha)
    let movie = try EncodedMovie(try await plan(url, first, keepsAlpha, sound.copies))
    do {
      try write(front, color, back, keepsAlpha, to: movie, progress)
      try await movie.finish(at: times.end)
    } catch {
      let cause = movie.failure ?? error
      movie.cancel()
      throw cause
    }
    return report(movie.frameCount, front.damagedCount, back, keepsAlpha, sound, try await losses(first))
  }

  /// What of the foreground the result does not have.
  private func losses(_ first: CVPixelBuffer) async throws -> [String] {
    var losses: [String] = []
    let fields = FieldOrder(
      count: CVBufferCopyAttachment(first, kCVImageBufferFieldCountKey, nil),
      detail: CVBufferCopyAttachment(first, kCVImageBufferFieldDetailKey, nil))
    if let fields, fields != .progressive {
      losses.append("the foreground has fields, \(fields.rawValue): they were composed together, as whole frames")
    }
    if case .track(let asset, _) = foreground.kind, try await !asset.loadTracks(withMediaType: .timecode).isEmpty {
      losses.append("the foreground's time code was left out")
    }
    return losses
  }

  // MARK: Writing

  private func plan(
    _ url: URL, _ first: CVPixelBuffer, _ keepsAlpha: Bool, _ sound: [SoundCopy]
  ) async throws -> EncodedMovie.Plan {
    var settings = options.encoding.settings(
      width: canvas.size.width, height: canvas.size.height, color: PictureFormat.color(of: first))
    if canvas.pixelAspect.horizontal != canvas.pixelAspect.vertical {
      settings[AVVideoPixelAspectRatioKey] = [
        AVVideoPixelAspectRatioHorizontalSpacingKey: canvas.pixelAspect.horizontal,
        AVVideoPixelAspectRatioVerticalSpacingKey: canvas.pixelAspect.vertical,
      ]
    }
    var plan = EncodedMovie.Plan(
      url: url, settings: settings, pixelFormat: pixelFormat(keepsAlpha), size: canvas.size, timescale: timescale,
      start: .zero)
    plan.sound = sound
    if case .track(let asset, _) = foreground.kind {
      plan.metadata = try await asset.load(.metadata).withoutCinematicKeys
    }
    return plan
  }

  private var timescale: CMTimeScale {
    switch options.rate {
    case .foreground: foreground.timescale
    case .background: background?.timescale ?? foreground.timescale
    case .constant(let rate): rate.frameDuration.timescale
    }
  }

  /// What the encoder takes as it is, so that a sample is rounded once.
  private func pixelFormat(_ keepsAlpha: Bool) -> OSType {
    let codec = options.encoding.codec
    if codec.is4444 {
      return keepsAlpha ? kCVPixelFormatType_4444AYpCbCr16 : kCVPixelFormatType_444YpCbCr10BiPlanarVideoRange
    }
    if codec.isProRes { return kCVPixelFormatType_422YpCbCr10BiPlanarVideoRange }
    return codec == .hevc && foreground.isDeep
      ? kCVPixelFormatType_420YpCbCr10BiPlanarVideoRange : kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange
  }

  private func write(
    _ front: FrameStream, _ color: ColorDescription, _ back: BackgroundSource, _ keepsAlpha: Bool,
    to movie: EncodedMovie, _ progress: ProgressReporter
  ) throws {
    let over = Over(
      alpha: alpha.mode, light: options.isLinear ? LightCurve(color.transfer) : nil, keepsAlpha: keepsAlpha)
    let layer = ForegroundLayer(foreground, canvas, options, alpha.mode, workers)
    let mixer = Mixer(over, width: canvas.size.width, workers)
    for (index, time) in times.times.enumerated() {
      let shown = options.loops || options.holds || time < foreground.end ? try front.picture(at: time) : nil
      let raster = try layer.raster(of: shown?.picture)
      mixer.mix(raster, over: try back.raster(at: time))
      let buffer = try movie.makeBuffer()
      PictureExchange.write(raster.pixels, color: color, into: buffer, workers: workers)
      try movie.append(buffer, at: time)
      progress.update(index + 1)
    }
  }

  private func report(
    _ frames: Int, _ damaged: Int, _ back: BackgroundSource, _ keepsAlpha: Bool, _ sound: OverSound,
    _ losses: [String]
  ) -> OverReport {
    OverReport(
      frames: frames, duration: times.end, size: canvas.size, codec: options.encoding.codec,
      alpha: foreground.hasAlpha || options.alpha != nil ? alpha : nil,
      isLinear: options.isLinear, keepsAlpha: keepsAlpha, hidesAlpha: back.hasAlpha && !keepsAlpha,
      convertsBackground: back.isConverted, damagedFrames: damaged + back.damagedCount, losses: losses,
      sound: sound)
  }
}

/// The foreground's pictures on the canvas.
private final class ForegroundLayer {
  private let movie: ComposedMovie
  private let alpha: AlphaMode
  private let workers: Workers
  private let stored: Raster
  private let placed: Raster
  private let resampler: Resampler?

  init(_ movie: ComposedMovie, _ canvas: OverCanvas, _ options: OverOptions, _ alpha: AlphaMode, _ workers: Workers) {
    self.movie = movie
    self.alpha = alpha
    self.workers = workers
    let placement = canvas.placement(
      of: movie.size, movie.pixelAspect, options.foregroundFit, position: options.position)
    stored = Raster(width: movie.size.width, height: movie.size.height)
    let isIdentity = placement.isIdentity(movie.size, canvas.size)
    resampler = isIdentity ? nil : Resampler(source: movie.size, canvas: canvas.size, placement: placement)
    placed = isIdentity ? stored : Raster(width: canvas.size.width, height: canvas.size.height)
  }

  /// Signals as the movie stores them; nothing is seen of no picture. The next call writes into the same raster.
  func raster(of picture: CVPixelBuffer?) throws -> Raster {
    guard let picture else {
      placed.fill(alpha.nothing)
      return placed
    }
    try movie.check(picture)
    PictureExchange.read(
      picture, color: ColorDescription(picture), transform: movie.transform, into: stored.pixels, workers: workers)
    resampler?.place(stored, alpha: alpha, into: placed, workers)
    return placed
  }
}

/// Lays whole rasters over each other.
private struct Mixer {
  private let over: Over
  private let rooms: Raster
  private let workers: Workers

  init(_ over: Over, width: Int, _ workers: Workers) {
    self.over = over
    self.workers = workers
    rooms = Raster(width: 2 * width, height: workers.count)
  }

  /// The result takes the foreground's place.
  func mix(_ foreground: Raster, over background: Raster) {
    workers.rows(foreground.height) { worker, rows in
      for y in rows {
        over(foreground.row(y), background.row(y), count: foreground.width, room: rooms.row(worker))
      }
    }
  }
}
