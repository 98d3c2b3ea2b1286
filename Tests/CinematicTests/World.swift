import Cinematic
import CoreMedia
import Foundation
import QuickTime

/// A subject of a small world: where it is in disparity on each frame that it is in.
struct Subject: Sendable {
  var id: Int64
  var group: Int64 = -1
  var type: UInt32 = 1
  var frames: ClosedRange<Int>
  var disparity: @Sendable (Int) -> Float

  init(
    _ id: Int64, _ frames: ClosedRange<Int>, group: Int64 = -1, type: UInt32 = 1,
    _ disparity: @escaping @Sendable (Int) -> Float
  ) {
    self.id = id
    self.group = group
    self.type = type
    self.frames = frames
    self.disparity = disparity
  }

  init(_ id: Int64, _ frames: ClosedRange<Int>, group: Int64 = -1, type: UInt32 = 1, at disparity: Float) {
    self.init(id, frames, group: group, type: type) { _ in disparity }
  }
}

/// A small world: frames at 30 a second from time zero.
struct World: Sendable {
  var frameCount: Int
  var subjects: [Subject]

  static func time(_ frame: Int) -> CMTime { CMTime(value: CMTimeValue(frame) * 20, timescale: 600) }

  var timeRange: CMTimeRange { CMTimeRange(start: .zero, end: Self.time(frameCount)) }

  /// Detections only; `edit` may set the other fields of each frame.
  func recording(_ edit: (inout RecordedFrame, Int) -> Void = { _, _ in }) throws -> RecordedScript {
    var script = RecordedScript(timeRange: timeRange)
    for index in 0..<frameCount {
      var frame = RecordedFrame(time: Self.time(index))
      frame.detections = subjects.filter { $0.frames.contains(index) }.map {
        CinematicDetection(
          trackID: $0.id, groupID: $0.group, type: $0.type, focusDisparity: $0.disparity(index), x: 0.25, y: 0.25,
          width: 0.5, height: 0.5)
      }
      edit(&frame, index)
      try script.append(frame)
    }
    return script
  }

  /// As a phone would have recorded it.
  func script(base: [(frame: Int, id: Int64)], taps: [CNDecision] = [], fNumber: Float = 2.8) throws -> CNScript {
    let base = base.map {
      CNDecision(
        time: Self.time($0.frame), focusDetectionID: .single(CNDetectionID($0.id)), strong: false, user: false)
    }
    return CNScript(recorded: try recording().authored(base: base, taps: taps, fNumber: fNumber))
  }
}

func weak(_ id: Int64, at frame: Int) -> CNDecision {
  CNDecision(time: World.time(frame), detectionID: CNDetectionID(id), strong: false)
}

func strong(_ id: Int64, at frame: Int) -> CNDecision {
  CNDecision(time: World.time(frame), detectionID: CNDetectionID(id), strong: true)
}

extension CNScript {
  /// The focus disparity of every frame.
  var focus: [Float] { frames(in: timeRange).map(\.focusDisparity) }
  /// The id in focus on every frame; -1 for nobody.
  var focused: [Int64] { frames(in: timeRange).map { $0.focusDetection.detectionID?.rawValue ?? -1 } }
}
