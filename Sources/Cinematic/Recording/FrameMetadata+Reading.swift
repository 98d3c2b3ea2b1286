import Foundation
package import QuickTime

extension FrameMetadata {
  /// Reads a `mebx` sample with its track's key table.
  ///
  /// Nothing is thrown: what cannot be decoded is left out and named in `problems`. Of several items with one key the first that can
  /// be decoded counts. `offset` is the sample's place in the file and `path` its name, for the sentences.
  package init(sample: Data, keys: CinematicLocalIDs, offset: Int64 = 0, path: String = "mebx") {
    do {
      _ = try MetadataSampleCodec.forEachItem(of: ByteReader(sample, offset: offset, path: path)) {
        (localID, payload) throws(QuickTimeError) in
        // A flattened movie may keep its keys without any payload.
        guard let key = keys[localID], payload.remaining > 0 else { return }
        read(key, payload)
      }
    } catch {
      problems.append(error)
    }
  }

  /// Takes the payload of one item, or notes why it cannot be decoded.
  mutating func read(_ key: CinematicKey, _ payload: ByteReader) {
    do throws(QuickTimeError) {
      switch key {
      case .cinematography: if frame == nil { frame = try CinematicFrameItem(payload: payload) }
      case .rendering: if rendering == nil { rendering = try CinematicRenderingItem(payload: payload) }
      case .stabilization: if stabilization == nil { stabilization = try CinematicStabilizationItem(payload: payload) }
      case .aperture: if fNumber == nil { fNumber = try Self.float(payload) }
      case .disparity: if focusDisparity == nil { focusDisparity = try Self.float(payload) }
      }
    } catch {
      problems.append(error)
    }
  }

  private static func float(_ payload: ByteReader) throws(QuickTimeError) -> Float {
    var payload = payload
    return try payload.f32()
  }
}

/// Which local ids of a metadata track stand for the Cinematic keys.
package struct CinematicLocalIDs: Hashable, Sendable {
  private var keys: [UInt32: CinematicKey] = [:]

  package init(_ table: MetadataKeyTable) {
    for entry in table.entries where entry.namespace == "mdta" {
      // Some writers end the string with a zero.
      let name = entry.key.prefix { $0 != "\0" }
      if let key = CinematicKey(rawValue: String(name)) { keys[entry.localID] = key }
    }
  }

  /// Reads the table of a `mebx` sample entry; nil for an entry of another type, without a table, or with none of the keys.
  package init?(_ description: SampleDescription) {
    guard description.type == "mebx", let payload = description.child("keys") else { return nil }
    guard let table = try? MetadataKeyTable(payload: payload) else { return nil }
    self.init(table)
    if keys.isEmpty { return nil }
  }

  package var isEmpty: Bool { keys.isEmpty }
  package subscript(localID: UInt32) -> CinematicKey? { keys[localID] }
}
