import Foundation
import QuickTime
import QuickTimeFuzz
import Testing

@Suite struct MovieMetadataTests {
  private static let items = [
    MovieMetadataItem(key: "com.apple.quicktime.make", "Äpple"),
    MovieMetadataItem(key: "com.apple.quicktime.make", dataType: 1, locale: 0x4445_1187, value: Data("Apfel".utf8)),
    MovieMetadataItem(key: "empty", dataType: 0, value: Data()),
    MovieMetadataItem(key: "number", dataType: 23, value: Data([0x40, 0x20, 0, 0])),
  ]

  @Test(arguments: [true, false]) func keepsKeysAndValues(_ isFull: Bool) throws {
    let atom = MetadataAtom(items: Self.items, isFull: isFull, others: [StoredAtom("free", Data([1, 2]))])
    var writer = ByteWriter()
    atom.write(to: &writer)
    var reader = ByteReader(writer.bytes)
    #expect(try MetadataAtom(reading: &reader) == atom)
    for count in 0..<writer.count {
      var cut = ByteReader(Array(writer.bytes.prefix(count)))
      if let short = try? MetadataAtom(reading: &cut) { #expect(short != atom) }
    }
  }

  @Test func keepsFourCharacterKeys() throws {
    let items = [MovieMetadataItem(space: .iTunesMetadata, key: "©nam", "Title")]
    let atom = MetadataAtom(items: items, isFull: true, handler: "mdir")
    var writer = ByteWriter()
    atom.write(to: &writer)
    var reader = ByteReader(writer.bytes)
    #expect(try MetadataAtom(reading: &reader) == atom)
  }

  @Test func skipsItemsWithoutAKey() throws {
    var writer = ByteWriter()
    writer.atom(HandlerAtom(component: FourCC(0), handler: "mdta", name: "", isQuickTime: false))
    writer.fullBox("keys") { keys in
      keys.u32(1)
      keys.box("mdta") { $0.data(Data("a".utf8)) }
    }
    writer.box("ilst") { list in
      for number in [0, 1, 2, UInt32.max] {
        list.box(FourCC(number)) { item in item.box("data") { $0.zeros(9) } }
      }
    }
    var reader = ByteReader(writer.bytes)
    #expect(try MetadataAtom(reading: &reader).items.map(\.key) == ["a"])
  }

  @Test func readsNumbers() {
    func item(_ type: UInt32, _ value: [UInt8]) -> MovieMetadataItem {
      MovieMetadataItem(key: "k", dataType: type, value: Data(value))
    }
    #expect(
      item(21, [0xFF]).integer == -1 && item(21, [0xFF, 0xFE]).integer == -2 && item(21, [1, 0, 0]).integer == 65_536)
    #expect(item(22, [0xFF]).integer == 255 && item(67, [0x80, 0, 0, 0]).integer == -2_147_483_648)
    #expect(item(74, [UInt8](repeating: 0xFF, count: 8)).integer == -1)
    #expect(item(78, [UInt8](repeating: 0xFF, count: 8)).integer == nil)
    #expect(item(21, []).integer == nil && item(21, [UInt8](repeating: 1, count: 9)).integer == nil)
    #expect(item(0, [1]).integer == nil && item(1, [65]).integer == nil)
    #expect(item(23, [0x40, 0x20, 0, 0]).number == 2.5 && item(23, [1]).number == nil)
    #expect(item(24, [0x40, 0x04, 0, 0, 0, 0, 0, 0]).number == 2.5 && item(21, [7]).number == 7)
    #expect(item(2, [0x20, 0xAC]).string == "€" && item(0, [65]).string == nil)
  }

  @Test func keepsUserData() throws {
    let items = [
      MovieMetadataItem(space: .userData, key: "©xyz", "+48.1371+011.5754/"),
      MovieMetadataItem(
        space: .userData, key: "©nam", dataType: 1, locale: UInt32(LanguageCode.code("eng")), value: Data("a".utf8)),
      MovieMetadataItem(
        space: .userData, key: "©nam", dataType: 1, locale: UInt32(LanguageCode.code("deu")), value: Data("ä".utf8)),
      MovieMetadataItem(space: .userData, key: "tagc", dataType: 0, value: Data([0, 1, 2])),
      MovieMetadataItem(space: .userData, key: "©swr", "x"),
    ]
    let atom = UserDataAtom(items: items, metadata: MetadataAtom(items: Self.items, isFull: true))
    var writer = ByteWriter()
    atom.write(to: &writer)
    var reader = ByteReader(writer.bytes)
    #expect(try UserDataAtom(reading: &reader) == atom)
  }

  /// Macintosh languages come with Macintosh text; a zero ends the list; what is no text is kept as it is.
  @Test func readsOldUserData() throws {
    let data = bytes("00000011 a9637079 0005 0000 a9 4772 9f7a 00000000")
    var reader = ByteReader(data)
    let text = try UserDataAtom(reading: &reader).items
    #expect(
      text.map(\.key) == ["©cpy"] && text[0].string == "©Grüz" && text[0].locale == UInt32(LanguageCode.undetermined))
    var odd = ByteReader(bytes("0000000e a96e616d ffff 0000 6162"))
    let raw = try UserDataAtom(reading: &odd).items
    #expect(raw[0].dataType == MovieMetadataItem.DataType.raw && raw[0].value.count == 6)
  }

  @Test func knowsAllMacintoshCharacters() throws {
    let payload = Data([0, 128, 0, 0]) + Data(0x80...0xFF)
    var reader = ByteReader(Data([0, 0, 0, UInt8(payload.count + 8), 0xA9]) + Data("nam".utf8) + payload)
    let text = try #require(try UserDataAtom(reading: &reader).items[0].string)
    #expect(text.unicodeScalars.count == 128 && text.hasPrefix("ÄÅÇ") && text.hasSuffix("˝˛ˇ"))
    #expect(Set(text.unicodeScalars).count == 128)
  }

  @Test func damagedMetadataIsLeftOutWithAWarning() throws {
    var data = try SmallMovie.data()
    let place = try #require(data.range(of: Data("ilst".utf8))).lowerBound
    data.replaceSubrange(place - 4..<place, with: [0x7F, 0, 0, 0])
    let movie = try Movie.open(DataSource(data))
    #expect(movie.warnings.map(\.path) == ["moov/meta"] && movie.tracks.count == 4)
  }
}
