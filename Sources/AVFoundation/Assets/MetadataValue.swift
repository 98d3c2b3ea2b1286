internal import CoreMedia
internal import Foundation

/// The translation between the stored bytes of an item of metadata and its value, by the number of its data type.
///
/// The numbers are the well-known types of the QuickTime File Format; multi-byte values are big-endian.
enum MetadataValue {
  /// Bytes without a known meaning.
  static let raw: UInt32 = 0

  /// The value of `bytes`, or the bytes themselves where the type is unknown or does not fit them.
  static func decode(_ bytes: Data, type: UInt32) -> any Sendable {
    switch type {
    case 1: return String(data: bytes, encoding: .utf8) ?? bytes
    case 2: return String(data: bytes, encoding: .utf16BigEndian) ?? bytes
    case 23, 24: return real(bytes, type: type) ?? bytes
    case 21, 65, 66, 67, 74: return signed(bytes).map { NSNumber(value: $0) } ?? bytes
    case 22, 75, 76, 77, 78: return unsigned(bytes).map { NSNumber(value: $0) } ?? bytes
    case 70: return floats(bytes, 2).map { CGPoint(x: $0[0], y: $0[1]) } ?? bytes
    case 71: return floats(bytes, 2).map { CGSize(width: $0[0], height: $0[1]) } ?? bytes
    case 72: return floats(bytes, 4).map { CGRect(x: $0[0], y: $0[1], width: $0[2], height: $0[3]) } ?? bytes
    default: return bytes
    }
  }

  /// The bytes that `value` is stored as under a type, or nil if the type cannot hold it.
  static func encode(_ value: any Sendable, type: UInt32) -> Data? {
    if let bytes = value as? Data { return bytes }
    switch type {
    case 1: return (value as? String).map { Data($0.utf8) }
    case 2: return (value as? String)?.data(using: .utf16BigEndian)
    case 23: return number(value).map { bigEndian($0.floatValue.bitPattern) }
    case 24: return number(value).map { bigEndian($0.doubleValue.bitPattern) }
    case 21, 65, 66, 67, 74: return number(value).flatMap { integer($0.int64Value, type: type) }
    case 22, 75, 76, 77, 78: return number(value).flatMap { integer(Int64(bitPattern: $0.uint64Value), type: type) }
    case 70: return (value as? CGPoint).map { store([$0.x, $0.y]) }
    case 71: return (value as? CGSize).map { store([$0.width, $0.height]) }
    case 72: return (value as? CGRect).map { store([$0.minX, $0.minY, $0.width, $0.height]) }
    default: return nil
    }
  }

  /// The type that a value is stored as when its item names none.
  static func naturalType(of value: any Sendable) -> UInt32 {
    switch value {
    case is String: 1
    case is Float: 23
    case is Double: 24
    case is CGPoint: 70
    case is CGSize: 71
    case is CGRect: 72
    case let number as NSNumber: isReal(number) ? 24 : 74
    case is any BinaryInteger: 74
    default: raw
    }
  }

  /// The number in `value`, whatever Swift type carries it.
  static func number(_ value: (any Sendable)?) -> NSNumber? {
    switch value {
    case let number as NSNumber: number
    case let real as any BinaryFloatingPoint: NSNumber(value: Double(real))
    case let integer as any UnsignedInteger: NSNumber(value: UInt64(clamping: integer))
    case let integer as any BinaryInteger: NSNumber(value: Int64(clamping: integer))
    default: nil
    }
  }

  /// The name of a type, nil for a number without one.
  static func name(of type: UInt32) -> String? { type == 21 ? signedInteger : names.first { $0.number == type }?.name }

  /// The number of a named type; 21 and 22, integers of any length, have no names in the original interfaces.
  static func number(ofName name: String) -> UInt32? {
    name == signedInteger ? 21 : names.first { $0.name == name }?.number
  }

  private static let signedInteger = metadataDataTypeSignedInteger

  private static let names: [(number: UInt32, name: String)] = [
    (0, kCMMetadataBaseDataType_RawData), (1, kCMMetadataBaseDataType_UTF8), (2, kCMMetadataBaseDataType_UTF16),
    (13, kCMMetadataBaseDataType_JPEG), (14, kCMMetadataBaseDataType_PNG), (23, kCMMetadataBaseDataType_Float32),
    (24, kCMMetadataBaseDataType_Float64), (27, kCMMetadataBaseDataType_BMP), (65, kCMMetadataBaseDataType_SInt8),
    (66, kCMMetadataBaseDataType_SInt16), (67, kCMMetadataBaseDataType_SInt32),
    (70, kCMMetadataBaseDataType_PointF32), (71, kCMMetadataBaseDataType_DimensionsF32),
    (72, kCMMetadataBaseDataType_RectF32), (74, kCMMetadataBaseDataType_SInt64), (75, kCMMetadataBaseDataType_UInt8),
    (76, kCMMetadataBaseDataType_UInt16), (77, kCMMetadataBaseDataType_UInt32), (78, kCMMetadataBaseDataType_UInt64),
    (79, kCMMetadataBaseDataType_AffineTransformF64),
  ]

  private static func isReal(_ number: NSNumber) -> Bool {
    let type = String(cString: number.objCType)
    return type == "d" || type == "f"
  }

  private static func real(_ bytes: Data, type: UInt32) -> NSNumber? {
    guard let bits = unsigned(bytes) else { return nil }
    if type == 23 { return bytes.count == 4 ? NSNumber(value: Float(bitPattern: UInt32(bits))) : nil }
    return bytes.count == 8 ? NSNumber(value: Double(bitPattern: bits)) : nil
  }

  private static func unsigned(_ bytes: Data) -> UInt64? {
    guard (1...8).contains(bytes.count) else { return nil }
    return bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }

  private static func signed(_ bytes: Data) -> Int64? {
    unsigned(bytes).map { Int64(bitPattern: $0 << UInt64(64 - 8 * bytes.count)) >> Int64(64 - 8 * bytes.count) }
  }

  private static func floats(_ bytes: Data, _ count: Int) -> [CGFloat]? {
    guard bytes.count == 4 * count else { return nil }
    return (0..<count).map { index in
      let start = bytes.startIndex + 4 * index
      let bits = bytes[start..<start + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      return CGFloat(Float(bitPattern: bits))
    }
  }

  private static func store(_ values: [CGFloat]) -> Data {
    values.reduce(into: Data()) { $0 += bigEndian(Float($1).bitPattern) }
  }

  private static func integer(_ value: Int64, type: UInt32) -> Data? {
    let byteCount =
      [65: 1, 75: 1, 66: 2, 76: 2, 67: 4, 77: 4, 74: 8, 78: 8][type] ?? (Int32(exactly: value) == nil ? 8 : 4)
    let unused = Int64(64 - 8 * byteCount)
    let kept = (value << unused) >> unused
    let isSigned = type == 21 || (65...67).contains(type) || type == 74
    guard byteCount == 8 || !isSigned || kept == value else { return nil }
    return bigEndian(UInt64(bitPattern: value)).suffix(byteCount)
  }

  private static func bigEndian<Integer: FixedWidthInteger>(_ value: Integer) -> Data {
    withUnsafeBytes(of: value.bigEndian) { Data($0) }
  }
}

/// This package's own name for integers of one to eight bytes, QuickTime's type 21.
package let metadataDataTypeSignedInteger = "com.apple.metadata.datatype.int"
