/// What tells a frame from bytes that look like one, for whoever looks for frames without a table of where they are.
extension ProResFrame {
  /// Bytes that are enough for `mayBegin` to see whether a frame is plausible: the headers, and most slice tables of HD.
  package static let probeByteCount = 4096

  /// The header of a frame that these bytes may be the beginning of; nil where they cannot be.
  ///
  /// Besides the header, the first picture's, as much of its slice table as is there, and the slices' own headers are looked at: no more
  /// than `bytes`, however large the frame claims to be.
  package static func mayBegin(
    _ bytes: UnsafeRawBufferPointer, pixelBudget: Int = ProResFrame.standardPixelBudget
  ) -> ProResFrameHeader? {
    guard let header = try? ProResFrameHeader(beginning: bytes), header.width * header.height <= pixelBudget,
      header.byteCount < bytes.count,
      let picture = try? ProResPictureHeader(
        bytes, at: header.byteCount, bytesLeft: header.frameByteCount - header.byteCount, header, isSecond: false)
    else { return nil }
    let table = header.byteCount + picture.byteCount
    let end = header.byteCount + picture.pictureByteCount
    var next = table + 2 * picture.sliceCount
    for slice in 0..<min(picture.sliceCount, max(0, bytes.count - table) / 2) {
      let byteCount = bytes.bigEndian16(at: table + 2 * slice)
      guard byteCount >= ProResPictureHeader.leastSliceByteCount(header), byteCount <= end - next else { return nil }
      let isThere = next + byteCount <= bytes.count
      guard !isThere || SliceParts(bytes, next..<next + byteCount, hasAlpha: header.hasAlpha) != nil else { return nil }
      next += byteCount
    }
    return header
  }

  /// Whether the headers of all slices agree with the bytes that the slice tables give them.
  ///
  /// - Parameter sample: what this frame was read from.
  package func hasSoundSlices(_ sample: UnsafeRawBufferPointer) -> Bool {
    pictures.allSatisfy { picture in
      (0..<picture.sliceCount).allSatisfy { slice in
        let range = picture.sliceOffsets[slice]..<picture.sliceOffsets[slice + 1]
        return SliceParts(sample, range, hasAlpha: header.hasAlpha) != nil
      }
    }
  }
}
