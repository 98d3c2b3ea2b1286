import Cinematic
import CoreMedia
import Foundation
import QuickTime

/// A movie whose script is like a long recording's; its pictures and disparities are three bytes each and cannot be decoded.
struct LongMovie {
  let frameCount: Int
  private static let subjects: Int64 = 4
  /// A decision every four seconds, a tap every forty.
  private static let decisionFrames = 120

  init(minutes: Int) {
    frameCount = minutes * 60 * 30
  }

  func write(to url: URL) throws {
    let script = try recording()
    let writer = try MovieWriter(url: url)
    let picture = try addPicture(writer, "vide", "hvc1")
    let disparity = try addPicture(writer, "auxv", "dish")
    guard let description = SampleDescription(CinematicKey.writtenKeyTable.sampleEntry(), handler: "meta") else {
      return
    }
    let metadata = writer.addTrack(
      TrackSpecification(handler: "meta", timescale: 600, sampleDescriptions: [description]))
    for frame in 0..<frameCount {
      for track in [picture, disparity] {
        try writer.append(track: track, data: Data([1, 2, 3]), TimedSample(duration: 20))
      }
      let data = MetadataSampleCodec.data(of: script.metadataSample(frame))
      try writer.append(track: metadata, data: data, TimedSample(duration: 20))
    }
    try writer.finish()
  }

  private func addPicture(_ writer: MovieWriter, _ handler: FourCC, _ type: FourCC) throws -> Int {
    let description = SampleDescription(type: type, layout: .video(VideoDescription(width: 1920, height: 1080)))
    var specification = TrackSpecification(handler: handler, timescale: 600, sampleDescriptions: [description])
    (specification.width, specification.height) = (1920, 1080)
    return writer.addTrack(specification)
  }

  /// Four subjects for the whole length, whose distances swing.
  private func recording() throws -> RecordedScript {
    let range = CMTimeRange(start: .zero, end: Self.time(frameCount))
    var script = RecordedScript(timeRange: range)
    for index in 0..<frameCount {
      var frame = RecordedFrame(time: Self.time(index))
      frame.detections = (0..<Self.subjects).map { id in
        let swing = sin(Float(index) / Float(97 + 31 * id))
        return CinematicDetection(
          trackID: id, groupID: id / 2, type: UInt32(1 + id % 3), focusDisparity: 1 + Float(id) + 0.5 * swing,
          x: 0.1 + 0.2 * Float(id), y: 0.3 + 0.1 * swing, width: 0.15, height: 0.3)
      }
      try script.append(frame)
    }
    return try script.authored(
      base: decisions(every: 1, user: false), taps: decisions(every: 10, user: true), fNumber: 2.8)
  }

  private func decisions(every step: Int, user: Bool) -> [CNDecision] {
    stride(from: user ? 77 : 0, to: frameCount, by: Self.decisionFrames * step).enumerated().map { index, frame in
      CNDecision(
        time: Self.time(frame), focusDetectionID: .single(CNDetectionID(Int64(index) % Self.subjects)),
        strong: false, user: user)
    }
  }

  static func time(_ frame: Int) -> CMTime { CMTime(value: CMTimeValue(frame) * 20, timescale: 600) }
}
