/// `trex`: what the fragments of a track take where they say nothing.
package struct TrackExtendsAtom: Atom, Hashable, Sendable {
  package let type: FourCC = "trex"
  package var trackID: UInt32
  /// Counts from 1.
  package var descriptionIndex: UInt32
  package var duration: UInt32
  package var size: UInt32
  package var flags: UInt32

  package init(trackID: UInt32, descriptionIndex: UInt32 = 1, duration: UInt32 = 0, size: UInt32 = 0, flags: UInt32 = 0)
  {
    self.trackID = trackID
    self.descriptionIndex = descriptionIndex
    self.duration = duration
    self.size = size
    self.flags = flags
  }

  package init(reading reader: inout ByteReader) throws(QuickTimeError) {
    _ = try reader.versionAndFlags()
    trackID = try reader.u32()
    descriptionIndex = try reader.u32()
    duration = try reader.u32()
    size = try reader.u32()
    flags = try reader.u32()
  }

  package func write(to writer: inout ByteWriter) {
    writer.versionAndFlags(0)
    for value in [trackID, descriptionIndex, duration, size, flags] { writer.u32(value) }
  }
}

/// `tfhd`: the track of a fragment, where its data lies, and what its runs take where they say nothing.
package struct TrackFragmentHeaderAtom: Atom, Hashable, Sendable {
  package let type: FourCC = "tfhd"
  package var trackID: UInt32
  /// The place in the file that the runs count from; nil for the start of `moof` or the end of the fragment before.
  package var baseDataOffset: UInt64?
  /// Counts from 1.
  package var descriptionIndex: UInt32?
  package var duration: UInt32?
  package var size: UInt32?
  package var flags: UInt32?
  package var isDurationEmpty = false
  /// Whether runs count from the start of `moof`.
  package var isBaseMovieFragment = false

  private enum Flag {
    static let baseDataOffset: UInt32 = 0x1
    static let descriptionIndex: UInt32 = 0x2
    static let duration: UInt32 = 0x8
    static let size: UInt32 = 0x10
    static let flags: UInt32 = 0x20
    static let isDurationEmpty: UInt32 = 0x1_0000
    static let isBaseMovieFragment: UInt32 = 0x2_0000
  }

  package init(trackID: UInt32) {
    self.trackID = trackID
  }

  package init(reading reader: inout ByteReader) throws(QuickTimeError) {
    let header = try reader.versionAndFlags().flags
    trackID = try reader.u32()
    baseDataOffset = header & Flag.baseDataOffset != 0 ? try reader.u64() : nil
    descriptionIndex = header & Flag.descriptionIndex != 0 ? try reader.u32() : nil
    duration = header & Flag.duration != 0 ? try reader.u32() : nil
    size = header & Flag.size != 0 ? try reader.u32() : nil
    flags = header & Flag.flags != 0 ? try reader.u32() : nil
    isDurationEmpty = header & Flag.isDurationEmpty != 0
    isBaseMovieFragment = header & Flag.isBaseMovieFragment != 0
  }

  package func write(to writer: inout ByteWriter) {
    var header: UInt32 = 0
    if baseDataOffset != nil { header |= Flag.baseDataOffset }
    if descriptionIndex != nil { header |= Flag.descriptionIndex }
    if duration != nil { header |= Flag.duration }
    if size != nil { header |= Flag.size }
    if flags != nil { header |= Flag.flags }
    if isDurationEmpty { header |= Flag.isDurationEmpty }
    if isBaseMovieFragment { header |= Flag.isBaseMovieFragment }
    writer.versionAndFlags(0, header)
    writer.u32(trackID)
    if let baseDataOffset { writer.u64(baseDataOffset) }
    for value in [descriptionIndex, duration, size, flags] {
      if let value { writer.u32(value) }
    }
  }
}

/// `traf`: the samples of one track in a fragment.
struct TrackFragmentAtoms {
  var header: TrackFragmentHeaderAtom
  /// The decode time of the first sample; nil where it follows the fragment before.
  var time: Int64?
  var runs: [TrackRunAtom] = []

  init(reading reader: inout ByteReader) throws(QuickTimeError) {
    let place = reader
    var header: TrackFragmentHeaderAtom?
    while var box = try reader.nextBox() {
      switch box.type {
      case "tfhd" where header == nil: header = try TrackFragmentHeaderAtom(reading: &box.payload)
      case "tfdt" where time == nil: time = try FragmentDecodeTimeAtom(reading: &box.payload).time
      case "trun": runs.append(try TrackRunAtom(reading: &box.payload))
      default: break
      }
    }
    guard let header else { throw place.malformed("has no track fragment header (tfhd)") }
    self.header = header
  }
}

/// `tfdt`: the decode time of a fragment's first sample, in units of the media's time scale.
package struct FragmentDecodeTimeAtom: Atom, Hashable, Sendable {
  package let type: FourCC = "tfdt"
  package var time: Int64

  package init(time: Int64) {
    self.time = time
  }

  package init(reading reader: inout ByteReader) throws(QuickTimeError) {
    let place = reader
    let (version, _) = try reader.versionAndFlags()
    let time = try reader.time(version)
    guard time <= UInt64(ReadingLimit.time) else {
      throw place.malformed("has an impossible decode time of \(time) units")
    }
    self.time = Int64(time)
  }

  package func write(to writer: inout ByteWriter) {
    let version: UInt8 = time > Int64(UInt32.max) ? 1 : 0
    writer.versionAndFlags(version)
    writer.time(UInt64(max(0, time)), version)
  }
}

/// `trun`: samples of a fragment that lie behind each other.
package struct TrackRunAtom: Atom, Hashable, Sendable {
  /// What a sample says for itself; nil where the defaults hold.
  package struct Entry: Hashable, Sendable {
    package var duration: UInt32?
    package var size: UInt32?
    package var flags: UInt32?
    package var compositionOffset: Int32?

    package init(duration: UInt32? = nil, size: UInt32? = nil, flags: UInt32? = nil, compositionOffset: Int32? = nil) {
      self.duration = duration
      self.size = size
      self.flags = flags
      self.compositionOffset = compositionOffset
    }
  }

  package let type: FourCC = "trun"
  package var count: UInt32
  /// From the base of the fragment; nil for the end of the run before.
  package var dataOffset: Int32?
  package var firstSampleFlags: UInt32?
  /// All with the same fields; empty where no sample says anything for itself.
  package var entries: [Entry]

  private enum Flag {
    static let dataOffset: UInt32 = 0x1
    static let firstSampleFlags: UInt32 = 0x4
    static let duration: UInt32 = 0x100
    static let size: UInt32 = 0x200
    static let flags: UInt32 = 0x400
    static let compositionOffset: UInt32 = 0x800
  }

  package init(count: UInt32, dataOffset: Int32? = nil, firstSampleFlags: UInt32? = nil, entries: [Entry] = []) {
    self.count = count
    self.dataOffset = dataOffset
    self.firstSampleFlags = firstSampleFlags
    self.entries = entries
  }

  package init(reading reader: inout ByteReader) throws(QuickTimeError) {
    let header = try reader.versionAndFlags().flags
    let place = reader
    count = try reader.u32()
    dataOffset = header & Flag.dataOffset != 0 ? try reader.i32() : nil
    firstSampleFlags = header & Flag.firstSampleFlags != 0 ? try reader.u32() : nil
    entries = []
    let fields = [Flag.duration, Flag.size, Flag.flags, Flag.compositionOffset].filter { header & $0 != 0 }.count
    guard fields > 0 else { return }
    guard Int(count) <= reader.remaining / (4 * fields) else {
      throw place.malformed("claims \(count) samples but has \(reader.remaining) bytes for them")
    }
    for _ in 0..<count {
      entries.append(
        Entry(
          duration: header & Flag.duration != 0 ? try reader.u32() : nil,
          size: header & Flag.size != 0 ? try reader.u32() : nil,
          flags: header & Flag.flags != 0 ? try reader.u32() : nil,
          compositionOffset: header & Flag.compositionOffset != 0 ? try reader.i32() : nil))
    }
  }

  package func write(to writer: inout ByteWriter) {
    let first = entries.first
    var header: UInt32 = 0
    if dataOffset != nil { header |= Flag.dataOffset }
    if firstSampleFlags != nil { header |= Flag.firstSampleFlags }
    if first?.duration != nil { header |= Flag.duration }
    if first?.size != nil { header |= Flag.size }
    if first?.flags != nil { header |= Flag.flags }
    if first?.compositionOffset != nil { header |= Flag.compositionOffset }
    writer.versionAndFlags(entries.contains { $0.compositionOffset ?? 0 < 0 } ? 1 : 0, header)
    writer.u32(count)
    if let dataOffset { writer.i32(dataOffset) }
    if let firstSampleFlags { writer.u32(firstSampleFlags) }
    for entry in entries {
      for value in [entry.duration, entry.size, entry.flags] {
        if let value { writer.u32(value) }
      }
      if let offset = entry.compositionOffset { writer.i32(offset) }
    }
  }
}
