package import Foundation

/// `tkhd`: a track's number, duration, size on the screen and matrix.
package struct TrackHeaderAtom: Atom, Hashable, Sendable {
  package let type: FourCC = "tkhd"
  /// Bit 0 enabled, 1 in the movie, 2 in the preview, 3 in the poster.
  package var flags: UInt32 = 0xF
  package var creationDate: Date?
  package var modificationDate: Date?
  package var trackID: UInt32
  /// In units of the movie's time scale; nil where the file says unknown.
  package var duration: Int64?
  package var layer: Int16 = 0
  package var alternateGroup: Int16 = 0
  /// 8.8 fixed point.
  package var volume: Int16 = 0
  package var matrix = MovieMatrix.identity
  /// In pixels before the matrix.
  package var width: Double = 0
  package var height: Double = 0

  package init(trackID: UInt32, duration: Int64?) {
    self.trackID = trackID
    self.duration = duration
  }

  package var isEnabled: Bool { flags & 1 != 0 }

  package init(reading reader: inout ByteReader) throws(QuickTimeError) {
    let header = try reader.versionAndFlags()
    flags = header.flags
    creationDate = MovieDate.date(try reader.time(header.version))
    modificationDate = MovieDate.date(try reader.time(header.version))
    trackID = try reader.u32()
    try reader.skip(4)
    duration = try reader.duration(header.version)
    try reader.skip(8)
    layer = try reader.i16()
    alternateGroup = try reader.i16()
    volume = try reader.i16()
    try reader.skip(2)
    matrix = try MovieMatrix(reading: &reader)
    width = Double(try reader.u32()) / 65_536
    height = Double(try reader.u32()) / 65_536
  }

  package func write(to writer: inout ByteWriter) {
    let version = TimeFields.version(duration, creationDate, modificationDate)
    writer.versionAndFlags(version, flags)
    writer.time(MovieDate.seconds(creationDate), version)
    writer.time(MovieDate.seconds(modificationDate), version)
    writer.u32(trackID)
    writer.zeros(4)
    writer.duration(duration, version)
    writer.zeros(8)
    writer.i16(layer)
    writer.i16(alternateGroup)
    writer.i16(volume)
    writer.zeros(2)
    matrix.write(to: &writer)
    writer.u32(Self.fixed(width))
    writer.u32(Self.fixed(height))
  }

  private static func fixed(_ value: Double) -> UInt32 {
    let scaled = (value * 65_536).rounded()
    return scaled.isNaN ? 0 : UInt32(max(0, min(4_294_967_295, scaled)))
  }
}
