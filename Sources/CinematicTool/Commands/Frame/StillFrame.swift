import AVFoundation
import Bokeh
import BokehCompute
import Cinematic
import CoreMedia
import CoreVideo
import Foundation
import ImageFiles
import Metal
import QuickTime

/// The frame that `frame` renders.
struct StillFrame {
  private let invocation: Invocation
  private let info: CNAssetInfo
  private let script: CNScript
  private let session: CNRenderingSession
  private let frame: CNScript.Frame
  private let index: Int
  private let fNumber: Float

  /// Files that are read.
  var inputs: [String] { [invocation.operand("MOVIE")] + [invocation.value("edits")].compactMap { $0 } }

  /// Loads the movie and the edits, and finds the frame.
  init(_ invocation: Invocation) async throws {
    self.invocation = invocation
    _ = try (invocation.required("at"), invocation.required("output"))
    guard let expression = try invocation.time("at") else {
      throw UsageError("'--at' is needed", path: invocation.path)
    }
    let (aperture, look, device) = (try invocation.aperture(), try invocation.look(), try invocation.device())
    let asset = AVURLAsset(url: URL(fileURLWithPath: invocation.operand("MOVIE")))
    info = try await CNAssetInfo(asset: asset)
    script = try await CNScript(asset: asset, changes: try invocation.edits())
    let times = script.recorded.times
    index = try expression.frame(among: times, end: script.timeRange.end)
    guard let frame = script.frame(at: times[index], tolerance: .zero) else {
      throw Failure("the movie has no focus at \(times[index].clockText)")
    }
    self.frame = frame
    fNumber = aperture ?? script.fNumber
    session = try await Self.session(asset, info, invocation.quality(), device)
    session.look = look
    let isHDR = PictureFormat.isHDR(info.cinematicVideoTrack.formatDescriptions.first)
    if isHDR, invocation.asksForHighlights {
      invocation.console.note("Note: \(PictureFormat.keptHighlights)")
    }
  }

  private static func session(
    _ asset: AVAsset, _ info: CNAssetInfo, _ quality: CNRenderingQuality, _ device: BokehDevice
  ) async throws -> CNRenderingSession {
    guard let queue = MTLCreateSystemDefaultDevice()?.makeCommandQueue() else {
      throw Failure.noThread
    }
    return try CNRenderingSession(
      commandQueue: queue, sessionAttributes: try await CNRenderingSession.Attributes(asset: asset),
      preferredTransform: info.preferredTransform, quality: quality, device: device)
  }

  /// Renders, draws and writes: whole or not at all.
  func write(to output: SafeOutput) throws {
    let picture = try rendered()
    if invocation.has("boxes") || invocation.has("ids") {
      let display = DisplayGeometry(info.cinematicVideoTrack.movieTrack)
      Overlay(frame, of: script, display: display, showsIDs: invocation.has("ids")).draw(onto: picture)
    }
    try PNGFile.write(picture, to: output.temporaryURL)
    try output.commit()
  }

  /// The picture upright, as 8-bit RGB in standard dynamic range.
  private func rendered() throws -> CVPixelBuffer {
    let source = try MovieFrame(of: info, at: frame.time)
    let size = info.preferredSize
    let target = try CVBuffer.make(
      width: Int(size.width), height: Int(size.height), format: kCVPixelFormatType_32BGRA)
    let attributes = CNRenderingSession.FrameAttributes(focusDisparity: frame.focusDisparity, fNumber: fNumber)
    var request = session.request(attributes, source.picture, try disparity(of: source), target)
    // As 'render --sdr' does: the still is to look like the movie.
    request.toneMap = .bt2390
    request.continuesHistory = false
    try session.render(request)
    return target
  }

  /// Without a disparity track everything counts as in focus.
  private func disparity(of source: MovieFrame) throws -> CVPixelBuffer {
    if let disparity = source.disparity { return disparity }
    invocation.console.note("Note: the movie has no disparity track; the frame is shown sharp everywhere.")
    let flat = try CVBuffer.make(width: 2, height: 2, format: kCVPixelFormatType_DisparityFloat32)
    flat.withPlane(0, readOnly: false) { base, pitch, width, height in
      for row in 0..<height {
        let samples = (base + row * pitch).assumingMemoryBound(to: Float.self)
        for column in 0..<width { samples[column] = frame.focusDisparity }
      }
    }
    return flat
  }

  /// What was rendered, for programs; rectangles as displayed.
  var json: JSON {
    let display = DisplayGeometry(info.cinematicVideoTrack.movieTrack)
    let detections = frame.allDetections.map { detection -> JSON in
      let rectangle = display.displayed(detection.normalizedRect)
      let sides = [rectangle.minX, rectangle.minY, rectangle.width, rectangle.height].map { JSON.number(Double($0)) }
      return .object([
        ("id", .integer(Int(detection.detectionID?.rawValue ?? -1))),
        ("group", .integer(Int(detection.detectionGroupID?.rawValue ?? -1))),
        ("type", .integer(detection.detectionType.rawValue)), ("displayed_rect", .array(sides)),
        ("disparity", .number(detection.focusDisparity)),
      ])
    }
    return .object([
      ("index", .integer(index)), ("time", .time(frame.time)), ("focus_disparity", .number(frame.focusDisparity)),
      ("aperture", .number(fNumber)),
      ("focus_id", .integer(Int(frame.focusDetection.detectionID?.rawValue ?? -1))), ("detections", .array(detections)),
    ])
  }
}
