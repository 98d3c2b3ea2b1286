import Foundation

/// Renders the sample movie: sharp pictures in linear light, and the disparity of what is nearest at every pixel.
struct SampleScene: Sendable {
  /// One frame: `color` premultiplied, opaque; `disparity` in 1 / metres. Rows from the top.
  struct Frame: Sendable {
    var color: [SIMD4<Float>]
    var disparity: [Float]

    /// The frame as a camera stores it that was held so that `turns` quarter turns clockwise bring it upright.
    func turned(_ turns: Int, width: Int, height: Int) -> Frame {
      guard turns > 0 else { return self }
      let order = (0..<width * height).map { index in
        // Row `index / height` of the turned frame is a column of this one, from the right.
        (index % height) * width + width - 1 - index / height
      }
      let frame = Frame(color: order.map { color[$0] }, disparity: order.map { disparity[$0] })
      return frame.turned(turns - 1, width: height, height: width)
    }
  }

  /// A part of a subject as a detector would report it: corners in shares of the frame, cut to the frame.
  struct Seen: Sendable {
    var id: Int64
    var group: Int64
    var type: Int
    var disparity: Float
    var x: Float
    var y: Float
    var width: Float
    var height: Float
  }

  let width: Int
  let height: Int
  private let stage: Stage
  private let backdrop: (color: [SIMD4<Float>], disparity: [Float])
  private let drawings: [Canvas]
  private let drawingScales: [Float]

  init(width: Int, height: Int) {
    self.width = width
    self.height = height
    let stage = Stage(width: width, height: height)
    self.stage = stage
    backdrop = Self.paintBackdrop(Backdrop(stage: stage), width: width, height: height)
    drawingScales = Cast.all.map { subject in
      let nearest = stride(from: Float(0), through: 1, by: 0.01).compactMap { subject.pose($0)?.disparity }.max() ?? 1
      return stage.size(metres: subject.unit, disparity: nearest) * Float(height)
    }
    drawings = zip(Cast.all, drawingScales).map(Self.draw)
  }

  /// The frame at a share of the movie, 0…1.
  func frame(at time: Float) -> Frame {
    var frame = Frame(color: backdrop.color, disparity: backdrop.disparity)
    let present = Cast.all.indices.compactMap { index in Cast.all[index].pose(time).map { (index, $0) } }
    for (index, pose) in present.sorted(by: { $0.1.disparity < $1.1.disparity }) { place(index, pose, in: &frame) }
    return frame
  }

  /// What a detector would report of the frame at a share of the movie, by rising id.
  func seen(at time: Float) -> [Seen] {
    let present = Cast.all.indices.compactMap { index in Cast.all[index].pose(time).map { (index, $0) } }
    return present.flatMap { index, pose in
      let nearer = present.filter { $0.1.disparity > pose.disparity }
      return see(Cast.all[index], pose).filter { part in
        // A detector does not see what is mostly covered.
        let points = Self.middle(of: part)
        let covered = points.filter { point in nearer.contains { covers($0.0, $0.1, point) } }
        return covered.count * 3 < points.count
      }
    }.sorted { $0.id < $1.id }
  }

  /// Points all over the middle half of a part, in shares of the frame.
  private static func middle(of part: Seen) -> [Point] {
    (0..<49).map { index in
      let place = Point(Float(index % 7), Float(index / 7)) / 12 + Point(0.25, 0.25)
      return Point(part.x, part.y) + place * Point(part.width, part.height)
    }
  }

  /// Whether the subject's drawing hides what is behind a point, in shares of the frame.
  private func covers(_ index: Int, _ pose: Subject.Pose, _ point: Point) -> Bool {
    let subject = Cast.all[index]
    let size = Point(Float(width), Float(height))
    let corner = position(subject.bounds.0, of: subject, pose)
    let p = (point * size - corner) * magnification(index, pose)
    return drawings[index].sample(p.x, p.y).w >= 0.5
  }

  // MARK: Once

  private static func paintBackdrop(
    _ backdrop: Backdrop, width: Int, height: Int
  ) -> (color: [SIMD4<Float>], disparity: [Float]) {
    let scale = 1 / Float(height)
    func point(_ x: Float, _ y: Float) -> Point { Point((x - Float(width) / 2) * scale, y * scale) }
    let picture = Canvas(width: width, height: height, samples: 3) { backdrop.look(at: point($0, $1)).color }
    let disparity = (0..<width * height).map { index in
      backdrop.look(at: point(Float(index % width) + 0.5, Float(index / width) + 0.5)).disparity
    }
    return (picture.pixels, disparity)
  }

  private static func draw(_ subject: Subject, scale: Float) -> Canvas {
    let size = (subject.bounds.1 - subject.bounds.0) * scale
    return Canvas(width: Int(size.x.rounded(.up)), height: Int(size.y.rounded(.up)), samples: 3) { x, y in
      subject.paint(subject.bounds.0 + Point(x, y) / scale)
    }
  }

  // MARK: Every frame

  /// Pixels of the frame for a point of the subject's drawing.
  private func position(_ p: Point, of subject: Subject, _ pose: Subject.Pose) -> Point {
    let unit = stage.size(metres: subject.unit, disparity: pose.disparity)
    let feet = Point(stage.halfWidth + pose.x, stage.floorY(disparity: pose.disparity) - pose.lift)
    return (feet + p * unit) * Float(height)
  }

  /// Pixels of the subject's drawing for a pixel of the frame.
  private func magnification(_ index: Int, _ pose: Subject.Pose) -> Float {
    drawingScales[index] / (stage.size(metres: Cast.all[index].unit, disparity: pose.disparity) * Float(height))
  }

  private func place(_ index: Int, _ pose: Subject.Pose, in frame: inout Frame) {
    let subject = Cast.all[index]
    let corner = position(subject.bounds.0, of: subject, pose)
    let end = position(subject.bounds.1, of: subject, pose)
    let magnification = magnification(index, pose)
    let (left, right) = (max(0, Int(corner.x)), min(width, Int(end.x) + 1))
    let (top, bottom) = (max(0, Int(corner.y)), min(height, Int(end.y) + 1))
    guard left < right, top < bottom else { return }
    for y in top..<bottom {
      for x in left..<right {
        let p = (Point(Float(x) + 0.5, Float(y) + 0.5) - corner) * magnification
        let paint = drawings[index].sample(p.x, p.y)
        guard paint.w > 0 else { continue }
        let pixel = y * width + x
        frame.color[pixel] = paint.over(frame.color[pixel])
        if paint.w >= 0.5 { frame.disparity[pixel] = pose.disparity }
      }
    }
  }

  private func see(_ subject: Subject, _ pose: Subject.Pose) -> [Seen] {
    let frame = Point(Float(width), Float(height))
    return subject.parts.compactMap { part in
      let upper = simd_max(position(part.corners.0, of: subject, pose) / frame, Point(0, 0))
      let lower = simd_min(position(part.corners.1, of: subject, pose) / frame, Point(1, 1))
      let size = lower - upper
      // Less than a sliver of it is in the picture: a detector would not report it.
      guard size.x > 0.02, size.y > 0.02 else { return nil }
      return Seen(
        id: part.id, group: subject.group, type: part.type, disparity: pose.disparity, x: upper.x, y: upper.y,
        width: size.x, height: size.y)
    }
  }
}

private func simd_max(_ a: Point, _ b: Point) -> Point { Point(max(a.x, b.x), max(a.y, b.y)) }
private func simd_min(_ a: Point, _ b: Point) -> Point { Point(min(a.x, b.x), min(a.y, b.y)) }
