package import Cinematic
import CoreGeometry
import CoreMedia

extension Overlay {
  /// The boxes of a frame's detections for a picture of the displayed size: white ones, and a thicker yellow one around what is in focus, dashed
  /// where the decision is weak. With `showsIDs` each has its id, and its group as in `2 g12`.
  package init(_ frame: CNScript.Frame, of script: CNScript, display: DisplayGeometry, showsIDs: Bool) {
    self.init(width: display.width, height: display.height)
    let decision = script.decisionInEffect(at: frame.time)
    let focus = frame.focusDetection.detectionID
    // What is in focus comes last, to lie on top.
    let others = frame.allDetections.filter { $0.detectionID != focus }
    for detection in others { add(detection, display, lineWidth, isDashed: false, .white, showsIDs) }
    for detection in frame.allDetections where focus != nil && detection.detectionID == focus {
      let isWeak = !(decision?.isStrongDecision ?? false)
      add(detection, display, lineWidth + (lineWidth + 1) / 2, isDashed: isWeak, .yellow, showsIDs)
    }
  }

  private mutating func add(
    _ detection: CNDetection, _ display: DisplayGeometry, _ lineWidth: Int, isDashed: Bool, _ color: Color,
    _ showsIDs: Bool
  ) {
    let rectangle = display.displayed(detection.normalizedRect)
    guard let columns = Self.pixels(rectangle.minX, rectangle.maxX, width),
      let rows = Self.pixels(rectangle.minY, rectangle.maxY, height)
    else { return }
    stroke(columns: columns, rows: rows, lineWidth: lineWidth, isDashed: isDashed, color)
    guard showsIDs, let id = detection.detectionID else { return }
    let group = detection.detectionGroupID.map { " g\($0.rawValue)" } ?? ""
    label("\(id.rawValue)\(group)", x: columns.lowerBound, y: rows.lowerBound, color)
  }

  /// Normalised bounds in pixels; nil where nothing of them is in the picture.
  private static func pixels(_ low: CGFloat, _ high: CGFloat, _ count: Int) -> Range<Int>? {
    // Four pictures wide is far enough outside for a box that surrounds the picture, and safe to count with.
    guard low < high, low < 1, high > 0, low.isFinite, high.isFinite else { return nil }
    let bounds = [max(low, -4), min(high, 4)].map { Int(($0 * CGFloat(count)).rounded()) }
    return bounds[0] < bounds[1] ? bounds[0]..<bounds[1] : nil
  }
}

extension CNScript {
  /// The decision that determines who is in focus; during a rack the one that is being left.
  func decisionInEffect(at time: CMTime) -> CNDecision? { primaryDecision(at: time) }
}
