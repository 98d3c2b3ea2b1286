public import CoreMedia
import Foundation

/// What goes over the wire. Every message is one byte of kind, four bytes of length, and so many bytes; numbers are big-endian.
///
///     'F'  format: codec u32, width u32, height u32, primaries u8, transfer u8, matrix u8 (ITU-T H.273, 2 says nothing),
///          full range u8 (0, 1, 2 says nothing), pixel aspect u32 : u32, fields u8 and their order u8 (as in `fiel`,
///          0 says nothing)
///     'S'  sample of the last format: time i64 / i32, duration i64 / i32, then the frame's bytes
///     'E'  the end, empty
public enum Message {
  case format(StreamFormat)
  case sample(StreamSample)
  case end
}

/// A frame as it is stored, and when it is shown.
public struct StreamSample: Equatable, Sendable {
  public var time: CMTime
  public var duration: CMTime
  public var bytes: Data

  public init(time: CMTime, duration: CMTime, bytes: Data) {
    self.time = time
    self.duration = duration
    self.bytes = bytes
  }
}

/// Why a stream was not followed to its end; one sentence.
public struct StreamError: Error, CustomStringConvertible {
  public let description: String
  /// Whether the other end broke off, and knows why.
  public let isOfPeer: Bool

  public init(_ description: String, isOfPeer: Bool = false) {
    self.description = description
    self.isOfPeer = isOfPeer
  }
}

/// Four characters as they stand in a file.
func fourCharacters(_ code: UInt32) -> String {
  String(decoding: [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: code >> UInt32($0)) }, as: UTF8.self)
}

/// The largest messages that are read: what is longer is refused before a byte of it is.
public enum StreamLimits {
  public static let format = 64
  public static let sample = 64 << 20
  /// Pixels a side.
  public static let side: UInt32 = 16_384
}

extension Message {
  public var bytes: Data {
    switch self {
    case .format(let format): Self.framed("F", format.bytes)
    case .sample(let sample): Self.framed("S", sample.head + sample.bytes)
    case .end: Self.framed("E", Data())
    }
  }

  private static func framed(_ kind: Character, _ payload: Data) -> Data {
    var data = Data([kind.asciiValue!])
    data.append(number: UInt32(payload.count))
    return data + payload
  }

  /// How many bytes of payload a message may have whose kind and length have come.
  public static func checkedLength(kind: UInt8, length: UInt32) throws -> Int {
    let most: Int
    switch Character(UnicodeScalar(kind)) {
    case "F": most = StreamLimits.format
    case "S": most = StreamLimits.sample
    case "E": most = 0
    default: throw StreamError("A message of kind \(kind) came, which is none of F, S and E; this is no sample stream.")
    }
    guard length <= most else {
      throw StreamError(
        "A message of \(length) bytes was announced, and \(most) are allowed; the stream is not followed.")
    }
    return Int(length)
  }

  public init(kind: UInt8, payload: Data) throws {
    var reader = WireReader(payload)
    switch Character(UnicodeScalar(kind)) {
    case "F": self = .format(try StreamFormat(&reader))
    case "S": self = .sample(try StreamSample(&reader))
    default: self = .end
    }
  }
}

extension StreamSample {
  fileprivate var head: Data {
    var data = Data()
    for time in [time, duration] {
      data.append(number: time.isNumeric ? time.value : 0)
      // A scale of 0 says that there is no such time.
      data.append(number: time.isNumeric ? time.timescale : 0)
    }
    return data
  }

  fileprivate init(_ reader: inout WireReader) throws {
    time = try Self.time(&reader)
    duration = try Self.time(&reader)
    bytes = reader.rest
    guard time.isNumeric else { throw StreamError("A sample without a time came; every frame needs one.") }
    guard !bytes.isEmpty else { throw StreamError("A sample without bytes came; every frame needs some.") }
  }

  private static func time(_ reader: inout WireReader) throws -> CMTime {
    let value: Int64 = try reader.number()
    let scale: Int32 = try reader.number()
    guard scale >= 0 else { throw StreamError("A sample with the time scale \(scale) came; it must not be negative.") }
    return scale == 0 ? .invalid : CMTime(value: value, timescale: scale)
  }
}

/// Takes numbers off the front of a payload.
struct WireReader {
  private var bytes: Data

  init(_ bytes: Data) { self.bytes = bytes }
  var rest: Data { Data(bytes) }

  mutating func number<Number: FixedWidthInteger>() throws -> Number {
    let size = MemoryLayout<Number>.size
    guard bytes.count >= size else { throw StreamError("A message ends inside a number; the stream is damaged.") }
    defer { bytes = bytes.dropFirst(size) }
    return bytes.prefix(size).reduce(0) { $0 << 8 | Number(truncatingIfNeeded: $1) }
  }
}

extension Data {
  mutating func append<Number: FixedWidthInteger>(number: Number) {
    Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
  }
}
