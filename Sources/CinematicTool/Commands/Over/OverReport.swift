import AVFoundation
import Compositing

/// What an over did.
struct OverReport {
  let frames: Int
  let duration: CMTime
  let size: (width: Int, height: Int)
  let codec: RenderCodec
  let alpha: (mode: AlphaMode, source: String)
  let isLinear: Bool
  let keepsAlpha: Bool
  /// Whether the background lets something through, and the codec does not.
  let hidesAlpha: Bool
  let convertsBackground: Bool
  /// Pictures of both movies with damaged slices, which were concealed.
  let damagedFrames: Int
  let sound: OverSound

  private var alphaName: String {
    OverOptions.alphaModes.first { $0.value == alpha.mode }?.key ?? "premultiplied"
  }

  /// Sentences for people.
  var lines: [String] {
    var lines = ["the foreground's alpha is taken as \(alphaName): \(alpha.source)"]
    if convertsBackground { lines.append("the background was converted to the foreground's colour") }
    if hidesAlpha { lines.append("\(codec.rawValue) keeps no alpha: what nothing covers is black") }
    if damagedFrames > 0 {
      lines.append("\(damagedFrames) pictures are damaged in the movies; the places were concealed")
    }
    return lines + sound.notes
  }

  var json: [(String, JSON)] {
    [
      ("frames", .integer(frames)), ("duration", .time(duration)), ("width", .integer(size.width)),
      ("height", .integer(size.height)), ("codec", .string(codec.rawValue)), ("alpha", .string(alphaName)),
      ("alpha_from", .string(alpha.source)), ("linear", .bool(isLinear)), ("keeps_alpha", .bool(keepsAlpha)),
      ("background_converted", .bool(convertsBackground)), ("damaged_frames", .integer(damagedFrames)),
      ("sound", .array(sound.sources.map(JSON.string))),
      ("notes", .array(lines.map(JSON.string))),
    ]
  }
}
