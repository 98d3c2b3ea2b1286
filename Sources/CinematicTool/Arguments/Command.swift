/// A command of the tool, described: what it is called, what it takes, what it does, how it is used.
///
/// Commands nest. A command with `subcommands` takes its own operands first and then the name of one of them:
/// `cinematic edit MOVIE EDITS add --at 2`. Options of the outer command are understood inside the inner one.
package struct Command: Sendable {
  /// What a command does with its arguments; it throws what `Failure` can put into one sentence.
  package typealias Action = @Sendable (Invocation) async throws -> Void

  package var name: String
  /// One line without a full stop, for lists of commands.
  package var summary: String
  /// Paragraphs for the command's own help.
  package var details: [String]
  package var operands: [Operand]
  package var options: [Option]
  /// Lists of words and what they mean, below the options.
  package var glossaries: [Glossary]
  package var examples: [Example]
  package var subcommands: [Command]
  package var action: Action?

  package init(
    name: String, summary: String, details: [String] = [], operands: [Operand] = [], options: [Option] = [],
    glossaries: [Glossary] = [], examples: [Example] = [], subcommands: [Command] = [], action: Action? = nil
  ) {
    self.name = name
    self.summary = summary
    self.details = details
    self.operands = operands
    self.options = options
    self.glossaries = glossaries
    self.examples = examples
    self.subcommands = subcommands
    self.action = action
  }
}

extension Command {
  /// A word that stands for itself on the command line, such as `MOVIE`.
  package struct Operand: Sendable {
    package var name: String
    package var help: String
    package var isOptional: Bool

    package init(_ name: String, _ help: String, isOptional: Bool = false) {
      self.name = name
      self.help = help
      self.isOptional = isOptional
    }
  }

  /// Words that an option takes, where there is more to say of them than their names.
  package struct Glossary: Sendable {
    package var title: String
    package var entries: [(word: String, meaning: String)]

    package init(_ title: String, _ entries: [(word: String, meaning: String)]) {
      self.title = title
      self.entries = entries
    }
  }

  /// A line to type, and what it is good for.
  package struct Example: Sendable {
    package var line: String
    package var purpose: String

    package init(_ line: String, _ purpose: String) {
      self.line = line
      self.purpose = purpose
    }
  }

  /// An option: a flag, or one with a value.
  package struct Option: Sendable {
    /// Without the dashes.
    package var name: String
    package var short: Character?
    /// What stands for the value in the help; nil makes the option a flag.
    package var value: String?
    /// The words that the value may be; empty takes any.
    package var choices: [String]
    package var isRepeatable: Bool
    package var help: String

    package init(
      _ name: String, short: Character? = nil, value: String? = nil, choices: [String] = [],
      isRepeatable: Bool = false, _ help: String
    ) {
      self.name = name
      self.short = short
      self.value = value
      self.choices = choices
      self.isRepeatable = isRepeatable
      self.help = help
    }
  }
}

extension Command.Option {
  /// Understood by every command.
  package static let help = Self("help", short: "h", "Show this help.")
  package static let json = Self("json", "Print the result, or the error, as JSON.")
  static let version = Self("version", "Print the version.")
  static let common: [Self] = [.json, .help]

  package static let output = Self("output", short: "o", value: "FILE", "Where the result goes.")
  package static let overwrite = Self("overwrite", short: "y", "Replace the output file if it is there.")
  /// `--range`; `part` is what of the movie is taken, as words up to "from A up to B".
  static func range(_ part: String) -> Self {
    Self("range", value: "A-B", "\(part), without B; A- goes to the end, -B begins at the start.")
  }

  package static let edits = Self("edits", value: "FILE", "Apply the edits kept in FILE.")
  package static let progress = Self(
    "progress", value: "KIND", choices: ["bar", "json", "none"],
    "Show progress as a bar, as lines of JSON, or not at all; by default a bar on a terminal.")
}
