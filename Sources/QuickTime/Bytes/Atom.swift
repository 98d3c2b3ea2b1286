package import Foundation

/// An atom whose payload is understood: `write` gives back what `init(reading:)` took.
package protocol Atom {
  /// The four-character code in front of the payload.
  var type: FourCC { get }
  /// Reads the payload; the reader starts behind the atom's header and ends with the atom.
  init(reading reader: inout ByteReader) throws(QuickTimeError)
  /// Writes the payload.
  func write(to writer: inout ByteWriter)
}

/// An atom kept as it is stored.
package struct StoredAtom: Hashable, Sendable {
  package var type: FourCC
  /// The bytes behind the header.
  package var payload: Data

  package init(_ type: FourCC, _ payload: Data) {
    self.type = type
    self.payload = payload
  }

  /// Any atom as its bytes.
  package init(_ atom: some Atom) {
    var writer = ByteWriter()
    atom.write(to: &writer)
    self.init(atom.type, writer.data)
  }
}

/// An atom met while reading: its type and a reader of its payload.
package struct Box: Sendable {
  package let type: FourCC
  /// The place of its header in the file.
  package let offset: Int64
  package let headerBytes: Int
  package var payload: ByteReader

  package var stored: StoredAtom {
    var copy = payload
    return StoredAtom(type, copy.rest())
  }
}

extension ByteReader {
  /// The next atom, or nil at the end.
  ///
  /// Fewer than eight bytes at the end, and a size of 0, which closes old user data and `wave` lists, end the list.
  package mutating func nextBox() throws(QuickTimeError) -> Box? {
    guard remaining >= 8 else { return nil }
    let start = offset
    let available = remaining
    var header = self
    let shortSize = try header.u32()
    let type = try header.fourCC()
    guard shortSize != 0 else { return nil }
    let headerBytes = shortSize == 1 ? 16 : 8
    let size = shortSize == 1 ? try header.u64() : UInt64(shortSize)
    guard size >= headerBytes, size <= available else {
      throw malformed("holds an atom '\(type)' of \(size) bytes where \(available) are left")
    }
    try skip(headerBytes)
    let payload = try window(Int(size) - headerBytes, path: path.isEmpty ? "\(type)" : "\(path)/\(type)")
    return Box(type: type, offset: start, headerBytes: headerBytes, payload: payload)
  }

  /// All atoms up to the end as they are stored.
  package mutating func storedAtoms() throws(QuickTimeError) -> [StoredAtom] {
    var atoms: [StoredAtom] = []
    while let box = try nextBox() { atoms.append(box.stored) }
    return atoms
  }

  /// The byte and the 24 bits in front of most atoms of the ISO standard.
  package mutating func versionAndFlags() throws(QuickTimeError) -> (version: UInt8, flags: UInt32) {
    (try u8(), try u24())
  }
}

extension ByteWriter {
  package mutating func atom(_ atom: some Atom) {
    box(atom.type) { atom.write(to: &$0) }
  }

  package mutating func atom(_ atom: StoredAtom) {
    box(atom.type) { $0.data(atom.payload) }
  }

  package mutating func versionAndFlags(_ version: UInt8, _ flags: UInt32 = 0) {
    u8(version)
    u24(flags)
  }
}

extension [StoredAtom] {
  /// The payload of the first atom of the type.
  package subscript(type: FourCC) -> Data? { first { $0.type == type }?.payload }
}
