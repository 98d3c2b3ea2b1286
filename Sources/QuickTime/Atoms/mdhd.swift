package import Foundation

/// `mdhd`: the time scale, duration and language of a track's media.
package struct MediaHeaderAtom: Atom, Hashable, Sendable {
  package let type: FourCC = "mdhd"
  package var creationDate: Date?
  package var modificationDate: Date?
  /// Units a second of the samples' times; positive.
  package var timescale: Int32
  /// In units of `timescale`; nil where the file says unknown.
  package var duration: Int64?
  /// Three letters of ISO 639-2, five bits each, or below 0x400 a Macintosh language.
  package var language: UInt16
  package var quality: UInt16 = 0

  package init(timescale: Int32, duration: Int64?, language: UInt16 = LanguageCode.undetermined) {
    self.timescale = timescale
    self.duration = duration
    self.language = language
  }

  package init(reading reader: inout ByteReader) throws(QuickTimeError) {
    let (version, _) = try reader.versionAndFlags()
    creationDate = MovieDate.date(try reader.time(version))
    modificationDate = MovieDate.date(try reader.time(version))
    timescale = try reader.timescale()
    duration = try reader.duration(version)
    language = try reader.u16()
    quality = try reader.u16()
  }

  package func write(to writer: inout ByteWriter) {
    let version = TimeFields.version(duration, creationDate, modificationDate)
    writer.versionAndFlags(version)
    writer.time(MovieDate.seconds(creationDate), version)
    writer.time(MovieDate.seconds(modificationDate), version)
    writer.i32(timescale)
    writer.duration(duration, version)
    writer.u16(language)
    writer.u16(quality)
  }
}

/// The packed languages of `mdhd` and user data.
package enum LanguageCode {
  /// "und".
  package static let undetermined: UInt16 = 0x55C4

  /// "eng" and the like; nil for a Macintosh language or anything that is not three letters.
  package static func text(_ code: UInt16) -> String? {
    guard code >= 0x400, code != 0x7FFF else { return nil }
    let letters = [code >> 10 & 31, code >> 5 & 31, code & 31]
    guard letters.allSatisfy({ (1...26).contains($0) }) else { return nil }
    return String(String.UnicodeScalarView(letters.map { Unicode.Scalar(UInt8($0) + 0x60) }))
  }

  /// `undetermined` unless `text` has three small letters.
  package static func code(_ text: String) -> UInt16 {
    let bytes = Array(text.utf8)
    guard bytes.count == 3, bytes.allSatisfy({ (0x61...0x7A).contains($0) }) else { return undetermined }
    return bytes.reduce(0) { $0 << 5 | UInt16($1 - 0x60) }
  }
}
