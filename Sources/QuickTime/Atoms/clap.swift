/// `clap`: the part of the picture that is meant to be seen, in pixels, with the middle's distance from the picture's middle.
package struct CleanApertureAtom: Atom, Hashable, Sendable {
  package struct Fraction: Hashable, Sendable {
    package var numerator: Int32
    package var denominator: UInt32

    package init(_ numerator: Int32, _ denominator: UInt32 = 1) {
      self.numerator = numerator
      self.denominator = denominator
    }

    /// Nil where the denominator is 0.
    package var value: Double? { denominator == 0 ? nil : Double(numerator) / Double(denominator) }
  }

  package let type: FourCC = "clap"
  package var width: Fraction
  package var height: Fraction
  package var horizontalOffset: Fraction
  package var verticalOffset: Fraction

  package init(width: Fraction, height: Fraction, horizontalOffset: Fraction, verticalOffset: Fraction) {
    self.width = width
    self.height = height
    self.horizontalOffset = horizontalOffset
    self.verticalOffset = verticalOffset
  }

  package init(reading reader: inout ByteReader) throws(QuickTimeError) {
    var fractions: [Fraction] = []
    for _ in 0..<4 { fractions.append(Fraction(try reader.i32(), try reader.u32())) }
    self.init(
      width: fractions[0], height: fractions[1], horizontalOffset: fractions[2], verticalOffset: fractions[3])
  }

  package func write(to writer: inout ByteWriter) {
    for fraction in [width, height, horizontalOffset, verticalOffset] {
      writer.i32(fraction.numerator)
      writer.u32(fraction.denominator)
    }
  }
}
