import Bokeh
import BokehScenes
import Foundation

/// Scores how steady results are from frame to frame in scenes whose movement is known.
struct MotionRun {
  let options: Options
  private let truths: TruthMaker
  private static let frameCount = 4

  init(_ options: Options) {
    self.options = options
    truths = TruthMaker(cache: options.cacheFolder)
  }

  struct Row {
    let method: String
    let scene: String
    let given: Given
    /// Mean difference between a result's change and the truth's, times 1000.
    let change: Double
    /// Root of the mean square of what differs from the frame before when that is moved along, times 1000.
    let warping: Double
  }

  /// How the disparity of a movie is known.
  enum Given: String, CaseIterable {
    case exact
    /// At a third of the size, with noise that changes from frame to frame.
    case flickering

    func degrade(_ disparity: ScalarImage, frame: Int) -> ScalarImage {
      self == .exact ? disparity : GivenDisparity.flickering(disparity, frame: frame)
    }
  }

  /// Frames in order, with how far each pixel moves to the next one.
  private struct Sequence {
    let name: String
    let frames: [TruthCase]
    let flow: Image<SIMD2<Float>>?
  }

  func run() throws -> [Row] {
    try sequences().flatMap { sequence in
      Given.allCases.flatMap { given in
        let disparities = sequence.frames.enumerated().map { given.degrade($1.disparity, frame: $0) }
        return results(sequence, disparities, given).map { method, results in
          Row(
            method: method, scene: sequence.name, given: given,
            change: MotionRun.change(results, sequence.frames.map(\.truth)),
            warping: MotionRun.warping(results, sequence.flow))
        }
      }
    }
  }

  private func results(
    _ sequence: Sequence, _ disparities: [ScalarImage], _ given: Given
  ) -> [(method: String, results: [LightImage])] {
    let scatter = zip(sequence.frames, disparities).map { frame, disparity in
      Baseline.scatter.render(
        frame.picture, disparity.enlarged(width: frame.picture.width, height: frame.picture.height),
        focus: frame.focus, radiusPerDisparity: frame.radiusPerDisparity)
    }
    let own = ("exportHigh", render(sequence, disparities, isSteady: true))
    let known = [("truth", sequence.frames.map(\.truth)), (Baseline.scatter.rawValue, scatter), own]
    // What is as fine as the picture is not steadied.
    return given == .exact
      ? known : known + [("each frame alone", render(sequence, disparities, isSteady: false))]
  }

  private func sequences() throws -> [Sequence] {
    if let folder = options.sceneFolder {
      return try SceneFolder.all(in: folder).filter { $0.frames.count > 1 }.map { scene in
        let frames = try scene.frames.compactMap { try $0.cases().first }
        let flow = try scene.frames[0].file("flow").map(PortableFloatMap.vectors)
        return Sequence(name: scene.name, frames: frames, flow: flow)
      }
    }
    let (width, height) = options.size ?? (640, 360)
    return try SceneKind.moving.filter { options.scenes.isEmpty || options.scenes.contains($0.rawValue) }.map { kind in
      let scene = kind.scene(width: width, height: height)
      let lens = RayTruth(focus: 0.45, radiusPerDisparity: 15 * Float(max(width, 960)) / 960)
      let frames = try (0..<MotionRun.frameCount).map { number in
        let frame = scene.frame(number)
        return TruthCase(
          scene: kind.rawValue, picture: frame.picture, disparity: frame.disparity, focus: lens.focus,
          radiusPerDisparity: lens.radiusPerDisparity, truth: try truths.truth(frame, lens, frame: number))
      }
      return Sequence(name: kind.rawValue, frames: frames, flow: scene.flow)
    }
  }

  /// One renderer for all frames, so that it may steady what it does.
  private func render(_ sequence: Sequence, _ disparities: [ScalarImage], isSteady: Bool) -> [LightImage] {
    let renderer = PlaneRenderer(quality: .exportHigh, threads: options.threads)
    return zip(sequence.frames, disparities).map { frame, disparity in
      let (width, height) = (frame.picture.width, frame.picture.height)
      let planes = RenderPlanes(
        width: width, height: height, light: frame.picture.values, disparity: disparity.values,
        disparitySize: (disparity.width, disparity.height))
      let output = renderer.render(
        planes, focus: frame.focus, radiusPerDisparity: frame.radiusPerDisparity, continuesHistory: isSteady)
      return LightImage(width: width, height: height, values: output.light)
    }
  }

  private static func change(_ results: [LightImage], _ truth: [LightImage]) -> Double {
    mean(1..<results.count) { number, i in
      let own = Display.encode(results[number].values[i]) - Display.encode(results[number - 1].values[i])
      let real = Display.encode(truth[number].values[i]) - Display.encode(truth[number - 1].values[i])
      let difference = own - real
      return Double(pointwiseMax(difference, -difference).sum()) / 3
    } pixels: {
      results[0].values.count
    } * 1000
  }

  /// The first frame moved along the flow, against the second.
  private static func warping(_ results: [LightImage], _ flow: Image<SIMD2<Float>>?) -> Double {
    guard let flow, results.count > 1 else { return .nan }
    let width = flow.width
    let square = mean(0..<1) { _, i in
      let way = flow.values[i]
      let moved = results[1].clamped(i % width + Int(way.x.rounded()), i / width + Int(way.y.rounded()))
      let difference = Display.encode(moved) - Display.encode(results[0].values[i])
      return Double((difference * difference).sum()) / 3
    } pixels: {
      flow.values.count
    }
    return square.squareRoot() * 1000
  }

  private static func mean(
    _ numbers: Range<Int>, _ value: (_ number: Int, _ pixel: Int) -> Double, pixels: () -> Int
  ) -> Double {
    let count = pixels()
    var sum = 0.0
    for number in numbers {
      for i in 0..<count { sum += value(number, i) }
    }
    return sum / Double(count * numbers.count)
  }

  /// Prints a table.
  static func print(_ rows: [Row]) {
    guard !rows.isEmpty else { return }
    Swift.print("\nMoving scenes: mean |change of the result - change of the truth|, warping error, both times 1000")
    for row in rows {
      Swift.print(
        "  \(row.scene.padding(toLength: 12, withPad: " ", startingAt: 0)) "
          + row.given.rawValue.padding(toLength: 12, withPad: " ", startingAt: 0)
          + row.method.padding(toLength: 20, withPad: " ", startingAt: 0)
          + String(format: "%6.2f %8.2f", row.change, row.warping))
    }
  }

  /// One object a row.
  static func json(_ rows: [Row]) -> [[String: Any]] {
    rows.map { row in
      var entry: [String: Any] = [
        "method": row.method, "scene": row.scene, "given": row.given.rawValue, "change": row.change,
      ]
      if row.warping.isFinite { entry["warping"] = row.warping }
      return entry
    }
  }
}
