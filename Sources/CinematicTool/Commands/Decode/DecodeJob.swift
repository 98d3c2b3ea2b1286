import AVFoundation
import Compositing
import CoreMedia
import CoreVideo
import Foundation
import VideoToolbox

/// One decode: read → decode on a thread of its own, a few frames ahead → write.
struct DecodeJob: Sendable {
  let track: PictureTrack
  let options: DecodeOptions
  let plan: DecodingPlan
  let frames: Range<Int>

  init(_ track: PictureTrack, _ options: DecodeOptions) throws {
    (self.track, self.options) = (track, options)
    frames = try track.frames(in: options.range, limit: options.limit)
    plan = try options.plan(for: track)
  }

  /// How the report calls what is written.
  private var formatName: String {
    plan.format?.name ?? (options.container == .exr ? "linear RGB, 32-bit floats" : "RGB, 16 bits")
  }

  /// Writes all frames and gives the result its place. Throws `StrictFailure` for damage that is not allowed.
  func run(to output: SafeOutput, _ progress: ProgressReporter) throws -> DecodeReport {
    var sink = try makeSink(output)
    var report = DecodeReport(format: formatName, container: options.container, first: frames.lowerBound)
    report.notes = notes
    let decoded = decodedFrames()
    defer { decoded.close() }
    while sink.isOpen, let (frame, account) = try decoded.receive() {
      if report.frames == 0 { report.size = frame.pixels.size }
      report.add(frame)
      report.account = account
      if options.isStrict, let entry = report.damaged.first { throw StrictFailure(entry: entry, report: report) }
      try sink.write(frame)
      progress.update(report.frames)
    }
    try sink.finish()
    return report
  }

  private func makeSink(_ output: SafeOutput) throws -> any FrameSink {
    if let format = plan.format {
      return try RawSink(output, format, track, isY4M: options.container == .y4m)
    }
    let alpha = StatedAlpha(track.track).mode
    return PictureSink(output, isEXR: options.container == .exr, alpha: alpha, threads: options.threads)
  }

  /// Decoding runs ahead by a few frames.
  private func decodedFrames() -> BoundedQueue<(ShownFrame, DecodingAccount)> {
    BoundedQueue.filled(capacity: 3, named: "decoder") { [track, frames, plan] hand in
      var reader = try MovieFrames(track, ranges: [frames], plan: plan)
      defer { reader.cancel() }
      while let frame = try reader.nextFrame(), hand((frame, reader.account)) {}
    }
  }

  /// What the user should know of the choices that were made.
  private var notes: [String] {
    var notes: [String] = []
    let (rate, isSteady) = track.frameRate()
    if options.container == .y4m, !isSteady {
      notes.append(
        "The movie's frames last differently long, and YUV4MPEG2 has one rate: it says \(rate.text) a second.")
    }
    let hasAlpha = track.track.hasMediaCharacteristic(.containsAlphaChannel)
    if hasAlpha, let format = plan.format, !format.hasAlpha {
      notes.append("The movie's alpha is left out: '\(format.name)' has none.")
    }
    let alpha = StatedAlpha(track.track)
    if hasAlpha, plan.format != nil, alpha.mode != .straight {
      notes.append("The movie's colours are multiplied by their alpha (\(alpha.name)), and are written so.")
    }
    return notes
  }
}

/// Damage that `--strict` does not allow.
struct StrictFailure: Error {
  let entry: DecodeReport.Entry
  let report: DecodeReport

  func failure(_ movie: String) -> Failure {
    Failure(
      name: "malformed", code: 4,
      message: "\(entry.sentence), in '\(movie)': get an undamaged copy, or leave out '--strict' to have it concealed")
  }
}
