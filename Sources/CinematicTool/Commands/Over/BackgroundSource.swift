import AVFoundation
import Bokeh
import Compositing
import CoreVideo
import Foundation
import ImageFiles

/// What lies behind: rasters of the canvas, straight, in the foreground's colour, at rising times.
final class BackgroundSource {
  private let canvas: (width: Int, height: Int)
  private let color: ColorDescription
  private let workers: Workers
  private let raster: Raster
  private var stream: FrameStream?
  private var shown = 0
  private var movie: ComposedMovie?
  private var alpha = AlphaMode.straight
  private var stages: Stages?
  /// Whether something may shine through it.
  private(set) var hasAlpha = false

  /// What a picture passes on its way to the canvas.
  private struct Stages {
    let stored: Raster
    let conversion: ColorConversion?
    let resampler: Resampler?
  }

  /// - Parameters:
  ///   - movie: of `background`, where it is one.
  ///   - color: the foreground's, to which everything is brought.
  init(
    _ background: OverOptions.Background, _ movie: ComposedMovie?, canvas: OverCanvas, fit: Placement.Fit, loops: Bool,
    color: ColorDescription, workers: Workers
  ) throws {
    self.canvas = canvas.size
    self.color = color
    self.workers = workers
    self.movie = movie
    raster = Raster(width: canvas.size.width, height: canvas.size.height)
    switch background {
    case .color(let pixel):
      raster.fill(pixel)
      hasAlpha = pixel.w < 1
    case .picture(let path):
      let still = try StillPicture(path, workers: workers)
      // Of the picture itself: what it leaves free of the canvas is black.
      hasAlpha = still.raster.hasAlpha
      let stages = try stages(still.raster, from: still.color, canvas.placement(of: still.size, .square, fit))
      render(stages, alpha: still.alpha)
    case .movie:
      guard let movie else { return }
      alpha = movie.alpha.mode
      let stream = try FrameStream(movie, loops: loops)
      guard let first = stream.first() else { throw Failure("'\(movie.path)' shows no pictures: choose another movie") }
      let placement = canvas.placement(of: movie.size, movie.pixelAspect, fit)
      stages = try stages(
        Raster(width: movie.size.width, height: movie.size.height), from: ColorDescription(first), placement)
      hasAlpha = movie.hasAlpha
      self.stream = stream
    }
  }

  private func stages(_ stored: Raster, from source: ColorDescription, _ placement: Placement) throws -> Stages {
    let size = (stored.width, stored.height)
    do {
      return Stages(
        stored: stored, conversion: try ColorConversion(from: source, to: color),
        resampler: placement.isIdentity(size, canvas)
          ? nil : Resampler(source: size, canvas: canvas, placement: placement))
    } catch {
      throw Failure(
        name: "unsupported", code: 5,
        message:
          "the background has other primaries than the foreground, and only BT.709, P3 and BT.2020 can be converted: convert it before"
      )
    }
  }

  var damagedCount: Int { stream?.damagedCount ?? 0 }

  /// Whether colours are converted, for the report.
  var isConverted: Bool { stages?.conversion != nil }

  /// The background at a time.
  func raster(at time: CMTime) throws -> Raster {
    guard let stream, let stages, let movie else { return raster }
    guard let picture = try stream.picture(at: time) else {
      raster.fill(SIMD4(0, 0, 0, hasAlpha ? 0 : 1))
      return raster
    }
    guard picture.number != shown else { return raster }
    shown = picture.number
    try movie.check(picture.picture)
    PictureExchange.read(
      picture.picture, color: ColorDescription(picture.picture), transform: movie.transform,
      into: stages.stored.pixels, workers: workers)
    render(stages, alpha: alpha)
    return raster
  }

  private func render(_ stages: Stages, alpha: AlphaMode) {
    let stored = stages.stored
    workers.rows(stored.height) { _, rows in
      for y in rows {
        alpha.makeStraight(stored.row(y), stored.width)
        stages.conversion?.convert(stored.row(y), stored.width)
      }
    }
    if let resampler = stages.resampler {
      resampler.place(stored, into: raster, workers)
    } else {
      raster.pixels.update(from: stored.pixels, count: stored.width * stored.height)
    }
  }
}

/// A picture file as signals with alpha.
struct StillPicture {
  let raster: Raster
  let color: ColorDescription
  let alpha: AlphaMode

  var size: (width: Int, height: Int) { (raster.width, raster.height) }

  /// PNG is sRGB with straight alpha; EXR is linear light multiplied by its alpha, of BT.709's primaries unless it names others.
  init(_ path: String, workers: Workers) throws {
    let url = URL(fileURLWithPath: path)
    guard path.lowercased().hasSuffix(".exr") else {
      let buffer = try PNGFile.read(url)
      raster = Raster(width: buffer.width, height: buffer.height)
      color = ColorDescription(transfer: .sRGB, primaries: .bt709, matrix: .bt709)
      alpha = .straight
      PictureExchange.read(buffer, color: color, transform: .identity, into: raster.pixels, workers: workers)
      return
    }
    let planes = try ["R", "G", "B"].map { try EXRFile.read($0, from: url) }
    let cover = try? EXRFile.read("A", from: url)
    raster = Raster(width: planes[0].width, height: planes[0].height)
    color = ColorDescription(transfer: .linear, primaries: try Self.primaries(url), matrix: .bt709)
    alpha = .premultiplied
    for index in 0..<raster.width * raster.height {
      raster.pixels[index] = SIMD4(
        planes[0].samples[index], planes[1].samples[index], planes[2].samples[index], cover?.samples[index] ?? 1)
    }
  }

  private static func primaries(_ url: URL) throws -> ColorDescription.Primaries {
    guard let stated = try EXRFile.chromaticities(of: url) else { return .bt709 }
    let known: [(EXRFile.Chromaticities, ColorDescription.Primaries)] = [
      (.bt709, .bt709), (.p3, .p3), (.bt2020, .bt2020),
    ]
    if let (_, primaries) = known.first(where: { $0.0.isNear(stated) }) { return primaries }
    throw Failure(
      name: "unsupported", code: 5,
      message:
        "the colours of '\(url.path)' have other primaries than BT.709, P3 and BT.2020 (\(stated.text)): convert it before"
    )
  }
}
