import Cinematic
import CoreMedia

/// What `edit list` shows: the aperture, and the decisions that are in effect with the racks between them.
struct EditList {
  let script: CNScript

  init(_ script: CNScript) { self.script = script }

  func write(_ invocation: Invocation) {
    if invocation.wantsJSON { return invocation.console.print(json.text) }
    let style = invocation.console.style
    invocation.console.print(style.bold("Aperture") + "  \(script.apertureText)")
    var table = TextTable()
    for decision in effective { table.add(row(decision)) }
    invocation.console.print(style.bold("Focus") + "\n" + table.lines.joined(separator: "\n"))
    let overridden = DecisionList(script).user.filter { !effective.contains($0) }
    for decision in overridden {
      invocation.console.print("  \(decision.time.clockText)  without effect: \(decision.subjectText(in: script))")
    }
  }

  private var effective: [CNDecision] { script.decisions(in: script.timeRange) }

  private func row(_ decision: CNDecision) -> [String] {
    let strength = decision.isStrongDecision ? "strong" : "weak"
    let rack = rack(towards: decision).map { "rack \($0.start.clockText) – \($0.end.clockText)" }
    return [
      decision.time.clockText, decision.isUserDecision ? "user, \(strength)" : "automatic",
      decision.subjectText(in: script), rack ?? "",
    ]
  }

  private func rack(towards decision: CNDecision) -> CMTimeRange? {
    let range = script.timeRangeOfTransition(before: decision)
    return range.isValid && range.duration > .zero ? range : nil
  }

  private var json: JSON {
    .object([
      ("aperture", .number(script.fNumber)), ("decisions", DecisionList(script).json),
      ("effective", .array(effective.map(effectiveJSON))),
      ("added", .array(SubjectReport.all(in: script).filter(\.isAdded).map(\.json))),
    ])
  }

  private func effectiveJSON(_ decision: CNDecision) -> JSON {
    .object([
      ("time", .time(decision.time)), ("id", .integer(decision.subjectID)), ("group", .bool(decision.isForGroup)),
      ("strong", .bool(decision.isStrongDecision)), ("user", .bool(decision.isUserDecision)),
      (
        "rack",
        .optional(rack(towards: decision)) { .object([("start", .time($0.start)), ("end", .time($0.end))]) }
      ),
    ])
  }
}
