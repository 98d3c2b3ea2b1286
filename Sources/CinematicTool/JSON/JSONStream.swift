import Foundation

/// Writes one JSON object to the console member by member, so that long lists need no memory.
///
/// Nothing is written before the first member, and `close()` ends the object.
struct JSONStream {
  private let console: Console
  private var isOpen = false

  init(_ console: Console) { self.console = console }

  /// Writes one member.
  mutating func member(_ name: String, _ value: JSON) {
    begin(name)
    write(value.text(indent: 2))
  }

  /// Writes one member whose value is a list: `body` hands over the items in order.
  mutating func list(_ name: String, _ body: ((JSON) -> Void) throws -> Void) rethrows {
    begin(name)
    var isFirst = true
    write("[")
    defer { write(isFirst ? "]" : "\n  ]") }
    try body { item in
      write((isFirst ? "\n    " : ",\n    ") + item.text(indent: 4))
      isFirst = false
    }
  }

  mutating func close() {
    write(isOpen ? "\n}\n" : "{}\n")
    isOpen = false
  }

  private mutating func begin(_ name: String) {
    write((isOpen ? ",\n  " : "{\n  ") + JSON.string(name).compactText + ": ")
    isOpen = true
  }

  private func write(_ text: String) { console.write(Data(text.utf8)) }
}
