/// The light of every signal that codes can mean, as a table with even steps, linear between them.
///
/// Codes bound a signal, so that it is looked up without being looked at first.
struct LightRamp: Sendable {
  let function: TransferFunction
  /// The light at each step, and how much more it is at the next.
  private let points: [SIMD2<Float>]

  private static let stepsPerUnit: Float = 4096
  /// No matrix makes more of full luma and chroma, or less of none.
  private static let largestSignal: Float = 2.25

  init(_ tables: TransferTables) {
    function = tables.function
    let count = Int(2 * LightRamp.largestSignal * LightRamp.stepsPerUnit) + 2
    let light = (0...count).map { tables.light(Float($0) / LightRamp.stepsPerUnit - LightRamp.largestSignal) }
    points = (0..<count).map { SIMD2(light[$0], light[$0 + 1] - light[$0]) }
  }

  /// The place of signal 0 in the table, in steps.
  static let origin = largestSignal * stepsPerUnit
  /// The steps between signals 0 and 1.
  static let scale = stepsPerUnit

  /// The bits of 2²³, which added to a number leaves its whole part in the last bits.
  private static let whole = 0x4B00_0000

  /// Turns a row of signals into light, with 1 in `w`.
  func light(ofSignals row: UnsafeMutablePointer<SIMD4<Float>>, _ count: Int) {
    for x in 0..<count { row[x] = row[x] * LightRamp.scale + LightRamp.origin }
    light(row, count)
  }

  /// Turns a row of places, in steps, into light, with 1 in `w`; what is there is not looked at, but must be what integer
  /// codes can mean: of all matrices BT.2020's goes farthest, to signals of -1.15 and 2.18.
  func light(_ row: UnsafeMutablePointer<SIMD4<Float>>, _ count: Int) {
    points.withUnsafeBufferPointer { points in
      let base = points.baseAddress! - LightRamp.whole
      for x in 0..<count {
        let place = row[x]
        // Less ½, so that rounding to the nearest gives the step before the place.
        let rounded = place + 8_388_607.5
        let rest = place - (rounded - 8_388_608)
        let steps = unsafeBitCast(rounded, to: SIMD4<UInt32>.self)
        let (red, green, blue) = (base[Int(steps.x)], base[Int(steps.y)], base[Int(steps.z)])
        row[x] = SIMD4(red.x, green.x, blue.x, 1) + SIMD4(red.y, green.y, blue.y, 0) * rest
      }
    }
  }
}
