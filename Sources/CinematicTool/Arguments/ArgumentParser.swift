/// What a command line asks for.
package enum Request {
  case run(Command, Invocation)
  /// The help of the last of these commands, each inside the one before.
  case help([Command])
  case version
}

/// Reads a command line after the description of its command.
///
/// Options may stand anywhere, as `--name value`, `--name=value`, `-n value` or `-nvalue`; flags of one letter may
/// be run together. The value of an option is the next word, whatever it starts with, unless it is itself an option
/// of this command. Words after `--` are operands, and so is `-`.
package struct ArgumentParser {
  private var rest: ArraySlice<String>
  /// The tool and the commands entered so far, each inside the one before.
  private var commands: [Command]
  private var options: [Command.Option]
  private var invocation: Invocation
  private var words: [String] = []
  private var missing: ArraySlice<Command.Operand>
  private var wantsHelp = false
  /// Whether the first word is `help`, and the words behind it name a command.
  private var isHelpCommand = false
  private var wantsVersion = false
  private var onlyOperands = false

  /// Reads `arguments`, which do not hold the tool's own name. Throws `UsageError`.
  package static func parse(_ arguments: [String], for root: Command, console: Console) throws -> Request {
    var parser = Self(arguments, root, console)
    return try parser.request()
  }

  private init(_ arguments: [String], _ root: Command, _ console: Console) {
    rest = arguments[...]
    commands = [root]
    options = root.options + Command.Option.common
    missing = root.operands[...]
    invocation = Invocation(path: [root.name], console: console)
  }

  private var command: Command { commands[commands.count - 1] }

  private mutating func request() throws -> Request {
    do {
      while let word = rest.popFirst() { try take(word) }
    } catch let error as UsageError where !(wantsHelp || rest.contains { $0 == "--help" || $0 == "-h" }) {
      throw error
    } catch is UsageError {
      wantsHelp = true
    }
    if isHelpCommand { return try namedHelp() }
    if wantsHelp { return helpRequest() }
    if wantsVersion { return .version }
    try checkComplete()
    return .run(command, invocation)
  }

  private mutating func take(_ word: String) throws {
    if onlyOperands || word == "-" || !word.hasPrefix("-") {
      try takeOperand(word)
    } else if word == "--" {
      onlyOperands = true
    } else if word.hasPrefix("--") {
      try takeLong(String(word.dropFirst(2)))
    } else {
      try takeShort(word.dropFirst())
    }
  }
}

// MARK: Operands and the commands among them
extension ArgumentParser {
  private mutating func takeOperand(_ word: String) throws {
    // `cinematic help edit add` is `cinematic edit add --help`.
    if word == "help", words.isEmpty, commands.count == 1, missing.isEmpty {
      (wantsHelp, isHelpCommand) = (true, true)
      return
    }
    words.append(word)
    if isHelpCommand { return }
    if let operand = missing.popFirst() {
      invocation.operands[operand.name] = word
    } else if let inner = command.subcommands.first(where: { $0.name == word }) {
      enter(inner)
    } else if command.subcommands.isEmpty {
      throw error("'\(word)' is one word too many")
    } else {
      let names = command.subcommands.map(\.name) + (commands.count == 1 ? ["help"] : [])
      throw unknown("'\(word)' is not a command", word, among: names, prefix: "")
    }
  }

  private mutating func enter(_ inner: Command) {
    commands.append(inner)
    options = inner.options + options
    missing = inner.operands[...]
    invocation.path.append(inner.name)
  }

  private func checkComplete() throws {
    if let operand = missing.first(where: { !$0.isOptional }) { throw error("\(operand.name) is missing") }
    guard command.action == nil else { return }
    let names = command.subcommands.map(\.name).joined(separator: ", ")
    throw error("a command is missing: one of \(names)")
  }

  /// The help of the command that the words behind `help` name; nothing else may be among them.
  private mutating func namedHelp() throws -> Request {
    for word in words where commands.count > 1 || word != "help" {
      guard let inner = command.subcommands.first(where: { $0.name == word }) else {
        throw unknown("'\(word)' is not a command", word, among: command.subcommands.map(\.name), prefix: "")
      }
      enter(inner)
    }
    return .help(commands)
  }

  /// The innermost command that the words name, even where operands were left out: `cinematic edit add --help`.
  private func helpRequest() -> Request {
    var found = commands
    for word in words {
      guard let inner = found.last?.subcommands.first(where: { $0.name == word }) else { continue }
      found.append(inner)
    }
    return .help(found)
  }
}

// MARK: Options
extension ArgumentParser {
  private mutating func takeLong(_ word: String) throws {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard let option = options.first(where: { $0.name == parts[0] }) else {
      throw unknown("there is no option '--\(parts[0])'", parts[0], among: options.map(\.name), prefix: "--")
    }
    if option.value != nil {
      let value = try parts.count == 2 ? parts[1] : nextValue(of: option, written: "--\(option.name)")
      try set(option, to: value)
    } else if parts.count == 2 {
      throw error("'--\(option.name)' takes no value")
    } else {
      try set(option, to: "")
    }
  }

  private mutating func takeShort(_ letters: Substring) throws {
    var letters = letters
    while let letter = letters.popFirst() {
      guard let option = options.first(where: { $0.short == letter }) else {
        throw error("there is no option '-\(letter)'")
      }
      guard option.value != nil else {
        try set(option, to: "")
        continue
      }
      let attached = letters.hasPrefix("=") ? letters.dropFirst() : letters
      let value = try attached.isEmpty ? nextValue(of: option, written: "-\(letter)") : String(attached)
      return try set(option, to: value)
    }
  }

  private mutating func nextValue(of option: Command.Option, written: String) throws -> String {
    guard let next = rest.first, !isOption(next) else {
      // A shell takes an unquoted word that begins with # and all after it for a comment.
      let hint = option.value == "TIME" ? "; in a shell, quote a frame: '#75'" : ""
      throw error("'\(written)' needs a value: \(written) \(option.value ?? "VALUE")\(hint)")
    }
    rest.removeFirst()
    return next
  }

  private func isOption(_ word: String) -> Bool {
    if word == "--" { return true }
    if word.hasPrefix("--") { return options.contains { word == "--\($0.name)" || word.hasPrefix("--\($0.name)=") } }
    return word.count == 2 && word.hasPrefix("-") && options.contains { $0.short == word.last }
  }

  private mutating func set(_ option: Command.Option, to value: String) throws {
    if option.name == Command.Option.help.name { wantsHelp = true }
    if option.name == Command.Option.version.name { wantsVersion = true }
    if !option.choices.isEmpty, !option.choices.contains(value) {
      let list = option.choices.joined(separator: ", ")
      throw unknown("'--\(option.name)' is one of \(list)", value, among: option.choices, prefix: "")
    }
    if option.value != nil, !option.isRepeatable, invocation.options[option.name] != nil {
      throw error("'--\(option.name)' is given twice")
    }
    invocation.options[option.name, default: []].append(value)
  }
}

// MARK: Errors
extension ArgumentParser {
  private func error(_ message: String) -> UsageError { UsageError(message, path: invocation.path) }

  private func unknown(_ message: String, _ word: String, among known: [String], prefix: String) -> UsageError {
    guard let nearest = Suggestion.nearest(to: word, among: known) else { return error(message) }
    return error("\(message); did you mean '\(prefix)\(nearest)'?")
  }
}
