import Foundation

/// The index of a movie with changes, as a tree of atoms.
struct RewrittenIndex {
  private var tree: AtomNode
  private let changes: MovieRewriter.Changes
  private let movie: Movie

  init(_ movie: Movie, _ changes: MovieRewriter.Changes) throws(QuickTimeError) {
    self.movie = movie
    self.changes = changes
    var reader = try Movie.movieAtom(movie.source, movie.layout)
    tree = try AtomNode("moov", listIn: &reader)
    tree.isLong = movie.layout.first("moov")?.headerBytes == 16
    try changeTracks()
    try tree.changeMetadata(changes, isQuickTime: isQuickTime)
  }

  private var isQuickTime: Bool { movie.brand.map { $0 == "qt  " } ?? true }

  /// The bytes of the index. Its own length moves the samples behind it, and that may take longer offsets: the length only grows
  /// until it is right.
  func bytes(_ added: [SampleTable], _ map: OffsetMap) throws(QuickTimeError) -> Data {
    var size: Int64 = 0
    while true {
      let bytes = try bytes(added, moved: map.with(indexBytes: size))
      if Int64(bytes.count) == size { return bytes }
      size = Int64(bytes.count)
    }
  }

  private func bytes(_ added: [SampleTable], moved map: OffsetMap) throws(QuickTimeError) -> Data {
    var tree = tree
    try tree.change(["trak", "mdia", "minf", "stbl"]) { node throws(QuickTimeError) in try node.moveChunks(map) }
    try tree.add(addedTracks(added, map), movieTimescale: movie.timescale, isQuickTime: isQuickTime)
    return tree.bytes
  }

  private func addedTracks(_ added: [SampleTable], _ map: OffsetMap) -> [MovieIndex.Track] {
    let lastID = movie.tracks.reduce(UInt32(0)) { max($0, $1.id) }
    return zip(changes.addedTracks, added).enumerated().map { number, track in
      MovieIndex.Track(
        id: lastID &+ UInt32(number + 1), specification: track.0.specification,
        samples: track.1.moved { map.shifted($0) })
    }
  }

  /// Takes tracks away and changes edits and flags of others; the movie's duration follows.
  private mutating func changeTracks() throws(QuickTimeError) {
    let removed = changes.removedTracks
    var kept: [AtomNode] = []
    for node in tree.children {
      if node.type == "trak", var reader = node.first("tkhd")?.reader,
        removed.contains(try TrackHeaderAtom(reading: &reader).trackID)
      {
        continue
      }
      kept.append(node)
    }
    tree.children = kept
    let (changes, timescale) = (changes, movie.timescale)
    try tree.change(["trak"]) { node throws(QuickTimeError) in try node.changeTrack(changes, timescale) }
    if !changes.edits.isEmpty || !removed.isEmpty || !changes.addedTracks.isEmpty { try tree.updateMovieHeader() }
  }
}

extension AtomNode {
  /// Changes what is asked for of one `trak`.
  fileprivate mutating func changeTrack(
    _ changes: MovieRewriter.Changes, _ movieTimescale: Int32
  ) throws(QuickTimeError) {
    guard let node = first("tkhd") else { return }
    var reader = node.reader
    let header = try TrackHeaderAtom(reading: &reader)
    if let isEnabled = changes.enabled[header.trackID] {
      try change(["tkhd"]) { node throws(QuickTimeError) in
        node.patch([UInt8(truncatingIfNeeded: header.flags & ~1 | (isEnabled ? 1 : 0))], at: 3)
      }
    }
    if let edits = changes.edits[header.trackID] { try setEdits(edits) }
    guard !changes.removedTracks.isEmpty else { return }
    try change(["tref"]) { node throws(QuickTimeError) in
      var reader = node.reader
      var references = try TrackReferenceAtom(reading: &reader).references
      for index in references.indices { references[index].trackIDs.removeAll { changes.removedTracks.contains($0) } }
      node.body = AtomNode(TrackReferenceAtom(references: references.filter { !$0.trackIDs.isEmpty })).body
    }
    children.removeAll { $0.type == "tref" && $0.payload.isEmpty }
  }

  private mutating func setEdits(_ edits: [Edit]) throws(QuickTimeError) {
    let list = AtomNode("edts", [AtomNode(EditListAtom(edits: edits))])
    let place = children.firstIndex { $0.type == "edts" }
    children.removeAll { $0.type == "edts" }
    let afterHeader = (children.firstIndex { $0.type == "tkhd" } ?? -1) + 1
    if !edits.isEmpty { children.insert(list, at: place ?? afterHeader) }
    let duration = edits.reduce(Int64(0)) { $0 + $1.segmentDuration }
    guard !edits.isEmpty else { return }
    try change(["tkhd"]) { node throws(QuickTimeError) in node.setDuration(duration, offsets: (20, 28)) }
  }

  /// The duration of `mvhd` is that of the longest track.
  fileprivate mutating func updateMovieHeader() throws(QuickTimeError) {
    var longest: Int64 = 0
    for track in children where track.type == "trak" {
      guard var reader = track.first("tkhd")?.reader else { continue }
      longest = max(longest, try TrackHeaderAtom(reading: &reader).duration ?? 0)
    }
    guard longest > 0 else { return }
    try change(["mvhd"]) { node throws(QuickTimeError) in node.setDuration(longest, offsets: (16, 24)) }
  }

  /// Overwrites the duration of `mvhd` or `tkhd`, at the offset of its version; a version of 32 bits holds at most what it can.
  private mutating func setDuration(_ duration: Int64, offsets: (short: Int, long: Int)) {
    var writer = ByteWriter()
    if payload.first == 1 {
      writer.i64(duration)
      patch(writer.bytes, at: offsets.long)
    } else {
      writer.u32(UInt32(clamping: duration))
      patch(writer.bytes, at: offsets.short)
    }
  }

  /// Overwrites bytes of a leaf, as far as it goes.
  mutating func patch(_ bytes: [UInt8], at offset: Int) {
    var data = payload
    guard offset + bytes.count <= data.count else { return }
    let start = data.startIndex + offset
    data.replaceSubrange(start..<start + bytes.count, with: bytes)
    body = .leaf(data)
  }

  /// Puts new tracks behind the last one.
  fileprivate mutating func add(
    _ tracks: [MovieIndex.Track], movieTimescale: Int32, isQuickTime: Bool
  ) throws(QuickTimeError) {
    guard let lastID = tracks.last?.id else { return }
    var writer = ByteWriter()
    for track in tracks { MovieIndex.write(track, 0, movieTimescale, isQuickTime, nil, to: &writer) }
    var reader = ByteReader(writer.bytes, path: "moov")
    let new = try AtomNode("moov", listIn: &reader).children
    let place = (children.lastIndex { $0.type == "trak" || $0.type == "mvhd" } ?? -1) + 1
    children.insert(contentsOf: new, at: place)
    try updateMovieHeader()
    try change(["mvhd"]) { node throws(QuickTimeError) in
      var id = ByteWriter()
      id.u32(lastID &+ 1)
      node.patch(id.bytes, at: node.payload.count - 4)
    }
  }
}
