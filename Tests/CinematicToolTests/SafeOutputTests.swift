import CinematicTool
import Foundation
import Testing

@Suite struct SafeOutputTests {
  private let folder: TestFolder
  private let console = TestConsole()

  init() throws { folder = try TestFolder() }

  private func output(
    _ name: String, replaces: Bool = false, inputs: [String] = [], kind: SafeOutput.Kind = .file
  ) throws -> SafeOutput {
    try SafeOutput(name, replaces: replaces, inputs: inputs, kind: kind, console: console.console())
  }

  private func complaint(_ body: () throws -> Void) -> String? {
    do {
      try body()
      return nil
    } catch {
      return (error as? Failure)?.message
    }
  }

  @Test func `the result appears at the commit and nothing before`() throws {
    let output = try output(folder.path("a.png"))
    #expect(output.temporaryURL.pathExtension == "png")
    try Data("new".utf8).write(to: output.temporaryURL)
    #expect(!FileManager.default.fileExists(atPath: folder.path("a.png")))
    try output.commit()
    #expect(folder.names == ["a.png"])
    #expect(try folder.text(of: "a.png") == "new")
  }

  @Test func `without a commit nothing remains`() throws {
    _ = try folder.write("old", to: "a")
    do {
      let output = try output(folder.path("a"), replaces: true)
      try Data("half".utf8).write(to: output.temporaryURL)
      #expect(folder.names.count == 2)
    }
    #expect(folder.names == ["a"])
    #expect(try folder.text(of: "a") == "old")
  }

  @Test func `files are replaced only on demand`() throws {
    let path = try folder.write("old", to: "a")
    #expect(complaint { _ = try output(path) } == "'\(path)' is there already: give -y to replace it")
    let replacing = try output(path, replaces: true)
    try Data("new".utf8).write(to: replacing.temporaryURL)
    try replacing.commit()
    #expect(try folder.text(of: "a") == "new")
  }

  @Test func `a file that appears meanwhile is not replaced`() throws {
    let output = try output(folder.path("a"))
    try Data("mine".utf8).write(to: output.temporaryURL)
    let path = try folder.write("theirs", to: "a")
    #expect(complaint { try output.commit() } == "'\(path)' is there already: give -y to replace it")
    #expect(folder.names == ["a"])
    #expect(try folder.text(of: "a") == "theirs")
  }

  @Test func `the input is never the output`() throws {
    let path = try folder.write("movie", to: "a")
    try FileManager.default.createSymbolicLink(atPath: folder.path("link"), withDestinationPath: path)
    try FileManager.default.linkItem(atPath: path, toPath: folder.path("hard"))
    for name in ["a", "link", "hard", "../\(folder.url.lastPathComponent)/a"] {
      let named = folder.path(name)
      #expect(complaint { _ = try output(named, replaces: true, inputs: [path]) }?.contains("input itself") == true)
    }
  }

  @Test func `a link goes on pointing at the result`() throws {
    let path = try folder.write("old", to: "a")
    try FileManager.default.createSymbolicLink(atPath: folder.path("link"), withDestinationPath: path)
    let output = try output(folder.path("link"), replaces: true)
    try Data("new".utf8).write(to: output.temporaryURL)
    try output.commit()
    #expect(try folder.text(of: "a") == "new")
    #expect(folder.names == ["a", "link"])
  }

  @Test func `places that cannot be written are refused at once`() throws {
    let file = try folder.write("", to: "file")
    #expect(complaint { _ = try output(folder.path("none/a")) }?.hasSuffix("there is no such file or folder") == true)
    #expect(complaint { _ = try output(file + "/a") }?.hasSuffix("no folder") == true)
    #expect(complaint { _ = try output(folder.url.path, replaces: true) }?.hasSuffix("it is a folder") == true)
    #expect(complaint { _ = try output("") } != nil)
    #expect(folder.names == ["file"])
  }

  @Test func `folders appear whole and never mix with another`() throws {
    let output = try output(folder.path("frames"), kind: .folder)
    try Data("1".utf8).write(to: output.temporaryURL.appendingPathComponent("1.png"))
    try output.commit()
    #expect(folder.names == ["frames"])
    #expect(complaint { _ = try self.output(folder.path("frames"), replaces: true, kind: .folder) } != nil)
    #expect(complaint { _ = try self.output("-", kind: .folder) } != nil)
  }

  @Test func `a dash is standard output`() throws {
    let output = try output("-")
    #expect(output.isStandardOutput)
    try Data("bytes".utf8).write(to: output.temporaryURL)
    #expect(console.output.isEmpty)
    try output.commit()
    #expect(console.output == Data("bytes".utf8))
    #expect(!FileManager.default.fileExists(atPath: output.temporaryURL.path))
  }

  @Test func `devices are written to and stay`() throws {
    let output = try output("/dev/null")
    try Data("bytes".utf8).write(to: output.temporaryURL)
    try output.commit()
    #expect(FileManager.default.fileExists(atPath: "/dev/null"))
  }

  @Test func `long names leave room for the temporary one`() throws {
    let name = String(repeating: "n", count: 250) + ".mov"
    let output = try output(folder.path(name))
    try Data("x".utf8).write(to: output.temporaryURL)
    try output.commit()
    #expect(folder.names == [name])
  }

  @Test func `sentences name the output and not its temporary file`() throws {
    let output = try output(folder.path("my film.mov"))
    let temporary = output.temporaryURL.path, last = output.temporaryURL.lastPathComponent
    let partial = folder.url.path + "/." + last + ".D9DBC471-BD4F-4263-873F-A716554B601E.partial"
    for name in [temporary, last, partial] {
      #expect(
        TemporaryFiles.withOutputNames("Could not write '\(name)': the disk is full.")
          == "Could not write '\(folder.path("my film.mov"))': the disk is full.")
    }
    #expect(TemporaryFiles.withOutputNames("Nothing of it.") == "Nothing of it.")
    let inside = try self.output(folder.path("parts"), kind: .folder)
    let unfinished = inside.temporaryURL.path + "/.picture.mov.D9DBC471-BD4F-4263-873F-A716554B601E.partial"
    #expect(
      TemporaryFiles.withOutputNames("Could not write \(unfinished): the disk is full.")
        == "Could not write \(folder.path("parts"))/picture.mov: the disk is full.")
  }
}
