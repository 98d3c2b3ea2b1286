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
  /// 2⁻³².
  private static let first = Float(sign: .plus, exponent: -32, significand: 1).bitPattern >> shift
  /// 2¹⁶.
  private static let last = Float(sign: .plus, exponent: 16, significand: 1).bitPattern >> shift
  let values: [Float]
  let slopeAtZero: Float

  init(_ function: (Float) -> Float) {
    values = (OctaveTable.first...OctaveTable.last + 1).map { function(Float(bitPattern: $0 << OctaveTable.shift)) }
    slopeAtZero = values[0] / Float(bitPattern: OctaveTable.first << OctaveTable.shift)
  }

  /// The function's values of the first three components, with their signs; the last is kept.
  @inline(__always)
  func callAsFunction(_ x: SIMD4<Float>) -> SIMD4<Float> {
    let size = x.replacing(with: -x, where: x .< 0)
    let bits = unsafeBitCast(size, to: SIMD4<UInt32>.self)
    let steps = bits &>> OctaveTable.shift
    // Nothing, next to nothing, and what is beyond the table; also what is not a number.
    guard isInside(steps.x), isInside(steps.y), isInside(steps.z) else {
      return SIMD4(self(x.x), self(x.y), self(x.z), x.w)
    }
    let rest = SIMD4<Float>(SIMD4<Int32>(truncatingIfNeeded: bits & 0xFFFF)) * (1 / 65_536)
    let value = values.withUnsafeBufferPointer { table in
      let base = table.baseAddress! - Int(OctaveTable.first)
      let (red, green, blue) = (base + Int(steps.x), base + Int(steps.y), base + Int(steps.z))
      let lower = SIMD4(red[0], green[0], blue[0], 0)
      return lower + (SIMD4(red[1], green[1], blue[1], 0) - lower) * rest
    }
    return SIMD4(value.replacing(with: -value, where: x .< 0), weight: x.w)
  }

  @inline(__always)
  private func isInside(_ step: UInt32) -> Bool { step &- OctaveTable.first < OctaveTable.last &- OctaveTable.first }

  /// The function's value, with the sign of `x`.
  @inline(__always)
  func callAsFunction(_ x: Float) -> Float {
    let size = max(0, min(abs(x), 65_535))
    let bits = size.bitPattern
    let step = bits >> OctaveTable.shift
    var value = size * slopeAtZero
    if step >= OctaveTable.first {
      let rest = Float(bits & 0xFFFF) * (1 / 65_536)
      let index = Int(truncatingIfNeeded: step &- OctaveTable.first)
      value = values.withUnsafeBufferPointer { table in
        let base = table.baseAddress!
        return base[index] + (base[index &+ 1] - base[index]) * rest
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
}
