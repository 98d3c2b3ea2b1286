package import Foundation

/// An output that appears whole or not at all.
///
/// The result is written to `temporaryURL`, a name beside the target, and takes the target's place in one step when
/// `commit()` is called. Until then the target is untouched; an error, an interruption or a forgotten commit leaves
/// nothing behind. The output `-` is written to a temporary file and then copied to standard output.
package final class SafeOutput: Sendable {
  package enum Kind: Sendable {
    case file, folder
  }

  /// Where to write. Nothing is there yet, unless `kind` is `.folder`: then an empty folder is.
  package let temporaryURL: URL
  /// What the user called the output.
  package let name: String
  let target: Target
  private let replaces: Bool

  enum Target: Sendable {
    case path(String)
    case console(Console)
    /// A device or a pipe, which is written to and not replaced.
    case stream(String)
  }

  /// Checks that the output may be written, before any long work.
  ///
  /// - Parameters:
  ///   - name: The path as given, or `-`.
  ///   - replaces: Whether a file that is there may be replaced.
  ///   - inputs: Files that are read meanwhile; the output may be none of them.
  ///   - kind: A folder never replaces a folder that holds anything.
  /// - Throws: `Failure` that says what stands in the way.
  package init(_ name: String, replaces: Bool, inputs: [String], kind: Kind = .file, console: Console) throws {
    self.name = name
    self.replaces = replaces
    target = try Self.target(name, replaces, inputs, kind, console)
    temporaryURL = Self.temporaryURL(for: target, name)
    try TemporaryFiles.add(temporaryURL, for: name)
    guard kind == .folder else { return }
    guard mkdir(temporaryURL.path, 0o777) == 0 else { throw Failure(errno: errno, "create", name) }
  }

  deinit { discard() }

  /// Whether the result goes to standard output.
  package var isStandardOutput: Bool {
    if case .console = target { true } else { false }
  }

  /// Gives the finished result its place. Throws `Failure`, and then leaves nothing behind.
  package func commit() throws {
    defer { discard() }
    switch target {
    case .path(let path): try TemporaryFiles.settle(temporaryURL) { try moveIntoPlace(path) }
    case .console(let console):
      try copy { data in
        console.write(data)
        try console.checkOutput()
      }
    case .stream(let path): try copyToStream(path)
    }
  }

  /// Removes what has been written so far; harmless after `commit()`.
  package func discard() {
    _ = try? TemporaryFiles.settle(temporaryURL) { TemporaryFiles.remove(temporaryURL) }
  }
}

// MARK: Before the work
extension SafeOutput {
  private static func target(
    _ name: String, _ replaces: Bool, _ inputs: [String], _ kind: Kind, _ console: Console
  ) throws -> Target {
    if name == "-" {
      guard kind == .file else { throw Failure("a folder cannot be written to standard output: name one with '-o'") }
      return .console(console)
    }
    guard let there = FileIdentity(name) else {
      guard errno == ENOENT else { throw Failure(errno: errno, "write", name) }
      guard !FileIdentity.isTaken(name) else {
        throw Failure("'\(name)' is a symbolic link that leads nowhere: choose another name")
      }
      return .path(try checkedNewPath(name))
    }
    for input in inputs where FileIdentity(input) == there {
      throw Failure("the output '\(name)' is the input itself: choose another name")
    }
    if there.isStream {
      guard kind == .file else {
        throw Failure("'\(name)' is a device, and a folder is to be written: choose another name")
      }
      return .stream(name)
    }
    // A symbolic link is followed, so that it goes on pointing at the result.
    let path = URL(fileURLWithPath: name).resolvingSymlinksInPath().path
    try checkReplacement(name, path, there, replaces, kind)
    return .path(path)
  }

  private static func checkReplacement(
    _ name: String, _ path: String, _ there: FileIdentity, _ replaces: Bool, _ kind: Kind
  ) throws {
    if there.isFolder {
      guard kind == .folder else { throw Failure(errno: EISDIR, "write", name) }
      let isEmpty = (try? FileManager.default.contentsOfDirectory(atPath: path).isEmpty) ?? false
      guard isEmpty else { throw Failure("the folder '\(name)' is not empty: name a new one") }
    } else {
      guard kind == .file else {
        throw Failure("'\(name)' is a file, and a folder is to be written: choose another name")
      }
      guard replaces else { throw Failure("'\(name)' is there already: give -y to replace it") }
    }
    _ = try checkedNewPath(path)
  }

  private static func checkedNewPath(_ name: String) throws -> String {
    guard !name.isEmpty, !name.hasSuffix("/") else { throw Failure("the output '\(name)' is no file name") }
    let folder = URL(fileURLWithPath: name).deletingLastPathComponent().path
    guard let identity = FileIdentity(folder) else { throw Failure(errno: errno, "write", name) }
    guard identity.isFolder else { throw Failure(errno: ENOTDIR, "write", name) }
    guard access(folder, W_OK | X_OK) == 0 else { throw Failure(errno: errno, "write", name) }
    return name
  }

  /// Keeps the extension, by which writers choose a format, and hides the file from listings.
  private static func temporaryURL(for target: Target, _ name: String) -> URL {
    let unique = "\(getpid())-\(String(UInt32.random(in: 0...UInt32.max), radix: 36))"
    guard case .path(let path) = target else {
      return FileManager.default.temporaryDirectory.appendingPathComponent("cinematic-\(unique)")
    }
    let url = URL(fileURLWithPath: path)
    let suffix = url.pathExtension.isEmpty ? "" : "." + url.pathExtension
    // 200 bytes of the name leave room for the rest within the 255 that file systems allow.
    let stem = String(decoding: url.deletingPathExtension().lastPathComponent.utf8.prefix(200), as: UTF8.self)
    return url.deletingLastPathComponent().appendingPathComponent(".\(stem).\(unique).part\(suffix)")
  }
}

// MARK: After the work
extension SafeOutput {
  private func moveIntoPlace(_ path: String) throws {
    try synchronize()
    // A hard link fails where the name has been taken meanwhile; renaming would replace it.
    if !replaces, FileIdentity(temporaryURL.path)?.isFolder == false {
      if link(temporaryURL.path, path) == 0 { return }
      guard errno != EEXIST else { throw Failure("'\(name)' is there already: give -y to replace it") }
    }
    guard rename(temporaryURL.path, path) == 0 else { throw Failure(errno: errno, "write", name) }
  }

  /// Errors of delayed writing show now, not after the old file is gone.
  private func synchronize() throws {
    let descriptor = open(temporaryURL.path, O_RDONLY)
    guard descriptor >= 0 else { throw Failure(errno: errno, "write", name) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 || errno == EINVAL else { throw Failure(errno: errno, "write", name) }
  }

  private func copyToStream(_ path: String) throws {
    let descriptor = open(path, O_WRONLY)
    guard descriptor >= 0 else { throw Failure(errno: errno, "write", name) }
    defer { close(descriptor) }
    try copy { data in
      let code = Console.writeAll(data, to: descriptor)
      // A reader that has gone away has seen all it wanted.
      guard code == 0 || code == EPIPE else { throw Failure(errno: code, "write", name) }
    }
  }

  private func copy(_ write: (Data) throws -> Void) throws {
    let file = try FileHandle(forReadingFrom: temporaryURL)
    defer { try? file.close() }
    while let data = try file.read(upToCount: 1 << 20), !data.isEmpty { try write(data) }
  }
}

extension Invocation {
  /// The output named by `-o`, checked. The option must be there; `-y` lets it replace a file.
  ///
  /// - Throws: `UsageError` also for a name that promises something else than `format`.
  package func output(
    inputs: [String], kind: SafeOutput.Kind = .file, format: OutputFormat? = nil
  ) throws -> SafeOutput {
    let name = try required("output")
    if let format { try checkOutputName(format) }
    return try SafeOutput(name, replaces: has("overwrite"), inputs: inputs, kind: kind, console: console)
  }

  /// Throws `UsageError` for an output whose name promises something else than `format`.
  func checkOutputName(_ format: OutputFormat) throws {
    guard let name = value("output"), !format.fits(name) else { return }
    let endings = format.endings.map { ".\($0)" }.joined(separator: ", ")
    let choice = format.endings.count == 1 ? endings : "one of \(endings)"
    throw UsageError("'--output' takes a name that ends in \(choice), not '\(name)'", path: path)
  }

  /// Prints the result where programs ask for it, unless standard output is the result.
  func report(_ members: [(String, JSON)], of output: SafeOutput) {
    guard wantsJSON, !output.isStandardOutput else { return }
    console.print(JSON.object([("output", .string(output.name))] + members).text)
  }
}

extension SafeOutput {
  /// Writes the whole result at once. Throws `Failure`.
  package func write(_ data: Data) throws {
    let descriptor = open(temporaryURL.path, O_WRONLY | O_CREAT | O_EXCL, 0o666)
    guard descriptor >= 0 else { throw Failure(errno: errno, "write", name) }
    defer { close(descriptor) }
    let code = Console.writeAll(data, to: descriptor)
    guard code == 0 else { throw Failure(errno: code, "write", name) }
  }
}
