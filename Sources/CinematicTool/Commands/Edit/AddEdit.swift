import AVFoundation
import Cinematic
import CoreGeometry
import CoreMedia
import Foundation
import QuickTime

extension CinematicTool {
  static let addEdit = Command(
    name: "add", summary: "decide what is in focus from a time on",
    details: [
      "Exactly one of --detection, --group, --point and --disparity says what. 'cinematic frame MOVIE --at TIME --boxes --ids' "
        + "shows which id is whom. A decision at the same frame is replaced."
    ],
    options: [
      atOption, Command.Option("detection", value: "ID", "The detection with this id."),
      Command.Option("group", value: "ID", "The best detection of this group at each time."),
      Command.Option(
        "point", value: "X,Y",
        "The detection at this point of the picture as displayed, 0,0 being the top left and 1,1 the bottom right corner; "
          + "where there is none, the distance that is seen there."),
      Command.Option("disparity", value: "D", "A fixed distance, as disparity in 1/m: larger is nearer."),
      Command.Option("strong", "Hold until the next user decision or the end of the subject."),
    ],
    examples: [
      Command.Example(
        "cinematic edit IMG_1234.MOV focus.edits add --at 2.5 --point 0.5,0.3",
        "Like a tap on the picture at 2.5 seconds."),
      Command.Example(
        "cinematic edit IMG_1234.MOV focus.edits add --at '#90' --group 12 --strong", "Stays on the person of group 12."
      ),
    ],
    action: { invocation in
      let target = try FocusTarget(invocation)
      let session = try await EditSession(invocation)
      let frame = try session.frame()
      let time = session.frames[frame]
      let subject = try target.subject(at: time, in: session)
      let decision = CNDecision(
        time: time, focusDetectionID: subject, strong: invocation.has("strong"), user: true)
      try session.script.add(decision)
      session.noteAbsence(of: decision)
      let strength = decision.isStrongDecision ? "strong" : "weak"
      try session.save(
        "\(time.clockText)  \(strength)  \(decision.subjectText(in: session.script))", DecisionList.userJSON(decision))
    })
}

/// What `add` is to focus on.
enum FocusTarget: Equatable {
  case detection(Int64)
  case group(Int64)
  /// Normalised, as displayed.
  case point(CGPoint)
  case disparity(Float)

  /// Throws `UsageError` unless exactly one is given.
  init(_ invocation: Invocation) throws {
    let given = ["detection", "group", "point", "disparity"].filter(invocation.has)
    guard given.count == 1 else {
      let problem = given.isEmpty ? "one of" : "only one of"
      throw UsageError(
        "\(problem) '--detection', '--group', '--point' and '--disparity' is needed", path: invocation.path)
    }
    switch given[0] {
    case "detection": self = .detection(try Self.id("detection", invocation))
    case "group": self = .group(try Self.id("group", invocation))
    case "point": self = .point(try Self.point(invocation))
    default: self = .disparity(Float(try invocation.number("disparity", in: 0...10_000) ?? 0))
    }
  }

  private static func id(_ option: String, _ invocation: Invocation) throws -> Int64 {
    Int64(try invocation.integer(option, in: 0...Int.max) ?? 0)
  }

  private static func point(_ invocation: Invocation) throws -> CGPoint {
    let text = invocation.value("point") ?? ""
    let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
    guard numbers.count == 2, let x = numbers[0], let y = numbers[1], (0...1).contains(x), (0...1).contains(y) else {
      throw UsageError("'--point' takes two numbers from 0 to 1, X,Y, not '\(text)'", path: invocation.path)
    }
    return CGPoint(x: x, y: y)
  }
}

extension FocusTarget {
  /// The subject in the script; adds a fixed-focus track to it where one is needed.
  func subject(at time: CMTime, in session: EditSession) throws -> CNDecision.FocusDetectionID {
    switch self {
    case .detection(let id): return .single(CNDetectionID(id))
    case .group(let id): return .group(CNDetectionGroupID(id))
    case .disparity(let disparity): return .single(fixed(disparity, session.script))
    case .point(let point):
      let stored = try session.display().stored(point)
      if let id = detection(at: stored, time, session.script) { return .single(id) }
      return .single(fixed(try session.disparity(at: stored, time), session.script))
    }
  }

  /// A track of the same disparity that an earlier edit added is used again.
  private func fixed(_ disparity: Float, _ script: CNScript) -> CNDetectionID {
    let same = script.addedDetectionTracks.first {
      ($0 as? CNFixedDetectionTrack)?.focusDisparity == disparity
    }
    return same?.detectionID ?? script.addDetectionTrack(CNFixedDetectionTrack(focusDisparity: disparity))
  }

  /// Of the detections at the point a face, else the smallest.
  private func detection(at point: CGPoint, _ time: CMTime, _ script: CNScript) -> CNDetectionID? {
    let hits = script.frame(at: time, tolerance: .zero)?.allDetections.filter {
      $0.detectionID != nil && !$0.normalizedRect.isEmpty && $0.normalizedRect.contains(point)
    }
    let best = hits?.min {
      let (a, b) = ($0.detectionType == .humanFace, $1.detectionType == .humanFace)
      return a == b ? $0.normalizedRect.area < $1.normalizedRect.area : a
    }
    return best?.detectionID
  }
}

extension CGRect {
  fileprivate var area: CGFloat { width * height }
}

extension EditSession {
  fileprivate func display() throws -> DisplayGeometry {
    guard let picture = CinematicTracks(try asset.openedMovie()).picture else {
      throw Failure("the movie has no picture track")
    }
    return DisplayGeometry(picture)
  }

  /// The median disparity around a point of the stored picture.
  fileprivate func disparity(at point: CGPoint, _ time: CMTime) throws -> Float {
    let tracks = CinematicTracks(try asset.openedMovie())
    guard tracks.disparity != nil else {
      throw Failure(
        "no detection is at that point, and the movie has no disparity track: give --detection or --disparity")
    }
    let frames = try DisparityFrames(asset, tracks)
    // A fingertip: 3 % of the picture, but always some samples.
    let around = CGRect(x: point.x - 0.015, y: point.y - 0.015, width: 0.03, height: 0.03)
    guard let disparity = frames.medianDisparity(in: around, of: try frames.codes(at: time)) else {
      throw Failure("no detection is at that point, and no disparity either: give --detection or --disparity")
    }
    return disparity
  }

  /// Says so where the decision's subject is not in the picture at its time, for then the decision has no effect yet.
  fileprivate func noteAbsence(of decision: CNDecision) {
    guard let track = script.detectionTrack(for: decision), track.isDiscrete else { return }
    let duration = CMTime(value: 1, timescale: 1000)
    let now = CMTimeRange(start: decision.time, duration: duration)
    guard track.detections(in: now).isEmpty, let nearest = track.detection(nearest: decision.time) else { return }
    invocation.console.note(
      "Note: \(decision.subjectText(in: script)) is not in the picture at \(decision.time.clockText); the nearest time is "
        + "\(nearest.time.clockText).")
  }
}
