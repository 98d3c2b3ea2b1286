import Cinematic
import CoreMedia
import Foundation
import QuickTime

/// A movie of two seconds, 30 frames a second, turned by 90°, whose pictures cannot be decoded but whose focus is real.
///
///     detections  1 (face, group 11) in the left half as stored, all the time; 2 (custom, group 12) in the lower right from 1 s on
///     decisions   base 1 at 0, base 2 at 1.5 s
struct TestMovie {
  var hasDisparity = true
  var hasContent = true
  /// Whether the disparity is stored as displayed, under an identity matrix.
  var isUpright = false
  /// The first frame of a tap on detection 1, and whether it is strong.
  var tap: (frame: Int, strong: Bool)?
  var frames = 60

  /// The detection's rectangles in the stored picture.
  static let first = CGRect(x: 0, y: 0.25, width: 0.5, height: 0.5)
  static let second = CGRect(x: 0.75, y: 0.75, width: 0.25, height: 0.25)

  func write(to path: String) throws {
    let writer = try MovieWriter(url: URL(fileURLWithPath: path))
    try addPictures(writer, "vide", "hvc1", width: 64, height: 32)
    if hasDisparity {
      let size = isUpright ? (16, 32) : (32, 16)
      try addPictures(writer, "auxv", "dish", width: size.0, height: size.1, isTurned: !isUpright)
    }
    try addMetadata(writer)
    try writer.finish()
  }

  private func addPictures(
    _ writer: MovieWriter, _ handler: FourCC, _ type: FourCC, width: Int, height: Int, isTurned: Bool = true
  ) throws {
    let description = SampleDescription(type: type, layout: .video(VideoDescription(width: width, height: height)))
    var specification = TrackSpecification(handler: handler, timescale: 600, sampleDescriptions: [description])
    (specification.width, specification.height) = (Double(width), Double(height))
    if isTurned { specification.matrix = MovieMatrix(a: 0, b: 1, c: -1, d: 0, x: Double(height), y: 0) }
    let track = writer.addTrack(specification)
    for _ in 0..<frames { try writer.append(track: track, data: Data([7]), TimedSample(duration: 20)) }
  }

  private func addMetadata(_ writer: MovieWriter) throws {
    guard let description = SampleDescription(CinematicKey.writtenKeyTable.sampleEntry(), handler: "meta") else {
      return
    }
    let specification = TrackSpecification(handler: "meta", timescale: 600, sampleDescriptions: [description])
    let track = writer.addTrack(specification), script = try script()
    for index in 0..<frames {
      let sample = hasContent ? script.metadataSample(index) : .empty
      try writer.append(track: track, data: MetadataSampleCodec.data(of: sample), TimedSample(duration: 20))
    }
  }

  private func script() throws -> RecordedScript {
    let end = CMTime(value: Int64(frames) * 20, timescale: 600)
    var script = RecordedScript(timeRange: CMTimeRange(start: .zero, end: end))
    for index in 0..<frames {
      var frame = RecordedFrame(time: Self.time(index))
      frame.detections = [Self.detection(1, 11, 1, 0.5, Self.first)]
      if index >= 30 { frame.detections.append(Self.detection(2, 12, 102, 2, Self.second)) }
      try script.append(frame)
    }
    let base = [(0, 1), (45, 2)].filter { $0.0 < frames }.map { frame, id in
      CNDecision(
        time: Self.time(frame), focusDetectionID: .single(CNDetectionID(Int64(id))), strong: false, user: false)
    }
    let taps = tap.map { [CNDecision(time: Self.time($0.frame), detectionID: CNDetectionID(1), strong: $0.strong)] }
    return try script.authored(base: base, taps: taps ?? [], fNumber: 2.8)
  }

  static func time(_ frame: Int) -> CMTime { CMTime(value: Int64(frame) * 20, timescale: 600) }

  private static func detection(
    _ id: Int64, _ group: Int64, _ type: UInt32, _ disparity: Float, _ rectangle: CGRect
  ) -> CinematicDetection {
    CinematicDetection(
      trackID: id, groupID: group, type: type, focusDisparity: disparity, x: Float(rectangle.minX),
      y: Float(rectangle.minY), width: Float(rectangle.width), height: Float(rectangle.height))
  }
}
