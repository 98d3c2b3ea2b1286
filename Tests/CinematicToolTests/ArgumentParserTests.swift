import CinematicTool
import Testing

@Suite struct ArgumentParserTests {
  /// `tool paint WALL [DOOR]` and `tool keep BOX put|take THING`.
  private static let tool = Command(
    name: "tool", summary: "do things", options: [Command.Option("version", "Print the version.")],
    subcommands: [
      Command(
        name: "paint", summary: "paint a wall",
        operands: [
          Command.Operand("WALL", "What to paint."), Command.Operand("DOOR", "What else.", isOptional: true),
        ],
        options: [
          Command.Option("color", short: "c", value: "NAME", choices: ["red", "green"], "The color."),
          Command.Option("coats", value: "N", "How many coats."),
          Command.Option("quick", short: "q", "Do not wait."), Command.Option("wet", short: "w", "Leave it wet."),
          Command.Option("spot", value: "X,Y", isRepeatable: true, "A spot to leave out."),
        ], examples: [Command.Example("tool paint west -c red", "Paints the western wall.")],
        action: { _ in }),
      Command(
        name: "keep", summary: "keep things", operands: [Command.Operand("BOX", "Where.")],
        subcommands: [
          Command(
            name: "put", summary: "put a thing in", operands: [Command.Operand("THING", "What.")], action: { _ in }),
          Command(name: "take", summary: "take everything out", action: { _ in }),
        ]),
    ])

  private func run(_ line: String) throws -> Invocation? {
    let words = line.split(separator: " ").map(String.init)
    let request = try ArgumentParser.parse(words, for: Self.tool, console: TestConsole().console())
    guard case .run(_, let invocation) = request else { return nil }
    return invocation
  }

  private func complaint(_ line: String) -> String? {
    do {
      _ = try run(line)
      return nil
    } catch {
      return (error as? UsageError)?.message
    }
  }

  @Test(arguments: [
    "paint west --color red -q", "paint --color=red --quick west", "paint -cred -q west", "paint -q -c red -- west",
    "paint -qc red west", "paint -c=red west -q",
  ])
  func `options stand anywhere and in every form`(line: String) throws {
    let invocation = try #require(try run(line))
    #expect(invocation.path == ["tool", "paint"])
    #expect(invocation.operand("WALL") == "west")
    #expect(invocation.optionalOperand("DOOR") == nil)
    #expect(invocation.value("color") == "red")
    #expect(invocation.has("quick") && !invocation.has("wet"))
  }

  @Test func `values may start with a dash unless they are options`() throws {
    #expect(try run("paint west --coats -1")?.value("coats") == "-1")
    #expect(try run("paint west --coats=-q")?.value("coats") == "-q")
    #expect(complaint("paint west --coats -q") == "'--coats' needs a value: --coats N")
    #expect(complaint("paint west --coats") == "'--coats' needs a value: --coats N")
  }

  @Test func `a dash alone and words after two dashes are operands`() throws {
    #expect(try run("paint -")?.operand("WALL") == "-")
    #expect(try run("paint -- --color -q")?.optionalOperand("DOOR") == "-q")
  }

  @Test func `options repeat only where they may`() throws {
    #expect(try run("paint west --spot 1,2 --spot=3,4")?.values("spot") == ["1,2", "3,4"])
    #expect(complaint("paint west --coats 1 --coats 2") == "'--coats' is given twice")
    #expect(try run("paint west -q -q")?.has("quick") == true)
  }

  @Test func `inner commands follow their outer command's operands`() throws {
    let invocation = try #require(try run("keep box put --json cup"))
    #expect(invocation.path == ["tool", "keep", "put"])
    #expect(invocation.operand("BOX") == "box" && invocation.operand("THING") == "cup" && invocation.wantsJSON)
    // A box may be called like a command.
    #expect(try run("keep put take")?.operand("BOX") == "put")
  }

  @Test(arguments: [
    ("pant west", "'pant' is not a command; did you mean 'paint'?"),
    ("frobnicate", "'frobnicate' is not a command"),
    ("paint west --colour red", "there is no option '--colour'; did you mean '--color'?"),
    ("paint west --zzz", "there is no option '--zzz'"),
    ("paint west -x", "there is no option '-x'"),
    ("paint west --quick=yes", "'--quick' takes no value"),
    ("paint west -c gren", "'--color' is one of red, green; did you mean 'green'?"),
    ("paint", "WALL is missing"),
    ("paint a b c", "'c' is one word too many"),
    ("keep box", "a command is missing: one of put, take"),
    ("help pant", "'pant' is not a command; did you mean 'paint'?"),
    ("help frobnicate", "'frobnicate' is not a command"),
    ("help keep give", "'give' is not a command"), ("help paint west", "'west' is not a command"),
    ("hepl", "'hepl' is not a command; did you mean 'help'?"),
    ("", "a command is missing: one of paint, keep"),
  ])
  func `mistakes are named`(line: String, message: String) {
    #expect(complaint(line) == message)
  }

  @Test(arguments: [
    ("--help", ["tool"]), ("paint -h", ["tool", "paint"]), ("paint west --zzz --help", ["tool", "paint"]),
    ("keep box put --help", ["tool", "keep", "put"]), ("keep put --help", ["tool", "keep", "put"]),
    ("keep --help", ["tool", "keep"]), ("help", ["tool"]), ("help keep put", ["tool", "keep", "put"]),
    ("help help", ["tool"]), ("help keep --help", ["tool", "keep"]), ("help --json paint", ["tool", "paint"]),
  ])
  func `help is found wherever it is asked for`(line: String, expected: [String]) throws {
    let words = line.split(separator: " ").map(String.init)
    let request = try ArgumentParser.parse(words, for: Self.tool, console: TestConsole().console())
    guard case .help(let commands) = request else {
      Issue.record("no help")
      return
    }
    #expect(commands.map(\.name) == expected)
  }

  @Test func `numbers are checked`() throws {
    let invocation = try #require(try run("paint west --coats 2.5"))
    #expect(try invocation.number("coats", in: 0...10) == 2.5)
    #expect(throws: UsageError("'--coats' takes a number from 0 to 2, not '2.5'", path: ["tool", "paint"])) {
      try invocation.number("coats", in: 0...2)
    }
    #expect(throws: UsageError.self) { try invocation.integer("coats", in: 0...9) }
    for text in ["nan", "inf", "", "2x"] {
      #expect(throws: UsageError.self) { try invocation.number(text, named: "it", in: 0...9) }
    }
  }

  @Test func `help fits eighty columns and shows everything once`() throws {
    guard
      case .help(let commands) = try ArgumentParser.parse(
        ["paint", "--help"], for: Self.tool, console: TestConsole().console())
    else { throw CancellationError() }
    let text = HelpText(commands).render(Style(isColored: false))
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 })
    for word in ["tool paint WALL [DOOR] [OPTIONS]", "-c, --color NAME", "(red, green)", "--json", "-h, --help"] {
      #expect(text.contains(word))
    }
    #expect(text.hasSuffix("Example:\n  tool paint west -c red\n      Paints the western wall.\n"))
  }
}
