/// Brings signals of one colour description to another: curves, primaries, and, from HDR to SDR, the tone map of ITU-R BT.2390.
///
/// The signals of SDR pictures (BT.709, BT.601, BT.2020's, sRGB) are shown by the same displays and are taken as one: a picture of sRGB
/// keeps its numbers in a movie of BT.709, as editors do. HLG is scene light; to PQ and back it passes the display of 1000 cd/m².
package struct ColorConversion: Sendable {
  private let source: TransferTables
  private let target: TransferTables
  private let primaries: ColorMatrix?
  private let mapper: ToneMapper?
  /// The system gamma of HLG, or its inverse; nil where light stays of one kind.
  private let displayGamma: Float?

  /// Nil where nothing is to be converted.
  ///
  /// - Throws: where primaries differ and are others than those of BT.709, P3 and BT.2020.
  package init?(from source: ColorDescription, to target: ColorDescription) throws(UnknownPrimaries) {
    let isSameCurve = source.transfer == target.transfer || source.transfer.isPlainSDR && target.transfer.isPlainSDR
    guard !isSameCurve || source.primaries != target.primaries else { return nil }
    let isMapped = source.transfer.isHDR && !target.transfer.isHDR
    mapper = isMapped ? ToneMapper(.bt2390, color: source) : nil
    // What the tone map gives is BT.709.
    let from = isMapped ? ColorDescription.Primaries.bt709 : source.primaries
    primaries = try Self.matrix(from, target.primaries)
    let curve = isMapped ? TransferFunction.bt709 : source.transfer
    self.source = TransferTables(source.transfer)
    self.target = TransferTables(curve.isPlainSDR && target.transfer.isPlainSDR ? curve : target.transfer)
    displayGamma =
      switch (source.transfer, target.transfer) {
      case (.hlg, .pq): HybridLogGamma.systemGamma
      case (.pq, .hlg): 1 / HybridLogGamma.systemGamma
      default: nil
      }
  }

  /// Converts the colours of a row in place; alpha stays.
  package func convert(_ row: UnsafeMutablePointer<SIMD4<Float>>, _ count: Int) {
    for x in 0..<count {
      let pixel = row[x]
      var light = source.light(pixel)
      if let mapper {
        let signal = mapper.signal(light)
        guard primaries != nil || target.function != .bt709 else {
          row[x] = SIMD4(signal.x, signal.y, signal.z, pixel.w)
          continue
        }
        light = SIMD4(
          TransferFunction.bt709.light(signal.x), TransferFunction.bt709.light(signal.y),
          TransferFunction.bt709.light(signal.z), 0)
      }
      // Luminance is taken in the primaries of the HLG picture, on whichever side it is.
      if let displayGamma, source.function == .hlg { light = Self.shown(light, displayGamma) }
      if let primaries { light = primaries(light) }
      if let displayGamma, target.function == .hlg { light = Self.shown(light, displayGamma) }
      let signal = target.signal(light)
      row[x] = SIMD4(signal.x, signal.y, signal.z, pixel.w)
    }
  }

  /// BT.2100's opto-optical transfer on luminance; reference white stays where it is.
  private static func shown(_ light: SIMD4<Float>, _ gamma: Float) -> SIMD4<Float> {
    let luminance = YCbCrMatrix.bt2020.luma(light)
    guard luminance > 1e-9 else { return light }
    return light * TransferFunction.gamma(gamma - 1).light(luminance)
  }

  private static func matrix(
    _ source: ColorDescription.Primaries, _ target: ColorDescription.Primaries
  ) throws(UnknownPrimaries) -> ColorMatrix? {
    guard source != target else { return nil }
    guard let forth = toBT2020(source), let back = toBT2020(target)?.inverse else {
      throw UnknownPrimaries()
    }
    return back.after(forth)
  }

  private static func toBT2020(_ primaries: ColorDescription.Primaries) -> ColorMatrix? {
    switch primaries {
    case .bt709: .bt709ToBT2020
    case .p3: .p3ToBT2020
    case .bt2020: .identity
    case .other: nil
    }
  }
}

/// Primaries for which there are no numbers here.
package struct UnknownPrimaries: Error {}

/// A transfer function for rows of pixels; see `TransferFunction` for what light is measured in.
package struct LightCurve: Sendable {
  private let tables: TransferTables

  package init(_ function: TransferFunction) { tables = TransferTables(function) }

  package func toLight(_ row: UnsafeMutablePointer<SIMD4<Float>>, _ count: Int) {
    for x in 0..<count { row[x] = tables.light(row[x]) }
  }

  package func toSignal(_ row: UnsafeMutablePointer<SIMD4<Float>>, _ count: Int) { tables.toSignal(row, count) }
}

extension TransferFunction {
  /// Whether it is one of the curves of SDR video and computers, whose signals displays show alike.
  fileprivate var isPlainSDR: Bool { self == .bt709 || self == .sRGB || self == .smpte240M }
}

extension ColorMatrix {
  /// This map after another one.
  fileprivate func after(_ first: ColorMatrix) -> ColorMatrix {
    ColorMatrix(red: self(first.red), green: self(first.green), blue: self(first.blue))
  }

  /// By Cramer's rule; of the matrices between primaries there always is one.
  fileprivate var inverse: ColorMatrix {
    func cross(_ a: SIMD4<Float>, _ b: SIMD4<Float>) -> SIMD4<Float> {
      SIMD4(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x, 0)
    }
    let rows = [cross(green, blue), cross(blue, red), cross(red, green)]
    let determinant = (red * rows[0]).sum()
    func column(_ i: Int) -> SIMD4<Float> { SIMD4(rows[0][i], rows[1][i], rows[2][i], 0) / determinant }
    return ColorMatrix(red: column(0), green: column(1), blue: column(2))
  }
}
