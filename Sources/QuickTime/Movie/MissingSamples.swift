extension Movie {
  /// Tells which samples a file that was cut off lacks.
  ///
  /// Samples that lie behind the end of a file whose last atom is whole were never there: then the tables are wrong.
  static func missingSamples(
    _ tracks: [MovieTrack], _ source: any ByteSource, _ layout: FileLayout
  ) throws(QuickTimeError) -> [MovieWarning] {
    var warnings: [MovieWarning] = []
    for track in tracks {
      guard track.isSelfContained else {
        warnings.append(
          MovieWarning(
            "The samples of track \(track.number) lie in another file, which is not looked for.",
            path: "moov/trak[\(track.number)]/mdia/minf/dinf/dref"))
        continue
      }
      guard let missing = missing(track.samples, source.byteCount) else { continue }
      let which = "\(missing.count) of \(track.samples.count) samples of track \(track.number) (\(track.handler))"
      let from = "from sample \(missing.first + 1) at byte \(missing.offset) on"
      guard layout.atoms.last?.mayBeCutOff ?? false || !layout.warnings.isEmpty else {
        throw QuickTimeError(
          .malformed,
          "\(which), \(from), lie behind the end of the file at byte \(source.byteCount); get the original again.",
          path: "moov/trak[\(track.number)]/mdia/minf/stbl", offset: missing.offset)
      }
      warnings.append(
        MovieWarning(
          "The file is cut off at byte \(source.byteCount): \(which) are missing, \(from); copy the whole file again.",
          path: "moov/trak[\(track.number)]/mdia/minf/stbl", offset: missing.offset))
    }
    return warnings
  }

  private struct Missing {
    var count = 0
    var first: Int
    var offset: Int64
  }

  /// Looks at the chunks, and into the one or two that the end of the file cuts.
  private static func missing(_ samples: SampleTable, _ fileBytes: Int64) -> Missing? {
    var missing: Missing?
    for chunk in 0..<samples.chunks.count {
      let range = samples.chunks.samples(ofChunk: chunk)
      let start = samples.chunks.offsets[chunk]
      let bytes = samples.sizes.bytes(before: range.upperBound) - samples.sizes.bytes(before: range.lowerBound)
      guard !range.isEmpty, start + bytes > fileBytes else { continue }
      let first = firstBeyond(samples.sizes, range, fileBytes - start)
      let offset = start + samples.sizes.bytes(before: first) - samples.sizes.bytes(before: range.lowerBound)
      if missing == nil { missing = Missing(first: first, offset: offset) }
      missing?.count += range.upperBound - first
    }
    return missing
  }

  /// The first sample of a chunk that does not end within `room` bytes of the chunk's start.
  private static func firstBeyond(_ sizes: SampleSizes, _ range: Range<Int>, _ room: Int64) -> Int {
    let before = sizes.bytes(before: range.lowerBound)
    var low = range.lowerBound
    var high = range.upperBound
    while low < high {
      let middle = (low + high) / 2
      if sizes.bytes(before: middle + 1) - before <= room { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
