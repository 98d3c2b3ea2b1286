package import Foundation

extension Movie {
  /// Reads the index of a movie. Throws where it does not lead to the samples; `warnings` tells what else is odd.
  package static func open(_ source: any ByteSource) throws(QuickTimeError) -> Movie {
    let layout = try FileLayout(source)
    var index = try movieAtom(source, layout)
    let atoms = try MovieAtoms(reading: &index)
    var tables = try sampleTables(atoms, fileBytes: source.byteCount)
    var warnings = layout.warnings + atoms.warnings
    if atoms.isFragmented {
      let fragments = try Fragments.read(source, layout, atoms, &tables)
      warnings += fragments
    }
    let tracks = zip(atoms.tracks, tables).enumerated().map { number, parts in
      MovieTrack(
        parts.0, number: number + 1, samples: parts.1, isFragmented: atoms.isFragmented,
        movieTimescale: atoms.header.timescale)
    }
    for track in tracks { warnings += oddities(track) }
    warnings += try missingSamples(tracks, source, layout)
    let fileType = try fileType(source, layout)
    return Movie(source, layout: layout, fileType: fileType, atoms: atoms, tracks: tracks, warnings: warnings)
  }

  /// Opens a file on disk.
  package static func open(_ url: URL) throws(QuickTimeError) -> Movie {
    try open(FileSource(url))
  }

  /// The payload of `moov`; throws a sentence that says why there is none.
  static func movieAtom(_ source: any ByteSource, _ layout: FileLayout) throws(QuickTimeError) -> ByteReader {
    guard let atom = layout.first("moov") else { throw noIndex(source, layout) }
    guard !atom.isCutOff else {
      throw QuickTimeError(
        .truncated,
        """
        \(source.name) ends at byte \(source.byteCount), inside its index (moov, \(atom.statedByteCount ?? 0) bytes from byte \
        \(atom.offset)); copy the whole file again.
        """, path: "moov", offset: source.byteCount)
    }
    let count = atom.byteCount - Int64(atom.headerBytes)
    guard count <= ReadingLimit.movieAtomBytes else {
      throw QuickTimeError(
        .unsupported,
        "The index (moov) of \(source.name) has \(count) bytes, more than are read; the file may be damaged.",
        path: "moov", offset: atom.offset)
    }
    let start = atom.offset + Int64(atom.headerBytes)
    return ByteReader(try source.read(at: start, count: Int(count)), offset: start, path: "moov")
  }

  private static func noIndex(_ source: any ByteSource, _ layout: FileLayout) -> QuickTimeError {
    if let last = layout.atoms.last, last.isCutOff {
      return QuickTimeError(
        .truncated,
        """
        \(source.name) ends at byte \(source.byteCount), inside its atom '\(last.type)' of \(last.statedByteCount ?? 0) bytes \
        from byte \(last.offset) and before its index (moov); copy the whole file again.
        """, path: "\(last.type)", offset: source.byteCount)
    }
    guard layout.atoms.contains(where: { ["ftyp", "mdat", "moof", "wide"].contains($0.type) }) else {
      return QuickTimeError(
        .notAMovie, "\(source.name) is no QuickTime or MP4 movie; name a MOV or MP4 file.", offset: 0)
    }
    return QuickTimeError(
      .truncated,
      "\(source.name) has no index (moov): the recording was not finished or the file is cut off; get it again.",
      path: "moov", offset: source.byteCount)
  }

  private static func fileType(_ source: any ByteSource, _ layout: FileLayout) throws(QuickTimeError) -> FileTypeAtom? {
    guard let atom = layout.first("ftyp"), !atom.isCutOff else { return nil }
    // Hundreds of compatible brands would be odd; the first ones tell enough.
    let count = min(atom.byteCount - Int64(atom.headerBytes), 1024)
    let start = atom.offset + Int64(atom.headerBytes)
    var reader = ByteReader(try source.read(at: start, count: Int(count)), offset: start, path: "ftyp")
    return try? FileTypeAtom(reading: &reader)
  }

  private static func sampleTables(_ atoms: MovieAtoms, fileBytes: Int64) throws(QuickTimeError) -> [SampleTable] {
    var tables: [SampleTable] = []
    for track in atoms.tracks {
      tables.append(
        try SampleTable(
          track.tables, handler: track.handler.handler, place: track.tablesPlace, fileBytes: fileBytes))
    }
    return tables
  }
}
