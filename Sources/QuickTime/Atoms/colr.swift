package import Foundation

/// `colr`: the colour of a picture, as code points of ITU-T H.273 or as an ICC profile.
package enum ColourAtom: Atom, Hashable, Sendable {
  /// QuickTime's form: the range is left to the bitstream.
  case nclc(primaries: UInt16, transfer: UInt16, matrix: UInt16)
  /// MP4's form.
  case nclx(primaries: UInt16, transfer: UInt16, matrix: UInt16, isFullRange: Bool)
  /// `prof`, `rICC` or one that is not known.
  case other(FourCC, Data)

  package var type: FourCC { "colr" }

  package init(reading reader: inout ByteReader) throws(QuickTimeError) {
    let form = try reader.fourCC()
    guard form == "nclc" || form == "nclx" else {
      self = .other(form, reader.rest())
      return
    }
    let (primaries, transfer, matrix) = (try reader.u16(), try reader.u16(), try reader.u16())
    if form == "nclc" {
      self = .nclc(primaries: primaries, transfer: transfer, matrix: matrix)
    } else {
      let isFullRange = try reader.u8() & 0x80 != 0
      self = .nclx(primaries: primaries, transfer: transfer, matrix: matrix, isFullRange: isFullRange)
    }
  }

  package func write(to writer: inout ByteWriter) {
    switch self {
    case .nclc(let primaries, let transfer, let matrix):
      writer.fourCC("nclc")
      for code in [primaries, transfer, matrix] { writer.u16(code) }
    case .nclx(let primaries, let transfer, let matrix, let isFullRange):
      writer.fourCC("nclx")
      for code in [primaries, transfer, matrix] { writer.u16(code) }
      writer.u8(isFullRange ? 0x80 : 0)
    case .other(let form, let data):
      writer.fourCC(form)
      writer.data(data)
    }
  }

  /// The three code points; nil for a profile.
  package var codePoints: (primaries: Int, transfer: Int, matrix: Int)? {
    switch self {
    case .nclc(let primaries, let transfer, let matrix): (Int(primaries), Int(transfer), Int(matrix))
    case .nclx(let primaries, let transfer, let matrix, _): (Int(primaries), Int(transfer), Int(matrix))
    case .other: nil
    }
  }
}
