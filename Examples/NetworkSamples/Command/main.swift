import Foundation
import SampleStream

// Sends ProRes frames over TCP, makes samples of them by hand at the other end, and decodes them in order.

private let usage = """
  NetworkSamples send MOVIE HOST:PORT    sends the frames of a movie
  NetworkSamples receive [HOST:]PORT     decodes what is sent; HOST is 127.0.0.1 unless it is said
  NetworkSamples both MOVIE              does both on this machine
  """

private func place(_ text: String) throws -> (host: String, port: UInt16) {
  let parts = text.split(separator: ":", omittingEmptySubsequences: false)
  guard let last = parts.last, let port = UInt16(last), parts.count <= 2 else {
    throw StreamError("'\(text)' is no place; write HOST:PORT.")
  }
  return (parts.count == 2 ? String(parts[0]) : "127.0.0.1", port)
}

private func receive(_ listener: Listener) throws {
  let receiver = Receiver { FileHandle.standardOutput.write(Data("\($0)\n".utf8)) }
  try receiver.receive(from: listener.accept())
}

private func both(_ movie: URL) throws {
  let listener = try Listener(port: 0)
  let port = listener.port
  let sender = Thread {
    do {
      try Sender.send(movie, to: Connection(to: "127.0.0.1", port: port))
    } catch {
      FileHandle.standardError.write(Data("\(error)\n".utf8))
    }
  }
  sender.start()
  try receive(listener)
}

private func run(_ arguments: [String]) throws {
  switch (arguments.first, arguments.count) {
  case ("send", 3):
    let (host, port) = try place(arguments[2])
    try Sender.send(URL(fileURLWithPath: arguments[1]), to: Connection(to: host, port: port))
  case ("receive", 2):
    let (host, port) = try place(arguments[1])
    try receive(Listener(at: host, port: port))
  case ("both", 2): try both(URL(fileURLWithPath: arguments[1]))
  default:
    FileHandle.standardError.write(Data((usage + "\n").utf8))
    exit(2)
  }
}

do {
  try run(Array(CommandLine.arguments.dropFirst()))
} catch {
  FileHandle.standardError.write(Data("\(error)\n".utf8))
  exit(1)
}
