import Cinematic
import CoreMedia
import Foundation
import QuickTime

/// The self-test of `format.md` section 4: the focus disparity of a detection agrees with the disparity picture where the detection is.
struct DisparityCheck {
  /// Two disparities agree if they differ by at most this share of the greater.
  static let tolerance: Float = 0.1
  /// The share of detections that have to agree for the coding to count as understood.
  static let sufficientShare = 0.9
  /// The most disparity frames that are looked at, spread over the movie.
  static let maximumFrames = 600

  struct Comparison {
    var time: CMTime
    var id: Int64
    var stored: Float
    var seen: Float

    /// |stored − seen| as a share of the greater; 0 for equal ones.
    var difference: Float {
      let greater = max(abs(stored), abs(seen))
      return greater > 0 ? abs(stored - seen) / greater : 0
    }
  }

  private(set) var frames = 0
  private(set) var detections = 0
  private(set) var agreeing = 0
  private(set) var worst: Comparison?

  init(_ script: CNScript, _ pictures: DisparityFrames) throws {
    let tolerance = CMTime(value: 1, timescale: 100)
    try pictures.forEach(limit: Self.maximumFrames) { picture in
      guard let index = script.recorded.frame(nearest: picture.time, tolerance: tolerance) else { return }
      frames += 1
      for detection in script.recorded.frame(index).detections {
        let stored = detection.focusDisparity
        guard stored.isFinite, (0...10_000).contains(stored) else { continue }
        let half = CGRect(
          x: CGFloat(detection.x + detection.width / 4), y: CGFloat(detection.y + detection.height / 4),
          width: CGFloat(detection.width / 2), height: CGFloat(detection.height / 2))
        guard let seen = pictures.medianDisparity(in: half, of: picture) else { continue }
        add(Comparison(time: picture.time, id: detection.trackID, stored: stored, seen: seen))
      }
    }
  }

  private mutating func add(_ comparison: Comparison) {
    detections += 1
    if comparison.difference <= Self.tolerance { agreeing += 1 }
    if worst.map({ comparison.difference > $0.difference }) ?? true { worst = comparison }
  }

  private var share: Double { detections == 0 ? 1 : Double(agreeing) / Double(detections) }
  var isPassed: Bool { share >= Self.sufficientShare }

  /// One sentence for people.
  var text: String {
    guard detections > 0 else { return "There is no detection to compare with the disparity." }
    let counts = "\(agreeing) of \(detections) detections in \(frames) frames agree with the disparity within 10 %"
    guard let worst, worst.difference > Self.tolerance else { return counts + "." }
    let values = "\(FrameReport.short(worst.stored)) stored, \(FrameReport.short(worst.seen)) seen"
    return counts + "; worst: \(worst.id) at \(worst.time.clockText), \(values)."
  }

  var warnings: [String] {
    isPassed ? [] : ["The disparity coding is not understood, or the detections are wrong: \(text)"]
  }

  var json: JSON {
    .object([
      ("passed", .bool(isPassed)), ("tolerance", .number(Double(Self.tolerance * 10).rounded() / 10)),
      ("frames", .integer(frames)), ("detections", .integer(detections)), ("agreeing", .integer(agreeing)),
      (
        "worst",
        .optional(worst) {
          .object([
            ("time", .time($0.time)), ("id", .integer(Int($0.id))), ("stored", .number($0.stored)),
            ("seen", .number($0.seen)),
          ])
        }
      ),
    ])
  }
}
