public import CoreMedia
import Synchronization

/// The detections of one subject over a script. Safe to use from any thread.
///
/// A discrete track has detections at certain times. A continuous one has a detection for any time, and none to list for a range.
public class CNDetectionTrack: @unchecked Sendable {
  public let detectionType: CNDetectionType
  /// Made by a user of the script, not recorded with the movie.
  public let isUserCreated: Bool
  public let isDiscrete: Bool
  // The one thing that changes: a script that the track is added to assigns its id.
  private let assignedIDs: Mutex<IDs>

  struct IDs: Sendable {
    var detection: CNDetectionID
    var group: CNDetectionGroupID?
  }

  init(detectionType: CNDetectionType, isUserCreated: Bool, isDiscrete: Bool, ids: IDs) {
    self.detectionType = detectionType
    self.isUserCreated = isUserCreated
    self.isDiscrete = isDiscrete
    assignedIDs = Mutex(ids)
  }

  /// The id in the script; negative until the track has been added to one.
  public var detectionID: CNDetectionID { assignedIDs.withLock { $0.detection } }
  /// The group in the script; nil where there is none.
  public var detectionGroupID: CNDetectionGroupID? { assignedIDs.withLock { $0.group } }

  func assign(_ id: CNDetectionID) {
    assignedIDs.withLock { $0.detection = id }
  }

  /// The detection at the time, or the last one before it; nil if the track starts later. Of a continuous track: one for the time.
  public func detection(atOrBefore time: CMTime) -> CNDetection? { nil }

  /// The detection whose time is nearest, the earlier of two; nil only for a track without detections.
  public func detection(nearest time: CMTime) -> CNDetection? { nil }

  /// The detections with times in the range, in their order; none of a continuous track.
  public func detections(in timeRange: CMTimeRange) -> [CNDetection] { [] }

  /// All detections of a discrete track in their order.
  package var discreteDetections: [CNDetection] { [] }
}

extension CNDetectionTrack.IDs {
  /// What a track has that no script has taken yet.
  static let none = CNDetectionTrack.IDs(detection: CNDetectionID(-1), group: nil)
}

/// Detections in order of time, with the look-ups that tracks share.
struct DetectionSequence: Sendable {
  let detections: [CNDetection]

  /// Sorts by time; of several at one time the last one given stays. Leaves out what is not a number.
  init(_ detections: [CNDetection]) {
    var sorted: [CNDetection] = []
    let order = detections.indices.sorted {
      let (a, b) = (detections[$0].time, detections[$1].time)
      return a == b ? $0 < $1 : a < b
    }
    for index in order where detections[index].isNumeric {
      if sorted.last?.time == detections[index].time { sorted.removeLast() }
      sorted.append(detections[index])
    }
    self.detections = sorted
  }

  func atOrBefore(_ time: CMTime) -> CNDetection? {
    let next = detections.partitioningIndex { $0.time > time }
    return next == 0 ? nil : detections[next - 1]
  }

  func nearest(_ time: CMTime) -> CNDetection? {
    let next = detections.partitioningIndex { $0.time > time }
    guard next > 0 else { return detections.first }
    guard next < detections.count else { return detections.last }
    return time - detections[next - 1].time <= detections[next].time - time ? detections[next - 1] : detections[next]
  }

  func inRange(_ range: CMTimeRange) -> [CNDetection] {
    let first = detections.partitioningIndex { $0.time >= range.start }
    let end = detections.partitioningIndex { $0.time >= range.end }
    return first < end ? Array(detections[first..<end]) : []
  }
}

extension CNDetection {
  /// Time, disparity and rectangle can be compared and stored.
  var isNumeric: Bool {
    let rectangle = normalizedRect
    let values = [rectangle.origin.x, rectangle.origin.y, rectangle.size.width, rectangle.size.height]
    return time.isNumeric && focusDisparity.isFinite && values.allSatisfy { Float($0).isFinite }
  }
}

extension RandomAccessCollection where Index == Int {
  /// The first index whose element satisfies `isInSecondPart`, in a collection where all that do come last.
  func partitioningIndex(where isInSecondPart: (Element) -> Bool) -> Int {
    var low = startIndex
    var high = endIndex
    while low < high {
      let middle = low + (high - low) / 2
      if isInSecondPart(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
