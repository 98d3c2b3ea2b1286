package import Foundation

/// `hdlr`: what a track or a metadata atom holds.
package struct HandlerAtom: Atom, Hashable, Sendable {
  package let type: FourCC = "hdlr"
  /// `mhlr` or `dhlr` in QuickTime, 0 in MP4.
  package var component: FourCC
  /// `vide`, `auxv`, `soun`, `meta`, `mdta`…
  package var handler: FourCC
  /// Manufacturer, flags and mask.
  package var reserved: Data
  /// As stored: a Pascal string in QuickTime, a C string in MP4.
  package var storedName: Data

  /// A Pascal name for QuickTime, a C string for MP4.
  package init(component: FourCC, handler: FourCC, name: String, isQuickTime: Bool) {
    self.component = isQuickTime ? component : FourCC(0)
    self.handler = handler
    reserved = Data(count: 12)
    let text = Data(name.utf8.prefix(255))
    storedName = isQuickTime ? Data([UInt8(text.count)]) + text : text + [0]
  }

  package init(reading reader: inout ByteReader) throws(QuickTimeError) {
    _ = try reader.versionAndFlags()
    component = try reader.fourCC()
    handler = try reader.fourCC()
    reserved = reader.remaining >= 12 ? try reader.data(12) : Data(count: 12)
    storedName = reader.rest()
  }

  package func write(to writer: inout ByteWriter) {
    writer.versionAndFlags(0)
    writer.fourCC(component)
    writer.fourCC(handler)
    writer.data(reserved)
    writer.data(storedName)
  }

  /// The name without length byte or terminator.
  package var name: String {
    let bytes = [UInt8](storedName)
    guard let first = bytes.first else { return "" }
    let isPascal = Int(first) < bytes.count && component.rawValue != 0
    let text = isPascal ? bytes[1..<1 + Int(first)] : bytes[...]
    return String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
  }
}
