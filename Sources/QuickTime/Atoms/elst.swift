/// One stretch of a track's presentation.
package struct Edit: Hashable, Sendable {
  /// In units of the movie's time scale.
  package var segmentDuration: Int64
  /// Where it starts in the media, in units of the media's time scale; -1 where nothing is shown (an empty edit).
  package var mediaTime: Int64
  /// 16.16 fixed point; 1 << 16 is the normal speed, 0 holds one picture.
  package var rawRate: Int32

  package init(segmentDuration: Int64, mediaTime: Int64, rate: Double = 1) {
    self.segmentDuration = segmentDuration
    self.mediaTime = mediaTime
    let scaled = (rate * 65_536).rounded()
    rawRate = scaled.isNaN ? 1 << 16 : Int32(max(-2_147_483_648, min(2_147_483_647, scaled)))
  }

  init(segmentDuration: Int64, mediaTime: Int64, rawRate: Int32) {
    self.segmentDuration = segmentDuration
    self.mediaTime = mediaTime
    self.rawRate = rawRate
  }

  package var isEmpty: Bool { mediaTime == -1 }
  package var rate: Double { Double(rawRate) / 65_536 }
}

/// `elst`: which part of the media is shown when.
package struct EditListAtom: Atom, Hashable, Sendable {
  package let type: FourCC = "elst"
  package var edits: [Edit]

  package init(edits: [Edit]) {
    self.edits = edits
  }

  package init(reading reader: inout ByteReader) throws(QuickTimeError) {
    let (version, _) = try reader.versionAndFlags()
    let place = reader
    let count = try reader.count(entryBytes: version == 1 ? 20 : 12)
    guard count <= ReadingLimit.edits else {
      throw place.malformed("has \(count) edits, too many to read", .unsupported)
    }
    edits = []
    edits.reserveCapacity(count)
    for _ in 0..<count { edits.append(try Self.edit(&reader, version)) }
  }

  package func write(to writer: inout ByteWriter) {
    let isLong = edits.contains { $0.segmentDuration > UInt32.max || Int32(exactly: $0.mediaTime) == nil }
    writer.versionAndFlags(isLong ? 1 : 0)
    writer.u32(UInt32(edits.count))
    for edit in edits {
      if isLong {
        writer.i64(edit.segmentDuration)
        writer.i64(edit.mediaTime)
      } else {
        writer.u32(UInt32(truncatingIfNeeded: edit.segmentDuration))
        writer.i32(Int32(truncatingIfNeeded: edit.mediaTime))
      }
      writer.i32(edit.rawRate)
    }
  }

  private static func edit(_ reader: inout ByteReader, _ version: UInt8) throws(QuickTimeError) -> Edit {
    let place = reader
    let duration = try version == 1 ? reader.i64() : Int64(reader.u32())
    let mediaTime = try version == 1 ? reader.i64() : Int64(reader.i32())
    let limit = ReadingLimit.time
    guard duration >= 0, duration <= limit, mediaTime >= -1, mediaTime <= limit else {
      throw place.malformed("has an impossible edit: duration \(duration), media time \(mediaTime)")
    }
    return Edit(segmentDuration: duration, mediaTime: mediaTime, rawRate: try reader.i32())
  }
}
