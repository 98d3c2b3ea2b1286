internal import CoreVideo
internal import Foundation

/// One key of a boxed-metadata (`mebx`) format: the row of the key table that a sample's items name by `localID`.
package struct MetadataKey: Hashable, Sendable {
  package var localID: UInt32
  /// The key space as four characters, `mdta`.
  package var namespace: UInt32
  /// The key's bytes, UTF-8 for `mdta`.
  package var value: Data
  /// 0: `dataType` is a well-known number in four bytes; 1: it is a reverse-DNS name.
  package var dataTypeNamespace: UInt32
  package var dataType: Data
  package var languageTag: String?
  package var setupData: Data?

  package init(
    localID: UInt32, namespace: UInt32 = 0x6d64_7461, value: Data, dataTypeNamespace: UInt32, dataType: Data,
    languageTag: String? = nil, setupData: Data? = nil
  ) {
    self.localID = localID
    self.namespace = namespace
    self.value = value
    self.dataTypeNamespace = dataTypeNamespace
    self.dataType = dataType
    self.languageTag = languageTag
    self.setupData = setupData
  }

  /// The key as an identifier, `mdta/com.apple.quicktime.make`.
  package var identifier: String? {
    var identifier: String?
    _ = CMMetadataCreateIdentifierForKeyAndKeySpace(
      allocator: nil, key: value, keySpace: fourCharacterString(namespace), identifierOut: &identifier)
    return identifier
  }

  /// The data type by name, `com.apple.metadata.datatype.float32`; nil for a number that is not well known.
  package var dataTypeName: String? {
    if dataTypeNamespace == 1 { return String(validating: dataType, as: UTF8.self) }
    guard dataTypeNamespace == 0, dataType.count == 4 else { return nil }
    let number = dataType.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    return wellKnownDataTypes.first { $0.number == number }?.name
  }

  /// How a data type of this name is stored.
  package static func storedDataType(named name: String) -> (namespace: UInt32, data: Data) {
    guard let number = wellKnownDataTypes.first(where: { $0.name == name })?.number else { return (1, Data(name.utf8)) }
    return (0, withUnsafeBytes(of: number.bigEndian) { Data($0) })
  }
}

/// The well-known data types of the QuickTime file format.
private let wellKnownDataTypes: [(number: UInt32, name: String)] = [
  (0, kCMMetadataBaseDataType_RawData), (1, kCMMetadataBaseDataType_UTF8), (2, kCMMetadataBaseDataType_UTF16),
  (12, kCMMetadataBaseDataType_GIF), (13, kCMMetadataBaseDataType_JPEG), (14, kCMMetadataBaseDataType_PNG),
  (23, kCMMetadataBaseDataType_Float32), (24, kCMMetadataBaseDataType_Float64), (27, kCMMetadataBaseDataType_BMP),
  (65, kCMMetadataBaseDataType_SInt8), (66, kCMMetadataBaseDataType_SInt16), (67, kCMMetadataBaseDataType_SInt32),
  (70, kCMMetadataBaseDataType_PointF32), (71, kCMMetadataBaseDataType_DimensionsF32),
  (72, kCMMetadataBaseDataType_RectF32),
  (74, kCMMetadataBaseDataType_SInt64), (75, kCMMetadataBaseDataType_UInt8), (76, kCMMetadataBaseDataType_UInt16),
  (77, kCMMetadataBaseDataType_UInt32), (78, kCMMetadataBaseDataType_UInt64),
  (79, kCMMetadataBaseDataType_AffineTransformF64),
]

// MARK: - As a row of the key table

extension MetadataKey {
  var dictionary: [String: Any] {
    var row: [String: Any] = [
      kCMMetadataFormatDescriptionKey_LocalID: Int(localID), kCMMetadataFormatDescriptionKey_Namespace: Int(namespace),
      kCMMetadataFormatDescriptionKey_Value: value,
      kCMMetadataFormatDescriptionKey_DataTypeNamespace: Int(dataTypeNamespace),
      kCMMetadataFormatDescriptionKey_DataType: dataType,
    ]
    row[kCMMetadataFormatDescriptionKey_LanguageTag] = languageTag
    row[kCMMetadataFormatDescriptionKey_SetupData] = setupData
    return row
  }

  init?(_ row: [String: Any]) {
    guard let localID = integer(row[kCMMetadataFormatDescriptionKey_LocalID]).flatMap(UInt32.init(exactly:)),
      let namespace = integer(row[kCMMetadataFormatDescriptionKey_Namespace]).flatMap(UInt32.init(exactly:)),
      let value = row[kCMMetadataFormatDescriptionKey_Value] as? Data,
      let typeSpace = integer(row[kCMMetadataFormatDescriptionKey_DataTypeNamespace]).flatMap(UInt32.init(exactly:)),
      let dataType = row[kCMMetadataFormatDescriptionKey_DataType] as? Data
    else { return nil }
    self.init(
      localID: localID, namespace: namespace, value: value, dataTypeNamespace: typeSpace, dataType: dataType,
      languageTag: row[kCMMetadataFormatDescriptionKey_LanguageTag] as? String,
      setupData: row[kCMMetadataFormatDescriptionKey_SetupData] as? Data)
  }
}

extension CMFormatDescription {
  /// A description of boxed metadata with these keys; `extensions` beside them.
  package convenience init(metadataKeys: [MetadataKey], extensions: [String: Any] = [:]) {
    var extensions = extensions
    extensions[kCMFormatDescriptionExtensionKey_MetadataKeyTable] =
      Dictionary(
        metadataKeys.map { (String($0.localID), $0.dictionary as Any) }, uniquingKeysWith: { first, _ in first })
    self.init(type: kCMMediaType_Metadata, subType: kCMMetadataFormatType_Boxed, extensions: extensions)
  }

  /// The keys of boxed metadata, by local id upwards; none for other formats. Rows that are not whole are left out.
  package var metadataKeys: [MetadataKey] {
    let table = extensionDictionary[kCMFormatDescriptionExtensionKey_MetadataKeyTable] as? [String: Any] ?? [:]
    return table.values.compactMap { ($0 as? [String: Any]).flatMap(MetadataKey.init) }.sorted {
      $0.localID < $1.localID
    }
  }
}
