import AVFoundation

/// What an over did.
struct OverReport {
  let frames: Int
  let duration: CMTime
  let size: (width: Int, height: Int)
  let codec: RenderCodec
  /// Nil of a foreground that has none.
  let alpha: StatedAlpha?
  let isLinear: Bool
  let keepsAlpha: Bool
  /// Whether the background lets something through, and the codec does not.
  let hidesAlpha: Bool
  let convertsBackground: Bool
  /// Pictures of both movies with damaged slices, which were concealed.
  let damagedFrames: Int
  /// What of the foreground the result does not have.
  let losses: [String]
  let sound: OverSound

  /// Sentences for people.
  var lines: [String] {
    var lines = [
      alpha.map { "the foreground's alpha is taken as \($0.name): \($0.source)" }
        ?? "the foreground has no alpha: it covers all that it lies over"
    ]
    if convertsBackground { lines.append("the background was converted to the foreground's colour") }
    if hidesAlpha { lines.append("\(codec.rawValue) keeps no alpha: what nothing covers is black") }
    if damagedFrames > 0 {
      lines.append("\(damagedFrames) pictures are damaged in the movies; the places were concealed")
    }
    return lines + losses + sound.notes
  }

  var json: [(String, JSON)] {
    [
      ("frames", .integer(frames)), ("duration", .time(duration)), ("width", .integer(size.width)),
      ("height", .integer(size.height)), ("codec", .string(codec.rawValue)),
      ("alpha", alpha.map { .string($0.name) } ?? .null), ("alpha_from", alpha.map { .string($0.source) } ?? .null),
      ("linear", .bool(isLinear)), ("keeps_alpha", .bool(keepsAlpha)),
      ("background_converted", .bool(convertsBackground)), ("damaged_frames", .integer(damagedFrames)),
      ("sound", .array(sound.sources.map(JSON.string))),
      ("notes", .array(lines.map(JSON.string))),
    ]
  }
}
