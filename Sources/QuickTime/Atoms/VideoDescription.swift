/// The fixed fields of a picture's sample description.
package struct VideoDescription: Hashable, Sendable {
  package var version: UInt16 = 0
  package var revision: UInt16 = 0
  package var vendor: FourCC = FourCC(0)
  package var temporalQuality: UInt32 = 0
  package var spatialQuality: UInt32 = 0
  /// The size of the coded picture in pixels.
  package var width: Int
  package var height: Int
  /// Pixels an inch, 16.16 fixed point.
  package var horizontalResolution: UInt32 = 72 << 16
  package var verticalResolution: UInt32 = 72 << 16
  package var framesPerSample: UInt16 = 1
  /// At most 31 bytes.
  package var compressorName: String
  /// 24 colour, 32 colour with alpha, above 32 grey.
  package var depth: UInt16
  /// -1 for none, 0 where a table follows.
  package var colorTableID: Int16 = -1

  package init(width: Int, height: Int, compressorName: String = "", depth: UInt16 = 24) {
    self.width = width
    self.height = height
    self.compressorName = compressorName
    self.depth = depth
  }

  init(reading reader: inout ByteReader) throws(QuickTimeError) {
    version = try reader.u16()
    revision = try reader.u16()
    vendor = try reader.fourCC()
    temporalQuality = try reader.u32()
    spatialQuality = try reader.u32()
    width = Int(try reader.u16())
    height = Int(try reader.u16())
    horizontalResolution = try reader.u32()
    verticalResolution = try reader.u32()
    try reader.skip(4)
    framesPerSample = try reader.u16()
    let name = [UInt8](try reader.data(32))
    compressorName = String(decoding: name[1..<1 + min(Int(name[0]), 31)], as: UTF8.self)
    depth = try reader.u16()
    colorTableID = try reader.i16()
    try Self.skipColorTable(&reader, colorTableID, depth)
  }

  func write(to writer: inout ByteWriter) {
    writer.u16(version)
    writer.u16(revision)
    writer.fourCC(vendor)
    writer.u32(temporalQuality)
    writer.u32(spatialQuality)
    writer.u16(UInt16(clamping: width))
    writer.u16(UInt16(clamping: height))
    writer.u32(horizontalResolution)
    writer.u32(verticalResolution)
    writer.zeros(4)
    writer.u16(framesPerSample)
    let name = Array(compressorName.utf8.prefix(31))
    writer.u8(UInt8(name.count))
    for byte in name { writer.u8(byte) }
    writer.zeros(31 - name.count)
    writer.u16(depth)
    writer.i16(colorTableID)
  }

  /// A table of 2, 4, 16 or 256 colours follows the fields of a picture with a palette of its own.
  private static func skipColorTable(_ reader: inout ByteReader, _ id: Int16, _ depth: UInt16) throws(QuickTimeError) {
    guard id == 0, [1, 2, 4, 8].contains(depth & 31) else { return }
    var table = reader
    try table.skip(6)
    let last = Int(try table.u16())
    guard last < 256, (last + 1) * 8 <= table.remaining else { return }
    try reader.skip(8 + (last + 1) * 8)
  }
}
