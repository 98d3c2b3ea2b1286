package import CoreVideo
import Foundation
package import QuickTime

/// Finds something to focus on in a movie that has disparity but no script: the near thing around the middle of the picture.
///
/// `observe` looks at each frame, `subjects()` then gives the tracks and the automatic decisions. A new subject begins where the disparity
/// changes by a clear step that lasts; what lasts shorter is not followed.
package struct FocusProposal {
  /// One stretch of frames with one subject.
  package struct Subject: Sendable {
    package var id: Int64
    /// Indices of the frames observed.
    package var frames: Range<Int>
    /// The first frame in which it is to be in focus.
    package var decision: Int
  }

  private struct Glance {
    var code: Float
    /// x, y, width, height in shares of the frame.
    var rectangle: SIMD4<Float>
    var disparity: Float
  }

  /// Cells across the longer side of the picture.
  private static let cells = 40
  /// The share of the weighted picture that is at least as near as the subject.
  private static let nearShare: Float = 0.2
  /// Codes of (0, 16) that belong to the same surface.
  private static let sameSurface: Float = 40
  /// Codes that make a new subject, and the frames for which they must last.
  private static let step: Float = 70
  private static let patience = 8

  private let coding = DisparityCoding.standard
  private var glances: [Glance] = []

  package init() {}

  package var frameCount: Int { glances.count }

  /// - Parameter disparity: `hdis` or `fdis`, un-rotated.
  package mutating func observe(_ disparity: CVPixelBuffer) {
    let map = CellMap(disparity, longerSide: Self.cells, coding: coding)
    let code = map.nearCode(share: Self.nearShare)
    let rectangle = map.rectangle(on: code, tolerance: Self.sameSurface)
    let focus = CNDetection.disparity(
      in: CGRect(
        x: CGFloat(rectangle.x), y: CGFloat(rectangle.y), width: CGFloat(rectangle.z), height: CGFloat(rectangle.w)),
      sourceDisparity: disparity, detectionType: .autoFocus, priorDisparity: nil)
    // A picture without valid disparities is far everywhere.
    let disparity = focus.isFinite ? focus : coding.disparity(code: UInt16(code))
    glances.append(Glance(code: Float(coding.code(disparity: disparity)), rectangle: rectangle, disparity: disparity))
  }

  /// The subjects in order; together they cover all frames.
  package func subjects() -> [Subject] {
    var subjects: [Subject] = []
    var start = 0
    var level = Float.nan
    var strayFrom: Int?
    for (index, glance) in glances.enumerated() {
      if level.isNaN { level = glance.code }
      guard abs(glance.code - level) > Self.step else {
        level += (glance.code - level) * 0.2
        strayFrom = nil
        continue
      }
      let since = strayFrom ?? index
      strayFrom = since
      guard index - since + 1 >= Self.patience else { continue }
      subjects.append(subject(start..<since, after: subjects.count))
      (start, level, strayFrom) = (since, glance.code, nil)
    }
    if start < glances.count { subjects.append(subject(start..<glances.count, after: subjects.count)) }
    return subjects
  }

  /// The first subject is in focus from the start; a later one after a moment in which the eye has found it.
  private func subject(_ frames: Range<Int>, after count: Int) -> Subject {
    let delay = count == 0 ? 0 : min(15, frames.count / 2)
    return Subject(id: Int64(count + 1), frames: frames, decision: frames.lowerBound + delay)
  }

  /// What a detector would have written on a frame for its subject; the rectangle does not tremble.
  package func detection(frame: Int, of subject: Subject) -> CinematicDetection {
    let window = max(subject.frames.lowerBound, frame - 4)..<min(subject.frames.upperBound, frame + 5)
    let rectangle = Self.median(window.map { glances[$0].rectangle })
    return CinematicDetection(
      trackID: subject.id, type: UInt32(CNDetectionType.autoFocus.rawValue), focusDisparity: glances[frame].disparity,
      x: rectangle.x, y: rectangle.y, width: rectangle.z, height: rectangle.w)
  }

  /// Side by side: where most agree, it is their rectangle, whatever the others are.
  private static func median(_ rectangles: [SIMD4<Float>]) -> SIMD4<Float> {
    var median = SIMD4<Float>.zero
    for side in median.indices { median[side] = rectangles.map { $0[side] }.sorted()[rectangles.count / 2] }
    return median
  }
}

/// A disparity picture as a few large cells, each with the code of its middle pixel's neighbourhood.
private struct CellMap {
  let columns: Int
  let rows: Int
  private let codes: [Float]
  private let columnSums: [Float]
  private let rowSums: [Float]

  init(_ disparity: CVPixelBuffer, longerSide: Int, coding: DisparityCoding) {
    let (width, height) = (CVPixelBufferGetWidth(disparity), CVPixelBufferGetHeight(disparity))
    let scale = Float(min(longerSide, max(width, height))) / Float(max(width, height))
    let columns = max(1, Int(Float(width) * scale))
    let rows = max(1, Int(Float(height) * scale))
    let isHalf = CVPixelBufferGetPixelFormatType(disparity) == kCVPixelFormatType_DisparityFloat16
    codes = disparity.withPlane(0, readOnly: true) { base, bytesPerRow, _, _ in
      (0..<rows * columns).map { cell in
        let x = (2 * (cell % columns) + 1) * width / (2 * columns)
        let y = (2 * (cell / columns) + 1) * height / (2 * rows)
        let row = base + y * bytesPerRow
        let value =
          isHalf
          ? Float(row.loadUnaligned(fromByteOffset: x * 2, as: Float16.self))
          : row.loadUnaligned(fromByteOffset: x * 4, as: Float.self)
        return CNDetection.isValidDisparity(value) ? Float(coding.code(disparity: value)) : 0
      }
    }
    (self.columns, self.rows) = (columns, rows)
    (columnSums, rowSums) = (Self.sums(columns), Self.sums(rows))
  }

  /// How much a cell counts: less towards the edges of the picture.
  private func weight(_ cell: Int) -> Float { weight((cell % columns, cell / columns, 1, 1)) }

  /// Sums of the weights before each place along an edge of the picture: a bell with a deviation of a quarter of the edge.
  private static func sums(_ count: Int) -> [Float] {
    (0..<count).reduce(into: [0]) { sums, index in
      let place = (Float(index) + 0.5) / Float(count) - 0.5
      sums.append(sums[index] + exp(-place * place / (2 * 0.25 * 0.25)))
    }
  }

  /// The code that `share` of the weighted picture reaches or exceeds.
  func nearCode(share: Float) -> Float {
    let order = codes.indices.sorted { codes[$0] > codes[$1] }
    let limit = codes.indices.reduce(0) { $0 + weight($1) } * share
    var sum: Float = 0
    for cell in order {
      sum += weight(cell)
      if sum >= limit { return codes[cell] }
    }
    return codes.first ?? 0
  }

  /// The rectangle all of whose cells are about a code, and that counts most, in shares of the picture: x, y, width, height.
  ///
  /// What it encloses is one surface: a bounding rectangle of a crooked one would have something else in its middle.
  func rectangle(on code: Float, tolerance: Float) -> SIMD4<Float> {
    var best = (left: 0, top: 0, width: 0, height: 0)
    var most: Float = 0
    // How many cells of the surface stand on each other, up from the present row.
    var heights = [Int](repeating: 0, count: columns)
    for row in 0..<rows {
      for column in 0..<columns {
        heights[column] = abs(codes[row * columns + column] - code) <= tolerance ? heights[column] + 1 : 0
      }
      for left in 0..<columns {
        var height = heights[left]
        for right in left..<columns {
          height = min(height, heights[right])
          guard height > 0 else { break }
          let rectangle = (left, row + 1 - height, right - left + 1, height)
          let weight = weight(rectangle)
          if weight > most { (best, most) = (rectangle, weight) }
        }
      }
    }
    let size = SIMD4(Float(columns), Float(rows), Float(columns), Float(rows))
    return SIMD4(Float(best.left), Float(best.top), Float(best.width), Float(best.height)) / size
  }

  /// The weight of a cell is a product of its column's and its row's, and so is that of a rectangle of cells.
  private func weight(_ rectangle: (left: Int, top: Int, width: Int, height: Int)) -> Float {
    (columnSums[rectangle.left + rectangle.width] - columnSums[rectangle.left])
      * (rowSums[rectangle.top + rectangle.height] - rowSums[rectangle.top])
  }
}
