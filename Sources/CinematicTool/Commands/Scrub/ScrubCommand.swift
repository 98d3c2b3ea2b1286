import CoreMedia
import Foundation
import ImageFiles

extension CinematicTool {
  /// `cinematic scrub`
  static let scrubCommand = Command(
    name: "scrub",
    summary: "draw a movie's timeline as one picture of many frames",
    details: [
      "A contact sheet: frames at even distances, upright and in their true shape, each with its time code below; HDR is tone-mapped as 'frame' "
        + "does it. Only the frames that are shown are read, and ProRes is decoded no larger than a tile needs. A frame with damage has "
        + "its time code in red."
    ],
    operands: [.init("MOVIE", "A MOV or MP4 file.")],
    options: [
      .init("output", short: "o", value: "FILE", "Where the picture goes, a PNG."), .overwrite,
      .init("count", value: "N", "How many frames, the first of N equal parts each; 20 unless given."),
      .init("every", value: "TIME", "Instead, a frame every so often: seconds, m:ss, or #frames."),
      .init("columns", value: "N", "Frames in a row; by default a sheet of about 8:5."),
      .init("width", value: "W", "Pixels of a frame from left to right; 320 unless given."),
      .range("Only the part from A up to B"), .decoder, .track, .progress,
    ],
    examples: [
      .init("cinematic scrub clip.mov -o sheet.png", "Twenty frames."),
      .init("cinematic scrub clip.mov -o sheet.png --every 10 --columns 6 --width 240", "One every ten seconds."),
    ],
    action: { invocation in
      try invocation.checkOutputName(.png)
      let options = try ScrubOptions(invocation)
      let output = try invocation.output(inputs: [options.movie])
      let job = try ScrubJob(try await PictureTrack.open(options.movie, number: options.track), options)
      let progress = invocation.progress("drawing", total: job.positions.count)
      defer { progress.finish() }
      let (sheet, report) = try job.run(progress)
      try PNGFile.write(sheet.picture, to: output.temporaryURL)
      try output.commit()
      progress.finish()
      for damage in report.tiles.compactMap(\.damage) where !invocation.wantsJSON {
        invocation.console.note("cinematic: \(Failure(damage.sentence).sentence)")
      }
      if invocation.wantsJSON, !output.isStandardOutput {
        invocation.console.print(report.json(output: output.name).text)
      }
    })
}

/// What a contact sheet is asked for.
struct ScrubOptions: Sendable {
  /// Which frames are shown.
  enum Spacing: Sendable {
    case count(Int)
    case every(TimeExpression)
  }

  var movie: String
  var track: Int?
  var spacing: Spacing
  var columns: Int?
  var width: Int
  var range: TimeRangeExpression?
  var choice: DecodingPlan.Choice

  init(_ invocation: Invocation) throws {
    movie = invocation.operand("MOVIE")
    track = try invocation.integer("track", in: 1...Int(Int32.max))
    columns = try invocation.integer("columns", in: 1...ScrubJob.mostTiles)
    width = try invocation.integer("width", in: 16...4096) ?? 320
    range = try invocation.timeRange("range")
    choice = invocation.decoderChoice
    let count = try invocation.integer("count", in: 1...ScrubJob.mostTiles)
    let distance = try invocation.time("every")
    if count != nil, distance != nil {
      throw UsageError("'--count' and '--every' exclude each other", path: invocation.path)
    }
    if let distance, distance.isZero {
      throw UsageError("'--every' takes a time or a number of frames above 0", path: invocation.path)
    }
    spacing = distance.map(Spacing.every) ?? .count(count ?? 20)
  }
}

extension TimeExpression {
  fileprivate var isZero: Bool {
    switch self {
    case .seconds(let value, _): value == 0
    case .frame(let index): index == 0
    }
  }
}

extension ScrubOptions.Spacing {
  /// The frames to show. Throws `Failure` where they are too many.
  func positions(in frames: Range<Int>, of track: PictureTrack) throws -> [Int] {
    switch self {
    case .count(let count):
      let tiles = min(count, frames.count)
      return (0..<tiles).map { frames.lowerBound + $0 * frames.count / tiles }
    case .every(.frame(let step)):
      let step = min(step, frames.count)
      try Self.check((frames.count + step - 1) / step)
      return Array(stride(from: frames.lowerBound, to: frames.upperBound, by: step))
    case .every(.seconds(let value, let timescale)):
      return try positions(in: frames, of: track, every: CMTime(value: value, timescale: timescale))
    }
  }

  /// The frame that is shown at each time from the first frame's on.
  private func positions(in frames: Range<Int>, of track: PictureTrack, every step: CMTime) throws -> [Int] {
    let range = track.timeRange(of: frames)
    try Self.check(Int(exactly: (range.duration.seconds / step.seconds).rounded(.up)) ?? .max)
    var found: [Int] = [], time = range.start
    while time < range.end, found.count <= ScrubJob.mostTiles {
      let position = max(frames.lowerBound, track.times.firstPosition { $0 > time } - 1)
      if found.last != position { found.append(position) }
      time = time + step
    }
    return found
  }

  private static func check(_ count: Int) throws {
    guard count > ScrubJob.mostTiles else { return }
    throw Failure(
      "that makes \(count) frames, and a sheet has \(ScrubJob.mostTiles) at most: take a longer '--every', or a '--range'"
    )
  }
}
