/// What became of a frame.
package struct ProResReport: Sendable, Hashable {
  package let header: ProResFrameHeader
  package let sliceCount: Int
  /// The numbers of the slices that could not be read and were concealed, ascending, counted through both fields.
  package let damagedSlices: [Int]

  package var isSound: Bool { damagedSlices.isEmpty }
}
