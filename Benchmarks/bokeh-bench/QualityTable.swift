import BokehScenes
import Foundation

/// Means of scores as text.
struct QualityTable {
  let rows: [QualityRun.Row]

  func print() {
    for given in GivenDisparity.allCases {
      let known = rows.filter { $0.given == given }
      guard !known.isEmpty else { continue }
      Swift.print("\nDisparity \(given): PSNR in dB of all pixels / at edges / in focus / around lights, SSIM")
      printMeans(known)
    }
    Swift.print("\nBy scene, exact disparity, over normalised scatter: all / edges / in focus / lights")
    let exact = rows.contains { $0.given == .exact } ? rows.filter { $0.given == .exact } : rows
    for scene in unique(rows.map(\.scene)) {
      let known = exact.filter { $0.scene == scene }
      let base = Means(known.filter { $0.method == Baseline.scatter.rawValue })
      for method in methods(known) where Baseline(rawValue: method) == nil {
        guard let own = Means(known.filter { $0.method == method }) else { continue }
        let gain = base.map { "   gain \(own.minus($0).text)" } ?? ""
        Swift.print("  \(pad(scene, 16)) \(pad(method, 12)) \(own.text)\(gain)")
      }
    }
  }

  private func printMeans(_ rows: [QualityRun.Row]) {
    let base = Means(rows.filter { $0.method == Baseline.scatter.rawValue })
    for method in methods(rows) {
      guard let means = Means(rows.filter { $0.method == method }) else { continue }
      let gain = Baseline(rawValue: method) == nil ? base.map { "   gain \(means.minus($0).text)" } ?? "" : ""
      Swift.print("  \(pad(method, 20)) \(means.text)  \(String(format: "%.4f", means.similarity))\(gain)")
    }
  }

  private func methods(_ rows: [QualityRun.Row]) -> [String] { unique(rows.map(\.method)) }

  private func unique(_ names: [String]) -> [String] {
    var known: Set<String> = []
    return names.filter { known.insert($0).inserted }
  }

  private func pad(_ text: String, _ count: Int) -> String {
    text.padding(toLength: max(count, text.count), withPad: " ", startingAt: 0)
  }

  /// One object a method and kind of disparity.
  var json: [[String: Any]] {
    rows.map { row in
      var entry: [String: Any] = [
        "method": row.method, "scene": row.scene, "disparity": row.given.rawValue, "level": Double(row.level),
        "all": row.score.all, "edges": row.score.edges, "ssim": row.score.similarity,
      ]
      if row.score.inFocus.isFinite { entry["inFocus"] = row.score.inFocus }
      if let lights = row.score.lights { entry["lights"] = lights }
      return entry
    }
  }
}

/// Means of several cases, each part over the cases that have it.
struct Means {
  var parts: [Double]
  var similarity: Double

  init?(_ rows: [QualityRun.Row]) {
    guard !rows.isEmpty else { return nil }
    let scores = rows.map(\.score)
    func mean(_ values: [Double]) -> Double { values.reduce(0, +) / Double(values.count) }
    parts = [
      mean(scores.map(\.all)), mean(scores.map(\.edges).filter(\.isFinite)),
      mean(scores.map(\.inFocus).filter(\.isFinite)), mean(scores.compactMap(\.lights)),
    ]
    similarity = mean(scores.map(\.similarity))
  }

  func minus(_ other: Means) -> Means {
    var rest = self
    for i in parts.indices { rest.parts[i] -= other.parts[i] }
    return rest
  }

  /// A dash for parts that no case has.
  var text: String { parts.map { $0.isFinite ? String(format: "%5.2f", $0) : "    -" }.joined(separator: " / ") }
}
