import Foundation

/// `meta`: metadata of a movie or a track, with its `hdlr`, `keys` and `ilst`.
///
/// Reads QuickTime's plain form and MP4's, which starts with a version; writes the form asked for. Atoms that are not understood
/// stay in `others`.
package struct MetadataAtom: Atom, Hashable, Sendable {
  package let type: FourCC = "meta"
  /// Whether a version and flags come first.
  package var isFull: Bool
  /// `mdta` for reverse-DNS keys, `mdir` for four-character ones.
  package var handler: FourCC
  package var items: [MovieMetadataItem]
  package var others: [StoredAtom]

  package init(items: [MovieMetadataItem], isFull: Bool, handler: FourCC = "mdta", others: [StoredAtom] = []) {
    self.items = items
    self.isFull = isFull
    self.handler = handler
    self.others = others
  }

  package init(reading reader: inout ByteReader) throws(QuickTimeError) {
    isFull = Self.startsWithVersion(reader)
    if isFull { try reader.skip(4) }
    handler = FourCC(0)
    items = []
    others = []
    var keys: [Key] = []
    var list: ByteReader?
    while var box = try reader.nextBox() {
      switch box.type {
      case "hdlr": handler = try HandlerAtom(reading: &box.payload).handler
      case "keys": keys = try Self.keys(&box.payload)
      case "ilst": list = box.payload
      default: others.append(box.stored)
      }
    }
    if var list { items = try Self.items(&list, keys, handler) }
  }

  /// Items whose key is not four Latin-1 characters are left out where it would have to be.
  package func write(to writer: inout ByteWriter) {
    if isFull { writer.versionAndFlags(0) }
    writer.atom(HandlerAtom(component: FourCC(0), handler: handler, name: "", isQuickTime: false))
    if handler == "mdta" { writeKeys(&writer) }
    writer.box("ilst") { list in
      for (index, item) in items.enumerated() {
        guard let type = handler == "mdta" ? FourCC(UInt32(index + 1)) : FourCC(item.key) else { continue }
        list.box(type) { $0.box("data") { Self.write(item, to: &$0) } }
      }
    }
    for other in others { writer.atom(other) }
  }

  private struct Key {
    var namespace: FourCC
    var name: String
  }

  /// The plain form starts with an atom, whose type cannot be told from a version any other way.
  static func startsWithVersion(_ reader: ByteReader) -> Bool {
    var copy = reader
    guard let first = try? copy.u32(), let second = try? copy.u32() else { return reader.remaining >= 4 }
    return first == 0 && FourCC(second) != "hdlr"
  }

  private static func keys(_ reader: inout ByteReader) throws(QuickTimeError) -> [Key] {
    _ = try reader.versionAndFlags()
    var keys: [Key] = []
    for _ in 0..<(try reader.count(entryBytes: 8)) {
      guard var key = try reader.nextBox() else { break }
      keys.append(Key(namespace: key.type, name: String(decoding: key.payload.rest(), as: UTF8.self)))
    }
    return keys
  }

  /// An item without a value, or with the number of a key that is not there, is left out.
  private static func items(
    _ list: inout ByteReader, _ keys: [Key], _ handler: FourCC
  ) throws(QuickTimeError) -> [MovieMetadataItem] {
    var items: [MovieMetadataItem] = []
    while var entry = try list.nextBox() {
      let number = Int(entry.type.rawValue)
      let key = (1...max(1, keys.count)).contains(number) && !keys.isEmpty ? keys[number - 1] : nil
      guard key != nil || handler != "mdta" else { continue }
      while var box = try entry.payload.nextBox() {
        guard box.type == "data" else { continue }
        guard items.count < ReadingLimit.metadataItems else { throw list.malformed("has too many items", .unsupported) }
        var item = MovieMetadataItem(
          space: key == nil ? .iTunesMetadata : .quickTimeMetadata, key: key?.name ?? entry.type.description,
          dataType: try box.payload.u32(), locale: try box.payload.u32(), value: box.payload.rest())
        item.namespace = key?.namespace ?? "mdta"
        items.append(item)
      }
    }
    return items
  }

  private func writeKeys(_ writer: inout ByteWriter) {
    writer.fullBox("keys") { keys in
      keys.u32(UInt32(items.count))
      for item in items { keys.box(item.namespace) { $0.data(Data(item.key.utf8)) } }
    }
  }

  static func write(_ item: MovieMetadataItem, to writer: inout ByteWriter) {
    writer.u32(item.dataType)
    writer.u32(item.locale)
    writer.data(item.value)
  }
}
