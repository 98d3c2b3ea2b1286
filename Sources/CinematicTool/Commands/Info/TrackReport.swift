import CoreMedia
import QuickTime

/// What `info` tells about a track of any kind.
struct TrackReport {
  let track: MovieTrack

  /// The four characters of the first sample entry.
  var entry: String? { track.sampleDescriptions.first.map { "\($0.type)" } }

  /// Stored pixels; 0 for tracks without a picture.
  var size: (width: Int, height: Int) {
    if let video = track.sampleDescriptions.first?.video { return (video.width, video.height) }
    return (Int(track.width), Int(track.height))
  }

  private var shown: ShownSamples { track.timeline.shownSamples }

  /// The members of `tracks` in the JSON: durations, edits in units of the named time scales, times as fractions of a second.
  var json: JSON {
    .object([
      ("number", .integer(track.number)), ("id", .integer(Int(track.id))),
      ("handler", .string("\(track.handler)")), ("entry", .optional(entry) { .string($0) }),
      ("enabled", .bool(track.isEnabled)), ("width", .integer(size.width)), ("height", .integer(size.height)),
      ("matrix", .array(matrix)), ("timescale", .integer(Int(track.timescale))),
      ("sample_count", .integer(track.samples.count)), ("media_duration", .integer(Int(track.mediaDuration))),
      ("duration_in_movie_units", .integer(Int(track.duration))), ("edits", .array(track.edits.map(Self.json))),
      ("has_composition_offsets", .bool(track.samples.hasCompositionOffsets)),
      ("sync_samples", .integer(track.samples.syncSampleCount)),
      ("bytes_of_samples", .integer(Int(track.samples.totalBytes))), ("shown", .integer(shown.count)),
      ("first_shown", .optional(shown.first) { .time($0.time) }),
      ("last_shown", .optional(shown.last) { .time($0.time) }),
    ])
  }

  /// a, b, c, d, x, y.
  private var matrix: [JSON] {
    let matrix = track.matrix
    return [matrix.a, matrix.b, matrix.c, matrix.d, matrix.x, matrix.y].map { value in
      Int(exactly: value).map(JSON.integer) ?? .number(value)
    }
  }

  /// Duration in movie units, start in media units; -1 shows nothing. A third member is a rate other than 1.
  private static func json(_ edit: Edit) -> JSON {
    let pair: [JSON] = [.integer(Int(edit.segmentDuration)), .integer(Int(edit.mediaTime))]
    return .array(edit.rate == 1 ? pair : pair + [.number(edit.rate)])
  }

  /// One line of the table for people, under `columns`.
  var row: [String] {
    let picture = size.width > 0 ? "\(size.width)x\(size.height)" : ""
    return [
      "\(track.number)", "\(track.handler)", entry ?? "-", picture, "\(track.samples.count) samples",
      ByteCount.text(track.samples.totalBytes), remark,
    ]
  }

  private var remark: String {
    var words: [String] = []
    if let audio = track.sampleDescriptions.first?.audio { words.append("\(Int(audio.sampleRate)) Hz") }
    if shown.count != track.samples.count { words.append("\(shown.count) shown") }
    if !track.isEnabled { words.append("off") }
    return words.joined(separator: ", ")
  }
}

extension JSON {
  static func time(_ time: RationalTime) -> JSON { .string("\(time.numerator)/\(time.denominator)") }
}

/// Sizes of files for people.
enum ByteCount {
  /// In kB, MB or GB of powers of 1000, with at most one decimal.
  static func text(_ bytes: Int64) -> String {
    var value = Double(bytes), unit = 0
    while value >= 999.5, unit < 4 { (value, unit) = (value / 1000, unit + 1) }
    let rounded = unit == 0 || value >= 99.95 ? value.rounded() : (value * 10).rounded() / 10
    let digits = rounded == rounded.rounded() ? "\(Int(rounded))" : "\(rounded)"
    return digits + " " + ["bytes", "kB", "MB", "GB", "TB"][unit]
  }
}
