/// `trak`: what a track holds, before its sample tables are put together.
struct TrackAtoms {
  var header: TrackHeaderAtom
  var edits: [Edit] = []
  var references: [TrackReferenceAtom.Reference] = []
  var mediaHeader: MediaHeaderAtom
  var handler: HandlerAtom
  var informationHeader: StoredAtom?
  var dataReferences = DataReferenceAtom(entries: [])
  var tables: SampleTableAtoms
  /// The reader of `stbl`, for messages.
  var tablesPlace: ByteReader
  var metadata: [MovieMetadataItem] = []
  /// Apertures and whatever else is there, as stored.
  var others: [StoredAtom] = []
  var warnings: [MovieWarning] = []

  /// Reads a track. What only describes it is left out with a warning where it is damaged; what leads to the samples throws.
  init(reading reader: inout ByteReader) throws(QuickTimeError) {
    let place = reader
    var header: TrackHeaderAtom?
    var media: MediaAtoms?
    while var box = try reader.nextBox() {
      switch box.type {
      case "tkhd" where header == nil: header = try TrackHeaderAtom(reading: &box.payload)
      case "mdia" where media == nil: media = try MediaAtoms(reading: &box.payload)
      case "edts": edits = try Self.edits(&box.payload) ?? edits
      default: break
      }
    }
    guard let header else { throw place.malformed("has no track header (tkhd)") }
    guard let media else { throw place.malformed("has no media (mdia)") }
    self.header = header
    mediaHeader = media.header
    handler = media.handler
    informationHeader = media.informationHeader
    dataReferences = media.dataReferences
    tables = media.tables
    tablesPlace = media.tablesPlace
    var again = place
    while let box = try again.nextBox() { readOptional(box) }
  }

  private mutating func readOptional(_ box: Box) {
    var payload = box.payload
    do throws(QuickTimeError) {
      switch box.type {
      case "tkhd", "mdia", "edts": break
      case "tref": references += try TrackReferenceAtom(reading: &payload).references
      case "meta": metadata += try MetadataAtom(reading: &payload).items
      case "udta":
        let userData = try UserDataAtom(reading: &payload)
        metadata += userData.items + (userData.metadata?.items ?? [])
      default: others.append(box.stored)
      }
    } catch {
      warnings.append(MovieWarning(error))
    }
  }

  private static func edits(_ reader: inout ByteReader) throws(QuickTimeError) -> [Edit]? {
    while var box = try reader.nextBox() {
      if box.type == "elst" { return try EditListAtom(reading: &box.payload).edits }
    }
    return nil
  }
}

/// `mdia` with its `minf`.
private struct MediaAtoms {
  var header: MediaHeaderAtom
  var handler: HandlerAtom
  var informationHeader: StoredAtom?
  var dataReferences = DataReferenceAtom(entries: [])
  var tables: SampleTableAtoms
  var tablesPlace: ByteReader

  init(reading reader: inout ByteReader) throws(QuickTimeError) {
    let place = reader
    var header: MediaHeaderAtom?
    var handler: HandlerAtom?
    var information: ByteReader?
    while var box = try reader.nextBox() {
      switch box.type {
      case "mdhd" where header == nil: header = try MediaHeaderAtom(reading: &box.payload)
      case "hdlr" where handler == nil: handler = try HandlerAtom(reading: &box.payload)
      case "minf" where information == nil: information = box.payload
      default: break
      }
    }
    guard let header else { throw place.malformed("has no media header (mdhd)") }
    guard let handler else { throw place.malformed("has no handler (hdlr)") }
    guard var information else { throw place.malformed("has no media information (minf)") }
    self.header = header
    self.handler = handler
    let informationPlace = information
    var tables: ByteReader?
    while var box = try information.nextBox() {
      switch box.type {
      case "stbl" where tables == nil: tables = box.payload
      case "dinf": dataReferences = try Self.dataReferences(&box.payload) ?? dataReferences
      case let type where MediaInformationHeader.types.contains(type): informationHeader = box.stored
      default: break
      }
    }
    guard var tables else { throw informationPlace.malformed("has no sample tables (stbl)") }
    tablesPlace = tables
    self.tables = try SampleTableAtoms(reading: &tables, handler: handler.handler)
  }

  private static func dataReferences(_ reader: inout ByteReader) throws(QuickTimeError) -> DataReferenceAtom? {
    while var box = try reader.nextBox() {
      if box.type == "dref" { return try DataReferenceAtom(reading: &box.payload) }
    }
    return nil
  }
}
