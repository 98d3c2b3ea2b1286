package import Cinematic
import Foundation

/// A file of edits: the changes of a script in their binary form, or as JSON where the name ends in `.json`.
///
/// Either form is recognised by its content when it is read.
package struct EditsFile: Sendable {
  package let path: String

  package init(_ path: String) { self.path = path }

  /// Also true for a symbolic link that leads nowhere: edits cannot be kept there.
  package var isThere: Bool { FileIdentity.isTaken(path) }

  /// The edits in the file. Throws `Failure` if there is none, or if it holds something else.
  package func read() throws -> CNScript.Changes { try changes(in: contents()) }

  /// The edits in the file's bytes, for one that can be read once only.
  func changes(in data: Data) throws -> CNScript.Changes {
    do {
      if data.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) == UInt8(ascii: "{") {
        return try CNScript.Changes(jsonRepresentation: data)
      }
      return try CNScript.Changes(reading: data)
    } catch {
      var failure = Failure(describing: error)
      failure.message = "'\(path)' cannot be used: \(failure.message)"
      throw failure
    }
  }

  /// The bytes of the file; throws `Failure` for one that cannot be edits.
  func contents() throws -> Data { try SmallFile.contents(of: path) }

  /// Replaces the file in one step; on an error it stays as it is. The movie can never be replaced.
  package func write(_ changes: CNScript.Changes, movie: String, console: Console) throws {
    let isJSON = URL(fileURLWithPath: path).pathExtension.lowercased() == "json"
    let output = try SafeOutput(path, replaces: true, inputs: [movie], console: console)
    try output.write(isJSON ? changes.jsonRepresentation + Data("\n".utf8) : changes.dataRepresentation)
    try output.commit()
  }
}

extension Invocation {
  /// The edits named by `--edits`; nil where the option is not given. Throws `Failure` where they cannot be read.
  package func edits() throws -> CNScript.Changes? {
    try value("edits").map { try EditsFile($0).read() }
  }
}
