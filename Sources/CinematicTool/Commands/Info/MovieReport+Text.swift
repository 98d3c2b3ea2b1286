import Cinematic
import CoreMedia
import Foundation
import QuickTime

extension MovieReport {
  /// Writes a page for people.
  func writeText(_ console: Console) {
    let style = console.style
    console.print(style.bold(URL(fileURLWithPath: path).lastPathComponent) + "  " + summary)
    if let script, failure == nil { console.print(verdict(script, style)) }
    section("Files", files.names.map { [$0.name, $0.role.meaning] }, console)
    section(
      "Tracks", movie.tracks.map { TrackReport(track: $0).row }, console,
      [.right, .left, .left, .right, .right, .right])
    if let script { writeScript(script, console) }
    section("Warnings", warnings.map { [style.yellow("!") + " " + $0] }, console)
  }

  /// `6.000 s, 1280x720 turned by 90° to 720x1280, 30 frames/s, from 01:00:00:00, 2.1 MB`
  private var summary: String {
    var words: [String] = []
    words.append(CMTime(value: movie.duration, timescale: movie.timescale).clockText)
    if let display, let picture = cinematic.picture {
      let size = TrackReport(track: picture).size, shown = "\(display.width)x\(display.height)"
      words.append(
        display.rotation == 0
          ? shown : "\(shown) (stored \(size.width)x\(size.height), turned by \(display.rotation)°)")
    }
    if let frameRate { words.append(String(format: "%g frames/s", frameRate.seconds)) }
    if let startTimeCode { words.append("from \(startTimeCode)") }
    words.append(ByteCount.text(movie.source.byteCount))
    return words.joined(separator: ", ")
  }

  private func verdict(_ script: CNScript, _ style: Style) -> String {
    let aperture = script.apertureText
    switch cinematic.capability {
    case .renderable: return style.green("Renderable") + ": focus and aperture (\(aperture)) can be changed."
    case .needsPreprocessing:
      return style.yellow("Needs preprocessing") + ": the focus was recorded (\(aperture)), the disparity was not."
    case .none: return style.red("Not Cinematic")
    }
  }

  private func writeScript(_ script: CNScript, _ console: Console) {
    let list = DecisionList(script)
    section("Focus", list.rows(in: script), console)
    section("Subjects", SubjectReport.all(in: script).map(\.row), console, [.right])
    section("Blocks", blocks.map(\.row), console)
    if let check { console.print(console.style.bold("Check") + "\n  " + check.text) }
    guard options.showsFrames, let picture = cinematic.picture else { return }
    console.print(console.style.bold("Frames"))
    writeFrames(picture, console)
  }

  /// A table whose columns are as wide as those of the first frames, so that it can be written on the way.
  private func writeFrames(_ picture: MovieTrack, _ console: Console) {
    let widths = [8, 10, 8, 6, 9, 4, 4, 4]
    let line = { (cells: [String]) in
      let padded = zip(cells, widths).map { $0 + String(repeating: " ", count: max(0, $1 - $0.count)) }
      console.print("  " + (padded + cells.dropFirst(widths.count)).joined(separator: " "))
    }
    line(FrameReport.heading)
    var matcher = MetadataMatcher(cinematic.metadata)
    matcher.match(picture) { line(FrameReport(frame: $0).row) }
  }

  private func section(
    _ title: String, _ rows: [[String]], _ console: Console, _ alignments: [TextTable.Alignment] = []
  ) {
    guard !rows.isEmpty else { return }
    var table = TextTable(alignments)
    for row in rows { table.add(row) }
    console.print(console.style.bold(title) + "\n" + table.lines.joined(separator: "\n"))
  }
}

extension DecisionList {
  /// Base and user decisions in order of time, a line each.
  func rows(in script: CNScript) -> [[String]] {
    let all = (base + user).sorted { $0.time < $1.time }
    return all.map { decision in
      let strength = decision.isStrongDecision ? "strong" : "weak"
      let kind = decision.isUserDecision ? "user, \(strength)" : "automatic"
      return [decision.time.clockText, kind, decision.subjectText(in: script)]
    }
  }
}
