import Foundation
import SampleStream

// Sends ProRes frames over TCP, makes samples of them by hand at the other end, and decodes them in order.

private let usage = """
  NetworkSamples send MOVIE HOST:PORT    sends the frames of a movie
  NetworkSamples receive [HOST:]PORT     decodes what one sender sends; HOST is 127.0.0.1 unless it is said
  NetworkSamples both MOVIE              does both on this machine
  """

private func place(_ text: String) throws -> (host: String, port: UInt16) {
  let parts = text.split(separator: ":", omittingEmptySubsequences: false)
  guard let last = parts.last, let port = UInt16(last), parts.count <= 2 else {
    throw StreamError("'\(text)' is no place; write HOST:PORT.")
  }
  return (parts.count == 2 ? String(parts[0]) : "127.0.0.1", port)
}

private func note(_ sentence: String) { FileHandle.standardError.write(Data((sentence + "\n").utf8)) }

/// Follows one sender to its end. Throws where a frame could not be decoded.
private func receive(_ listener: Listener) throws {
  let receiver = Receiver { FileHandle.standardOutput.write(Data("\($0)\n".utf8)) }
  try receiver.receive(from: listener.accept())
  let (frames, lost) = receiver.counts
  guard lost == 0 else {
    throw StreamError("\(lost) of \(frames) frames could not be decoded; get an undamaged copy of the movie.")
  }
}

@MainActor private func both(_ movie: URL) async throws {
  let sender = try await Sender(movie)
  let listener = try Listener(port: 0)
  let port = listener.port
  let sending = Task.detached { try sender.send(to: Connection(to: "127.0.0.1", port: port)) }
  let received = Result { try receive(listener) }
  let sent = await sending.result
  // One end that breaks off breaks the other: what counts is the first cause.
  if case .failure(let error) = sent, (error as? StreamError)?.isOfPeer != true { throw error }
  try received.get()
  _ = try sent.get()
}

@MainActor private func run(_ arguments: [String]) async throws {
  switch (arguments.first, arguments.count) {
  case ("send", 3):
    let (host, port) = try place(arguments[2])
    let sender = try await Sender(URL(fileURLWithPath: arguments[1]))
    try sender.send(to: Connection(to: host, port: port))
  case ("receive", 2):
    let (host, port) = try place(arguments[1])
    let listener = try Listener(at: host, port: port)
    note("Listening at \(host):\(listener.port); this ends after one sender.")
    try receive(listener)
  case ("both", 2): try await both(URL(fileURLWithPath: arguments[1]))
  default:
    note(usage)
    exit(2)
  }
}

do {
  try await run(Array(CommandLine.arguments.dropFirst()))
} catch {
  note((error as? any LocalizedError)?.errorDescription ?? "\(error)")
  exit(1)
}
