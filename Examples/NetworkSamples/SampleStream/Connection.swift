public import Foundation
import Glibc

/// One end of a TCP connection; closed with the last reference.
public final class Connection {
  private let descriptor: Int32

  /// Seconds after which a silent peer is given up.
  private static let patience = 30

  init(descriptor: Int32) {
    self.descriptor = descriptor
    var time = timeval(tv_sec: Self.patience, tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      setsockopt(descriptor, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
    }
  }

  deinit { close(descriptor) }

  /// Connects to an IPv4 address in numbers, such as 127.0.0.1.
  public convenience init(to host: String, port: UInt16) throws {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { throw StreamError("There is no socket to be had (\(errno)).") }
    self.init(descriptor: descriptor)
    var address = try socketAddress(host, port)
    let status = withSocketAddress(&address) { connect(descriptor, $0, $1) }
    guard status == 0 else {
      throw StreamError(
        "Nobody listens at \(host):\(port) (\(String(cString: strerror(errno)))); start the receiver first.")
    }
  }

  /// Sends all bytes.
  public func send(_ data: Data) throws {
    try data.withUnsafeBytes { bytes in
      var sent = 0
      while sent < bytes.count {
        let count = Glibc.send(descriptor, bytes.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
        guard count > 0 else {
          throw StreamError(
            "The receiver is gone (\(String(cString: strerror(errno)))); it says why at its end.", isOfPeer: true)
        }
        sent += count
      }
    }
  }

  /// The next message; nil at the end. Memory grows with what has come, never with what was announced.
  public func receive() throws -> Message? {
    let head = try read(5)
    let length = head.dropFirst().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    let payload = try read(try Message.checkedLength(kind: head[0], length: length))
    let message = try Message(kind: head[0], payload: payload)
    if case .end = message { return nil }
    return message
  }

  private func read(_ count: Int) throws -> Data {
    var data = Data()
    var chunk = [UInt8](repeating: 0, count: min(count, 1 << 16))
    while data.count < count {
      let wanted = min(chunk.count, count - data.count)
      let got = recv(descriptor, &chunk, wanted, 0)
      guard got > 0 else {
        throw StreamError(
          got == 0 ? "The stream ends inside a message, or without its end." : "The sender is silent for too long.",
          isOfPeer: true)
      }
      data.append(contentsOf: chunk.prefix(got))
    }
    return data
  }
}

/// Waits for senders.
public final class Listener {
  private let descriptor: Int32
  /// Where it listens; chosen by the system where 0 was asked for.
  public let port: UInt16

  /// - Parameter host: an IPv4 address in numbers; only this machine reaches 127.0.0.1.
  public init(at host: String = "127.0.0.1", port: UInt16) throws {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var yes: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    var address = try socketAddress(host, port)
    guard withSocketAddress(&address, { bind(descriptor, $0, $1) }) == 0, listen(descriptor, 4) == 0 else {
      close(descriptor)
      throw StreamError(
        "\(host):\(port) cannot be listened at (\(String(cString: strerror(errno)))); choose another port.")
    }
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    _ = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
    }
    self.descriptor = descriptor
    self.port = UInt16(bigEndian: address.sin_port)
  }

  deinit { close(descriptor) }

  public func accept() throws -> Connection {
    let peer = Glibc.accept(descriptor, nil, nil)
    guard peer >= 0 else { throw StreamError("No sender can be accepted (\(String(cString: strerror(errno)))).") }
    return Connection(descriptor: peer)
  }
}

private func socketAddress(_ host: String, _ port: UInt16) throws -> sockaddr_in {
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = port.bigEndian
  guard inet_pton(AF_INET, host == "localhost" ? "127.0.0.1" : host, &address.sin_addr) == 1 else {
    throw StreamError("'\(host)' is no address; write one in numbers, such as 127.0.0.1.")
  }
  return address
}

private func withSocketAddress(
  _ address: inout sockaddr_in, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
) -> Int32 {
  withUnsafePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
  }
}
