public import Foundation

// Core Foundation's names as plain Swift types, so that ported code such as `[…] as CFDictionary` compiles. A file that also
// imports Foundation's own `CoreFoundation` module would see two of each.

public typealias CFString = String
public typealias CFDictionary = [String: Any]
public typealias CFMutableDictionary = [String: Any]
public typealias CFArray = [Any]
public typealias CFNumber = NSNumber
public typealias CFBoolean = Bool
public typealias CFData = Data
public typealias CFDate = Date
public typealias CFURL = URL
public typealias CFError = any Error
public typealias CFTypeRef = Any
public typealias CFPropertyList = Any
public typealias CFIndex = Int
public typealias CFTypeID = UInt
public typealias CFTimeInterval = Double
public typealias CFAbsoluteTime = Double

public typealias OSType = UInt32
public typealias OSStatus = Int32
public typealias FourCharCode = UInt32

public let kCFBooleanTrue: CFBoolean! = true
public let kCFBooleanFalse: CFBoolean! = false
public let noErr: OSStatus = 0

/// Stands where the C interfaces take an allocator. Memory always comes from the system's; the one distinction that counts is
/// `kCFAllocatorNull`, which says of given memory "do not free it".
public final class CFAllocator: Sendable {
  let name: String
  init(name: String) { self.name = name }
}

public let kCFAllocatorDefault: CFAllocator? = nil
public let kCFAllocatorSystemDefault: CFAllocator? = CFAllocator(name: "system default")
public let kCFAllocatorMalloc: CFAllocator? = CFAllocator(name: "malloc")
public let kCFAllocatorNull: CFAllocator? = CFAllocator(name: "null")

/// The integer of a dictionary's value, whichever of Swift's or Foundation's number types holds it; nil for anything else or
/// for a value that has a fraction or does not fit.
package func integer(_ value: Any?) -> Int? {
  switch value {
  case let value as Int: return value
  case let value as any BinaryInteger: return Int(exactly: value)
  case let value as Double: return Int(exactly: value)
  case let value as Float: return Int(exactly: value)
  case let value as NSNumber: return Int(exactly: value.doubleValue)
  default: return nil
  }
}

/// The number of a dictionary's value, whichever of Swift's or Foundation's number types holds it.
package func number(_ value: Any?) -> Double? {
  switch value {
  case let value as Double: value
  case let value as Float: Double(value)
  case let value as any BinaryInteger: Double(value)
  case let value as NSNumber: value.doubleValue
  default: nil
  }
}

/// The code of four ASCII characters: `fourCharacterCode("420v")`. Shorter strings are padded with spaces at the end.
package func fourCharacterCode(_ string: String) -> OSType {
  let bytes = Array(string.utf8.prefix(4))
  return (0..<4).reduce(0) { $0 << 8 | OSType($1 < bytes.count ? bytes[$1] : 0x20) }
}

/// The four characters of a code, or its hexadecimal form where one of them cannot be printed.
package func fourCharacterString(_ code: OSType) -> String {
  let bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: code >> $0) }
  guard bytes.allSatisfy({ 0x20...0x7E ~= $0 }) else { return "0x" + String(code, radix: 16, uppercase: true) }
  return String(decoding: bytes, as: UTF8.self)
}
