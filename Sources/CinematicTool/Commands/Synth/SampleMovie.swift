import AVFoundation
import Cinematic
import Foundation
import QuickTime

/// The sample movie: what it shows, says and sounds like, and how it is written.
struct SampleMovie: Sendable {
  var width = 1280
  var height = 720
  var frameCount = 240
  var framesPerSecond: Int32 = 30
  var isHDR = true
  /// Quarter turns clockwise from stored to displayed; the scene is drawn upright and stored turned back.
  var quarterTurns = 0
  var fNumber: Float = 2
  var hasSound = true

  /// The most pixels of a side.
  static let maximumSide = 8192

  /// The size of the picture as stored.
  private var storedSize: (width: Int, height: Int) {
    quarterTurns % 2 == 0 ? (width, height) : (height, width)
  }

  private var disparitySize: (width: Int, height: Int) {
    let longer = max(storedSize.width, storedSize.height)
    let scale = min(1, 512 / Double(longer))
    func even(_ length: Int) -> Int { max(2, Int(Double(length) * scale / 2) * 2) }
    return (even(storedSize.width), even(storedSize.height))
  }

  /// Its units are a multiple of the frame rate, as near to 600 as can be.
  private var timescale: Int32 { max(1, 600 / framesPerSecond) * framesPerSecond }

  func time(_ frame: Int) -> CMTime {
    CMTime(value: Int64(frame) * Int64(timescale / framesPerSecond), timescale: timescale)
  }

  /// Where a frame is in the story, 0…1.
  private func share(_ frame: Int) -> Float { Float(frame) / Float(frameCount) }

  var timeRange: CMTimeRange { CMTimeRange(start: time(0), end: time(frameCount)) }

  // MARK: Script

  /// The detections of every frame and the focus that follows the story.
  func script(of scene: SampleScene) throws -> RecordedScript {
    var script = RecordedScript(timeRange: timeRange, movieBlob: .written(fNumber: fNumber))
    for index in 0..<frameCount {
      var frame = RecordedFrame(time: time(index))
      frame.detections = scene.seen(at: share(index)).map(detection)
      try script.append(frame)
    }
    return try script.authored(base: story(in: script), fNumber: fNumber)
  }

  /// The decisions of the story whose subject is there in a movie of this length.
  private func story(in script: RecordedScript) -> [CNDecision] {
    Cast.story.compactMap { beat in
      let index = Int(beat.time * Float(frameCount))
      guard script.frame(index).detections.contains(where: { $0.trackID == beat.detection }) else { return nil }
      return CNDecision(
        time: time(index), focusDetectionID: .single(CNDetectionID(beat.detection)), strong: false, user: false)
    }
  }

  private func detection(_ seen: SampleScene.Seen) -> CinematicDetection {
    var detection = CinematicDetection(
      trackID: seen.id, groupID: seen.group, type: UInt32(seen.type), focusDisparity: seen.disparity, x: seen.x,
      y: seen.y, width: seen.width, height: seen.height)
    for _ in 0..<quarterTurns {
      // From displayed to stored: a quarter turn counter-clockwise.
      let (x, y) = (detection.y, 1 - detection.x - detection.width)
      (detection.x, detection.y) = (x, y)
      swap(&detection.width, &detection.height)
    }
    return detection
  }

  // MARK: Writing

  func write(to url: URL, progress: ProgressReporter) async throws {
    let scene = SampleScene(width: width, height: height)
    let script = try script(of: scene)
    let sound = hasSound ? try SampleSound(duration: timeRange.duration) : nil
    let writer = try CinematicMovieWriter(plan(url, script, sound))
    do {
      try writeFrames(of: scene, to: writer, sound, progress)
      try await writer.finish()
    } catch {
      let cause = writer.endingFailure ?? error
      writer.cancel()
      throw cause
    }
  }

  private func plan(_ url: URL, _ script: RecordedScript, _ sound: SampleSound?) -> CinematicMovieWriter.Plan {
    let look = ScenePicture(isHDR: isHDR)
    let settings: [String: Any] = [
      AVVideoCodecKey: AVVideoCodecType.hevc, AVVideoWidthKey: storedSize.width, AVVideoHeightKey: storedSize.height,
      AVVideoCompressionPropertiesKey: [AVVideoConstantRateFactorKey: 16],
      AVVideoColorPropertiesKey: [
        AVVideoColorPrimariesKey: look.primaries, AVVideoTransferFunctionKey: look.transferFunction,
        AVVideoYCbCrMatrixKey: look.matrix,
      ],
    ]
    var plan = CinematicMovieWriter.Plan(
      url: url, script: script, picture: .encoded(settings, pixelFormat: look.pixelFormat),
      disparitySize: disparitySize, metadataSample: { script.metadataBytes($0) })
    plan.pictureTransform = turn(of: storedSize)
    plan.disparityTransform = turn(of: disparitySize)
    plan.timescale = timescale
    plan.sound = sound.map { [$0.input] } ?? []
    return plan
  }

  private func turn(of size: (width: Int, height: Int)) -> CGAffineTransform {
    CGAffineTransform(quarterTurns: quarterTurns, of: CGSize(width: size.width, height: size.height))
  }

  private func writeFrames(
    of scene: SampleScene, to writer: CinematicMovieWriter, _ sound: SampleSound?, _ progress: ProgressReporter
  ) throws {
    let look = ScenePicture(isHDR: isHDR)
    for index in 0..<frameCount {
      let frame = scene.frame(at: share(index)).turned(quarterTurns, width: width, height: height)
      try sound?.write(upTo: time(index))
      let picture = try writer.makePictureBuffer()
      look.store(frame.color, into: picture)
      try writer.append(picture: picture, at: time(index))
      let disparity = try writer.makeDisparityBuffer()
      SampleDisparity.store(frame.disparity, width: storedSize.width, into: disparity)
      try writer.append(disparity: disparity, at: time(index))
      progress.update(index + 1)
    }
    try sound?.finish()
  }
}

/// The disparity track of the sample movie.
enum SampleDisparity {
  /// Stores the nearest of each block of pixels as a 10-bit code of (0, 16).
  static func store(_ disparity: [Float], width: Int, into buffer: CVPixelBuffer) {
    let height = disparity.count / width
    buffer.withPlane(0, readOnly: false) { base, pitch, columns, rows in
      for y in 0..<rows {
        let row = (base + y * pitch).assumingMemoryBound(to: UInt16.self)
        let sourceRow = (2 * y + 1) * height / (2 * rows) * width
        for x in 0..<columns {
          let value = disparity[sourceRow + (2 * x + 1) * width / (2 * columns)]
          row[x] = DisparityCoding.standard.code(disparity: value) << 6
        }
      }
    }
  }
}
