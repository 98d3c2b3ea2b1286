/// An integer of any size, as plain as can be: what the exact arithmetic of times is compared with.
struct BigInteger: Comparable, ExpressibleByIntegerLiteral {
  var isNegative: Bool
  /// Digits of 32 bits from the lowest up, without zeros at the top.
  var digits: [UInt32]

  init(isNegative: Bool, digits: [UInt32]) {
    var digits = digits
    while digits.last == 0 { digits.removeLast() }
    self.digits = digits
    self.isNegative = isNegative && !digits.isEmpty
  }

  init(_ value: Int64) {
    let magnitude = value.magnitude
    let digits = [UInt32(truncatingIfNeeded: magnitude), UInt32(truncatingIfNeeded: magnitude >> 32)]
    self.init(isNegative: value < 0, digits: digits)
  }

  init(_ value: Int32) { self.init(Int64(value)) }
  init(integerLiteral value: Int) { self.init(Int64(value)) }

  var magnitude: BigInteger { BigInteger(isNegative: false, digits: digits) }

  static prefix func - (a: BigInteger) -> BigInteger { BigInteger(isNegative: !a.isNegative, digits: a.digits) }

  static func < (a: BigInteger, b: BigInteger) -> Bool {
    if a.isNegative != b.isNegative { return a.isNegative }
    return a.isNegative ? isLess(b.digits, a.digits) : isLess(a.digits, b.digits)
  }

  private static func isLess(_ a: [UInt32], _ b: [UInt32]) -> Bool {
    if a.count != b.count { return a.count < b.count }
    var index = a.count - 1
    while index >= 0, a[index] == b[index] { index -= 1 }
    return index >= 0 && a[index] < b[index]
  }

  static func + (a: BigInteger, b: BigInteger) -> BigInteger {
    if a.isNegative == b.isNegative { return BigInteger(isNegative: a.isNegative, digits: sum(a.digits, b.digits)) }
    if isLess(a.digits, b.digits) {
      return BigInteger(isNegative: b.isNegative, digits: difference(b.digits, a.digits))
    }
    return BigInteger(isNegative: a.isNegative, digits: difference(a.digits, b.digits))
  }

  static func - (a: BigInteger, b: BigInteger) -> BigInteger { a + -b }

  static func * (a: BigInteger, b: BigInteger) -> BigInteger {
    var result = [UInt32](repeating: 0, count: a.digits.count + b.digits.count)
    for (i, x) in a.digits.enumerated() {
      var carry: UInt64 = 0
      for (j, y) in b.digits.enumerated() {
        carry += UInt64(x) * UInt64(y) + UInt64(result[i + j])
        result[i + j] = UInt32(truncatingIfNeeded: carry)
        carry >>= 32
      }
      result[i + b.digits.count] = UInt32(carry)
    }
    return BigInteger(isNegative: a.isNegative != b.isNegative, digits: result)
  }

  /// Quotient and rest of the division of the magnitudes, a bit at a time.
  func divided(by divisor: BigInteger) -> (quotient: BigInteger, remainder: BigInteger) {
    var quotient = [UInt32](repeating: 0, count: digits.count)
    var rest: [UInt32] = []
    for index in digits.indices.reversed() {
      for bit in (0..<32 as Range<UInt32>).reversed() {
        Self.shift(&rest, in: (digits[index] >> bit) & 1)
        guard !Self.isLess(rest, divisor.digits) else { continue }
        rest = Self.difference(rest, divisor.digits)
        while rest.last == 0 { rest.removeLast() }
        quotient[index] |= 1 << bit
      }
    }
    return (BigInteger(isNegative: false, digits: quotient), BigInteger(isNegative: false, digits: rest))
  }

  private static func shift(_ digits: inout [UInt32], in bit: UInt32) {
    var carry = bit
    for index in digits.indices { (digits[index], carry) = (digits[index] << 1 | carry, digits[index] >> 31) }
    if carry != 0 { digits.append(carry) }
  }

  /// The value as 64 bits, if it fits.
  var int64: Int64? {
    guard digits.count <= 2 else { return nil }
    let magnitude = digits.reversed().reduce(UInt64(0)) { $0 << 32 | UInt64($1) }
    if isNegative { return magnitude <= Int64.min.magnitude ? Int64(truncatingIfNeeded: 0 &- magnitude) : nil }
    return Int64(exactly: magnitude)
  }

  private static func sum(_ a: [UInt32], _ b: [UInt32]) -> [UInt32] {
    var carry: UInt64 = 0
    return (0...max(a.count, b.count)).map { index in
      carry = carry >> 32 + UInt64(index < a.count ? a[index] : 0) + UInt64(index < b.count ? b[index] : 0)
      return UInt32(truncatingIfNeeded: carry)
    }
  }

  private static func difference(_ a: [UInt32], _ b: [UInt32]) -> [UInt32] {
    var borrow: Int64 = 0
    return a.indices.map { index in
      let digit = Int64(a[index]) - Int64(index < b.count ? b[index] : 0) - borrow
      borrow = digit < 0 ? 1 : 0
      return UInt32(truncatingIfNeeded: digit)
    }
  }
}

/// numerator / denominator, denominator > 0.
struct BigFraction {
  var numerator: BigInteger
  var denominator: BigInteger

  init(_ numerator: BigInteger, _ denominator: BigInteger) {
    self.numerator = denominator.isNegative ? -numerator : numerator
    self.denominator = denominator.magnitude
  }

  static func + (a: BigFraction, b: BigFraction) -> BigFraction {
    BigFraction(a.numerator * b.denominator + b.numerator * a.denominator, a.denominator * b.denominator)
  }
  static func - (a: BigFraction, b: BigFraction) -> BigFraction { a + BigFraction(-b.numerator, b.denominator) }
  static func * (a: BigFraction, b: BigFraction) -> BigFraction {
    BigFraction(a.numerator * b.numerator, a.denominator * b.denominator)
  }
  static func / (a: BigFraction, b: BigFraction) -> BigFraction {
    BigFraction(a.numerator * b.denominator, a.denominator * b.numerator)
  }
  static func == (a: BigFraction, b: BigFraction) -> Bool { a.numerator * b.denominator == b.numerator * a.denominator }
  static func < (a: BigFraction, b: BigFraction) -> Bool { a.numerator * b.denominator < b.numerator * a.denominator }
}
