internal import CoreVideo
internal import Foundation

/// A deep copy of a property-list value in one form for each kind, so that a reader need not know who wrote it: `Bool`,
/// `Int`, `Double`, `String`, `Data`, `Date`, `[Any]`, `[String: Any]`. Other objects are kept as they are.
func canonicalProperty(_ value: Any) -> Any {
  // Foundation's classes first: a cast would take a number 1 for a Bool.
  if Swift.type(of: value) is AnyClass { return canonicalFoundationProperty(value) }
  return switch value {
  case let value as Bool: value
  case let value as String: value
  case let value as any BinaryInteger: Int(exactly: value) ?? Double(value)
  case let value as any BinaryFloatingPoint: Double(value)
  case let value as Data: value
  case let value as [String: Any]: value.mapValues(canonicalProperty)
  case let value as [Any]: value.map(canonicalProperty)
  default: value
  }
}

private func canonicalFoundationProperty(_ value: Any) -> Any {
  switch value {
  case let value as NSNumber: canonicalNumber(value)
  case let value as NSString: String(describing: value)
  case let value as NSData: Data(referencing: value)
  case let value as NSDictionary:
    Dictionary(value.map { (String(describing: $0.key), canonicalProperty($0.value)) }, uniquingKeysWith: { $1 })
  case let value as NSArray: value.map { canonicalProperty($0) }
  default: value
  }
}

private func canonicalNumber(_ number: NSNumber) -> Any {
  switch number.objCType.pointee {
  case CChar(UInt8(ascii: "f")), CChar(UInt8(ascii: "d")): number.doubleValue
  case CChar(UInt8(ascii: "B")): number.boolValue
  case CChar(UInt8(ascii: "c")) where (0...1).contains(number.intValue): number.boolValue
  default: number.intValue
  }
}

/// Whether two canonical values are equal; numbers by value, objects of no known kind by identity.
func propertiesAreEqual(_ a: Any?, _ b: Any?) -> Bool {
  switch (a, b) {
  case (nil, nil): true
  case (let a as [String: Any], let b as [String: Any]):
    a.count == b.count && a.allSatisfy { propertiesAreEqual($0.value, b[$0.key]) }
  case (let a as [Any], let b as [Any]): a.count == b.count && zip(a, b).allSatisfy(propertiesAreEqual)
  case (let a as Bool, let b as Bool): a == b
  case (is Bool, _), (_, is Bool): false
  case (let a as Int, let b as Int): a == b
  case (let a as any Hashable, let b as any Hashable): numbersAreEqual(a, b) ?? (AnyHashable(a) == AnyHashable(b))
  case (let a as AnyObject, let b as AnyObject): a === b
  default: false
  }
}

private func numbersAreEqual(_ a: any Hashable, _ b: any Hashable) -> Bool? {
  guard let a = number(a), let b = number(b) else { return nil }
  return a == b
}
