import AVFoundation
import Cinematic
import Codecs
import Foundation
import ImageFiles
import QuickTime

/// Makes a Cinematic movie of pictures, their disparity and a script.
struct PackJob {
  var picture: PictureInput
  var depth: () throws -> DepthSource
  /// The JSON of a script; nil lets one be proposed.
  var script: Data?
  var fNumber: Float

  func run(to url: URL, progress: ProgressReporter) async throws -> RecordedScript {
    let (times, end) = try picture.times()
    guard let first = times.first else { throw Failure("the picture movie shows no frames") }
    let range = CMTimeRange(start: first, end: end)
    let (script, size) = try script(times, range)
    let sound = try await soundCopy(range)
    let writer = try CinematicMovieWriter(try await plan(url, script, size, sound))
    do {
      try sound?.start()
      try write(times, to: writer, sound, progress)
      try sound?.finish()
      try await writer.finish()
    } catch {
      let cause = writer.endingFailure ?? error
      writer.cancel()
      throw cause
    }
    return script
  }

  // MARK: Script

  /// The script that is given, or one that keeps the near thing in the middle in focus; and the size of the disparity.
  private func script(_ times: [CMTime], _ range: CMTimeRange) throws -> (RecordedScript, (width: Int, height: Int)) {
    if let json = script {
      let script = try RecordedScript(json: json)
      guard script.frameCount == times.count else {
        throw Failure(
          name: "incompatible", code: 6,
          message:
            "the script has \(script.frameCount) frames, the picture \(times.count): choose the script of this picture")
      }
      guard let frame = try depth().next() else { throw Failure("the disparity has no pictures") }
      return (try script.retimed(times, range), evenSize(frame.plane))
    }
    return try proposedScript(times, range)
  }

  private func proposedScript(
    _ times: [CMTime], _ range: CMTimeRange
  ) throws -> (RecordedScript, (width: Int, height: Int)) {
    var pairs = try DepthPairing(try depth(), count: times.count)
    var proposal = FocusProposal()
    var size = (width: 0, height: 0)
    for time in times {
      let plane = try pairs.plane(at: time - range.start)
      size = evenSize(plane)
      proposal.observe(try plane.disparityBuffer())
    }
    var script = RecordedScript(timeRange: range, movieBlob: .written(fNumber: fNumber))
    let subjects = proposal.subjects()
    for subject in subjects {
      for index in subject.frames {
        var frame = RecordedFrame(time: times[index])
        frame.detections = [proposal.detection(frame: index, of: subject)]
        try script.append(frame)
      }
    }
    let base = subjects.map {
      CNDecision(
        time: times[$0.decision], focusDetectionID: .single(CNDetectionID($0.id)), strong: false, user: false)
    }
    return (try script.authored(base: base, fNumber: fNumber), size)
  }

  private func evenSize(_ plane: EXRFile.Plane) -> (width: Int, height: Int) {
    (Self.disparitySide(plane.width), Self.disparitySide(plane.height))
  }

  /// The nearest side that encoders take; samples are repeated or left out to fill it.
  private static func disparitySide(_ side: Int) -> Int {
    min(max(side / 2 * 2, Failure.encodedSides.lowerBound), Failure.encodedSides.upperBound)
  }

  // MARK: Writing

  private func soundCopy(_ range: CMTimeRange) async throws -> SoundCopy? {
    guard let asset = await picture.soundSource() else { return nil }
    return try await SoundCopy(asset, range: range)
  }

  private func plan(
    _ url: URL, _ script: RecordedScript, _ size: (width: Int, height: Int), _ sound: SoundCopy?
  ) async throws -> CinematicMovieWriter.Plan {
    var plan = CinematicMovieWriter.Plan(
      url: url, script: script, picture: try pictureSettings(), disparitySize: size,
      metadataSample: { script.metadataBytes($0) })
    plan.coding = try depth().coding.track
    plan.sound = sound?.inputs ?? []
    switch picture {
    case .copied(let asset, let track):
      plan.metadata = try await asset.load(.metadata).withoutCinematicKeys
      plan.pictureTransform = track.preferredTransform
      plan.disparityTransform = turn(of: track.preferredTransform.quarterTurns ?? 0, size)
      plan.timescale = track.naturalTimeScale
    case .encoded(_, let stored, _, _, let rotation):
      plan.pictureTransform = turn(of: rotation / 90, stored)
      plan.disparityTransform = turn(of: rotation / 90, size)
      let scale = script.times.first(where: { $0.value != 0 })?.timescale ?? 30
      plan.timescale = 600 % scale == 0 ? 600 : scale
    }
    return plan
  }

  private func turn(of quarterTurns: Int, _ size: (width: Int, height: Int)) -> CGAffineTransform {
    CGAffineTransform(quarterTurns: quarterTurns, of: CGSize(width: size.width, height: size.height))
  }

  private func pictureSettings() throws -> CinematicMovieWriter.Picture {
    switch picture {
    case .copied(_, let track):
      guard let format = track.formatDescriptions.first else { throw Failure("the picture track has no description") }
      return .copied(format)
    case .encoded(_, let size, let isDeep, let color, _):
      let settings: [String: Any] = [
        AVVideoCodecKey: AVVideoCodecType.hevc, AVVideoWidthKey: size.width, AVVideoHeightKey: size.height,
        AVVideoColorPropertiesKey: color, AVVideoCompressionPropertiesKey: [AVVideoConstantRateFactorKey: 16],
      ]
      return .encoded(settings, pixelFormat: Self.pixelFormat(isDeep))
    }
  }

  private static func pixelFormat(_ isDeep: Bool) -> OSType {
    isDeep ? kCVPixelFormatType_420YpCbCr10BiPlanarVideoRange : kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange
  }

  private func write(
    _ times: [CMTime], to writer: CinematicMovieWriter, _ sound: SoundCopy?, _ progress: ProgressReporter
  ) throws {
    var pairs = try DepthPairing(try depth(), count: times.count)
    let coding = try depth().coding.track
    let pictures = try PictureFeed(picture, writer)
    for (index, time) in times.enumerated() {
      try sound?.advance(to: time)
      try pictures.write(upTo: time)
      let buffer = try writer.makeDisparityBuffer()
      try pairs.plane(at: time - times[0]).store(into: buffer, coding: coding)
      try writer.append(disparity: buffer, at: time)
      progress.update(index + 1)
    }
    try pictures.finish()
  }
}

/// Hands the pictures of an input to the writer as their times come.
private final class PictureFeed {
  private let writer: CinematicMovieWriter
  private let advance: (CMTime) throws -> Void

  init(_ input: PictureInput, _ writer: CinematicMovieWriter) throws {
    self.writer = writer
    switch input {
    case .copied(let asset, let track): advance = try Self.copier(asset, track, writer)
    case .encoded(let path, _, _, _, _): advance = try Self.encoder(path, input, writer)
    }
  }

  func write(upTo time: CMTime) throws { try advance(time) }
  func finish() throws { try advance(.positiveInfinity) }

  private static func copier(
    _ asset: AVURLAsset, _ track: AVAssetTrack, _ writer: CinematicMovieWriter
  ) throws -> (CMTime) throws -> Void {
    let reader = try AVAssetReader(asset: asset)
    let output = AVAssetReaderTrackOutput(track: track, outputSettings: nil)
    reader.add(output)
    guard reader.startReading() else { throw reader.error ?? Failure("the picture movie cannot be read") }
    var pending = output.copyNextSampleBuffer()
    return { time in
      while let sample = pending {
        let decode = sample.decodeTimeStamp.isNumeric ? sample.decodeTimeStamp : sample.presentationTimeStamp
        guard decode <= time else { return }
        if sample.numSamples > 0 { try writer.append(picture: sample) }
        pending = output.copyNextSampleBuffer()
      }
      if reader.status == .failed { throw reader.error ?? Failure("the picture movie cannot be read") }
    }
  }

  private static func encoder(
    _ path: String, _ input: PictureInput, _ writer: CinematicMovieWriter
  ) throws -> (CMTime) throws -> Void {
    let movie = try ForeignMovie.open(URL(fileURLWithPath: path))
    let (times, _) = try input.times()
    let converter = PixelConverter()
    var next = 0
    return { time in
      while next < times.count, times[next] <= time {
        guard let frame = try movie.nextVideoFrame() else { return }
        let buffer = try writer.makePictureBuffer()
        try converter.convert(frame.pixelBuffer, to: buffer)
        CVBufferPropagateAttachments(frame.pixelBuffer, buffer)
        CVBufferRemoveAttachment(buffer, kCVImageBufferPixelAspectRatioKey)
        try writer.append(picture: buffer, at: times[next])
        next += 1
      }
    }
  }
}

/// Finds the disparity picture for a time: the nearest one, or the next of numbered ones.
struct DepthPairing {
  private let source: DepthSource
  private let count: Int
  private var current: DepthSource.Frame?
  private var following: DepthSource.Frame?
  private var given = 0
  private var start = CMTime.zero

  init(_ source: DepthSource, count: Int) throws {
    self.source = source
    self.count = count
    current = try source.next()
    following = try source.next()
    start = current?.time ?? .zero
  }

  /// - Parameter time: from the first picture on; to be asked in rising order.
  mutating func plane(at time: CMTime) throws -> EXRFile.Plane {
    defer { given += 1 }
    guard let first = current else { throw Failure("'\(source.name)' shows no pictures") }
    if first.time == nil {
      if given > 0 {
        guard let next = following else {
          throw Failure(
            "'\(source.name)' ends after \(given) pictures, while the movie shows \(count): one is needed for each")
        }
        current = next
        following = try source.next()
      }
    } else {
      while let next = following, let candidate = next.time, let now = current?.time,
        abs((candidate - start - time).seconds) < abs((now - start - time).seconds)
      {
        current = next
        following = try source.next()
      }
    }
    return current!.plane
  }
}
