package import Foundation

/// One item of a `mebx` sample: the value of one key.
package struct MetadataSampleItem: Hashable, Sendable {
  /// The key's local id; it belongs to the track's key table.
  package var localID: UInt32
  package var payload: Data

  package init(localID: UInt32, payload: Data) {
    self.localID = localID
    self.payload = payload
  }
}

/// The content of one `mebx` sample.
package struct MetadataSample: Hashable, Sendable {
  /// In stored order; several may have the same local id.
  package var items: [MetadataSampleItem]
  /// Bytes after the last item, fewer than an item's head or starting with a size of 0; kept for an exact copy.
  package var trailing: Data

  package init(items: [MetadataSampleItem] = [], trailing: Data = Data()) {
    self.items = items
    self.trailing = trailing
  }

  /// The sample that says "no metadata here": a single item of local id 0 without payload.
  package static let empty = MetadataSample(items: [MetadataSampleItem(localID: 0, payload: Data())])

  /// Whether the sample says nothing: no item has a key.
  package var isEmpty: Bool { items.allSatisfy { $0.localID == 0 } }

  /// The payload of the first item with the local id.
  package subscript(localID: UInt32) -> Data? { items.first { $0.localID == localID }?.payload }
}

/// Reads and writes `mebx` samples: items of u32 size, u32 local id and a payload of size − 8 bytes.
package enum MetadataSampleCodec {
  /// Every byte of `data` ends up in an item or in `trailing`, so that writing the result gives `data` again.
  package static func sample(from data: Data) throws(QuickTimeError) -> MetadataSample {
    var sample = MetadataSample()
    sample.trailing = try forEachItem(of: ByteReader(data, path: "mebx")) { localID, payload throws(QuickTimeError) in
      var payload = payload
      sample.items.append(MetadataSampleItem(localID: localID, payload: payload.rest()))
    }
    return sample
  }

  package static func data(of sample: MetadataSample) -> Data {
    var writer = ByteWriter()
    for item in sample.items {
      writer.u32(UInt32(clamping: item.payload.count + 8))
      writer.u32(item.localID)
      writer.data(item.payload)
    }
    writer.data(sample.trailing)
    return writer.data
  }

  /// Gives each item's local id and payload without copying them; answers the bytes after the last item.
  ///
  /// Throws `.malformed` for an item that is larger than what is left of the sample, or smaller than its head.
  package static func forEachItem(
    of sample: ByteReader, _ body: (UInt32, ByteReader) throws(QuickTimeError) -> Void
  ) throws(QuickTimeError) -> Data {
    var reader = sample
    while reader.remaining >= 8 {
      let start = reader
      let size = Int(try reader.u32())
      if size == 0 { return restOf(start) }
      guard size >= 8, size - 4 <= reader.remaining else {
        throw start.malformed("holds a metadata item of \(size) bytes where \(start.remaining) are left")
      }
      let localID = try reader.u32()
      try body(localID, try reader.window(size - 8))
    }
    return reader.rest()
  }

  private static func restOf(_ reader: ByteReader) -> Data {
    var reader = reader
    return reader.rest()
  }
}
