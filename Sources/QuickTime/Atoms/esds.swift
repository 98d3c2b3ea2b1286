package import Foundation

/// `esds`: the MPEG-4 descriptor of an elementary stream; what is needed to decode AAC.
package struct ElementaryStreamAtom: Atom, Hashable, Sendable {
  package let type: FourCC = "esds"
  package var streamID: UInt16
  /// 0x40 MPEG-4 audio, 0x69 and 0x6B MP3…
  package var objectType: UInt8
  /// 5 audio, 4 video.
  package var streamType: UInt8
  package var bufferBytes: UInt32
  /// In bits a second.
  package var maximumBitRate: UInt32
  package var averageBitRate: UInt32
  /// AudioSpecificConfig for MPEG-4 audio; empty where there is none.
  package var decoderConfiguration: Data

  private enum Tag {
    static let stream: UInt8 = 3
    static let decoder: UInt8 = 4
    static let specific: UInt8 = 5
    static let syncLayer: UInt8 = 6
  }

  package init(
    objectType: UInt8, streamType: UInt8, decoderConfiguration: Data, averageBitRate: UInt32 = 0,
    maximumBitRate: UInt32 = 0
  ) {
    streamID = 0
    self.objectType = objectType
    self.streamType = streamType
    bufferBytes = 0
    self.maximumBitRate = maximumBitRate
    self.averageBitRate = averageBitRate
    self.decoderConfiguration = decoderConfiguration
  }

  package init(reading reader: inout ByteReader) throws(QuickTimeError) {
    _ = try reader.versionAndFlags()
    var stream = try Self.descriptor(Tag.stream, in: &reader)
    streamID = try stream.u16()
    try Self.skipOptionalFields(&stream)
    var decoder = try Self.descriptor(Tag.decoder, in: &stream)
    objectType = try decoder.u8()
    streamType = try decoder.u8() >> 2
    bufferBytes = try decoder.u24()
    maximumBitRate = try decoder.u32()
    averageBitRate = try decoder.u32()
    decoderConfiguration = Data()
    if decoder.remaining >= 2 {
      var specific = try Self.descriptor(Tag.specific, in: &decoder)
      decoderConfiguration = specific.rest()
    }
  }

  package func write(to writer: inout ByteWriter) {
    writer.versionAndFlags(0)
    Self.descriptor(Tag.stream, in: &writer) { stream in
      stream.u16(streamID)
      stream.u8(0)
      Self.descriptor(Tag.decoder, in: &stream) { decoder in
        decoder.u8(objectType)
        decoder.u8(streamType << 2 | 1)
        decoder.u24(bufferBytes)
        decoder.u32(maximumBitRate)
        decoder.u32(averageBitRate)
        if !decoderConfiguration.isEmpty {
          Self.descriptor(Tag.specific, in: &decoder) { $0.data(decoderConfiguration) }
        }
      }
      Self.descriptor(Tag.syncLayer, in: &stream) { $0.u8(2) }
    }
  }

  /// Flags say which of dependency, URL and clock stream follow.
  private static func skipOptionalFields(_ stream: inout ByteReader) throws(QuickTimeError) {
    let flags = try stream.u8()
    if flags & 0x80 != 0 { try stream.skip(2) }
    if flags & 0x40 != 0 { try stream.skip(Int(try stream.u8())) }
    if flags & 0x20 != 0 { try stream.skip(2) }
  }

  /// Seven bits of the length a byte, at most four bytes.
  private static func descriptor(_ tag: UInt8, in reader: inout ByteReader) throws(QuickTimeError) -> ByteReader {
    let place = reader
    guard try reader.u8() == tag else { throw place.malformed("lacks descriptor \(tag)") }
    var length = 0
    for _ in 0..<4 {
      let byte = try reader.u8()
      length = length << 7 | Int(byte & 0x7F)
      if byte & 0x80 == 0 { break }
    }
    return try reader.window(length)
  }

  private static func descriptor(_ tag: UInt8, in writer: inout ByteWriter, _ body: (inout ByteWriter) -> Void) {
    var content = ByteWriter()
    body(&content)
    writer.u8(tag)
    for shift in [21, 14, 7] { writer.u8(UInt8(truncatingIfNeeded: content.count >> shift) | 0x80) }
    writer.u8(UInt8(truncatingIfNeeded: content.count) & 0x7F)
    writer.data(content.data)
  }
}
