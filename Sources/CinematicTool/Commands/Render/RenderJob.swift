import AVFoundation
import Bokeh
import BokehCompute
import Cinematic
import Foundation

/// One render: read → attributes → render → write, with decoding and encoding on threads of their own, and as many frames
/// on their way to a device and back as it takes.
struct RenderJob: Sendable {
  let shot: Shot
  let options: RenderOptions
  let frames: Range<Int>
  let range: CMTimeRange
  /// What the user should know before it begins, a sentence each.
  let notes: [String]
  let picture: PictureFormat

  var frameCount: Int { frames.count }

  init(_ shot: Shot, _ options: RenderOptions) async throws {
    self.shot = shot
    self.options = options
    let times = shot.script.recorded.times
    frames = try options.range?.frames(among: times) ?? 0..<times.count
    let end = frames.upperBound < times.count ? times[frames.upperBound] : shot.script.timeRange.end
    range = CMTimeRange(start: times[frames.lowerBound], end: end)
    let size = shot.info.preferredSize
    if let failure = Failure.unencodable(options.movie, width: size.width, height: size.height) { throw failure }
    picture = PictureFormat(
      of: shot.info, isSDR: options.isSDR, asksForHighlights: options.asksForHighlights)
    notes = picture.notes
  }

  func run(to url: URL, progress: ProgressReporter) async throws -> RenderReport {
    let sound = try await SoundCopy(shot.asset, range: range)
    let writer = try await RenderWriter(url, self, sound: sound)
    do {
      try renderFrames(into: writer, progress)
      return try await writer.finish(at: range.end)
    } catch {
      // What the writer says of itself is the cause; who appends to it then only finds it closed.
      let cause = writer.failure ?? error
      writer.cancel()
      throw cause
    }
  }

  private func renderFrames(into writer: RenderWriter, _ progress: ProgressReporter) throws {
    guard let queue = MTLCreateSystemDefaultDevice()?.makeCommandQueue() else {
      throw Failure.noThread
    }
    let session = try CNRenderingSession(
      commandQueue: queue, sessionAttributes: shot.attributes,
      preferredTransform: shot.info.preferredTransform, quality: options.quality, device: options.device)
    session.look = options.look
    let decoded = decodedFrames()
    defer { decoded.close() }
    var underway: [RenderedFrame] = []
    var count = 0
    func finishFirst() throws {
      let frame = underway.removeFirst()
      try frame.submitted.finish()
      if options.showsBoxes { shot.boxes(at: frame.time)?.draw(onto: frame.picture) }
      try writer.append(frame.picture, at: frame.time)
      count += 1
      progress.update(count)
    }
    while let frame = try decoded.receive() {
      underway.append(try begin(frame, session, writer.makeBuffer()))
      if underway.count == session.framesInFlight { try finishFirst() }
    }
    while !underway.isEmpty { try finishFirst() }
    guard count == frames.count else {
      throw Failure(
        name: "unreadable", code: 2,
        message:
          "only \(count) of \(frames.count) frames could be decoded; the movie is damaged or cut off: get it anew")
    }
  }

  /// A frame that the renderer has begun.
  private struct RenderedFrame {
    let time: CMTime
    let picture: CVPixelBuffer
    let submitted: CNRenderingSession.SubmittedFrame
  }

  private func begin(
    _ frame: FrameReader.Frame, _ session: CNRenderingSession, _ picture: CVPixelBuffer
  ) throws -> RenderedFrame {
    var request = session.request(shot.frameAttributes(at: frame.time), frame.picture, frame.disparity, picture)
    if options.isSDR { request.toneMap = .bt2390 }
    return RenderedFrame(time: frame.time, picture: picture, submitted: try session.submit(request))
  }

  /// Decoding runs ahead by a few frames.
  private func decodedFrames() -> BoundedQueue<FrameReader.Frame> {
    BoundedQueue.filled(capacity: 3, named: "decoder") { [shot, range, picture] hand in
      var reader = try FrameReader(shot.info, range: range, pixelFormat: picture.source)
      defer { reader.cancel() }
      while let frame = try reader.nextFrame(), hand(frame) {}
    }
  }
}

/// What a render did.
struct RenderReport: Sendable {
  var frames: Int
  var duration: CMTime
  var size: CGSize
  var codec: RenderCodec
  /// What it was rendered on.
  var device: String
  var notes: [String]

  func json(output: String) -> JSON {
    .object([
      ("output", .string(output)), ("frames", .integer(frames)), ("duration", .time(duration)),
      ("width", .integer(Int(size.width))), ("height", .integer(Int(size.height))), ("codec", .string(codec.rawValue)),
      ("device", .string(device)),
      ("notes", .array(notes.map(JSON.string))),
    ])
  }
}
