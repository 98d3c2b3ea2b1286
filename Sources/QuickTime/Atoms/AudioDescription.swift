/// The fixed fields of a sound's sample description, in QuickTime's three versions.
package struct AudioDescription: Hashable, Sendable {
  /// 0 plain, 1 with the sizes of packets, 2 with 64-bit rates and many channels.
  package var version: UInt16 = 0
  package var revision: UInt16 = 0
  package var vendor = FourCC(0)
  package var channels: Int
  package var bitsPerChannel: Int
  package var compressionID: Int16 = 0
  package var packetBytes: UInt16 = 0
  /// In samples a second.
  package var sampleRate: Double
  /// Versions 1 and 2: the frames of a packet (1 for PCM), the bytes of a packet, a frame (all channels) and a sample; else 0.
  package var framesPerPacket = 0
  package var bytesPerPacket = 0
  package var bytesPerFrame = 0
  package var bytesPerSample = 0
  /// Version 2: the flags of Core Audio for `lpcm`: 1 float, 2 big-endian, 4 signed integer, 8 packed…
  package var formatFlags: UInt32 = 0

  private static let version2Bytes: UInt32 = 72

  package init(channels: Int, bitsPerChannel: Int, sampleRate: Double, version: UInt16 = 0) {
    self.channels = channels
    self.bitsPerChannel = bitsPerChannel
    self.sampleRate = sampleRate
    self.version = version
  }

  /// `tableVersion` is that of `stsd`: 1 means MP4, whose version 1 has no further fields.
  init(reading reader: inout ByteReader, tableVersion: UInt8) throws(QuickTimeError) {
    version = try reader.u16()
    revision = try reader.u16()
    vendor = try reader.fourCC()
    channels = Int(try reader.u16())
    bitsPerChannel = Int(try reader.u16())
    compressionID = try reader.i16()
    packetBytes = try reader.u16()
    sampleRate = Double(try reader.u32()) / 65_536
    if version == 1 && tableVersion == 0 { try readVersion1(&reader) }
    if version == 2 { try readVersion2(&reader) }
  }

  private mutating func readVersion1(_ reader: inout ByteReader) throws(QuickTimeError) {
    framesPerPacket = Int(try reader.u32())
    bytesPerPacket = Int(try reader.u32())
    bytesPerFrame = Int(try reader.u32())
    bytesPerSample = Int(try reader.u32())
  }

  private mutating func readVersion2(_ reader: inout ByteReader) throws(QuickTimeError) {
    let place = reader
    let structBytes = try reader.u32()
    let rate = try reader.f64()
    guard rate.isFinite, rate >= 0 else { throw place.malformed("has an impossible sample rate of \(rate)") }
    sampleRate = rate
    channels = Int(try reader.u32())
    try reader.skip(4)
    bitsPerChannel = Int(try reader.u32())
    formatFlags = try reader.u32()
    bytesPerPacket = Int(try reader.u32())
    bytesPerFrame = bytesPerPacket
    framesPerPacket = Int(try reader.u32())
    // The stated size covers everything from the entry's size on; later writers may have added fields.
    if structBytes > Self.version2Bytes { try reader.skip(Int(structBytes - Self.version2Bytes)) }
  }

  func write(to writer: inout ByteWriter) {
    writer.u16(version)
    writer.u16(revision)
    writer.fourCC(vendor)
    writer.u16(version == 2 ? 3 : UInt16(clamping: channels))
    writer.u16(version == 2 ? 16 : UInt16(clamping: bitsPerChannel))
    writer.i16(version == 2 ? -2 : compressionID)
    writer.u16(packetBytes)
    writer.u32(version == 2 ? 1 << 16 : Self.fixed(sampleRate))
    if version == 1 {
      for value in [framesPerPacket, bytesPerPacket, bytesPerFrame, bytesPerSample] {
        writer.u32(UInt32(clamping: value))
      }
    }
    if version == 2 { writeVersion2(&writer) }
  }

  private func writeVersion2(_ writer: inout ByteWriter) {
    writer.u32(Self.version2Bytes)
    writer.f64(sampleRate)
    writer.u32(UInt32(clamping: channels))
    writer.u32(0x7F00_0000)
    writer.u32(UInt32(clamping: bitsPerChannel))
    writer.u32(formatFlags)
    writer.u32(UInt32(clamping: bytesPerPacket))
    writer.u32(UInt32(clamping: framesPerPacket))
  }

  private static func fixed(_ rate: Double) -> UInt32 {
    let scaled = (rate * 65_536).rounded()
    return scaled.isNaN ? 0 : UInt32(max(0, min(4_294_967_295, scaled)))
  }
}
