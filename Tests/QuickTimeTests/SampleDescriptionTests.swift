import Foundation
import QuickTime
import QuickTimeFuzz
import Testing

@Suite struct SampleDescriptionTests {
  private func reread(_ description: SampleDescription, handler: FourCC) throws -> SampleDescription {
    var writer = ByteWriter()
    SampleDescriptionAtom(descriptions: [description, description]).write(to: &writer)
    var reader = ByteReader(writer.bytes)
    var box = try #require(try reader.nextBox())
    let descriptions = try SampleDescriptionAtom(reading: &box.payload, handler: handler).descriptions
    #expect(descriptions.count == 2 && descriptions[0] == descriptions[1])
    return descriptions[0]
  }

  @Test func keepsPictures() throws {
    var video = VideoDescription(width: 1920, height: 1080, compressorName: "Apple ProRes 422 (HQ)", depth: 24)
    (video.vendor, video.spatialQuality, video.framesPerSample) = ("appl", 1023, 1)
    let description = SampleDescription(
      type: "apch", layout: .video(video), children: [StoredAtom(FieldAtom(count: 1, detail: 0))], dataReferenceIndex: 2
    )
    let again = try reread(description, handler: "vide")
    #expect(again == description && again.dataReferenceIndex == 2)
    #expect(try again.child("fiel", as: FieldAtom.self) == FieldAtom(count: 1, detail: 0))
    #expect(try again.child("pasp", as: PixelAspectAtom.self) == nil)
    #expect(SampleDescription(description.data, handler: "vide") == description)
  }

  @Test func cutsLongNames() throws {
    let name = String(repeating: "x", count: 60)
    let description = SampleDescription(
      type: "hvc1", layout: .video(VideoDescription(width: 1, height: 1, compressorName: name)))
    #expect(try reread(description, handler: "auxv").video?.compressorName == String(name.prefix(31)))
  }

  @Test func skipsColorTables() throws {
    var video = VideoDescription(width: 8, height: 8, depth: 1)
    video.colorTableID = 0
    let plain = SampleDescription(type: "raw ", layout: .video(video))
    // Seed, flags, last index 1, two colours, then a child.
    let table = bytes("00000000 8000 0001 0000000000000000 0001ffffffffffff")
    var child = ByteWriter()
    child.atom(PixelAspectAtom(horizontal: 4, vertical: 3))
    var entry = plain.data + table + child.data
    entry.replaceSubrange(0..<4, with: [0, 0, 0, UInt8(entry.count)])
    let description = try #require(SampleDescription(entry, handler: "vide"))
    #expect(description.children.map(\.type) == ["pasp"])
  }

  @Test func keepsSoundOfVersion0() throws {
    let sound = AudioDescription(channels: 2, bitsPerChannel: 16, sampleRate: 44_100)
    let description = SampleDescription(
      type: "mp4a", layout: .audio(sound), children: [StoredAtom("esds", Data(count: 4))])
    #expect(try reread(description, handler: "soun") == description)
  }

  /// The decoder's configuration lies in `wave`, which ends with a terminator of size 8 and type 0.
  @Test func findsTheDescriptorInsideWave() throws {
    var sound = AudioDescription(channels: 1, bitsPerChannel: 16, sampleRate: 48_000, version: 1)
    (sound.framesPerPacket, sound.bytesPerPacket, sound.bytesPerFrame, sound.bytesPerSample) = (1024, 0, 0, 2)
    sound.compressionID = -2
    let stream = ElementaryStreamAtom(objectType: 0x40, streamType: 5, decoderConfiguration: Data([0x11, 0x88]))
    var wave = ByteWriter()
    wave.box("frma") { $0.fourCC("mp4a") }
    wave.atom(stream)
    wave.box(FourCC(0)) { _ in }
    let description = SampleDescription(
      type: "mp4a", layout: .audio(sound),
      children: [StoredAtom("wave", wave.data), StoredAtom(ChannelLayoutAtom(tag: 100 << 16 | 1))])
    let again = try reread(description, handler: "soun")
    #expect(again == description && again.audio?.framesPerPacket == 1024)
    #expect(try again.child("esds", as: ElementaryStreamAtom.self) == stream)
    #expect(try again.child("chan", as: ChannelLayoutAtom.self)?.tag == 100 << 16 | 1)
  }

  @Test func keepsSoundOfVersion2() throws {
    var sound = AudioDescription(channels: 24, bitsPerChannel: 32, sampleRate: 96_000.5, version: 2)
    (sound.formatFlags, sound.bytesPerPacket, sound.bytesPerFrame, sound.framesPerPacket) = (9, 96, 96, 1)
    sound.compressionID = -2
    let description = SampleDescription(type: "lpcm", layout: .audio(sound))
    let again = try reread(description, handler: "soun")
    #expect(again.audio?.channels == 24 && again.audio?.sampleRate == 96_000.5 && again.audio?.formatFlags == 9)
    #expect(again.uncompressedFrameBytes == 96)
  }

  /// In MP4 version 1 has no further fields: the table has version 1 as well.
  @Test func version1OfMP4HasNoFurtherFields() throws {
    let plain = SampleDescription(
      type: "mp4a", layout: .audio(AudioDescription(channels: 2, bitsPerChannel: 16, sampleRate: 44_100)),
      children: [StoredAtom("esds", Data([1, 2, 3, 4]))])
    var entry = plain.data
    entry[entry.startIndex + 17] = 1
    let table = Data([1, 0, 0, 0, 0, 0, 0, 1]) + entry
    var reader = ByteReader(table)
    let description = try SampleDescriptionAtom(reading: &reader, handler: "soun").descriptions[0]
    #expect(description.child("esds") == Data([1, 2, 3, 4]))
  }

  @Test func keepsTimeCodes() throws {
    let timeCode = TimeCodeDescription(flags: 1, timescale: 30_000, frameDuration: 1001, framesPerSecond: 30)
    let description = SampleDescription(type: "tmcd", layout: .timeCode(timeCode))
    #expect(try reread(description, handler: "tmcd") == description)
  }

  @Test func keepsTheKeysOfTimedMetadata() throws {
    let description = SmallMovie.metadataDescription
    let again = try reread(description, handler: "meta")
    #expect(again.type == "mebx" && again.layout == .plain)
    let table = try MetadataKeyTable(payload: try #require(again.child("keys")))
    #expect(table.entries.map(\.key) == CinematicKey.writtenKeyTable.entries.map(\.key))
  }

  /// A damaged child is reported; what is before it, and the entry, can be used.
  @Test func reportsDamagedChildren() throws {
    var entry = SmallMovie.videoDescription.data
    let place = try #require(entry.range(of: Data("colr".utf8))).lowerBound
    entry.replaceSubrange(place - 4..<place, with: [0, 0, 0xFF, 0xFF])
    let description = try #require(SampleDescription(entry, handler: "vide"))
    #expect(description.children.map(\.type) == ["hvcC"] && description.childrenError?.kind == .malformed)
    #expect(description.data == entry && description.video?.width == 64)
  }

  @Test(arguments: ["vide", "soun", "tmcd", "meta"] as [FourCC]) func refusesShortEntries(_ handler: FourCC) throws {
    let entry = Data([0, 0, 0, 20]) + Data((handler == "tmcd" ? "tmcd" : "abcd").utf8) + Data(count: 12)
    #expect((SampleDescription(entry, handler: handler) == nil) == (handler != "meta"))
  }

  /// Old files store uncompressed sound with a sample size of 1; the description says 4 bytes a frame.
  @Test func sizesOfUncompressedSoundComeFromTheDescription() throws {
    let folder = try TemporaryFolder()
    let description = SampleDescription(
      type: "twos", layout: .audio(AudioDescription(channels: 2, bitsPerChannel: 16, sampleRate: 8000)))
    let writer = try MovieWriter(url: folder.file("old.mov"))
    let track = writer.addTrack(TrackSpecification(handler: "soun", timescale: 8000, sampleDescriptions: [description]))
    try writer.append(track: track, data: Data((0..<40).map { UInt8($0) }), TimedSample(duration: 1, count: 10))
    try writer.finish()
    var data = try Data(contentsOf: folder.file("old.mov"))
    let place = try #require(data.range(of: Data("stsz".utf8))).upperBound + 4
    data.replaceSubrange(place..<place + 4, with: [0, 0, 0, 1])
    let movie = try Movie.open(DataSource(data))
    #expect(movie.tracks[0].samples.totalBytes == 40)
    #expect(try movie.data(of: movie.tracks[0].samples[9], in: movie.tracks[0]) == Data([36, 37, 38, 39]))
  }

  /// Two ways of coding in one track: each sample knows its own.
  @Test func keepsSeveralDescriptionsOfATrack() throws {
    let folder = try TemporaryFolder()
    let second = SampleDescription(type: "ap4h", layout: .video(VideoDescription(width: 64, height: 36)))
    var specification = SmallMovie.videoTrack
    specification.sampleDescriptions.append(second)
    let writer = try MovieWriter(url: folder.file("two.mov"))
    let track = writer.addTrack(specification)
    let indices = [0, 0, 1, 1, 0, 1, 1, 1]
    for index in indices {
      try writer.append(track: track, data: Data(count: 3), TimedSample(duration: 20, descriptionIndex: index))
    }
    try writer.finish()
    let read = try Movie.open(folder.file("two.mov")).tracks[0]
    #expect((0..<8).map { read.samples[$0].descriptionIndex } == indices)
    #expect(read.description(of: read.samples[2]) == second)
    #expect(read.samples.chunks.count == 4)
  }
}
