import Foundation

/// `udta`: user data of a movie or a track: international texts (`©…`) and anything else.
package struct UserDataAtom: Atom, Hashable, Sendable {
  package let type: FourCC = "udta"
  package var items: [MovieMetadataItem]
  /// `meta` inside user data, as MP4 files have it.
  package var metadata: MetadataAtom?

  package init(items: [MovieMetadataItem], metadata: MetadataAtom? = nil) {
    self.items = items
    self.metadata = metadata
  }

  package init(reading reader: inout ByteReader) throws(QuickTimeError) {
    items = []
    while var box = try reader.nextBox() {
      guard items.count < ReadingLimit.metadataItems else { throw reader.malformed("has too many items", .unsupported) }
      if box.type == "meta" {
        metadata = try MetadataAtom(reading: &box.payload)
      } else {
        items += Self.items(box)
      }
    }
  }

  /// Items whose key is not four Latin-1 characters have no place here and are left out.
  package func write(to writer: inout ByteWriter) {
    let items = items.filter { FourCC($0.key) != nil }
    var index = 0
    while index < items.count {
      let key = items[index].key
      let isText = Self.isText(items[index])
      // The texts of one key in several languages share an atom.
      let end = isText ? items[index...].firstIndex { $0.key != key || !Self.isText($0) } ?? items.count : index + 1
      writer.box(FourCC(key) ?? FourCC(0)) { payload in
        for item in items[index..<end] {
          if isText {
            payload.u16(UInt16(clamping: item.value.count))
            payload.u16(UInt16(truncatingIfNeeded: item.locale))
          }
          payload.data(isText ? item.value.prefix(Int(UInt16.max)) : item.value)
        }
      }
      index = end
    }
    if let metadata { writer.atom(metadata) }
  }

  private static func isText(_ item: MovieMetadataItem) -> Bool {
    item.dataType == MovieMetadataItem.DataType.utf8 && FourCC(item.key).map(isTextType) ?? false
  }

  private static func isTextType(_ type: FourCC) -> Bool { type.rawValue >> 24 == 0xA9 }

  /// The texts of a `©` atom, or the whole payload where it is not laid out as texts.
  private static func items(_ box: Box) -> [MovieMetadataItem] {
    let raw = MovieMetadataItem(
      space: .userData, key: box.type.description, dataType: MovieMetadataItem.DataType.raw, value: box.stored.payload)
    guard isTextType(box.type), let texts = try? texts(box), !texts.isEmpty else { return [raw] }
    return texts
  }

  private static func texts(_ box: Box) throws(QuickTimeError) -> [MovieMetadataItem] {
    var reader = box.payload
    var items: [MovieMetadataItem] = []
    while reader.remaining >= 4 {
      let size = Int(try reader.u16())
      let language = try reader.u16()
      let text = utf8(try reader.data(size), language)
      items.append(
        MovieMetadataItem(
          space: .userData, key: box.type.description, dataType: MovieMetadataItem.DataType.utf8,
          locale: UInt32(language < 0x400 ? LanguageCode.undetermined : language), value: text))
    }
    return items
  }

  /// Languages below 0x400 are Macintosh ones, with texts in Mac OS Roman unless they are ASCII.
  private static func utf8(_ text: Data, _ language: UInt16) -> Data {
    guard language < 0x400 else { return text }
    return Data(MacRoman.text(text).utf8)
  }
}
