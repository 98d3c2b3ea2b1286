/// A frame whose headers and slice tables have been read and found sound: it can be decoded into a picture of `header`'s size.
package struct ProResFrame: Sendable, Hashable {
  package let header: ProResFrameHeader
  /// One, or two fields in the order of the bitstream.
  package let pictures: [ProResPicture]

  /// The slices of the frame, of both fields where there are two.
  package var sliceCount: Int { pictures.reduce(0) { $0 + $1.sliceCount } }

  /// Bytes up to the end of the last slice; what stands behind them is stuffing.
  package var byteCount: Int { pictures.compactMap(\.sliceOffsets.last).max() ?? 0 }

  /// A 16384x16384 picture; larger ones must be asked for.
  package static let standardPixelBudget = 1 << 28

  /// Reads the headers and slice tables of a sample.
  ///
  /// Memory is of the order of the slices, each of which has been found to have its bytes.
  /// - Throws: `ProResError` naming the slice, where it is one.
  package init(
    _ sample: UnsafeRawBufferPointer, pixelBudget: Int = ProResFrame.standardPixelBudget
  ) throws(ProResError) {
    let header = try ProResFrameHeader(sample)
    guard header.width * header.height <= pixelBudget else {
      throw ProResError(
        .overLimit,
        "a picture of \(header.width)x\(header.height) has more than the \(pixelBudget) pixels allowed; raise the budget"
      )
    }
    let frame = UnsafeRawBufferPointer(rebasing: sample[..<header.frameByteCount])
    var offset = header.byteCount
    var pictures = [try ProResPicture(frame, at: &offset, header, isSecond: false, firstSlice: 0)]
    if header.isInterlaced {
      pictures.append(
        try ProResPicture(frame, at: &offset, header, isSecond: true, firstSlice: pictures[0].sliceCount))
    }
    self.header = header
    self.pictures = pictures
  }
}
