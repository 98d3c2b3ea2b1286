package import CoreMedia
package import QuickTime

/// Everything that was recorded about the focus of a movie, frame by frame. It knows no file.
///
/// Stored by columns: an hour at 30 frames a second with 4 detections a frame takes 30 MB.
package struct RecordedScript: Sendable {
  /// All frames lie in it.
  package let timeRange: CMTimeRange
  /// The movie-level blob, where the movie has one.
  package var movieBlob: CinematicMovieBlob?
  /// The 35 mm equivalent focal length in millimetres that rendering items say where the blob does not.
  var itemFocalLength35mm: Float?
  /// What was missing or odd, a sentence each.
  package var warnings: [String] = []

  /// In rising order; no two are equal.
  package private(set) var times: [CMTime] = []
  private(set) var focusDisparities: [Float] = []
  private(set) var baseFocusTrackIDs: [Int64] = []
  private(set) var userFocusTrackIDs: [Int64] = []
  private(set) var flags: [CinematicFrameHeader.Flags] = []
  private(set) var transitions: [Transition] = []
  private var focusTrackIDs: [Int64] = []
  private var fNumbers: [Float] = []
  private var rawFocusDisparities: [Float] = []
  /// The rows of a frame's detections are `rowStarts[frame]..<rowStarts[frame + 1]`.
  private var rowStarts: [UInt32] = [0]

  private(set) var trackIDs: [Int64] = []
  private(set) var groupIDs: [Int64] = []
  private(set) var types: [UInt32] = []
  private(set) var disparities: [Float] = []
  /// x, y, width, height.
  private(set) var rectangles: [SIMD4<Float>] = []

  struct Transition: Hashable, Sendable {
    var coefficient: Float
    var elapsed: Float
    var duration: Float

    static let rest = Transition(coefficient: 1, elapsed: 0, duration: 0)
  }

  /// The most detections of a script: an hour at 60 frames a second with 64 a frame.
  package static let maximumDetections = 1 << 24
  /// The most frames of a script: a day at 120 frames a second.
  package static let maximumFrames = 1 << 24

  package init(timeRange: CMTimeRange, movieBlob: CinematicMovieBlob? = nil) {
    self.timeRange = timeRange
    self.movieBlob = movieBlob
  }

  /// A script of the same movie, without frames.
  package func withoutFrames(_ timeRange: CMTimeRange) -> RecordedScript {
    var script = RecordedScript(timeRange: timeRange, movieBlob: movieBlob)
    script.itemFocalLength35mm = itemFocalLength35mm
    return script
  }

  package var frameCount: Int { times.count }

  /// Adds a frame after the others. Throws `.malformed` for a time that does not rise or lies outside the time range, and
  /// `.unsupported` beyond the limits of a script.
  package mutating func append(_ frame: RecordedFrame) throws(CNCinematicError) {
    guard frame.time.isNumeric, timeRange.containsTime(frame.time), times.last.map({ $0 < frame.time }) ?? true else {
      throw CNCinematicError(
        .malformed, "Frame \(frameCount) of the script is at \(frame.time.seconds) s, out of order; get the original.")
    }
    guard frameCount < Self.maximumFrames, trackIDs.count + frame.detections.count <= Self.maximumDetections else {
      throw CNCinematicError(.unsupported, "The script has too many frames or detections; cut the movie into parts.")
    }
    times.append(frame.time)
    focusTrackIDs.append(frame.focusTrackID)
    baseFocusTrackIDs.append(frame.baseFocusTrackID)
    userFocusTrackIDs.append(frame.userFocusTrackID)
    flags.append(frame.flags)
    fNumbers.append(frame.fNumber)
    focusDisparities.append(frame.focusDisparity)
    rawFocusDisparities.append(frame.rawFocusDisparity)
    transitions.append(
      Transition(
        coefficient: frame.transitionCoefficient, elapsed: frame.transitionElapsed,
        duration: frame.transitionDuration))
    for detection in frame.detections { append(detection) }
    rowStarts.append(UInt32(trackIDs.count))
  }

  private mutating func append(_ detection: CinematicDetection) {
    trackIDs.append(detection.trackID)
    groupIDs.append(detection.groupID)
    types.append(detection.type)
    disparities.append(detection.focusDisparity)
    rectangles.append(SIMD4(detection.x, detection.y, detection.width, detection.height))
  }

  /// Makes room for frames with the given number of detections in all.
  package mutating func reserve(frames: Int, detections: Int) {
    let frames = min(frames, Self.maximumFrames)
    let rows = min(detections, Self.maximumDetections)
    times.reserveCapacity(frames)
    focusDisparities.reserveCapacity(frames)
    transitions.reserveCapacity(frames)
    trackIDs.reserveCapacity(rows)
    rectangles.reserveCapacity(rows)
  }
}

extension RecordedScript {
  /// The frame as it was appended.
  package func frame(_ index: Int) -> RecordedFrame {
    var frame = RecordedFrame(time: times[index])
    frame.focusTrackID = focusTrackIDs[index]
    frame.baseFocusTrackID = baseFocusTrackIDs[index]
    frame.userFocusTrackID = userFocusTrackIDs[index]
    frame.flags = flags[index]
    frame.fNumber = fNumbers[index]
    frame.focusDisparity = focusDisparities[index]
    frame.rawFocusDisparity = rawFocusDisparities[index]
    frame.transitionCoefficient = transitions[index].coefficient
    frame.transitionElapsed = transitions[index].elapsed
    frame.transitionDuration = transitions[index].duration
    frame.detections = rows(ofFrame: index).map(detection(row:))
    return frame
  }

  package func detection(row: Int) -> CinematicDetection {
    let rectangle = rectangles[row]
    return CinematicDetection(
      trackID: trackIDs[row], groupID: groupIDs[row], type: types[row], focusDisparity: disparities[row],
      x: rectangle.x, y: rectangle.y, width: rectangle.z, height: rectangle.w)
  }

  func rows(ofFrame index: Int) -> Range<Int> { Int(rowStarts[index])..<Int(rowStarts[index + 1]) }

  /// The f-number of each frame.
  package func fNumber(_ index: Int) -> Float { fNumbers[index] }

  /// The 35 mm equivalent focal length in millimetres; nil where the movie does not say.
  package var focalLength35mm: Float? { FocalLength.checked(movieBlob?.focalLength35mm) ?? itemFocalLength35mm }

  /// The same in metres, the usual one where the movie does not say.
  package var focalLength: Float { (focalLength35mm ?? FocalLength.standard35mm) / 1000 }

  /// The f-number for the whole movie: the first frame's.
  var recordedFNumber: Float { fNumbers.first ?? RecordedFrame.standardFNumber }

  /// The first frame at the time or after it; `frameCount` if there is none.
  package func firstFrame(atOrAfter time: CMTime) -> Int { times.partitioningIndex { $0 >= time } }

  /// The frames whose times lie in the range.
  package func frames(in range: CMTimeRange) -> Range<Int> {
    let first = firstFrame(atOrAfter: range.start)
    return first..<max(first, firstFrame(atOrAfter: range.end))
  }

  /// The frame that is nearest to the time, the earlier of two, if it is not farther than the tolerance.
  package func frame(nearest time: CMTime, tolerance: CMTime) -> Int? {
    times.index(nearest: time, tolerance: tolerance) { $0 }
  }

  /// The recording of a part, its times shifted so that the part starts at zero.
  package func trimmed(to range: CMTimeRange) -> RecordedScript {
    let part = timeRange.intersection(range)
    var script = withoutFrames(CMTimeRange(start: part.start - range.start, duration: part.duration))
    for index in frames(in: part) {
      var frame = frame(index)
      frame.time = frame.time - range.start
      do { try script.append(frame) } catch { script.warnings.append(error.description) }
    }
    return script
  }
}

extension RandomAccessCollection where Index == Int {
  /// The element whose time is nearest, the earlier of two, if it is not farther than the tolerance. Times must rise.
  func index(nearest time: CMTime, tolerance: CMTime, timeOf: (Element) -> CMTime) -> Int? {
    guard time.isNumeric, tolerance.isNumeric || tolerance.isPositiveInfinity, !isEmpty else { return nil }
    let next = partitioningIndex { timeOf($0) > time }
    let candidates = [next - 1, next].filter(indices.contains)
    let best = candidates.min { distance($0, time, timeOf) < distance($1, time, timeOf) }
    guard let best, distance(best, time, timeOf) <= tolerance else { return nil }
    return best
  }

  private func distance(_ index: Int, _ time: CMTime, _ timeOf: (Element) -> CMTime) -> CMTime {
    let other = timeOf(self[index])
    return other > time ? other - time : time - other
  }
}
