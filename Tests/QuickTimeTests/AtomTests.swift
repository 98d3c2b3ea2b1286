import Foundation
import QuickTime
import Testing

/// Every atom: write → read → equal; cut at every byte → typed error or a sound value.
@Suite struct AtomTests {
  @Test func keepsFileType() throws {
    try expectRoundTrip(FileTypeAtom(brand: "qt  ", minorVersion: 512, compatibleBrands: ["qt  ", "mp42"]))
  }

  static let date = Date(timeIntervalSince1970: 1_714_557_600)
  /// Behind 2040, where 32 bits of seconds since 1904 end.
  static let lateDate = Date(timeIntervalSince1970: 3_000_000_000)

  @Test(arguments: [0, 3600, Int64(UInt32.max) - 1, Int64(UInt32.max), 1 << 40] as [Int64], [date, lateDate])
  func keepsHeaders(_ duration: Int64, _ date: Date) throws {
    var movie = MovieHeaderAtom(timescale: 600, duration: duration, nextTrackID: 5, creationDate: date)
    (movie.rate, movie.volume) = (1 << 15, 128)
    try expectRoundTrip(movie)
    var track = TrackHeaderAtom(trackID: 3, duration: duration)
    (track.width, track.height, track.layer, track.alternateGroup, track.volume) = (1920.5, 1080, -1, 2, 256)
    (track.creationDate, track.modificationDate, track.flags) = (date, Self.date, 7)
    track.matrix = MovieMatrix(a: 0, b: 1, c: -1, d: 0, x: 1080, y: 0)
    try expectRoundTrip(track)
    var media = MediaHeaderAtom(timescale: 90_000, duration: duration, language: LanguageCode.code("deu"))
    (media.creationDate, media.modificationDate, media.quality) = (date, date, 3)
    try expectRoundTrip(media)
  }

  @Test func keepsAnUnknownDuration() throws {
    try expectRoundTrip(MovieHeaderAtom(timescale: 1, duration: nil, nextTrackID: 1))
    try expectRoundTrip(TrackHeaderAtom(trackID: 1, duration: nil))
    try expectRoundTrip(MediaHeaderAtom(timescale: 1, duration: nil))
  }

  @Test(arguments: [true, false]) func keepsHandlers(_ isQuickTime: Bool) throws {
    let atom = HandlerAtom(component: "mhlr", handler: "auxv", name: "Auxiliary ✓", isQuickTime: isQuickTime)
    #expect(atom.name == "Auxiliary ✓")
    try expectRoundTrip(atom)
  }

  @Test func readsHandlerNames() throws {
    func name(_ component: FourCC, _ stored: [UInt8]) -> String {
      var atom = HandlerAtom(component: component, handler: "vide", name: "", isQuickTime: true)
      atom.storedName = Data(stored)
      return atom.name
    }
    #expect(name("mhlr", [3] + Array("abcd".utf8)) == "abc")
    #expect(name("mhlr", [9] + Array("abcd".utf8)) == "\tabcd")
    #expect(name(FourCC(0), Array("abc".utf8) + [0, 1]) == "abc")
    #expect(name("mhlr", []) == "")
  }

  static let editLists: [[Edit]] = [
    [], [Edit(segmentDuration: 3600, mediaTime: 40)],
    [
      Edit(segmentDuration: 100, mediaTime: -1), Edit(segmentDuration: 5, mediaTime: 0, rate: 0.5),
      Edit(segmentDuration: 7, mediaTime: 9, rate: 0),
    ],
    [Edit(segmentDuration: 1 << 33, mediaTime: 0)], [Edit(segmentDuration: 3, mediaTime: 1 << 31)],
    [Edit(segmentDuration: 1 << 33, mediaTime: -1), Edit(segmentDuration: 1, mediaTime: 1)],
  ]

  @Test(arguments: editLists) func keepsEditLists(_ edits: [Edit]) throws {
    try expectRoundTrip(EditListAtom(edits: edits))
  }

  @Test func readsEmptyEditsOfBothVersionsAsEmpty() throws {
    var short = ByteReader(bytes("00000000 00000001 00000064 ffffffff 00010000"))
    #expect(try EditListAtom(reading: &short).edits == [Edit(segmentDuration: 100, mediaTime: -1)])
    var long = ByteReader(bytes("01000000 00000001 0000000000000064 ffffffffffffffff 00010000"))
    #expect(try EditListAtom(reading: &long).edits == [Edit(segmentDuration: 100, mediaTime: -1)])
  }

  @Test func keepsSampleTables() throws {
    var durations = RunTable<UInt32>()
    for (count, value) in [(3, 20), (1, 0), (18_000_000, 1), (2, 4_000_000_000)] as [(UInt32, UInt32)] {
      durations.append(count: count, value: value)
    }
    try expectRoundTrip(TimeToSampleAtom(durations: durations))
    for values in [[0, 40, 20], [0, -40, 20], [Int32.min, Int32.max]] as [[Int32]] {
      var offsets = RunTable<Int32>()
      for value in values { offsets.append(count: 2, value: value) }
      try expectRoundTrip(CompositionOffsetAtom(offsets: offsets))
    }
    try expectRoundTrip(SyncSampleAtom(numbers: [1, 5, 900]))
    try expectRoundTrip(SyncSampleAtom(numbers: []))
    try expectRoundTrip(SampleDependencyAtom(flags: [0x14, 0x18, 0]))
    #expect(SampleDependency(rawValue: 0x19).hasRedundantCoding == true)
    #expect(SampleDependency(rawValue: 0x1A).hasRedundantCoding == false)
    #expect(SampleDependency(rawValue: 0x18).hasRedundantCoding == nil)
    try expectRoundTrip(
      SampleToChunkAtom(runs: [
        .init(firstChunk: 0, samplesPerChunk: 3, descriptionIndex: 0),
        .init(firstChunk: 7, samplesPerChunk: 1, descriptionIndex: 1),
      ]))
  }

  @Test func keepsSampleGroups() throws {
    var groups = RunTable<UInt32>()
    for (count, group) in [(3, 0), (4, 2), (4_000_000_000, 1)] as [(UInt32, UInt32)] {
      groups.append(count: count, value: group)
    }
    try expectRoundTrip(SampleToGroupAtom(grouping: "roll", groups: groups))
    try expectRoundTrip(SampleToGroupAtom(grouping: "tele", parameter: 7, groups: RunTable()))
    let entries: [[Data]] = [[], [Data([0xFF, 0xFE]), Data([0, 1])], [Data([1]), Data(), Data([2, 3])]]
    for entries in entries { try expectRoundTrip(SampleGroupDescriptionAtom(grouping: "roll", entries: entries)) }
    // Version 0 tells no length, version 2 a default group in its place.
    for head in ["00000000 726f6c6c 00000002", "02000000 726f6c6c 00000000 00000002"] {
      var reader = ByteReader(bytes(head + " fffe 0001"))
      let atom = try SampleGroupDescriptionAtom(reading: &reader)
      #expect(atom == SampleGroupDescriptionAtom(grouping: "roll", entries: entries[1]))
    }
    var huge = ByteReader(bytes("01000000 726f6c6c 00000001 fffffff0"))
    #expect(throws: QuickTimeError.self) { try SampleGroupDescriptionAtom(reading: &huge) }
  }

  @Test func readsNegativeOffsetsOfVersion0() throws {
    var reader = ByteReader(bytes("00000000 00000001 00000002 ffffffec"))
    #expect(try CompositionOffsetAtom(reading: &reader).offsets.values == [-20])
  }

  @Test(arguments: [0, -40, 1 << 40] as [Int64]) func keepsCompositionShifts(_ value: Int64) throws {
    try expectRoundTrip(
      CompositionShiftAtom(shiftToDecodeTime: 1, leastOffset: value, greatestOffset: 2, startTime: 3, endTime: 4))
  }

  @Test func keepsSampleSizes() throws {
    try expectRoundTrip(SampleSizeAtom(sizes: SampleSizes(.uniform(size: 4, count: 4_000_000_000))))
    try expectRoundTrip(SampleSizeAtom(sizes: SampleSizes(.words([0, 1, .max]))))
    for storage in [.bytes([0, 255, 3]), .shorts([0, 65_535])] as [SampleSizes.Storage] {
      let atom = SampleSizeAtom(sizes: SampleSizes(storage))
      #expect(atom.type == "stz2")
      try expectRoundTrip(atom) { reader throws(QuickTimeError) in try SampleSizeAtom(readingCompact: &reader) }
    }
  }

  @Test func readsSizesOfHalfABytes() throws {
    var reader = ByteReader(bytes("00000000 000000 04 00000003 1f70"))
    #expect(try SampleSizeAtom(readingCompact: &reader).sizes.storage == .bytes([1, 15, 7]))
  }

  @Test func keepsChunkOffsets() throws {
    let short = ChunkOffsetAtom(offsets: ChunkOffsets([36, Int64(UInt32.max)]))
    #expect(short.type == "stco")
    try expectRoundTrip(short)
    let long = ChunkOffsetAtom(offsets: ChunkOffsets([36, Int64(UInt32.max) + 1]))
    #expect(long.type == "co64")
    try expectRoundTrip(long) { reader throws(QuickTimeError) in try ChunkOffsetAtom(readingLong: &reader) }
  }

  @Test func keepsReferences() throws {
    try expectRoundTrip(
      TrackReferenceAtom(references: [.init("cdsc", [1, 2]), .init("auxl", []), .init("tmcd", [9])]))
    let here = DataReferenceAtom.here(isQuickTime: true)
    try expectRoundTrip(here)
    try expectRoundTrip(DataReferenceAtom(entries: [StoredAtom("url ", Data([0, 0, 0, 0, 65]))]))
    #expect(here.isHere(1) && here.isHere(2))
    #expect(!DataReferenceAtom(entries: [StoredAtom("url ", Data([0, 0, 0, 0, 65]))]).isHere(1))
  }

  @Test func keepsPictureAtoms() throws {
    try expectRoundTrip(ColourAtom.nclc(primaries: 9, transfer: 18, matrix: 9))
    try expectRoundTrip(ColourAtom.nclx(primaries: 1, transfer: 13, matrix: 6, isFullRange: true))
    try expectRoundTrip(ColourAtom.other("prof", Data([1, 2, 3])), canBeCut: true)
    try expectRoundTrip(PixelAspectAtom(horizontal: 16, vertical: 11))
    try expectRoundTrip(
      CleanApertureAtom(
        width: .init(1920), height: .init(2160, 2), horizontalOffset: .init(-3, 2), verticalOffset: .init(0, 0)))
    try expectRoundTrip(FieldAtom(count: 2, detail: 9))
    try expectRoundTrip(
      TrackApertureAtom(sizes: [.init("clef", width: 1920, height: 1080.5), .init("enof", width: 1, height: 2)]))
    try expectRoundTrip(
      MasteringDisplayAtom(
        chromaticities: [13250, 34500, 7500, 3000, 34000, 16000, 15635, 16450], maximumLuminance: 10_000_000,
        minimumLuminance: 1))
    try expectRoundTrip(ContentLightLevelAtom(maximumContent: 1000, maximumAverage: 400))
  }

  @Test func keepsSoundAtoms() throws {
    try expectRoundTrip(
      ChannelLayoutAtom(
        tag: 0, bitmap: 3, descriptions: [.init(label: 1), .init(label: 2, flags: 4, coordinates: [1, 2, 3])]))
    try expectRoundTrip(
      ElementaryStreamAtom(
        objectType: 0x40, streamType: 5, decoderConfiguration: Data([0x11, 0x90]), averageBitRate: 128_000,
        maximumBitRate: 256_000))
    try expectRoundTrip(
      ElementaryStreamAtom(objectType: 0x6B, streamType: 5, decoderConfiguration: Data(repeating: 7, count: 300)))
  }

  @Test func readsShortDescriptorLengths() throws {
    var reader = ByteReader(
      bytes("00000000 03 1c 0001 e0 0002 01 41 0003 04 11 40 15 000000 00000000 00000000 05 02 1210"))
    let atom = try ElementaryStreamAtom(reading: &reader)
    #expect(atom.streamID == 1 && atom.streamType == 5 && atom.decoderConfiguration == Data([0x12, 0x10]))
  }

  @Test func keepsFragmentAtoms() throws {
    try expectRoundTrip(TrackExtendsAtom(trackID: 1, descriptionIndex: 1, duration: 20, size: 3, flags: 0x10000))
    try expectRoundTrip(TrackFragmentHeaderAtom(trackID: 4))
    var header = TrackFragmentHeaderAtom(trackID: 4)
    (header.baseDataOffset, header.descriptionIndex, header.duration) = (1 << 40, 2, 3)
    (header.size, header.flags, header.isDurationEmpty, header.isBaseMovieFragment) = (5, 6, true, true)
    try expectRoundTrip(header)
    try expectRoundTrip(FragmentDecodeTimeAtom(time: 7))
    try expectRoundTrip(FragmentDecodeTimeAtom(time: 1 << 40))
    try expectRoundTrip(TrackRunAtom(count: 9))
    try expectRoundTrip(
      TrackRunAtom(
        count: 2, dataOffset: -8, firstSampleFlags: 7,
        entries: [
          .init(duration: 1, size: 2, compositionOffset: -3), .init(duration: 4, size: 5, compositionOffset: 6),
        ]))
  }

  /// Writes, reads, compares; then reads every shorter piece, which must throw or give something that can be written again.
  private func expectRoundTrip<Value: Atom & Equatable>(
    _ atom: Value, canBeCut: Bool = false,
    read: (inout ByteReader) throws(QuickTimeError) -> Value = { reader throws(QuickTimeError) in
      try Value(reading: &reader)
    },
    at place: SourceLocation = #_sourceLocation
  ) throws {
    var writer = ByteWriter()
    atom.write(to: &writer)
    var reader = ByteReader(writer.bytes)
    let again = try read(&reader)
    #expect(again == atom && reader.isAtEnd, sourceLocation: place)
    for count in 0..<writer.count {
      var cut = ByteReader(Array(writer.bytes.prefix(count)))
      guard let short = try? read(&cut) else { continue }
      #expect(short != atom || canBeCut, sourceLocation: place)
    }
  }
}
