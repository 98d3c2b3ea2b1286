import CoreMedia
import Foundation
import Testing

@Suite struct CMMetadataFormatTests {
  private func specification(_ identifier: String, _ type: String) -> [String: Any] {
    [
      kCMMetadataFormatDescriptionMetadataSpecificationKey_Identifier: identifier,
      kCMMetadataFormatDescriptionMetadataSpecificationKey_DataType: type,
    ]
  }

  private let aperture = "mdta/com.apple.quicktime.aperture-float"
  private let custom = "mdta/org.example.thing"

  @Test func specificationsBecomeATableOfKeys() throws {
    var out: CMFormatDescription?
    let status = CMMetadataFormatDescriptionCreateWithMetadataSpecifications(
      allocator: nil, metadataType: kCMMetadataFormatType_Boxed,
      metadataSpecifications: [
        specification(aperture, kCMMetadataBaseDataType_Float32), specification(custom, "org.example.type"),
      ], formatDescriptionOut: &out)
    #expect(status == noErr)
    let description = try #require(out)
    #expect(description.mediaType == .metadata && description.mediaSubType == .boxed)
    #expect(description.identifiers == [aperture, custom])
    let row = try #require(CMMetadataFormatDescriptionGetKeyWithLocalID(description, localKeyID: 1))
    #expect(row[kCMMetadataFormatDescriptionKey_Namespace] as? Int == 0x6d64_7461)
    #expect(row[kCMMetadataFormatDescriptionKey_Value] as? Data == Data("com.apple.quicktime.aperture-float".utf8))
    #expect(row[kCMMetadataFormatDescriptionKey_LocalID] as? Int == 1)
    #expect(row[kCMMetadataFormatDescriptionKey_DataTypeNamespace] as? Int == 0)
    #expect(row[kCMMetadataFormatDescriptionKey_DataType] as? Data == Data([0, 0, 0, 23]))
    let second = try #require(description.keyWithLocalID(2))
    #expect(second[kCMMetadataFormatDescriptionKey_DataTypeNamespace] as? Int == 1)
    #expect(second[kCMMetadataFormatDescriptionKey_DataType] as? Data == Data("org.example.type".utf8))
    #expect(description.keyWithLocalID(3) == nil)
    #expect(description.metadataKeys.map(\.dataTypeName) == [kCMMetadataBaseDataType_Float32, "org.example.type"])
  }

  @Test func keysComeBack() throws {
    let keys = [
      MetadataKey(
        localID: 3, value: Data("a".utf8), dataTypeNamespace: 0, dataType: Data([0, 0, 0, 0]), setupData: Data([9])),
      MetadataKey(
        localID: 10, value: Data("b".utf8), dataTypeNamespace: 1, dataType: Data("x.y".utf8), languageTag: "en"),
    ]
    let description = CMFormatDescription(metadataKeys: keys)
    #expect(description.metadataKeys == keys && description.identifiers == ["mdta/a", "mdta/b"])
    var copy: CMFormatDescription?
    let rows = [3, 10].map { CMMetadataFormatDescriptionGetKeyWithLocalID(description, localKeyID: $0)! }
    let status = CMMetadataFormatDescriptionCreateWithKeys(
      allocator: nil, metadataType: kCMMetadataFormatType_Boxed, keys: rows, formatDescriptionOut: &copy)
    #expect(status == noErr && copy == description)
  }

  @Test func wrongSpecifications() {
    var out: CMFormatDescription?
    for bad in [
      [:], specification("no-slash", kCMMetadataBaseDataType_UTF8),
      specification("toolong/key", kCMMetadataBaseDataType_UTF8),
      specification("mdta/", kCMMetadataBaseDataType_UTF8),
      [kCMMetadataFormatDescriptionMetadataSpecificationKey_Identifier: aperture],
    ] as [[String: Any]] {
      let status = CMMetadataFormatDescriptionCreateWithMetadataSpecifications(
        allocator: nil, metadataType: kCMMetadataFormatType_Boxed, metadataSpecifications: [bad],
        formatDescriptionOut: &out)
      #expect(status == kCMFormatDescriptionError_InvalidParameter && out == nil)
      #expect(throws: CMFormatDescription.Error.invalidParameter) {
        try CMFormatDescription(boxedMetadataSpecifications: [bad])
      }
    }
    let status = CMMetadataFormatDescriptionCreateWithKeys(
      allocator: nil, metadataType: kCMMetadataFormatType_Boxed, keys: [["MetadataKeyLocalID": 1]],
      formatDescriptionOut: &out)
    #expect(status == kCMFormatDescriptionError_InvalidParameter)
  }

  @Test func mergedDescriptionsKeepTheFirstsLocalIDs() throws {
    let utf8 = kCMMetadataBaseDataType_UTF8
    let first = try CMFormatDescription(boxedMetadataSpecifications: [
      specification("mdta/a", utf8), specification("mdta/b", utf8),
    ])
    let second = try CMFormatDescription(boxedMetadataSpecifications: [
      specification("mdta/b", utf8), specification("mdta/b", kCMMetadataBaseDataType_UTF16),
      specification("mdta/c", utf8),
    ])
    var out: CMFormatDescription?
    let status = CMMetadataFormatDescriptionCreateByMergingMetadataFormatDescriptions(
      allocator: nil, sourceDescription: first, otherSourceDescription: second, formatDescriptionOut: &out)
    #expect(status == noErr && out?.identifiers == ["mdta/a", "mdta/b", "mdta/b", "mdta/c"])
    #expect(out?.metadataKeys.map(\.localID) == [1, 2, 3, 4])
    let extended = CMMetadataFormatDescriptionCreateWithMetadataFormatDescriptionAndMetadataSpecifications(
      allocator: nil, sourceDescription: first, metadataSpecifications: [specification("mdta/z", utf8)],
      formatDescriptionOut: &out)
    #expect(extended == noErr && out?.identifiers == ["mdta/a", "mdta/b", "mdta/z"])
  }

  @Test(arguments: [
    ("com.apple.quicktime.make" as any Sendable, "mdta", "mdta/com.apple.quicktime.make"),
    ("a/b c%", "mdta", "mdta/a%2Fb%20c%25"),
    (0xA96E_616D, "udta", "udta/%A9nam"), (Data([0xA9, 0x64, 0x61, 0x79]), "udta", "udta/%A9day"),
    ("ü", "mdta", "mdta/%C3%BC"),
  ]) func identifiers(_ key: any Sendable, _ space: String, _ expected: String) throws {
    var identifier: String?
    let status = CMMetadataCreateIdentifierForKeyAndKeySpace(
      allocator: nil, key: key, keySpace: space, identifierOut: &identifier)
    #expect(status == noErr && identifier == expected)
    var (readSpace, bytes): (String?, Data?) = (nil, nil)
    #expect(
      CMMetadataCreateKeySpaceFromIdentifier(allocator: nil, identifier: expected, keySpaceOut: &readSpace) == noErr)
    #expect(CMMetadataCreateKeyFromIdentifierAsCFData(allocator: nil, identifier: expected, keyOut: &bytes) == noErr)
    #expect(readSpace == space)
    switch key {
    case let key as String: #expect(bytes == Data(key.utf8))
    case let key as Data: #expect(bytes == key)
    default: #expect(bytes == Data([0xA9, 0x6E, 0x61, 0x6D]))
    }
  }

  @Test func identifiersThatAreNone() {
    var identifier: String?
    let make = { (key: Any, space: String) in
      CMMetadataCreateIdentifierForKeyAndKeySpace(allocator: nil, key: key, keySpace: space, identifierOut: &identifier)
    }
    #expect(
      make("", "mdta") == kCMMetadataIdentifierError_BadKeyLength
        && make("k", "") == kCMMetadataIdentifierError_BadKeySpace)
    #expect(
      make([1], "mdta") == kCMMetadataIdentifierError_BadKeyType
        && make(-1, "mdta") == kCMMetadataIdentifierError_BadNumberKey)
    for bad in ["", "mdta", "/key", "mdta/", "mdta/%", "mdta/%4", "mdta/%GG"] {
      var key: Any?
      #expect(
        CMMetadataCreateKeyFromIdentifier(allocator: nil, identifier: bad, keyOut: &key)
          == kCMMetadataIdentifierError_BadIdentifier)
    }
  }
}
