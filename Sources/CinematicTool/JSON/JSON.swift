/// A JSON value (RFC 8259) whose objects keep the order they were written in.
package indirect enum JSON: Sendable {
  case null
  case bool(Bool)
  case integer(Int)
  /// A NaN or infinity is written as null, since JSON has neither.
  case number(Double)
  case string(String)
  case array([JSON])
  case object([(String, JSON)])
}

extension JSON {
  /// `Float` widened: the text reads back as the same `Float`.
  package static func number(_ value: Float) -> JSON { .number(Double(value)) }

  /// `null` where there is no value.
  package static func optional<T>(_ value: T?, _ make: (T) -> JSON) -> JSON { value.map(make) ?? .null }
}

// MARK: Writing
extension JSON {
  /// On one line.
  package var compactText: String {
    var text = ""
    write(to: &text, indent: nil)
    return text
  }

  /// Indented by two spaces a level; lists of plain values stay on one line.
  package var text: String { text(indent: 0) }

  /// The same as a part of something that is indented by `indent` spaces.
  func text(indent: Int) -> String {
    var text = ""
    write(to: &text, indent: indent)
    return text
  }

  private var isPlain: Bool {
    switch self {
    case .array(let values): values.isEmpty
    case .object(let members): members.isEmpty
    default: true
    }
  }

  private func write(to text: inout String, indent: Int?) {
    switch self {
    case .null: text += "null"
    case .bool(let value): text += value ? "true" : "false"
    case .integer(let value): text += String(value)
    case .number(let value): text += value.isFinite ? "\(value)" : "null"
    case .string(let value): Self.quote(value, to: &text)
    case .array(let values):
      let inner = values.allSatisfy(\.isPlain) ? nil : indent
      Self.list(values, "[", "]", to: &text, indent: inner) { $0.write(to: &$1, indent: $2) }
    case .object(let members):
      Self.list(members, "{", "}", to: &text, indent: indent) { member, text, indent in
        Self.quote(member.0, to: &text)
        text += ": "
        member.1.write(to: &text, indent: indent)
      }
    }
  }

  private static func list<T>(
    _ items: [T], _ open: String, _ close: String, to text: inout String, indent: Int?,
    _ write: (T, inout String, Int?) -> Void
  ) {
    text += open
    let inner = items.isEmpty ? nil : indent.map { $0 + 2 }
    for (index, item) in items.enumerated() {
      if index > 0 { text += inner == nil ? ", " : "," }
      if let inner { text += "\n" + String(repeating: " ", count: inner) }
      write(item, &text, inner)
    }
    if inner != nil, let indent { text += "\n" + String(repeating: " ", count: indent) }
    text += close
  }

  private static func quote(_ string: String, to text: inout String) {
    text += "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\t": text += "\\t"
      case "\r": text += "\\r"
      case "\u{0}"..<" ", "\u{7F}"..<"\u{A0}": text += "\\u" + hex(scalar.value)
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }

  private static func hex(_ value: UInt32) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 4 - digits.count) + digits
  }
}
