import Cinematic
import CoreMedia
import Foundation
import QuickTime

extension MovieReport {
  /// Writes one object, its members in the order in which they are found; a list of all frames needs no memory.
  func writeJSON(_ console: Console) {
    var stream = JSONStream(console)
    stream.member("file", .string(URL(fileURLWithPath: path).lastPathComponent))
    stream.member("bytes", .integer(Int(movie.source.byteCount)))
    stream.member("files", files.json)
    stream.member(
      "movie",
      .object([
        ("timescale", .integer(Int(movie.timescale))), ("duration", .integer(Int(movie.duration))),
        ("start_time_code", .optional(startTimeCode) { .string($0.description) }),
      ]))
    stream.member("tracks", .array(movie.tracks.map { TrackReport(track: $0).json }))
    if let script { writeCinematic(script, to: &stream) }
    stream.member("warnings", .array(warnings.map(JSON.string)))
    if let failure { stream.member("error", failure.json) }
    stream.close()
  }

  private func writeCinematic(_ script: CNScript, to stream: inout JSONStream) {
    stream.member("cinematic", cinematicJSON(script))
    let list = DecisionList(script)
    stream.member("decisions", list.json)
    stream.member("subjects", .array(SubjectReport.all(in: script).map(\.json)))
    if options.showsFrames, let picture = cinematic.picture {
      stream.list("frames") { add in
        var matcher = MetadataMatcher(cinematic.metadata)
        matcher.match(picture) { add(FrameReport(frame: $0).json) }
      }
    }
    if !options.blocks.isEmpty { stream.member("disparity_blocks", .array(blocks.map(\.json))) }
    if let check { stream.member("check", check.json) }
  }

  private func cinematicJSON(_ script: CNScript) -> JSON {
    let display = display, range = cinematic.timeRange
    return .object([
      ("capability", .string(cinematic.capability.rawValue)),
      ("picture_track", .optional(cinematic.picture) { .integer($0.number) }),
      ("disparity_track", .optional(cinematic.disparity) { .integer($0.number) }),
      ("metadata_tracks", .array(cinematic.metadata.tracks.map { .integer($0.number) })),
      ("fps", .optional(frameRate, JSON.time)), ("frames_shown", .integer(frameTimes.count)),
      ("rotation", .optional(display) { .integer($0.rotation) }),
      ("displayed_size", .optional(display) { .array([.integer($0.width), .integer($0.height)]) }),
      (
        "time_range",
        .optional(range) { .object([("start", .time($0.lowerBound)), ("end", .time($0.upperBound))]) }
      ),
      ("disc", discJSON), ("rendering_version", .optional(renderingVersion) { .integer($0) }),
      ("blob_rend_major", .optional(script.recorded.movieBlob?.renderingMajor) { .integer(Int($0)) }),
      ("aperture", .number(script.fNumber)), ("frame_times", .array(frameTimes.map(JSON.time))),
    ])
  }

  private var discJSON: JSON {
    guard cinematic.disparity != nil else { return .null }
    let range = coding ?? .standard
    return .object([
      ("present", .bool(coding != nil)), ("min", .number(range.minimum)), ("max", .number(range.maximum)),
    ])
  }

  /// Which table numbers the rendering items: what the movie-level one says, else what their length says.
  private var renderingVersion: Int? {
    let major = script?.recorded.movieBlob?.renderingMajor
    let first = cinematic.metadata.entries.lazy.compactMap { cinematic.metadata.metadata($0).rendering }.first
    return (first?.version(movieMajor: major) ?? major).map { Int($0) }
  }
}
