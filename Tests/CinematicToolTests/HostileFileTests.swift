import Cinematic
import CinematicTool
import Foundation
import Glibc
import Testing

/// Files that are no files, names that lead nowhere, and movies with damaged atoms: one sentence, and nothing left behind.
@Suite struct HostileFileTests {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  private func pipe() throws -> String {
    let path = folder.path("pipe")
    try #require(mkfifo(path, 0o600) == 0)
    return path
  }

  /// One sentence, status 1, and JSON that says the same.
  private func expectRefusal(_ arguments: String..., saying part: String) async {
    let result = await cinematic(arguments + ["--json"])
    #expect(result.status == ExitStatus.failed, "\(arguments)")
    #expect(result.errors.split(separator: "\n").count == 1, "\(result.errors)")
    #expect(result.errors.contains(part), "\(result.errors)")
    #expect(result.errorName != nil)
  }

  @Test func `a pipe or a device is no movie, and nobody waits for it`() async throws {
    let output = folder.path("out.mov")
    for path in [try pipe(), "/dev/zero", "/dev/full"] {
      await expectRefusal("info", path, saying: "not a regular file")
      await expectRefusal("render", path, "-o", output, saying: "not a regular file")
      await expectRefusal("pack", "--picture", path, "--disparity", path, "-o", output, saying: "not a regular file")
    }
    #expect(folder.names == ["pipe"])
  }

  @Test func `edits and scripts are read from files and from pipes that end`() throws {
    let complaint = { (path: String) in
      (#expect(throws: Failure.self) { try EditsFile(path).read() })?.message ?? ""
    }
    #expect(complaint("/dev/zero").contains("it is a device"))
    #expect(complaint(folder.url.path).contains("it is a folder"))
    #expect(complaint(folder.path("none")).contains("no such file"))
    // Nobody writes to it: that is an end, too.
    #expect(complaint(try pipe()).contains("cannot be used"))
  }

  @Test func `a pipe of edits is read once, to its end`() async throws {
    let source = try await synth(folder, "sample.mov")
    var ends: [Int32] = [0, 0]
    try #require(Glibc.pipe(&ends) == 0)
    defer { close(ends[0]) }
    let bytes = [UInt8](CNScript.Changes(fNumber: 4).jsonRepresentation)
    #expect(write(ends[1], bytes, bytes.count) == bytes.count)
    close(ends[1])
    let result = await cinematic("edit", source, folder.path("my.edits"), "import", "/dev/fd/\(ends[0])")
    #expect(result.status == ExitStatus.done, "\(result.errors)")
    #expect(try EditsFile(folder.path("my.edits")).read().fNumber == 4)
  }

  @Test func `a script that cannot be read is named with its reason`() async throws {
    let source = try await synth(folder, "sample.mov")
    for (path, reason) in [(folder.url.path, "it is a folder"), (folder.path("none.json"), "no such file")] {
      await expectRefusal(
        "pack", "--picture", source, "--disparity", source, "--script", path, "-o", folder.path("new.mov"),
        saying: "cannot read '\(path)': ")
      await expectRefusal(
        "pack", "--picture", source, "--disparity", source, "--script", path, "-o", folder.path("new.mov"),
        saying: reason)
    }
    #expect(folder.names == ["sample.mov"])
  }

  @Test func `links that lead nowhere are no outputs`() throws {
    let manager = FileManager.default
    try manager.createSymbolicLink(atPath: folder.path("nowhere"), withDestinationPath: "none")
    try manager.createSymbolicLink(atPath: folder.path("circle"), withDestinationPath: "circle")
    for name in ["nowhere", "circle"] {
      for replaces in [false, true] {
        #expect(throws: Failure.self) {
          try SafeOutput(
            folder.path(name), replaces: replaces, inputs: [], console: TestConsole().console())
        }
      }
      #expect(EditsFile(folder.path(name)).isThere)
    }
    #expect(folder.names == ["circle", "nowhere"])
    #expect(throws: Failure.self) {
      try SafeOutput("/dev/null", replaces: true, inputs: [], kind: .folder, console: TestConsole().console())
    }
  }

  @Test func `Foundation's errors become a sentence`() {
    let cause = NSError(domain: NSPOSIXErrorDomain, code: Int(ENOSPC))
    let error = NSError(
      domain: NSCocoaErrorDomain, code: 640, userInfo: [NSUnderlyingErrorKey: cause, NSFilePathErrorKey: "/a/b"])
    #expect(Failure(describing: error).message == "cannot use '/a/b': the disk is full")
    #expect(!Failure(describing: CocoaError(.fileReadCorruptFile)).message.contains("Domain="))
  }

  @Test func `control characters of names do not reach the terminal`() async {
    let result = await cinematic("info", "\u{1B}[31m\u{9B}2J\u{7}.mov")
    #expect(result.status == ExitStatus.failed)
    #expect(!result.errors.dropLast().unicodeScalars.contains { $0.properties.generalCategory == .control })
  }

  @Test func `an edits file is unharmed by an edit that is refused`() async throws {
    let source = try await synth(folder, "sample.mov")
    let edits = folder.path("my.edits")
    #expect(await cinematic("edit", source, edits, "aperture", "4").status == ExitStatus.done)
    let before = try Data(contentsOf: URL(fileURLWithPath: edits))
    #expect(await cinematic("edit", source, edits, "add", "--at", "99", "--point", "0.5,0.5").status == 1)
    #expect(await cinematic("edit", source, edits, "add", "--at", "0", "--detection", "99").status == 1)
    #expect(await cinematic("edit", source, edits, "import", "/dev/zero", "-y").status == 1)
    #expect(try Data(contentsOf: URL(fileURLWithPath: edits)) == before)
    #expect(folder.names == ["my.edits", "sample.mov"])
  }

  /// Sizes that lie in each way: to the end of the file, a 64-bit size that is not there, shorter than the header, past the end.
  @Test(arguments: [0, 1, 7, 0xFFFF_FFFF] as [UInt32])
  func `movies with one wrong atom size are opened or refused`(size: UInt32) async throws {
    let path = folder.path("small.mov")
    let made = await cinematic("synth", "-o", path, "--size", "64x64", "--frames", "3")
    try #require(made.status == 0, "\(made.errors)")
    let movie = try Data(contentsOf: URL(fileURLWithPath: path))
    let damaged = folder.path("damaged.mov")
    // The tables and headers that say how many samples there are, and where and when.
    for type in [
      "moov", "mvhd", "trak", "tkhd", "mdhd", "elst", "stbl", "stsd", "stts", "stsz", "stsc", "stco", "tref",
    ] {
      for place in places(of: type, in: movie) {
        var bytes = movie
        bytes.replaceSubrange(place..<place + 4, with: withUnsafeBytes(of: size.bigEndian) { Data($0) })
        try bytes.write(to: URL(fileURLWithPath: damaged))
        for arguments in [
          ["info", damaged, "--frames", "--check"],
          ["extract", damaged, "-o", folder.path("parts"), "--disparity", "png"],
          ["render", damaged, "-o", folder.path("out.mov"), "--quality", "thumbnail", "--preset", "ultrafast"],
          ["frame", damaged, "--at", "0", "-o", folder.path("out.png"), "--quality", "thumbnail"],
        ] {
          let result = await cinematic(arguments)
          #expect([0, 1].contains(result.status), "\(type) at \(place): \(arguments) \(result.errors)")
          let added = folder.names.filter { !["damaged.mov", "small.mov"].contains($0) }
          #expect(result.status == 0 || added.isEmpty, "\(type) at \(place): \(added)")
          for name in added { try FileManager.default.removeItem(atPath: folder.path(name)) }
        }
      }
    }
  }

  /// Where the atoms of a type begin.
  private func places(of type: String, in movie: Data) -> [Int] {
    var places: [Int] = []
    var rest = movie.startIndex..<movie.endIndex
    while let found = movie.range(of: Data(type.utf8), in: rest) {
      if found.lowerBound >= 4 { places.append(found.lowerBound - 4) }
      rest = found.upperBound..<movie.endIndex
    }
    return places
  }
}
