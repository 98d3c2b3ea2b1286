public import CoreVideo

/// A session of any kind.
public typealias VTSession = CFTypeRef

// MARK: - What a supported property is

public let kVTPropertyTypeKey: CFString = "PropertyType"
public let kVTPropertyType_Enumeration: CFString = "Enumeration"
public let kVTPropertyType_Boolean: CFString = "Boolean"
public let kVTPropertyType_Number: CFString = "Number"
public let kVTPropertyReadWriteStatusKey: CFString = "ReadWriteStatus"
public let kVTPropertyReadWriteStatus_ReadOnly: CFString = "ReadOnly"
public let kVTPropertyReadWriteStatus_ReadWrite: CFString = "ReadWrite"
public let kVTPropertyShouldBeSerializedKey: CFString = "ShouldBeSerialized"
public let kVTPropertySupportedValueMinimumKey: CFString = "SupportedValueMinimumKey"
public let kVTPropertySupportedValueMaximumKey: CFString = "SupportedValueMaximumKey"
public let kVTPropertySupportedValueListKey: CFString = "SupportedValueList"
public let kVTPropertyDocumentationKey: CFString = "Documentation"

/// A kind of property: its type, who writes it, and which values it takes.
struct VTProperty {
  enum Kind {
    case boolean
    case number(ClosedRange<Double>?)
    case enumeration([String])
    /// A dictionary or an object.
    case other
  }

  let kind: Kind
  var isReadOnly = false

  /// The entry of a dictionary of supported properties.
  var dictionary: CFDictionary {
    var entry: [String: Any] = [
      kVTPropertyReadWriteStatusKey: isReadOnly
        ? kVTPropertyReadWriteStatus_ReadOnly : kVTPropertyReadWriteStatus_ReadWrite,
      kVTPropertyShouldBeSerializedKey: !isReadOnly,
    ]
    switch kind {
    case .boolean: entry[kVTPropertyTypeKey] = kVTPropertyType_Boolean
    case .number(let range):
      entry[kVTPropertyTypeKey] = kVTPropertyType_Number
      entry[kVTPropertySupportedValueMinimumKey] = range?.lowerBound
      entry[kVTPropertySupportedValueMaximumKey] = range?.upperBound
    case .enumeration(let values):
      entry[kVTPropertyTypeKey] = kVTPropertyType_Enumeration
      entry[kVTPropertySupportedValueListKey] = values
    case .other: break
    }
    return entry
  }
}

/// What has properties: every session.
protocol VTPropertySession: AnyObject {
  var isValid: Bool { get }
  var properties: [String: VTProperty] { get }
  /// `value` is nil for null. Only called for properties that can be written.
  func set(_ key: String, _ value: Any?) -> OSStatus
  func value(of key: String) -> Any?
}

private func open(_ session: VTSession) -> (session: (any VTPropertySession)?, status: OSStatus) {
  guard let session = session as? any VTPropertySession else { return (nil, kVTParameterErr) }
  return session.isValid ? (session, noErr) : (nil, kVTInvalidSessionErr)
}

/// Sets a property; null goes back to the standard.
///
/// - Returns: `kVTPropertyNotSupportedErr`, `kVTPropertyReadOnlyErr`, `kVTParameterErr` for a value that it cannot have, or
///   `kVTInvalidSessionErr`.
@discardableResult
public func VTSessionSetProperty(_ session: VTSession, key propertyKey: CFString, value propertyValue: CFTypeRef?)
  -> OSStatus
{
  let (session, status) = open(session)
  guard let session else { return status }
  guard let property = session.properties[propertyKey] else { return kVTPropertyNotSupportedErr }
  return property.isReadOnly ? kVTPropertyReadOnlyErr : session.set(propertyKey, propertyValue)
}

/// Reads a property into `valueOut`: null where it has no value.
///
/// `valueOut` points to an optional of the value's type, or of `CFTypeRef`.
/// - Returns: `kVTPropertyNotSupportedErr`, `kVTParameterErr` where the value has another type, or `kVTInvalidSessionErr`.
@discardableResult
public func VTSessionCopyProperty<Value>(
  _ session: VTSession, key propertyKey: CFString, allocator: CFAllocator?,
  valueOut propertyValueOut: UnsafeMutablePointer<Value?>?
) -> OSStatus {
  let (session, status) = open(session)
  guard let session else { return status }
  guard session.properties[propertyKey] != nil else { return kVTPropertyNotSupportedErr }
  guard let value = session.value(of: propertyKey) else {
    propertyValueOut?.pointee = nil
    return noErr
  }
  guard let typed = value as? Value else { return kVTParameterErr }
  propertyValueOut?.pointee = typed
  return noErr
}

/// Sets every property of the dictionary that can be set, and answers with the first error.
@discardableResult
public func VTSessionSetProperties(_ session: VTSession, propertyDictionary: CFDictionary) -> OSStatus {
  let opened = open(session)
  guard opened.session != nil else { return opened.status }
  var first = noErr
  for (key, value) in propertyDictionary.sorted(by: { $0.key < $1.key }) {
    let status = VTSessionSetProperty(session, key: key, value: value)
    if first == noErr { first = status }
  }
  return first
}

/// The properties that the session knows: a dictionary for each of its type, status and values.
@discardableResult
public func VTSessionCopySupportedPropertyDictionary(
  _ session: VTSession, supportedPropertyDictionaryOut: UnsafeMutablePointer<CFDictionary?>
) -> OSStatus {
  let (session, status) = open(session)
  guard let session else { return status }
  supportedPropertyDictionaryOut.pointee = session.properties.mapValues(\.dictionary)
  return noErr
}

/// The properties that can be written and have a value, to be set on another session by `VTSessionSetProperties`.
@discardableResult
public func VTSessionCopySerializableProperties(
  _ session: VTSession, allocator: CFAllocator?, dictionaryOut: UnsafeMutablePointer<CFDictionary?>
) -> OSStatus {
  let (session, status) = open(session)
  guard let session else { return status }
  let names = session.properties.filter { !$0.value.isReadOnly }.keys
  dictionaryOut.pointee = Dictionary(
    uniqueKeysWithValues: names.compactMap { key in session.value(of: key).map { (key, $0) } })
  return noErr
}
