internal import Foundation

/// The descriptors of an `esds` box (ISO/IEC 14496-1, 7.2.6): what MPEG-4 audio and video put around their configuration.
enum ElementaryStreamDescriptor {
  private enum Tag {
    static let stream: UInt8 = 3
    static let decoderConfiguration: UInt8 = 4
    static let decoderSpecificInfo: UInt8 = 5
    static let synchronisation: UInt8 = 6
  }

  /// The decoder's configuration inside an `esds` payload, with or without its version and flags; nil if there is none.
  static func decoderConfiguration(in payload: Data) -> Data? {
    guard var rest = decoder(in: payload)?.dropFirst(13) else { return nil }
    return descriptor(Tag.decoderSpecificInfo, in: &rest).map { Data($0) }
  }

  /// Which codec the stream has: 0x20 MPEG-4 video, 0x40 MPEG-4 audio, 0x6C JPEG…
  static func objectType(in payload: Data) -> UInt8? { decoder(in: payload)?.first }

  /// The body of the decoder configuration descriptor: 13 bytes or more.
  private static func decoder(in payload: Data) -> ArraySlice<UInt8>? {
    var bytes = ArraySlice(payload)
    if bytes.first == 0 { bytes = bytes.dropFirst(4) }
    guard let stream = descriptor(Tag.stream, in: &bytes), stream.count >= 3 else { return nil }
    var inner = stream.dropFirst(2)
    let flags = inner.removeFirst()
    if flags & 0x80 != 0 { inner = inner.dropFirst(2) }
    if flags & 0x40 != 0 { inner = inner.dropFirst(1 + Int(inner.first ?? 0)) }
    if flags & 0x20 != 0 { inner = inner.dropFirst(2) }
    guard let configuration = descriptor(Tag.decoderConfiguration, in: &inner), configuration.count >= 13 else {
      return nil
    }
    return configuration
  }

  /// The next descriptor if it is of this kind: a tag, a length in groups of seven bits, a body.
  private static func descriptor(_ tag: UInt8, in bytes: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    guard bytes.popFirst() == tag else { return nil }
    var length = 0
    for _ in 0..<4 {
      guard let next = bytes.popFirst() else { return nil }
      length = length << 7 | Int(next & 0x7F)
      if next & 0x80 == 0 { break }
    }
    guard length <= bytes.count else { return nil }
    defer { bytes = bytes.dropFirst(length) }
    return bytes.prefix(length)
  }

  /// An `esds` payload for AAC with this configuration.
  ///
  /// - Parameter averageBitRate: bits a second; 0 where it varies.
  static func payload(audioConfiguration: Data, averageBitRate: UInt32) -> Data {
    let info = wrapped(Tag.decoderSpecificInfo, audioConfiguration)
    var configuration = Data([0x40, 0x15, 0, 0x18, 0])  // MPEG-4 audio, an audio stream, a buffer of 6144 bytes
    configuration.append(bigEndian: averageBitRate)
    configuration.append(bigEndian: averageBitRate)
    configuration.append(info)
    var stream = Data([0, 0, 0])  // no stream number, no flags
    stream.append(wrapped(Tag.decoderConfiguration, configuration))
    stream.append(wrapped(Tag.synchronisation, Data([2])))
    return Data([0, 0, 0, 0]) + wrapped(Tag.stream, stream)
  }

  private static func wrapped(_ tag: UInt8, _ body: Data) -> Data {
    let length = [21, 14, 7, 0].map { UInt8(truncatingIfNeeded: body.count >> $0) & 0x7F }
    return Data([tag, length[0] | 0x80, length[1] | 0x80, length[2] | 0x80, length[3]]) + body
  }
}
