package import Foundation

/// `mvhd`: the movie's time scale, duration, dates and matrix.
package struct MovieHeaderAtom: Atom, Hashable, Sendable {
  package let type: FourCC = "mvhd"
  package var creationDate: Date?
  package var modificationDate: Date?
  /// Units a second of the durations of the movie, its tracks and their edits; positive.
  package var timescale: Int32
  /// In units of `timescale`; nil where the file says unknown.
  package var duration: Int64?
  /// The preferred rate in 16.16 fixed point.
  package var rate: Int32 = 1 << 16
  /// The preferred volume in 8.8 fixed point.
  package var volume: Int16 = 1 << 8
  package var matrix = MovieMatrix.identity
  package var nextTrackID: UInt32

  package init(timescale: Int32, duration: Int64?, nextTrackID: UInt32, creationDate: Date? = nil) {
    self.timescale = timescale
    self.duration = duration
    self.nextTrackID = nextTrackID
    self.creationDate = creationDate
    modificationDate = creationDate
  }

  package init(reading reader: inout ByteReader) throws(QuickTimeError) {
    let (version, _) = try reader.versionAndFlags()
    creationDate = MovieDate.date(try reader.time(version))
    modificationDate = MovieDate.date(try reader.time(version))
    timescale = try reader.timescale()
    duration = try reader.duration(version)
    rate = try reader.i32()
    volume = try reader.i16()
    try reader.skip(10)
    matrix = try MovieMatrix(reading: &reader)
    try reader.skip(24)
    nextTrackID = try reader.u32()
  }

  package func write(to writer: inout ByteWriter) {
    let version = TimeFields.version(duration, creationDate, modificationDate)
    writer.versionAndFlags(version)
    writer.time(MovieDate.seconds(creationDate), version)
    writer.time(MovieDate.seconds(modificationDate), version)
    writer.i32(timescale)
    writer.duration(duration, version)
    writer.i32(rate)
    writer.i16(volume)
    writer.zeros(10)
    matrix.write(to: &writer)
    writer.zeros(24)
    writer.u32(nextTrackID)
  }
}
