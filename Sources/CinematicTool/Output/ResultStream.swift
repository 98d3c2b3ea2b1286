import Foundation

/// Takes a long result piece by piece: into the temporary file of an output, which appears when all is done, or, where the output is
/// standard output, a device or a pipe, straight there.
final class ResultStream {
  private let output: SafeOutput
  private let destination: Destination
  /// Whether somebody still reads; what is written after that is lost, as it should be.
  private(set) var isRead = true

  private enum Destination {
    case console(Console)
    case descriptor(Int32, isTemporary: Bool)
  }

  init(_ output: SafeOutput) throws {
    self.output = output
    switch output.target {
    case .console(let console): destination = .console(console)
    case .path:
      destination = .descriptor(
        try Self.open(output.temporaryURL.path, O_WRONLY | O_CREAT | O_EXCL, output.name), isTemporary: true)
    case .stream(let path):
      destination = .descriptor(try Self.open(path, O_WRONLY, output.name), isTemporary: false)
    }
  }

  private static func open(_ path: String, _ flags: Int32, _ name: String) throws -> Int32 {
    let descriptor = Foundation.open(path, flags | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw Failure(errno: errno, "write", name) }
    return descriptor
  }

  deinit { if case .descriptor(let descriptor, _) = destination { close(descriptor) } }

  /// Writes all bytes, unless the reader has gone. Throws `Failure`.
  func write(_ bytes: UnsafeRawBufferPointer) throws {
    guard isRead, let base = bytes.baseAddress else { return }
    // What is written is not kept: no copy is needed.
    let data = Data(
      bytesNoCopy: UnsafeMutableRawPointer(mutating: base), count: bytes.count, deallocator: .none)
    switch destination {
    case .console(let console):
      console.write(data)
      try console.checkOutput()
      isRead = !console.isReaderGone
    case .descriptor(let descriptor, _):
      let code = Console.writeAll(data, to: descriptor)
      isRead = code != EPIPE
      guard code == 0 || code == EPIPE else { throw Failure(errno: code, "write", output.name) }
    }
  }

  func write(_ text: String) throws { try Array(text.utf8).withUnsafeBytes { try write($0) } }

  /// Gives a file its place. Throws `Failure`.
  func finish() throws {
    if case .descriptor(_, isTemporary: true) = destination { try output.commit() } else { output.discard() }
  }
}
