/// The fixed fields of a time-code track's sample description; each sample is a 32-bit frame number.
package struct TimeCodeDescription: Hashable, Sendable {
  /// Bit 0 drop frame, 1 wraps at 24 hours, 2 negative times allowed, 3 counter.
  package var flags: UInt32
  /// Units a second.
  package var timescale: UInt32
  /// The duration of a frame in units of `timescale`.
  package var frameDuration: UInt32
  /// Frames a second, rounded up.
  package var framesPerSecond: UInt8

  package init(flags: UInt32, timescale: UInt32, frameDuration: UInt32, framesPerSecond: UInt8) {
    self.flags = flags
    self.timescale = timescale
    self.frameDuration = frameDuration
    self.framesPerSecond = framesPerSecond
  }

  init(reading reader: inout ByteReader) throws(QuickTimeError) {
    try reader.skip(4)
    flags = try reader.u32()
    timescale = try reader.u32()
    frameDuration = try reader.u32()
    framesPerSecond = try reader.u8()
    if reader.remaining > 0 { try reader.skip(1) }
  }

  func write(to writer: inout ByteWriter) {
    writer.zeros(4)
    writer.u32(flags)
    writer.u32(timescale)
    writer.u32(frameDuration)
    writer.u8(framesPerSecond)
    writer.u8(0)
  }
}
