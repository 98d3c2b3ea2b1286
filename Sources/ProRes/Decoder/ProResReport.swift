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
  }

  package let header: ProResFrameHeader
  package let sliceCount: Int
  /// Ascending by slice.
  package let damage: [Damage]

  package var isSound: Bool { damage.isEmpty }
}

/// What stands in place of a damaged slice.
package enum ProResConcealment: Sendable {
  /// Middle grey, opaque.
  case grey
  /// The same place of another picture, of the size and layout of the one that is made: the last one, as a rule. Grey
  /// stays where the layout packs pixels of this slice together with a neighbour's.
  case picture(ProResDestination)
}
