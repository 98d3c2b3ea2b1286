import Foundation

/// Someone in the sample movie: how it looks, where it is at a time, and what a detector would see of it.
struct Subject: Sendable {
  /// One thing that a detector finds on the subject.
  struct Part: Sendable {
    var id: Int64
    /// The raw value of a `CNDetectionType`.
    var type: Int
    /// Upper left and lower right corner, in the units of the drawing.
    var corners: (Point, Point)
  }

  /// Where a subject stands: the point on the floor below it.
  struct Pose: Sendable {
    /// Frame heights from the middle of the picture.
    var x: Float
    /// Frame heights above the floor.
    var lift: Float = 0
    /// In 1 / metres.
    var disparity: Float
  }

  var name: String
  var group: Int64
  var parts: [Part]
  /// Metres for one unit of the drawing.
  var unit: Float
  var bounds: (Point, Point)
  var paint: @Sendable (Point) -> SIMD4<Float>
  /// Nil while the subject is not there. The time is a share of the movie, 0…1.
  var pose: @Sendable (Float) -> Pose?
}

/// The four subjects, at known depths, that come and go.
enum Cast {
  static let all = [maria, tom, cat, ball]

  static let maria = Subject(
    name: "Maria", group: 11,
    parts: [
      .init(id: 1, type: 1, corners: Puppet.personFace), .init(id: 2, type: 3, corners: Puppet.personTorso),
    ],
    unit: 0.049, bounds: Puppet.personBounds, paint: { Puppet.person($0, Puppet.maria) },
    pose: { t in Subject.Pose(x: -0.30 + 0.025 * sin(t * 11), disparity: 2.2 + 0.08 * sin(t * 7)) })

  /// Comes in from the right, near the camera, stays, and leaves again.
  static let tom = Subject(
    name: "Tom", group: 12,
    parts: [
      .init(id: 3, type: 1, corners: Puppet.personFace), .init(id: 4, type: 3, corners: Puppet.personTorso),
    ],
    unit: 0.049, bounds: Puppet.personBounds, paint: { Puppet.person($0, Puppet.tom) },
    pose: { t in
      guard t > 0.22, t < 0.80 else { return nil }
      let way = Pattern.ease(min(max((t - 0.22) / 0.18, 0), 1)) - Pattern.ease(min(max((t - 0.66) / 0.14, 0), 1))
      return Subject.Pose(x: 1.35 - 0.87 * way, lift: 0.006 * abs(sin(t * 60)), disparity: 3.1)
    })

  /// Crosses the stage at the back from right to left.
  static let cat = Subject(
    name: "cat", group: 13,
    parts: [
      .init(id: 5, type: 9, corners: Puppet.catHead), .init(id: 6, type: 4, corners: Puppet.catBody),
    ],
    unit: 0.115, bounds: Puppet.catBounds, paint: { Puppet.cat($0) },
    pose: { t in Subject.Pose(x: 0.62 - 0.42 * t, lift: 0.003 * abs(sin(t * 70)), disparity: 1.2) })

  /// Bounces through, between Maria and Tom.
  static let ball = Subject(
    name: "ball", group: -1, parts: [.init(id: 7, type: 11, corners: Puppet.ballBounds)],
    unit: 0.030, bounds: Puppet.ballBounds, paint: { Puppet.ball($0) },
    pose: { t in
      guard t > 0.45, t < 0.95 else { return nil }
      let u = (t - 0.45) / 0.5
      let hop = u * 4 - (u * 4).rounded(.down)
      return Subject.Pose(x: -1.1 + 2.3 * u, lift: 0.9 * hop * (1 - hop) * (1 - 0.5 * u), disparity: 2.7)
    })

  /// Who is in focus from when on: the automatic decisions of the movie.
  static let story: [(time: Float, detection: Int64)] = [(0, 1), (0.42, 3), (0.62, 1), (0.85, 5)]
}
