import Foundation

extension AtomNode {
  /// Moves the chunk offsets, and those of auxiliary sample information, of an `stbl`. Tables that stay as they are stay byte for byte.
  mutating func moveChunks(_ map: OffsetMap) throws(QuickTimeError) {
    for index in children.indices {
      var reader = children[index].reader
      switch children[index].type {
      case "stco": try children[index].moveChunks(ChunkOffsetAtom(reading: &reader).offsets, map)
      case "co64": try children[index].moveChunks(ChunkOffsetAtom(readingLong: &reader).offsets, map)
      case "saio": try children[index].moveAuxiliaryOffsets(map)
      default: break
      }
    }
  }

  private mutating func moveChunks(_ offsets: ChunkOffsets, _ map: OffsetMap) {
    let old = (0..<offsets.count).map { offsets[$0] }
    let new = old.map { map.new($0) }
    guard new != old else { return }
    var moved = ChunkOffsets(new)
    if type == "co64" { moved = .long(new) }
    let atom = ChunkOffsetAtom(offsets: moved)
    type = atom.type
    body = AtomNode(atom).body
  }

  /// `saio`: places in the file of 32 bits in version 0, of 64 bits in version 1.
  private mutating func moveAuxiliaryOffsets(_ map: OffsetMap) throws(QuickTimeError) {
    var reader = self.reader
    let (version, flags) = try reader.versionAndFlags()
    let kind = flags & 1 != 0 ? try reader.data(8) : Data()
    let count = try reader.count(entryBytes: version == 0 ? 4 : 8)
    var offsets: [Int64] = []
    for _ in 0..<count { offsets.append(map.new(version == 0 ? Int64(try reader.u32()) : try reader.i64())) }
    let isLong = version != 0 || offsets.contains { $0 > Int64(UInt32.max) }
    var writer = ByteWriter()
    writer.versionAndFlags(isLong ? max(version, 1) : 0, flags)
    writer.data(kind)
    writer.u32(UInt32(count))
    for offset in offsets {
      if isLong { writer.i64(offset) } else { writer.u32(UInt32(truncatingIfNeeded: offset)) }
    }
    writer.data(reader.rest())
    body = .leaf(writer.data)
  }

  /// Moves the absolute places in a `moof` (base data offsets) or an `mfra` (places of fragments); the length stays.
  mutating func moveFragmentOffsets(_ map: OffsetMap) throws(QuickTimeError) {
    try change(["traf", "tfhd"]) { node throws(QuickTimeError) in
      var reader = node.reader
      let header = try TrackFragmentHeaderAtom(reading: &reader)
      guard let base = header.baseDataOffset.flatMap({ Int64(exactly: $0) }) else { return }
      var writer = ByteWriter()
      writer.i64(map.new(base))
      node.patch(writer.bytes, at: 8)
    }
    try change(["tfra"]) { node throws(QuickTimeError) in try node.moveFragmentPlaces(map) }
  }

  /// `tfra`: a time and a place an entry, of 32 bits in version 0, then three numbers of one to four bytes.
  private mutating func moveFragmentPlaces(_ map: OffsetMap) throws(QuickTimeError) {
    var reader = self.reader
    let (version, _) = try reader.versionAndFlags()
    try reader.skip(4)
    let lengths = try reader.u32()
    let numbers = Int(lengths >> 4 & 3) + Int(lengths >> 2 & 3) + Int(lengths & 3) + 3
    let field = version == 1 ? 8 : 4
    for index in 0..<(try reader.count(entryBytes: 2 * field + numbers)) {
      try reader.skip(field)
      let place = try version == 1 ? reader.i64() : Int64(reader.u32())
      try reader.skip(numbers)
      var writer = ByteWriter()
      if version == 1 { writer.i64(map.new(place)) } else { writer.u32(UInt32(clamping: map.new(place))) }
      patch(writer.bytes, at: 16 + index * (2 * field + numbers) + field)
    }
  }
}

extension SampleTable {
  /// The same samples with their chunks at other places.
  func moved(_ move: (Int64) -> Int64) -> SampleTable {
    let offsets = ChunkOffsets((0..<chunks.count).map { move(chunks.offsets[$0]) })
    return SampleTable(
      durations: durations, compositionOffsets: compositionOffsets, sizes: sizes,
      chunks: ChunkTable(offsets: offsets, runs: chunks.storedRuns, sampleCount: count), syncSamples: syncSamples,
      dependencies: dependencies, start: start)
  }
}
