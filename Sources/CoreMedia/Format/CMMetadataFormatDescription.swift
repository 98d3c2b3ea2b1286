public import CoreVideo
internal import Foundation

/// Makes a description of boxed metadata from specifications: dictionaries with an identifier and a data type, and
/// perhaps a language tag and set-up data. Local ids are 1, 2, 3 … in their order.
///
/// -12710 for a specification without one of the two, or an identifier that is none.
@discardableResult
public func CMMetadataFormatDescriptionCreateWithMetadataSpecifications(
  allocator: CFAllocator?, metadataType: CMMetadataFormatType, metadataSpecifications: CFArray,
  formatDescriptionOut: UnsafeMutablePointer<CMMetadataFormatDescription?>
) -> OSStatus {
  guard metadataType == kCMMetadataFormatType_Boxed,
    let keys = metadataKeys(metadataSpecifications, firstLocalID: 1)
  else { return kCMFormatDescriptionError_InvalidParameter }
  formatDescriptionOut.pointee = CMFormatDescription(metadataKeys: keys)
  return noErr
}

/// Makes a description from the rows of a key table; nil makes one without keys. -12710 for a row that is not whole.
@discardableResult
public func CMMetadataFormatDescriptionCreateWithKeys(
  allocator: CFAllocator?, metadataType: CMMetadataFormatType, keys: CFArray?,
  formatDescriptionOut: UnsafeMutablePointer<CMMetadataFormatDescription?>
) -> OSStatus {
  guard metadataType == kCMMetadataFormatType_Boxed else {
    guard keys == nil, metadataType != 0 else { return kCMFormatDescriptionError_InvalidParameter }
    formatDescriptionOut.pointee = CMFormatDescription(
      type: kCMMediaType_Metadata, subType: metadataType, extensions: nil)
    return noErr
  }
  let rows = (keys ?? []).map { (canonicalProperty($0) as? [String: Any]).flatMap(MetadataKey.init) }
  guard rows.allSatisfy({ $0 != nil }) else { return kCMFormatDescriptionError_InvalidParameter }
  formatDescriptionOut.pointee = CMFormatDescription(metadataKeys: rows.compactMap { $0 })
  return noErr
}

/// Makes a description with the keys of another one and more by specifications; those that are there already are not
/// added.
@discardableResult
public func CMMetadataFormatDescriptionCreateWithMetadataFormatDescriptionAndMetadataSpecifications(
  allocator: CFAllocator?, sourceDescription: CMMetadataFormatDescription, metadataSpecifications: CFArray,
  formatDescriptionOut: UnsafeMutablePointer<CMMetadataFormatDescription?>
) -> OSStatus {
  guard sourceDescription.subType == kCMMetadataFormatType_Boxed,
    let added = metadataKeys(metadataSpecifications, firstLocalID: 0)
  else { return kCMFormatDescriptionError_InvalidParameter }
  formatDescriptionOut.pointee = CMFormatDescription(metadataKeys: merged(sourceDescription.metadataKeys, added))
  return noErr
}

/// Makes a description with the keys of both; the second's get new local ids behind the first's, and those both have
/// are not doubled.
@discardableResult
public func CMMetadataFormatDescriptionCreateByMergingMetadataFormatDescriptions(
  allocator: CFAllocator?, sourceDescription: CMMetadataFormatDescription,
  otherSourceDescription: CMMetadataFormatDescription,
  formatDescriptionOut: UnsafeMutablePointer<CMMetadataFormatDescription?>
) -> OSStatus {
  let both = [sourceDescription, otherSourceDescription]
  guard both.allSatisfy({ $0.subType == kCMMetadataFormatType_Boxed }) else {
    return kCMFormatDescriptionError_InvalidParameter
  }
  formatDescriptionOut.pointee = CMFormatDescription(metadataKeys: merged(both[0].metadataKeys, both[1].metadataKeys))
  return noErr
}

/// The row of the key table with the local id; nil where there is none.
public func CMMetadataFormatDescriptionGetKeyWithLocalID(_ desc: CMMetadataFormatDescription, localKeyID: OSType)
  -> CFDictionary?
{
  let table = desc.extensionDictionary[kCMFormatDescriptionExtensionKey_MetadataKeyTable] as? [String: Any]
  return table?[String(localKeyID)] as? [String: Any]
}

/// The identifiers of all keys, by local id upwards; nil for what is not boxed metadata.
public func CMMetadataFormatDescriptionGetIdentifiers(_ desc: CMMetadataFormatDescription) -> CFArray? {
  desc.subType == kCMMetadataFormatType_Boxed ? desc.identifiers : nil
}

extension CMFormatDescription {
  /// A description of boxed metadata by specifications, see
  /// `CMMetadataFormatDescriptionCreateWithMetadataSpecifications`.
  public convenience init(boxedMetadataSpecifications: [[String: Any]]) throws {
    guard let keys = CoreMedia.metadataKeys(boxedMetadataSpecifications, firstLocalID: 1) else {
      throw Error.invalidParameter
    }
    self.init(metadataKeys: keys)
  }

  /// The identifiers of all keys of boxed metadata, by local id upwards.
  public var identifiers: [String] { metadataKeys.compactMap(\.identifier) }

  public func keyWithLocalID(_ localKeyID: OSType) -> [String: CFPropertyList]? {
    CMMetadataFormatDescriptionGetKeyWithLocalID(self, localKeyID: localKeyID)
  }
}

private func metadataKeys(_ specifications: [Any], firstLocalID: UInt32) -> [MetadataKey]? {
  let keys = specifications.enumerated().map { metadataKey($1, localID: firstLocalID + UInt32(clamping: $0)) }
  return keys.allSatisfy { $0 != nil } ? keys.compactMap { $0 } : nil
}

private func metadataKey(_ specification: Any, localID: UInt32) -> MetadataKey? {
  guard let specification = specification as? [String: Any],
    let identifier = specification[kCMMetadataFormatDescriptionMetadataSpecificationKey_Identifier] as? String,
    let dataType = specification[kCMMetadataFormatDescriptionMetadataSpecificationKey_DataType] as? String,
    let (space, key) = parts(of: identifier), space.utf8.count == 4
  else { return nil }
  let stored = MetadataKey.storedDataType(named: dataType)
  return MetadataKey(
    localID: localID, namespace: fourCharacterCode(space), value: Data(key), dataTypeNamespace: stored.namespace,
    dataType: stored.data,
    languageTag: specification[kCMMetadataFormatDescriptionMetadataSpecificationKey_ExtendedLanguageTag] as? String,
    setupData: specification[kCMMetadataFormatDescriptionMetadataSpecificationKey_SetupData] as? Data)
}

private func merged(_ keys: [MetadataKey], _ added: [MetadataKey]) -> [MetadataKey] {
  var result = keys
  for var key in added {
    let isThere = result.contains { old in
      key.localID = old.localID
      return old == key
    }
    guard !isThere else { continue }
    key.localID = (result.map(\.localID).max() ?? 0) &+ 1
    result.append(key)
  }
  return result
}
