import AVFoundation
import Bokeh
import BokehCompute
import Cinematic

/// What a render is asked for.
struct RenderOptions: Sendable {
  var movie: String
  var edits: String?
  var fNumber: Float?
  var quality: CNRenderingQuality
  var look: BokehLook
  /// Whether highlights are asked for, and not just what is usual.
  var asksForHighlights: Bool
  var device: BokehDevice
  var range: TimeRangeExpression?
  var encoding: EncodingOptions
  var showsBoxes: Bool
  /// Tone-maps HDR to BT.709.
  var isSDR: Bool
  /// Leaves out date, place and camera.
  var strips: Bool

  init(_ invocation: Invocation) throws {
    movie = invocation.operand("MOVIE")
    edits = invocation.value("edits")
    fNumber = try invocation.aperture()
    quality = RenderOptions.qualities[invocation.value("quality") ?? ""] ?? .export
    look = try invocation.look()
    asksForHighlights = invocation.asksForHighlights
    device = try invocation.device()
    range = try invocation.timeRange("range")
    encoding = try EncodingOptions(invocation, standard: .hevc)
    showsBoxes = invocation.has("boxes")
    isSDR = invocation.has("sdr")
    strips = invocation.has("strip")
  }

  static let qualities: [String: CNRenderingQuality] = [
    "thumbnail": .thumbnail, "preview": .preview, "export": .export, "exportHigh": .exportHigh,
  ]
}
