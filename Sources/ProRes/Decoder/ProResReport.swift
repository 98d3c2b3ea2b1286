/// What became of a frame.
package struct ProResReport: Sendable, Hashable {
  /// A slice that could not be read and was concealed.
  package struct Damage: Sendable, Hashable {
    /// The slice's number, from 0, counted through both fields.
    package let slice: Int
    /// The pixels of the made picture that it covers; of a field, every other row of `rows`.
    package let columns: Range<Int>
    package let rows: Range<Int>
    /// 2 where only every other row is covered, beginning with the first.
    package let rowStep: Int

    /// The same in pixels of the stored picture, of which a part of its size was made.
    package func enlarged(by scale: ProResScale, width: Int, height: Int) -> Damage {
      let (factor, parity) = (scale.rawValue, rows.lowerBound % rowStep)
      let (left, top) = (columns.lowerBound * factor, parity + (rows.lowerBound - parity) * factor)
      let covered = ((rows.count - 1) / rowStep + 1) * factor
      let count = max(1, min(covered, (height - top + rowStep - 1) / rowStep))
      return Damage(
        slice: slice, columns: left..<max(left + 1, min(columns.upperBound * factor, width)),
        rows: top..<top + (count - 1) * rowStep + 1, rowStep: rowStep)
    }
  }

  package let header: ProResFrameHeader
  package let sliceCount: Int
  /// Ascending by slice.
  package let damage: [Damage]

  package init(header: ProResFrameHeader, sliceCount: Int, damage: [Damage]) {
    self.header = header
    self.sliceCount = sliceCount
    self.damage = damage
  }

  package var isSound: Bool { damage.isEmpty }
}

extension ProResFrame {
  /// What a damaged slice spoils; nil where that is below the picture.
  package func damage(ofSlice number: Int, scale: ProResScale = .full) -> ProResReport.Damage? {
    let isSecond = number >= pictures[0].sliceCount
    let picture = pictures[isSecond ? 1 : 0]
    let place = isSecond ? number - pictures[0].sliceCount : number
    let (row, index) = place.quotientAndRemainder(dividingBy: picture.columns.columns.count)
    let column = picture.columns.columns[index]
    let size = scale.size(of: header)
    let macroblock = 16 / scale.rawValue
    let visible = (size.height - picture.firstRow + picture.rowStep - 1) / picture.rowStep
    let rows = min(macroblock, visible - row * macroblock)
    guard rows > 0 else { return nil }
    let (x, y) = (column.firstMacroblock * macroblock, picture.firstRow + row * macroblock * picture.rowStep)
    return ProResReport.Damage(
      slice: number, columns: x..<min(x + macroblock << column.log2Width, size.width),
      rows: y..<y + (rows - 1) * picture.rowStep + 1, rowStep: picture.rowStep)
  }
}

/// What stands in place of a damaged slice.
package enum ProResConcealment: Sendable {
  /// Middle grey, opaque.
  case grey
  /// The same place of another picture, of the size and layout of the one that is made: the last one, as a rule. Grey
  /// stays where the layout packs pixels of this slice together with a neighbour's.
  case picture(ProResDestination)
}
