package import Foundation

/// The box `keys` of a `mebx` sample entry: which key each local id of the track stands for.
package struct MetadataKeyTable: Hashable, Sendable {
  package struct Entry: Hashable, Sendable {
    package private(set) var localID: UInt32
    /// `mdta` for keys that are reverse-DNS strings.
    package private(set) var namespace: FourCC
    /// The key, such as `com.apple.quicktime.aperture-float`.
    package private(set) var key: String
    /// 0: `dataType` is a well-known number; 1: it is a reverse-DNS string and `dataType` is 0.
    package private(set) var dataTypeNamespace: UInt32
    /// The well-known number of the value's type: 0 raw, 1 UTF-8, 21 signed integer, 23 f32.
    package private(set) var dataType: UInt32
    /// The box as stored, children and all; nil for an entry that was made here.
    private var stored: Data?

    package init(localID: UInt32, namespace: FourCC = "mdta", key: String, dataType: UInt32) {
      self.localID = localID
      self.namespace = namespace
      self.key = key
      self.dataType = dataType
      dataTypeNamespace = 0
      stored = nil
    }
  }

  /// In stored order.
  package var entries: [Entry]
  /// Bytes after the last entry.
  package var trailing: Data

  package init(entries: [Entry], trailing: Data = Data()) {
    self.entries = entries
    self.trailing = trailing
  }

  package func entry(localID: UInt32) -> Entry? { entries.first { $0.localID == localID } }

  /// The local id of a key of the namespace `mdta`.
  package func localID(of key: String) -> UInt32? {
    entries.first { $0.namespace == "mdta" && $0.key == key }?.localID
  }
}

extension MetadataKeyTable {
  /// The most keys a table may have.
  static let maximumCount = 4096

  /// Reads the payload of the box `keys`: a box for each key whose type is the local id.
  package init(payload: ByteReader) throws(QuickTimeError) {
    var reader = payload
    self.init(entries: [])
    while reader.remaining >= 8 {
      let start = reader
      let size = Int(try reader.u32())
      if size == 0 {
        reader = start
        break
      }
      guard size >= 8, size - 4 <= reader.remaining, entries.count < Self.maximumCount else {
        throw start.malformed("holds a key of \(size) bytes where \(start.remaining) are left")
      }
      reader = start
      entries.append(try Entry(box: reader.window(size)))
    }
    trailing = reader.rest()
  }

  package init(payload: Data) throws(QuickTimeError) {
    try self.init(payload: ByteReader(payload, path: "mebx/keys"))
  }

  /// The payload of the box `keys`; entries that were read are written as they were stored.
  package var payload: Data {
    var writer = ByteWriter()
    for entry in entries { entry.write(to: &writer) }
    writer.data(trailing)
    return writer.data
  }

  /// The whole sample entry `mebx` with this table.
  package func sampleEntry(dataReferenceIndex: UInt16 = 1) -> Data {
    var writer = ByteWriter()
    writer.box("mebx") { entry in
      entry.zeros(6)
      entry.u16(dataReferenceIndex)
      entry.box("keys") { $0.data(payload) }
    }
    return writer.data
  }
}

extension MetadataKeyTable.Entry {
  fileprivate init(box: ByteReader) throws(QuickTimeError) {
    var reader = box
    var whole = box
    let stored = whole.rest()
    try reader.skip(4)
    self.init(localID: try reader.u32(), namespace: FourCC(0), key: "", dataType: 0)
    while reader.remaining >= 8 {
      let size = Int(try reader.u32())
      if size == 0 { break }
      guard size >= 8, size - 4 <= reader.remaining else {
        throw reader.malformed("holds a box of \(size) bytes where \(reader.remaining + 4) are left")
      }
      let type = try reader.fourCC()
      try read(type, try reader.window(size - 8))
    }
    self.stored = stored
  }

  private mutating func read(_ type: FourCC, _ payload: ByteReader) throws(QuickTimeError) {
    var payload = payload
    switch type {
    case "keyd":
      namespace = try payload.fourCC()
      key = String(decoding: payload.rest(), as: UTF8.self)
    case "dtyp":
      dataTypeNamespace = try payload.u32()
      if dataTypeNamespace == 0 { dataType = try payload.u32() }
    default: break
    }
  }

  fileprivate func write(to writer: inout ByteWriter) {
    if let stored { return writer.data(stored) }
    writer.box(FourCC(localID)) { entry in
      entry.box("keyd") {
        $0.fourCC(namespace)
        $0.data(Data(key.utf8))
      }
      entry.box("dtyp") {
        $0.u32(dataTypeNamespace)
        $0.u32(dataType)
      }
    }
  }
}
