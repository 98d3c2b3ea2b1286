/// One coded picture, a frame or a field, and where its slices lie (RDD 36, 5.2 and 5.3).
package struct ProResPicture: Sendable, Hashable {
  /// Rows of the frame that this picture holds: `firstRow`, and every `rowStep`th after it.
  package let firstRow: Int
  package let rowStep: Int
  package let rows: Int
  package let columns: SliceColumns
  /// Rows of macroblocks that are coded; any that lie below the picture are read and left out.
  package let macroblockRows: Int
  /// Where slice `n` begins in the frame; one more than there are slices.
  package let sliceOffsets: [Int]

  package var sliceCount: Int { sliceOffsets.count - 1 }
}

/// How a row of macroblocks is cut into slices: as many of the wanted width as fit, then halving widths.
package struct SliceColumns: Sendable, Hashable {
  package struct Column: Sendable, Hashable {
    package let firstMacroblock: Int
    /// The width is 2 to this power, 1 to 8 macroblocks.
    package let log2Width: Int
  }

  package let columns: [Column]

  init(macroblocks: Int, log2Width: Int) {
    var columns: [Column] = []
    var first = 0
    for power in stride(from: log2Width, through: 0, by: -1) {
      while macroblocks - first >= 1 << power {
        columns.append(Column(firstMacroblock: first, log2Width: power))
        first += 1 << power
      }
    }
    self.columns = columns
  }

  /// How many there are, without making them.
  static func count(macroblocks: Int, log2Width: Int) -> Int {
    macroblocks >> log2Width + (macroblocks & (1 << log2Width - 1)).nonzeroBitCount
  }
}

/// What stands in front of a coded picture's slice table, and how many slices follow from it.
struct ProResPictureHeader {
  let byteCount: Int
  /// Of the picture with its header, table and slices.
  let pictureByteCount: Int
  let log2SliceWidth: Int
  let macroblockRows: Int
  let sliceCount: Int

  private static let leastByteCount = 8

  /// Reads the header at `offset` of a frame, of which `bytesLeft` bytes follow from there on, not all of them in memory.
  init(
    _ frame: UnsafeRawBufferPointer, at offset: Int, bytesLeft: Int, _ header: ProResFrameHeader, isSecond: Bool
  ) throws(ProResError) {
    var reader = ByteReader(frame, at: offset, isSecond ? "the second picture's header" : "the picture header")
    byteCount = try reader.uint8() >> 3
    pictureByteCount = try reader.uint32()
    let statedSlices = try reader.uint16()
    log2SliceWidth = try reader.uint8() >> 4 & 3
    guard byteCount >= Self.leastByteCount, pictureByteCount >= byteCount else {
      throw ProResError(
        .damaged, "a picture header claims \(byteCount) of \(pictureByteCount) bytes; the frame is damaged")
    }
    guard pictureByteCount <= bytesLeft else {
      throw ProResError(
        .truncated,
        "a picture of \(pictureByteCount) bytes does not fit the \(bytesLeft) left; the frame is damaged")
    }
    let perRow = SliceColumns.count(macroblocks: header.macroblockColumns, log2Width: log2SliceWidth)
    var macroblockRows = (ProResPicture.rows(header, isSecond: isSecond).count + 15) / 16
    // Some encoders give both fields of an odd height as many rows of macroblocks.
    let common = (header.height + 31) / 32
    if header.isInterlaced, statedSlices == common * perRow { macroblockRows = common }
    self.macroblockRows = macroblockRows
    sliceCount = perRow * macroblockRows
    guard sliceCount * (2 + Self.leastSliceByteCount(header)) <= pictureByteCount - byteCount else {
      throw ProResError(
        .damaged,
        "a picture of \(pictureByteCount) bytes cannot hold the \(sliceCount) slices of \(header.width)x\(header.height) pixels; "
          + "the frame is damaged")
    }
  }

  /// Of a slice's own header, which is all there must be of it.
  static func leastSliceByteCount(_ header: ProResFrameHeader) -> Int { header.hasAlpha ? 8 : 6 }
}

extension ProResPicture {
  /// Reads the picture at `offset` of a frame, of which the first `firstSlice` slices are before it.
  ///
  /// Nothing is allocated until the frame is known to be long enough for its slices.
  init(
    _ frame: UnsafeRawBufferPointer, at offset: inout Int, _ header: ProResFrameHeader, isSecond: Bool, firstSlice: Int
  ) throws(ProResError) {
    let picture = try ProResPictureHeader(
      frame, at: offset, bytesLeft: frame.count - offset, header, isSecond: isSecond)
    sliceOffsets = try Self.sliceOffsets(
      frame, table: offset + picture.byteCount, picture.sliceCount, end: offset + picture.pictureByteCount,
      ProResPictureHeader.leastSliceByteCount(header), firstSlice)
    macroblockRows = picture.macroblockRows
    let rows = ProResPicture.rows(header, isSecond: isSecond)
    self.rows = rows.count
    firstRow = rows.first
    rowStep = header.isInterlaced ? 2 : 1
    columns = SliceColumns(macroblocks: header.macroblockColumns, log2Width: picture.log2SliceWidth)
    offset += picture.pictureByteCount
  }

  fileprivate static func rows(_ header: ProResFrameHeader, isSecond: Bool) -> (first: Int, count: Int) {
    switch header.fields {
    case .progressive: (0, header.height)
    case .topFirst: isSecond ? (1, header.height / 2) : (0, (header.height + 1) / 2)
    case .bottomFirst: isSecond ? (0, (header.height + 1) / 2) : (1, header.height / 2)
    }
  }

  private static func sliceOffsets(
    _ frame: UnsafeRawBufferPointer, table: Int, _ count: Int, end: Int, _ leastByteCount: Int, _ firstSlice: Int
  ) throws(ProResError) -> [Int] {
    var offsets: [Int] = []
    offsets.reserveCapacity(count + 1)
    var next = table + 2 * count
    offsets.append(next)
    for slice in 0..<count {
      let byteCount = frame.bigEndian16(at: table + 2 * slice)
      guard byteCount >= leastByteCount, byteCount <= end - next else {
        throw ProResError(
          .damaged, "the slice table gives it \(byteCount) bytes where \(end - next) are left; the table is damaged",
          slice: firstSlice + slice)
      }
      next += byteCount
      offsets.append(next)
    }
    return offsets
  }
}
