import Foundation

/// `vmhd`, `smhd`, `gmhd`, `nmhd`: the header of a track's media information, chosen by its handler.
package enum MediaInformationHeader {
  package static let types: Set<FourCC> = ["vmhd", "smhd", "gmhd", "nmhd", "hmhd", "sthd"]

  /// What is written for a track that brings none.
  package static func standard(handler: FourCC, isQuickTime: Bool) -> StoredAtom {
    var writer = ByteWriter()
    switch handler {
    case "vide", "auxv", "pict":
      // Graphics mode 0 (copy) in MP4, 64 (dither copy) with mid-grey in QuickTime.
      writer.versionAndFlags(0, 1)
      writer.u16(isQuickTime ? 64 : 0)
      for _ in 0..<3 { writer.u16(isQuickTime ? 0x8000 : 0) }
      return StoredAtom("vmhd", writer.data)
    case "soun":
      writer.zeros(8)
      return StoredAtom("smhd", writer.data)
    default:
      guard isQuickTime else { return StoredAtom("nmhd", Data(count: 4)) }
      writer.box("gmin", gmin)
      if handler == "tmcd" { writer.box("tmcd") { $0.box("tcmi", tcmi) } }
      return StoredAtom("gmhd", writer.data)
    }
  }

  private static func gmin(_ writer: inout ByteWriter) {
    writer.versionAndFlags(0)
    writer.u16(64)
    for _ in 0..<3 { writer.u16(0x8000) }
    writer.zeros(4)
  }

  /// How a time code would be drawn: plain 12 point, white on black, no font name.
  private static func tcmi(_ writer: inout ByteWriter) {
    writer.versionAndFlags(0)
    writer.zeros(4)
    writer.u16(12)
    writer.zeros(2)
    for component in [0, 0, 0, 0xFFFF, 0xFFFF, 0xFFFF] as [UInt16] { writer.u16(component) }
    writer.u8(0)
  }
}
