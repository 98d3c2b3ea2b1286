package import Foundation

/// Copies a movie with changes to its index. Everything that is not changed stays byte for byte: samples, unknown atoms at any place,
/// the order of the atoms.
package enum MovieRewriter {
  /// Which metadata is meant: a key, wherever in its space it stands.
  package struct MetadataKey: Hashable, Sendable {
    package var space: MovieMetadataItem.Space
    package var key: String

    package init(_ space: MovieMetadataItem.Space, _ key: String) {
      self.space = space
      self.key = key
    }
  }

  /// A track to add; its samples are asked for one by one, in decoding order, until there are none.
  package struct AddedTrack {
    package var specification: TrackSpecification
    package var nextSample: () throws(QuickTimeError) -> (data: Data, sample: TimedSample)?

    package init(
      _ specification: TrackSpecification,
      nextSample: @escaping () throws(QuickTimeError) -> (data: Data, sample: TimedSample)?
    ) {
      self.specification = specification
      self.nextSample = nextSample
    }
  }

  package struct Changes {
    /// The movie's metadata to take away.
    package var removedMetadata: Set<MetadataKey> = []
    /// The movie's metadata to add; it takes the place of what has the same space and key.
    package var metadata: [MovieMetadataItem] = []
    /// Ids of tracks to take away. Their samples stay in the file, unused; references to them go.
    package var removedTracks: Set<UInt32> = []
    /// Edit lists to set, by track id.
    package var edits: [UInt32: [Edit]] = [:]
    /// Tracks to switch on or off, by id.
    package var enabled: [UInt32: Bool] = [:]
    /// Tracks to add, with the ids behind the largest there is, in this order; references may name any id.
    package var addedTracks: [AddedTrack] = []

    package init() {}
  }

  /// Writes the changed movie to exactly the place given, which must not be the movie itself. Nothing is left there on an error.
  package static func rewrite(_ movie: Movie, to url: URL, _ changes: Changes) throws(QuickTimeError) {
    try refuseImpossible(movie, url, changes)
    let sink = try FileSink(url)
    do throws(QuickTimeError) {
      try write(movie, to: sink, changes)
      try sink.close()
    } catch {
      sink.discard()
      throw error
    }
  }

  private static func refuseImpossible(_ movie: Movie, _ url: URL, _ changes: Changes) throws(QuickTimeError) {
    if let source = movie.source as? FileSource, source.isSameFile(as: url) {
      throw QuickTimeError(
        .io, "\(url.path) is the movie that is read; write to another file and rename it then.", errorNumber: EEXIST)
    }
    guard changes.addedTracks.isEmpty || !movie.isFragmented else {
      throw QuickTimeError(
        .unsupported,
        "\(movie.source.name) is fragmented, and no track can be added to such a movie; copy its samples instead.")
    }
  }

  /// Without new tracks all lengths are known beforehand, and the file is written once. The samples of new tracks must be written
  /// before the index can be made; it is inserted then.
  private static func write(_ movie: Movie, to sink: FileSink, _ changes: Changes) throws(QuickTimeError) {
    let index = try RewrittenIndex(movie, changes)
    let copies = placeAtoms(of: movie, isFollowed: !changes.addedTracks.isEmpty)
    let map = OffsetMap(copies)
    var bytes = changes.addedTracks.isEmpty ? try index.bytes([], map) : nil
    for copy in copies {
      if copy.isIndex, let bytes {
        try sink.write(bytes)
      } else if !copy.isIndex {
        try copy.write(from: movie.source, to: sink)
      }
    }
    if bytes == nil {
      let made = try index.bytes(try writeSamples(changes.addedTracks, to: sink), map)
      try sink.insert(made.count, at: map.place)
      try sink.write(made, at: map.place)
      bytes = made
    }
    try patchFragments(movie, copies, map.with(indexBytes: Int64(bytes?.count ?? 0)), in: sink)
  }

  /// Where all atoms go, in the order of the source; the index takes no room yet.
  private static func placeAtoms(of movie: Movie, isFollowed: Bool) -> [CopiedAtom] {
    var copies: [CopiedAtom] = []
    var position: Int64 = 0
    var hasIndex = false
    for atom in movie.layout.atoms + [movie.layout.rest(of: movie.source)].compactMap(\.self) {
      // Atoms of the type that come later are not the index, and are copied.
      if atom.type == "moov" && !hasIndex {
        hasIndex = true
        copies.append(CopiedAtom(index: atom, at: position))
      } else {
        copies.append(CopiedAtom(atom, at: position, isFollowed: isFollowed))
      }
      position += copies[copies.count - 1].byteCount
    }
    return copies
  }

  /// The samples of all new tracks in an `mdat` of their own, interleaved by time.
  private static func writeSamples(
    _ tracks: [AddedTrack], to sink: FileSink
  ) throws(QuickTimeError) -> [SampleTable] {
    guard !tracks.isEmpty else { return [] }
    let header = sink.position
    try sink.write(Data([0, 0, 0, 1] + Array("mdat".utf8) + [UInt8](repeating: 0, count: 8)))
    var pending = tracks.map { PendingTrack($0.specification) }
    while let next = pending.indices.filter({ !pending[$0].isFinished }).min(by: {
      pending[$0].endSeconds < pending[$1].endSeconds
    }) {
      if let (data, sample) = try tracks[next].nextSample() {
        try pending[next].append(data, sample)
      } else {
        pending[next].isFinished = true
        pending[next].endChunk()
      }
      while pending[next].nextChunkStart != nil { try pending[next].writeChunk(to: sink) }
    }
    var size = ByteWriter()
    size.i64(sink.position - header)
    try sink.write(size.data, at: header + 8)
    return pending.indices.map { pending[$0].builder.finish() }
  }

  /// Places in the file that fragments and their index name follow the bytes they mean.
  private static func patchFragments(
    _ movie: Movie, _ copies: [CopiedAtom], _ map: OffsetMap, in sink: FileSink
  ) throws(QuickTimeError) {
    for copy in copies where copy.atom.type == "moof" || copy.atom.type == "mfra" {
      guard !copy.atom.isCutOff, copy.atom.byteCount <= ReadingLimit.fragmentAtomBytes else { continue }
      let start = copy.atom.offset + Int64(copy.atom.headerBytes)
      let count = Int(copy.atom.byteCount) - copy.atom.headerBytes
      var reader = ByteReader(try movie.source.read(at: start, count: count), offset: start, path: "\(copy.atom.type)")
      var node = try AtomNode(copy.atom.type, listIn: &reader)
      try node.moveFragmentOffsets(map)
      try sink.write(node.payload, at: map.new(start))
    }
  }
}
