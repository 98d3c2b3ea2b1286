/// A command as it was called: its operands and options, and the console to speak through.
package struct Invocation: Sendable {
  /// The names from the tool to the command: `["cinematic", "edit", "add"]`.
  package var path: [String]
  package var console: Console
  var operands: [String: String] = [:]
  var options: [String: [String]] = [:]

  init(path: [String], console: Console) {
    self.path = path
    self.console = console
  }

  /// An operand that the command's description makes mandatory.
  package func operand(_ name: String) -> String { operands[name] ?? "" }

  /// An operand that may be left out.
  package func optionalOperand(_ name: String) -> String? { operands[name] }

  /// Whether the flag, or the option with any value, was given.
  package func has(_ option: String) -> Bool { options[option] != nil }

  /// The last value given for the option.
  package func value(_ option: String) -> String? { options[option]?.last }

  /// All values given for a repeatable option, in order.
  package func values(_ option: String) -> [String] { options[option] ?? [] }

  /// Whether the result and the errors go out as JSON.
  package var wantsJSON: Bool { has("json") }
}

extension Invocation {
  /// A value that must be there; `UsageError` otherwise.
  package func required(_ option: String) throws -> String {
    if let value = value(option) { return value }
    throw UsageError("'--\(option)' is needed", path: path)
  }

  /// The option's value as a finite number inside `range`; `UsageError` otherwise.
  package func number(_ option: String, in range: ClosedRange<Double>) throws -> Double? {
    guard let text = value(option) else { return nil }
    return try number(text, named: "'--\(option)'", in: range)
  }

  /// `text` as a finite number inside `range`; `UsageError` otherwise.
  package func number(_ text: String, named name: String, in range: ClosedRange<Double>) throws -> Double {
    guard let number = Double(text), number.isFinite, range.contains(number) else {
      let bounds = "\(plain(range.lowerBound)) to \(plain(range.upperBound))"
      throw UsageError("\(name) takes a number from \(bounds), not '\(text)'", path: path)
    }
    return number
  }

  /// The option's value as a whole number inside `range`; `UsageError` otherwise.
  package func integer(_ option: String, in range: ClosedRange<Int>) throws -> Int? {
    guard let text = value(option) else { return nil }
    guard let number = Int(text), range.contains(number) else {
      let bounds = "\(range.lowerBound) to \(range.upperBound)"
      throw UsageError("'--\(option)' takes a whole number from \(bounds), not '\(text)'", path: path)
    }
    return number
  }

  /// The option's value as a time; `UsageError` otherwise.
  package func time(_ option: String) throws -> TimeExpression? {
    guard let text = value(option) else { return nil }
    guard let time = TimeExpression(text) else {
      throw UsageError("'--\(option)' takes \(TimeExpression.forms), not '\(text)'", path: path)
    }
    return time
  }

  /// The option's value as a range of times; `UsageError` otherwise.
  package func timeRange(_ option: String) throws -> TimeRangeExpression? {
    guard let text = value(option) else { return nil }
    guard let range = TimeRangeExpression(text) else {
      guard !TimeRangeExpression.isReversed(text) else {
        throw UsageError(
          "the end of '--\(option) \(text)' must lie behind its start: the range goes up to the end, without it",
          path: path)
      }
      throw UsageError(
        "'--\(option)' takes a range of times such as 1.5-4, 0:10-0:12.5, #30-#60 or #30-, not '\(text)'", path: path)
    }
    return range
  }

  private func plain(_ number: Double) -> String {
    number == number.rounded() && abs(number) < 1e15 ? String(Int(number)) : String(number)
  }
}
