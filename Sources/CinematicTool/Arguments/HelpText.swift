/// The text of `--help`, 80 columns wide.
package struct HelpText {
  /// The tool, and the commands inside each other down to the one that is explained.
  private let commands: [Command]

  private static let width = 80

  /// The help of the last of `commands`, which are inside each other; there is at least one.
  package init(_ commands: [Command]) { self.commands = commands }

  private var command: Command { commands[commands.count - 1] }
  private var name: String { commands.map(\.name).joined(separator: " ") }

  /// The whole text, with a newline at the end.
  package func render(_ style: Style) -> String {
    var blocks = [style.bold(name) + Self.wrap("\(name): \(command.summary).", indent: 0).dropFirst(name.count)]
    blocks.append(style.bold("Usage:") + "\n  " + usage + "\n")
    blocks += command.details.map { Self.wrap($0, indent: 0) }
    blocks += [section("Commands", commandRows, style), section("Operands", operandRows, style)]
    blocks += [section("Options", optionRows(command.options), style)]
    blocks += command.glossaries.map { section($0.title, $0.entries.map { ($0.word, $0.meaning) }, style) }
    blocks += [section("Always", optionRows(alwaysOptions), style), exampleBlock(style), pointer]
    return blocks.filter { !$0.isEmpty }.map { $0.hasSuffix("\n") ? $0 : $0 + "\n" }.joined(separator: "\n")
  }

  private var usage: String {
    let words = commands.flatMap { command in
      [command.name] + command.operands.map { $0.isOptional ? "[\($0.name)]" : $0.name }
    }
    let tail = command.subcommands.isEmpty ? "[OPTIONS]" : "COMMAND [OPTIONS]"
    return (words + [tail]).joined(separator: " ")
  }

  private var alwaysOptions: [Command.Option] {
    Command.Option.common.filter { option in !command.options.contains { $0.name == option.name } }
  }

  private var commandRows: [(String, String)] {
    let rows = command.subcommands.map { ($0.name, $0.summary + ".") }
    return rows.isEmpty || commands.count > 1 ? rows : rows + [("help", "tell more about a command.")]
  }
  private var operandRows: [(String, String)] { command.operands.map { ($0.name, $0.help) } }

  private var pointer: String {
    guard !command.subcommands.isEmpty else { return "" }
    return "'\(name) COMMAND --help' tells more about each.\n"
  }

  private func optionRows(_ options: [Command.Option]) -> [(String, String)] {
    options.map { option in
      let short = option.short.map { "-\($0), " } ?? "    "
      let words = option.choices.isEmpty ? option.help : option.help + " (\(option.choices.joined(separator: ", ")))"
      return ("\(short)--\(option.name)" + (option.value.map { " \($0)" } ?? ""), words)
    }
  }

  private func section(_ title: String, _ rows: [(String, String)], _ style: Style) -> String {
    guard !rows.isEmpty else { return "" }
    let column = min(28, (rows.map(\.0.count).max() ?? 0) + 4)
    let lines = rows.map { name, words in
      let text = Self.wrap(words, indent: column)
      guard name.count + 4 <= column else { return "  \(name)\n\(text)" }
      return "  " + name + String(repeating: " ", count: column - 2 - name.count) + text.dropFirst(column)
    }
    return style.bold("\(title):") + "\n" + lines.joined()
  }

  private func exampleBlock(_ style: Style) -> String {
    guard !command.examples.isEmpty else { return "" }
    let lines = command.examples.map { "  \($0.line)\n" + Self.wrap($0.purpose, indent: 6) }
    return style.bold(lines.count == 1 ? "Example:" : "Examples:") + "\n" + lines.joined()
  }

  /// Lines of at most 80 columns, each indented, each with its newline.
  static func wrap(_ text: String, indent: Int) -> String {
    let margin = String(repeating: " ", count: indent)
    var lines: [String] = [], line = ""
    for word in text.split(separator: " ") {
      if !line.isEmpty, line.count + 1 + word.count > width - indent {
        lines.append(margin + line)
        line = ""
      }
      line += line.isEmpty ? String(word) : " " + word
    }
    return (lines + [margin + line]).map { $0 + "\n" }.joined()
  }
}
