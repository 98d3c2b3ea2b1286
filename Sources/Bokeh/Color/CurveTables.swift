/// A function of 0…`limit` as a table with even steps, linear between them.
struct EvenTable: @unchecked Sendable {
  private static let steps = 5120
  let values: [Float]
  let stepsPerUnit: Float
  private let limit: Float

  init(limit: Float, _ function: (Float) -> Float) {
    self.limit = limit
    stepsPerUnit = Float(EvenTable.steps) / limit
    values = (0...EvenTable.steps + 1).map { function(Float($0) * limit / Float(EvenTable.steps)) }
  }

  /// The function's value, with the sign of `x`; beyond the limit the value there.
  @inline(__always)
  func callAsFunction(_ x: Float) -> Float {
    let position = max(0, min(abs(x), limit)) * stepsPerUnit
    let index = Int(truncatingIfNeeded: Int32(position))
    let value = values.withUnsafeBufferPointer { table in
      let base = table.baseAddress!
      return base[index] + (base[index &+ 1] - base[index]) * (position - Float(index))
    }
    return x < 0 ? -value : value
  }
}

/// A function of positive numbers as a table with 128 steps an octave, linear between them: small arguments are as
/// exact as large ones.
struct OctaveTable: @unchecked Sendable {
  private static let shift: UInt32 = 16
  /// The table's first argument, 2⁻³², below which the function is taken as a line to 0.
  private static let least = Float(sign: .plus, exponent: -32, significand: 1)
  private static let first = least.bitPattern >> shift
  /// 2¹⁶.
  private static let last = Float(sign: .plus, exponent: 16, significand: 1).bitPattern >> shift
  /// The greatest argument that counts.
  private static let most: Float = 65_535
  let values: [Float]
  let slopeAtZero: Float
  /// The value at each step, and how much more it is in each of the 2¹⁶ parts of the way to the next.
  private let points: [SIMD2<Float>]

  init(_ function: (Float) -> Float) {
    let values = (OctaveTable.first...OctaveTable.last + 1).map { function(Float(bitPattern: $0 << OctaveTable.shift)) }
    self.values = values
    slopeAtZero = values[0] / OctaveTable.least
    points = (0..<values.count - 1).map { SIMD2(values[$0], (values[$0 + 1] - values[$0]) / 65_536) }
  }

  /// The function's values of the first three components, with their signs; the last is kept.
  @inline(__always)
  func callAsFunction(_ x: SIMD4<Float>) -> SIMD4<Float> {
    points.withUnsafeBufferPointer { value(x, $0.baseAddress! - Int(OctaveTable.first)) }
  }

  /// The same of a row, in place.
  func apply(_ row: UnsafeMutablePointer<SIMD4<Float>>, _ count: Int) {
    points.withUnsafeBufferPointer { points in
      let base = points.baseAddress! - Int(OctaveTable.first)
      for x in 0..<count { row[x] = value(row[x], base) }
    }
  }

  @inline(__always)
  private func value(_ x: SIMD4<Float>, _ base: UnsafePointer<SIMD2<Float>>) -> SIMD4<Float> {
    let bits = unsafeBitCast(x, to: SIMD4<UInt32>.self)
    let steps = bits &>> OctaveTable.shift
    // What is negative, next to nothing or beyond the table, and what is not a number.
    guard isInside(steps.x), isInside(steps.y), isInside(steps.z) else {
      return SIMD4(self(x.x), self(x.y), self(x.z), x.w)
    }
    let rest = SIMD4<Float>(SIMD4<Int32>(truncatingIfNeeded: bits & 0xFFFF))
    let (red, green, blue) = (base[Int(steps.x)], base[Int(steps.y)], base[Int(steps.z)])
    return SIMD4(red.x, green.x, blue.x, x.w) + SIMD4(red.y, green.y, blue.y, 0) * rest
  }

  @inline(__always)
  private func isInside(_ step: UInt32) -> Bool { step &- OctaveTable.first < OctaveTable.last &- OctaveTable.first }

  /// The function's value, with the sign of `x`.
  @inline(__always)
  func callAsFunction(_ x: Float) -> Float {
    let size = max(0, min(abs(x), OctaveTable.most))
    let bits = size.bitPattern
    let step = bits >> OctaveTable.shift
    var value = size * slopeAtZero
    if step >= OctaveTable.first {
      let rest = Float(bits & 0xFFFF)
      let index = Int(truncatingIfNeeded: step &- OctaveTable.first)
      value = points.withUnsafeBufferPointer { table in
        let point = table.baseAddress![index]
        return point.x + point.y * rest
      }
    }
    return x < 0 ? -value : value
  }
}

/// A transfer function's two directions, ready for every pixel.
struct TransferTables: Sendable {
  let function: TransferFunction
  let lightTable: EvenTable
  let signalTable: OctaveTable

  /// The largest signal that the table holds; larger ones, of floating-point pictures only, are computed.
  private static let largestSignal: Float = 1.25

  init(_ function: TransferFunction) {
    self.function = function
    lightTable = EvenTable(limit: TransferTables.largestSignal, function.light)
    signalTable = OctaveTable(function.signal)
  }

  /// The light of a signal whose first three components are colours and whose last is kept; what is not a number
  /// becomes 0.
  @inline(__always)
  func light(_ signal: SIMD4<Float>) -> SIMD4<Float> {
    if function == .linear { return SIMD4(finite(signal.x), finite(signal.y), finite(signal.z), signal.w) }
    return SIMD4(light(signal.x), light(signal.y), light(signal.z), signal.w)
  }

  /// The light of one component.
  @inline(__always)
  func light(_ signal: Float) -> Float {
    abs(signal) <= TransferTables.largestSignal ? lightTable(signal) : finite(function.light(finite(signal)))
  }

  /// The largest half-float number bounds what a picture may hold.
  @inline(__always)
  private func finite(_ x: Float) -> Float { x.isNaN ? 0 : max(-65_504, min(x, 65_504)) }

  /// The signal for light whose first three components are colours and whose last is kept.
  @inline(__always)
  func signal(_ light: SIMD4<Float>) -> SIMD4<Float> {
    if function == .linear { return light }
    return signalTable(light)
  }

  /// Turns a row of light into its signal.
  func toSignal(_ row: UnsafeMutablePointer<SIMD4<Float>>, _ count: Int) {
    if function != .linear { signalTable.apply(row, count) }
  }
}
