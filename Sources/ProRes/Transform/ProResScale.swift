/// The size that a frame is decoded at.
package enum ProResScale: Int, Sendable, Hashable, CaseIterable {
  case full = 1
  /// From the lower half of the frequencies in both directions.
  case half = 2
  case quarter = 4
  /// From the blocks' means alone; the rest of the data is not read, and damage there is not seen.
  case eighth = 8

  /// The made picture's size: that of the frame, divided and rounded up.
  package func size(of header: ProResFrameHeader) -> (width: Int, height: Int) {
    ((header.width + rawValue - 1) / rawValue, (header.height + rawValue - 1) / rawValue)
  }

  /// Samples of a block in a row.
  var samplesPerBlock: Int { 8 / rawValue }

  /// Scan positions that are wanted; they are the same square of frequencies in both scans.
  var wantedPositions: Int { self == .full ? 64 : samplesPerBlock * samplesPerBlock }
}
