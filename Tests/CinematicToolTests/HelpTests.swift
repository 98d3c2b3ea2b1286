import CinematicTool
import Foundation
import Testing

@Suite struct HelpTests {
  /// All commands with the way to them: `["edit", "add"]`.
  private func commands(_ command: Command = CinematicTool.root, _ path: [String] = []) -> [([String], Command)] {
    [(path, command)] + command.subcommands.flatMap { commands($0, path + [$0.name]) }
  }

  @Test func `every command has its help with an example`() async {
    for (path, command) in commands() {
      let result = await cinematic(path + ["--help"])
      #expect(result.status == 0 && result.errors.isEmpty)
      let heading = (["cinematic"] + path).joined(separator: " ") + ": " + command.summary + "."
      #expect(result.text.replacing("\n", with: " ").hasPrefix(heading))
      #expect(result.text.contains("Example"))
      // A line to type is not broken.
      let lines = result.text.split(separator: "\n").filter { !$0.hasPrefix("  cinematic ") }
      #expect(lines.allSatisfy { $0.count <= 80 })
      for option in command.options { #expect(result.text.contains("--" + option.name)) }
      for example in command.examples { #expect(example.line.hasPrefix("cinematic ")) }
    }
  }

  @Test func `examples are understood`() async throws {
    for (_, command) in commands() {
      for example in command.examples {
        let words = example.line.prefix { $0 != "|" }.replacing("'", with: "").split(separator: " ").dropFirst().map(
          String.init)
        let request = try ArgumentParser.parse(words, for: CinematicTool.root, console: TestConsole().console())
        guard case .run = request else {
          Issue.record("no command in: \(example.line)")
          return
        }
      }
    }
  }

  @Test func `no option of a command hides another`() {
    for (_, command) in commands() {
      let names = command.options.map(\.name), letters = command.options.compactMap(\.short)
      #expect(Set(names).count == names.count && Set(letters).count == letters.count)
      #expect(!names.contains("help") && !letters.contains("h"))
    }
  }

  @Test func `without arguments the help is shown`() async {
    let result = await cinematic([])
    #expect(result.status == 0)
    #expect(result.text == (await cinematic("--help")).text)
    #expect((await cinematic("--version")).text == "cinematic \(CinematicTool.version)\n")
  }

  @Test func `the help of info is as it was agreed`() async {
    let result = await cinematic("info", "--help")
    #expect(
      result.text == """
        cinematic info: look into a movie: tracks, focus decisions, subjects, warnings.

        Usage:
          cinematic info MOVIE [OPTIONS]

        Shows which files of the shot are there, what the tracks hold, whether the focus
        can be changed, and what was decided while recording. A movie that cannot be
        refocused ends with status 1 and a sentence that says what is missing.

        Operands:
          MOVIE  A MOV or MP4 file.

        Options:
              --frames       Add a table of all frames.
              --check        Compare the focus disparity of the detections with the
                             disparity picture inside their rectangles; says so when
                             they do not agree.
              --blocks LIST  Average blocks of 32x32 disparity samples as stored:
                             FRAME:X,Y;FRAME:X,Y;… A block without FRAME belongs to the
                             frame before it.

        Always:
              --json  Print the result, or the error, as JSON.
          -h, --help  Show this help.

        Examples:
          cinematic info IMG_1234.MOV
              Everything on a page.
          cinematic info IMG_1234.MOV --json --frames --blocks '0:64,36;90:64,36'
              Everything for a program.

        """)
  }

  @Test func `the help of edit add names where it stands`() async {
    let result = await cinematic("help", "edit", "add")
    #expect(result.text.contains("Usage:\n  cinematic edit MOVIE EDITS add [OPTIONS]\n"))
    #expect(result.text.contains("      --at TIME       When: seconds, m:ss.mmm, h:mm:ss or #frame.\n"))
  }

  @Test func `help is a command that wants the name of another`() async {
    #expect((await cinematic("--help")).text.contains("\n  help  "))
    #expect(!(await cinematic("edit", "--help")).text.contains("\n  help  "))
    let result = await cinematic("help", "reveal")
    #expect(result.status == 2 && result.text.isEmpty)
    #expect(result.errors.hasPrefix("cinematic: 'reveal' is not a command"))
  }

  @Test func `wrong usage as JSON is an error too`() async {
    let result = await cinematic("info", "--json", "--frame", "a.mov")
    #expect(result.status == 2 && result.errorName == "usage")
    #expect(
      result.errors
        == "cinematic: there is no option '--frame'; did you mean '--frames'? See 'cinematic info --help'.\n")
  }
}
