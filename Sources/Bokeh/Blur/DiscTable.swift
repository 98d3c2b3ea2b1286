import Foundation

/// The half widths of a disc's rows, so that a disc is a stack of spans with fractional ends.
///
/// The row at distance dy from the centre covers the strip dy − ½ … dy + ½; its span is as long as the disc's area in
/// that strip, so the spans of a disc add up to exactly π r², and everything is continuous in r. Radii come in steps of
/// 1/32 px. A disc of radius ½ or less is its own pixel.
struct DiscTable: @unchecked Sendable {
  /// The largest radius in pixels; larger discs are drawn at a lower resolution.
  static let maximumRadius: Float = 128
  /// Steps of the radius in a pixel.
  static let stepsPerPixel: Float = 32
  /// The largest radius index that is a single pixel.
  static let sharpIndex: UInt32 = 16
  /// The largest radius index of a disc that hardly reaches beyond its own pixel.
  static let tightIndex: UInt32 = 40
  /// The largest radius index of a disc that may leave gaps beside such ones: 2¼ px.
  static let narrowIndex: UInt32 = 72
  static let indexCount = Int(maximumRadius * stepsPerPixel) + 1
  static let rowCount = Int(maximumRadius) + 1

  static let shared = DiscTable()

  /// Row dy: for each radius index half the span's length in pixels, 0 where the disc does not reach that row.
  private let halfWidths: UnsafeMutablePointer<Float>
  /// For each radius index 1 / area in 1/px².
  let inverseAreas: UnsafeMutablePointer<Float>

  private init() {
    halfWidths = .allocate(capacity: DiscTable.indexCount * DiscTable.rowCount)
    halfWidths.initialize(repeating: 0, count: DiscTable.indexCount * DiscTable.rowCount)
    inverseAreas = .allocate(capacity: DiscTable.indexCount)
    for index in 0..<DiscTable.indexCount { fill(index) }
  }

  private func fill(_ index: Int) {
    let radius = DiscTable.drawnRadius(Double(index) / Double(DiscTable.stepsPerPixel))
    guard index > Int(DiscTable.sharpIndex) else {
      inverseAreas[index] = 1
      halfWidths[index] = 0.5
      return
    }
    inverseAreas[index] = Float(1 / (Double.pi * radius * radius))
    for row in 0...DiscTable.reach(UInt32(index)) where row < DiscTable.rowCount {
      let area = DiscTable.areaBelow(Double(row) + 0.5, radius) - DiscTable.areaBelow(Double(row) - 0.5, radius)
      halfWidths[row * DiscTable.indexCount + index] = Float(area / 2)
    }
  }

  /// The radius of the disc that is drawn for a radius of blur.
  ///
  /// A disc of a pixel or so, drawn from squares, is softer than it should be. The corrections are those that bring its
  /// middle weight to what fits pictures of a traced lens best (in least squares, for painted and modelled scenes alike).
  /// The same fit asks for wider discs below ¾ px; they would leave gaps where they meet pixels that are in focus.
  static func drawnRadius(_ radius: Double) -> Double {
    guard radius > 0.5, let next = corrections.firstIndex(where: { $0.radius >= radius }) else { return radius }
    let (lower, upper) = (corrections[next - 1], corrections[next])
    let part = (radius - lower.radius) / (upper.radius - lower.radius)
    return lower.drawn + (upper.drawn - lower.drawn) * part
  }

  private static let corrections: [(radius: Double, drawn: Double)] = [
    (0.5, 0.5), (0.75, 0.755), (0.85, 0.82), (1, 0.92), (1.25, 1.14), (1.5, 1.46), (1.75, 1.75),
  ]

  /// The area in px² of the part of a disc around 0 that lies between 0 and `y`, negative for a negative `y`.
  private static func areaBelow(_ y: Double, _ radius: Double) -> Double {
    let limited = max(-radius, min(y, radius))
    return limited * (radius * radius - limited * limited).squareRoot() + radius * radius * asin(limited / radius)
  }

  /// The half widths of the row at distance `dy`, by radius index.
  func row(_ dy: Int) -> UnsafePointer<Float> { UnsafePointer(halfWidths + dy &* DiscTable.indexCount) }

  /// The farthest row that a disc of this index touches.
  static func reach(_ index: UInt32) -> Int {
    index <= sharpIndex ? 0 : Int((index &+ 15) / 32)
  }
}
