import AVFoundation
import Bokeh
import CoreGeometry
import CoreMedia
import CoreVideo
import Foundation
import ProRes
import VideoToolbox

/// One contact sheet: choose frames → decode each alone, as small as it may be → reduce, convert, turn → lay out.
struct ScrubJob: Sendable {
  let track: PictureTrack
  let layout: SheetLayout
  /// The frames of the tiles, in order.
  let positions: [Int]
  private let plan: DecodingPlan
  /// From the stored picture to the shown one; the identity where it is more than quarter turns and mirrors.
  private let transform: CGAffineTransform

  static let mostTiles = 1000

  init(_ track: PictureTrack, _ options: ScrubOptions) throws {
    self.track = track
    let frames = try track.frames(in: options.range, limit: nil)
    positions = try options.spacing.positions(in: frames, of: track)
    transform = track.track.preferredTransform.isUprightTurn ? track.track.preferredTransform : .identity
    let shown = Self.shownSize(track, transform)
    let height = max(1, Int((Double(options.width) * shown.height / shown.width).rounded()))
    layout = SheetLayout(count: positions.count, tile: (options.width, height), columns: options.columns)
    guard !layout.isTooLarge else {
      throw Failure(
        "the sheet would have \(layout.width)x\(layout.height) pixels: ask for fewer or smaller tiles with '--count', '--every' or '--width'"
      )
    }
    var plan = DecodingPlan(choice: options.choice)
    plan.pixelFormat = try plan.developable(of: track)
    plan.scale = Self.scale(of: track, options.choice, shrinking: shown.width / Double(options.width))
    self.plan = plan
  }

  /// In square pixels, turned as shown.
  private static func shownSize(_ track: PictureTrack, _ transform: CGAffineTransform) -> (
    width: Double, height: Double
  ) {
    let size = track.track.formatDescriptions[0].presentationDimensions(
      usePixelAspectRatio: true, useCleanAperture: false)
    let (width, height) = (max(1, Double(size.width)), max(1, Double(size.height)))
    return abs(transform.a) > abs(transform.b) ? (width, height) : (height, width)
  }

  /// The smallest size that the processor makes of ProRes and that is not below the tile's; other decoders know the full size only.
  private static func scale(of track: PictureTrack, _ choice: DecodingPlan.Choice, shrinking: Double) -> ProResScale {
    let isOurs = track.track.formatDescriptions.allSatisfy { ProResDecoder.codecs.contains($0.mediaSubType.rawValue) }
    guard isOurs, choice == .any || choice == .cpu else { return .full }
    return ProResScale.allCases.last { Double($0.rawValue) <= shrinking } ?? .full
  }
}

// MARK: - Work
extension ScrubJob {
  /// A tile that is done.
  struct Tile: Sendable {
    let index: Int
    let time: CMTime
    let label: String
    let damage: DecodeReport.Entry?
  }

  func run(_ progress: ProgressReporter) throws -> (sheet: ContactSheet, report: ScrubReport) {
    let sheet = try ContactSheet(layout)
    var report = ScrubReport(layout: layout, scale: plan.scale)
    let decoded = decodedFrames()
    defer { decoded.close() }
    let developer = PictureDeveloper()
    while let (frame, account) = try decoded.receive() {
      report.decoders = account.entries.map(\.entry.decoder)
      let label = label(of: frame.index)
      if let tile = try tile(of: frame, developer) {
        sheet.add(tile, label: label, isDamaged: frame.damage != nil, at: report.tiles.count)
      }
      let damage = frame.damage.map { DecodeReport.Entry(index: frame.index, time: frame.time, damage: stored($0)) }
      report.tiles.append(Tile(index: frame.index, time: frame.time, label: label, damage: damage))
      progress.update(report.tiles.count)
    }
    return (sheet, report)
  }

  /// Only what a frame needs is read: itself, and what it depends on.
  private func decodedFrames() -> BoundedQueue<(ShownFrame, DecodingAccount)> {
    BoundedQueue.filled(capacity: 2, named: "decoder") { [track, positions, plan] hand in
      var reader = try MovieFrames(track, ranges: positions.map { $0..<$0 + 1 }, plan: plan)
      defer { reader.cancel() }
      while let frame = try reader.nextFrame(), hand((frame, reader.account)) {}
    }
  }

  /// Damage where it lies in the stored picture, not in the small one that was made of it.
  private func stored(_ damage: FrameDamage) -> FrameDamage {
    guard case .slices(let slices) = damage else { return damage }
    let size = track.track.formatDescriptions[0].dimensions
    return .slices(
      slices.map { $0.enlarged(by: plan.scale, width: Int(size.width), height: Int(size.height)) })
  }

  private func tile(of frame: ShownFrame, _ developer: PictureDeveloper) throws -> FloatPicture? {
    guard case .buffer(let buffer) = frame.pixels else { return nil }
    let isTurned = abs(transform.a) < abs(transform.b)
    let (width, height) = isTurned ? (layout.tile.height, layout.tile.width) : layout.tile
    return try developer.display(buffer, size: (width, height)).turned(by: transform)
  }

  /// The movie's own time code; where it has none, hours, minutes, seconds and frames from the start of the movie, as far as codes go.
  private func label(of position: Int) -> String {
    let time = track.times[position]
    if let code = try? track.track.timeCode(atTrackTime: time) { return code.description }
    let rate = track.frameRate().rate
    let rule = TimeCode.Rule(framesPerSecond: max(1, Int(rate.framesPerSecond.rounded(.up))))
    guard let frame = Int64(exactly: (time.seconds * rate.framesPerSecond).rounded()) else {
      return "#\(position)"
    }
    return TimeCode(frame: frame, rule: rule).description
  }
}

extension CGAffineTransform {
  /// Whether it is made of quarter turns and mirrors, its translation aside.
  fileprivate var isUprightTurn: Bool {
    let parts = [a, b, c, d].map { Double($0) }
    let isWhole = parts.allSatisfy { abs($0) < 1e-3 || abs(abs($0) - 1) < 1e-3 }
    return isWhole && abs(abs(parts[0] * parts[3] - parts[1] * parts[2]) - 1) < 1e-2
  }
}

/// What a contact sheet shows.
struct ScrubReport: Sendable {
  let layout: SheetLayout
  let scale: ProResScale
  var decoders: [String] = []
  var tiles: [ScrubJob.Tile] = []

  func json(output: String) -> JSON {
    .object([
      ("output", .string(output)), ("width", .integer(layout.width)), ("height", .integer(layout.height)),
      ("columns", .integer(layout.columns)), ("rows", .integer(layout.rows)),
      ("tile", .array([.integer(layout.tile.width), .integer(layout.tile.height)])),
      ("decoded_scale", .string(scale == .full ? "1" : "1/\(scale.rawValue)")),
      ("decoders", .array(decoders.map(JSON.string))),
      (
        "tiles",
        .array(
          tiles.map { tile in
            .object([
              ("frame", .integer(tile.index)), ("time", .time(tile.time)), ("time_code", .string(tile.label)),
              ("damage", .optional(tile.damage?.sentence, JSON.string)),
            ])
          })
      ),
    ])
  }
}
