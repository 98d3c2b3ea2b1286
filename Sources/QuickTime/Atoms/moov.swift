/// `moov`: the index of a movie.
struct MovieAtoms {
  var header: MovieHeaderAtom
  var tracks: [TrackAtoms] = []
  var metadata: [MovieMetadataItem] = []
  /// `trex`: what fragments take where they say nothing, by track id.
  var fragmentDefaults: [TrackExtendsAtom] = []
  var isFragmented = false
  var warnings: [MovieWarning] = []

  init(reading reader: inout ByteReader) throws(QuickTimeError) {
    header = try Self.header(reader)
    while let box = try reader.nextBox() {
      if box.type == "trak" { try readTrack(box) } else { readOptional(box) }
    }
    warnDuplicates()
  }

  private static func header(_ reader: ByteReader) throws(QuickTimeError) -> MovieHeaderAtom {
    var reader = reader
    let place = reader
    while var box = try reader.nextBox() {
      if box.type == "mvhd" { return try MovieHeaderAtom(reading: &box.payload) }
      guard box.type != "cmov" else {
        throw QuickTimeError(
          .unsupported,
          "The index of the movie is compressed (cmov), which is not supported; save it again uncompressed.",
          path: "moov/cmov", offset: box.offset)
      }
    }
    throw place.malformed("has no movie header (mvhd)")
  }

  private mutating func readTrack(_ box: Box) throws(QuickTimeError) {
    guard tracks.count < ReadingLimit.tracks else {
      throw box.payload.malformed("is one track more than the \(ReadingLimit.tracks) that are read", .unsupported)
    }
    var payload = box.payload.renamed("moov/trak[\(tracks.count + 1)]")
    let track = try TrackAtoms(reading: &payload)
    warnings += track.warnings
    for description in track.tables.descriptions {
      if let error = description.childrenError { warnings.append(MovieWarning(error)) }
    }
    tracks.append(track)
  }

  /// What only describes the movie is left out with a warning where it is damaged.
  private mutating func readOptional(_ box: Box) {
    var payload = box.payload
    do throws(QuickTimeError) {
      switch box.type {
      case "meta": metadata += try MetadataAtom(reading: &payload).items
      case "udta":
        let userData = try UserDataAtom(reading: &payload)
        metadata += userData.items + (userData.metadata?.items ?? [])
      case "mvex":
        isFragmented = true
        while var child = try payload.nextBox() {
          if child.type == "trex" { fragmentDefaults.append(try TrackExtendsAtom(reading: &child.payload)) }
        }
      default: break
      }
    } catch {
      warnings.append(MovieWarning(error))
    }
  }

  private mutating func warnDuplicates() {
    var seen: Set<UInt32> = []
    for (index, track) in tracks.enumerated() where !seen.insert(track.header.trackID).inserted {
      let message =
        "Track \(index + 1) has the id \(track.header.trackID) of an earlier track; references may lead astray."
      warnings.append(MovieWarning(message, path: "moov/trak[\(index + 1)]/tkhd"))
    }
  }
}
