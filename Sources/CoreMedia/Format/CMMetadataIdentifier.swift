public import CoreVideo
internal import Foundation

// An identifier is a key space, a slash and a key in which everything but letters, digits and a few signs is
// percent-encoded: `mdta/com.apple.quicktime.make`, `udta/%A9nam`.

public let kCMMetadataIdentifierError_AllocationFailed: OSStatus = -16300
public let kCMMetadataIdentifierError_RequiredParameterMissing: OSStatus = -16301
public let kCMMetadataIdentifierError_BadKey: OSStatus = -16302
public let kCMMetadataIdentifierError_BadKeyLength: OSStatus = -16303
public let kCMMetadataIdentifierError_BadKeyType: OSStatus = -16304
public let kCMMetadataIdentifierError_BadNumberKey: OSStatus = -16305
public let kCMMetadataIdentifierError_BadKeySpace: OSStatus = -16306
public let kCMMetadataIdentifierError_BadIdentifier: OSStatus = -16307
public let kCMMetadataIdentifierError_NoKeyValueAvailable: OSStatus = -16308

/// Makes an identifier of a key (a string, bytes, or a number that stands for four characters) and a key space.
@discardableResult
public func CMMetadataCreateIdentifierForKeyAndKeySpace(
  allocator: CFAllocator?, key: CFTypeRef, keySpace: CFString, identifierOut: UnsafeMutablePointer<CFString?>
) -> OSStatus {
  guard !keySpace.isEmpty, !keySpace.contains("/") else { return kCMMetadataIdentifierError_BadKeySpace }
  let bytes: [UInt8]
  switch key {
  case let key as String: bytes = Array(key.utf8)
  case let key as Data: bytes = Array(key)
  default:
    guard let number = integer(key) else { return kCMMetadataIdentifierError_BadKeyType }
    guard let code = UInt32(exactly: number) else { return kCMMetadataIdentifierError_BadNumberKey }
    bytes = withUnsafeBytes(of: code.bigEndian) { Array($0) }
  }
  guard !bytes.isEmpty else { return kCMMetadataIdentifierError_BadKeyLength }
  identifierOut.pointee = keySpace + "/" + percentEncoded(bytes)
  return noErr
}

/// The key of an identifier: a string, or its bytes where they are no UTF-8.
@discardableResult
public func CMMetadataCreateKeyFromIdentifier(
  allocator: CFAllocator?, identifier: CFString, keyOut: UnsafeMutablePointer<CFTypeRef?>
) -> OSStatus {
  guard let (_, key) = parts(of: identifier) else { return kCMMetadataIdentifierError_BadIdentifier }
  keyOut.pointee = String(validating: key, as: UTF8.self) ?? Data(key)
  return noErr
}

@discardableResult
public func CMMetadataCreateKeyFromIdentifierAsCFData(
  allocator: CFAllocator?, identifier: CFString, keyOut: UnsafeMutablePointer<CFData?>
) -> OSStatus {
  guard let (_, key) = parts(of: identifier) else { return kCMMetadataIdentifierError_BadIdentifier }
  keyOut.pointee = Data(key)
  return noErr
}

@discardableResult
public func CMMetadataCreateKeySpaceFromIdentifier(
  allocator: CFAllocator?, identifier: CFString, keySpaceOut: UnsafeMutablePointer<CFString?>
) -> OSStatus {
  guard let (space, _) = parts(of: identifier) else { return kCMMetadataIdentifierError_BadIdentifier }
  keySpaceOut.pointee = space
  return noErr
}

func parts(of identifier: String) -> (space: String, key: [UInt8])? {
  let halves = identifier.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
  guard halves.count == 2, !halves[0].isEmpty, let key = percentDecoded(halves[1]), !key.isEmpty else { return nil }
  return (String(halves[0]), key)
}

private func percentEncoded(_ bytes: [UInt8]) -> String {
  bytes.map { byte in
    let character = Character(UnicodeScalar(byte))
    if byte < 0x80, character.isLetter || character.isNumber || "-._~!$&'()*+,;=:@".contains(character) {
      return String(character)
    }
    return "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
  }.joined()
}

private func percentDecoded(_ text: Substring) -> [UInt8]? {
  var bytes: [UInt8] = []
  var rest = text.utf8[...]
  while let byte = rest.popFirst() {
    guard byte == UInt8(ascii: "%") else {
      bytes.append(byte)
      continue
    }
    guard rest.count >= 2, let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else {
      return nil
    }
    bytes.append(value)
    rest = rest.dropFirst(2)
  }
  return bytes
}
