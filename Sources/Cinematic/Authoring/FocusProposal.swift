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
    let rectangle = map.extent(around: code, tolerance: Self.sameSurface)
    let focus = CNDetection.disparity(
      in: CGRect(
        x: CGFloat(rectangle.x), y: CGFloat(rectangle.y), width: CGFloat(rectangle.z), height: CGFloat(rectangle.w)),
      sourceDisparity: disparity, detectionType: .autoFocus, priorDisparity: nil)
    glances.append(Glance(code: Float(coding.code(disparity: focus)), rectangle: rectangle, disparity: focus))
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
    let mean = window.reduce(SIMD4<Float>.zero) { $0 + glances[$1].rectangle } / Float(window.count)
    return CinematicDetection(
      trackID: subject.id, type: UInt32(CNDetectionType.autoFocus.rawValue), focusDisparity: glances[frame].disparity,
      x: mean.x, y: mean.y, width: mean.z, height: mean.w)
  }
}

/// A disparity picture as a few large cells, each with the code of its middle pixel's neighbourhood.
private struct CellMap {
  let columns: Int
  let rows: Int
  private(set) var codes: [Float]

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
  }

  /// How much a cell counts: less towards the edges of the picture.
  private func weight(_ cell: Int) -> Float {
    let x = (Float(cell % columns) + 0.5) / Float(columns) - 0.5
    let y = (Float(cell / columns) + 0.5) / Float(rows) - 0.5
    return exp(-(x * x + y * y) / (2 * 0.25 * 0.25))
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

  /// The bounding rectangle of the largest connected surface about a code, in shares of the picture: x, y, width, height.
  func extent(around code: Float, tolerance: Float) -> SIMD4<Float> {
    var isOpen = codes.map { abs($0 - code) <= tolerance }
    var best: [Int] = []
    for cell in isOpen.indices where isOpen[cell] {
      let surface = flood(from: cell, &isOpen)
      if surface.count > best.count { best = surface }
    }
    guard !best.isEmpty else { return SIMD4(0.35, 0.35, 0.3, 0.3) }
    let xs = best.map { $0 % columns }
    let ys = best.map { $0 / columns }
    let (left, right, top, bottom) = (xs.min()!, xs.max()! + 1, ys.min()!, ys.max()! + 1)
    return SIMD4(
      Float(left) / Float(columns), Float(top) / Float(rows), Float(right - left) / Float(columns),
      Float(bottom - top) / Float(rows))
  }

  private func flood(from start: Int, _ isOpen: inout [Bool]) -> [Int] {
    var surface = [start]
    isOpen[start] = false
    var next = 0
    while next < surface.count {
      let (x, y) = (surface[next] % columns, surface[next] / columns)
      next += 1
      for (u, v) in [(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)]
      where u >= 0 && v >= 0 && u < columns && v < rows && isOpen[v * columns + u] {
        isOpen[v * columns + u] = false
        surface.append(v * columns + u)
      }
    }
    return surface
  }
}
