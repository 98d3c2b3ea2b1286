import Foundation

/// An atom of the cinematography item as met while reading: u32 size, 4cc, u8 version, u24 flags, body.
struct CinematicAtom {
  let type: FourCC
  let version: UInt8
  let flags: UInt32
  let body: ByteReader
  /// The atom with its head.
  let whole: ByteReader

  /// The bytes of size, type, version and flags.
  static let headBytes = 12

  var stored: Data {
    var reader = whole
    return reader.rest()
  }
}

extension ByteReader {
  /// The next child; nil where fewer bytes than an atom's head are left or its size is 0: those are trailing bytes.
  ///
  /// A child of 8 to 11 bytes has no room for a version; it is answered with version 255, which nothing understands.
  mutating func nextCinematicAtom(path: String) throws(QuickTimeError) -> CinematicAtom? {
    guard remaining >= 8 else { return nil }
    var head = self
    let size = Int(try head.u32())
    guard size != 0 else { return nil }
    let type = try head.fourCC()
    guard size >= 8, size <= remaining else {
      throw malformed("holds an atom '\(type)' of \(size) bytes where \(remaining) are left")
    }
    let whole = try window(size, path: path)
    var body = whole
    try body.skip(8)
    guard size >= CinematicAtom.headBytes else {
      return CinematicAtom(type: type, version: 255, flags: 0, body: body, whole: whole)
    }
    let version = try body.u8()
    let flags = try body.u24()
    return CinematicAtom(type: type, version: version, flags: flags, body: body, whole: whole)
  }
}

extension ByteWriter {
  /// An atom with version 0 and the flags; `body` writes what follows.
  mutating func cinematicAtom(_ type: FourCC, flags: UInt32, _ body: (inout ByteWriter) -> Void) {
    fullBox(type, version: 0, flags: flags, body)
  }
}
