internal import CoreMedia
internal import QuickTime

/// The samples that one buffer holds: what a request asks for, as far as it goes into one.
struct SampleSelection {
  let track: AVAssetTrack
  /// In decoding order; never empty.
  let samples: Range<Int>

  /// Throws `AVError` where the cursors do not stand in the same track.
  init(_ request: AVSampleBufferRequest) throws {
    let cursor = request.startCursor
    guard request.limitCursor.map({ $0.track.movieTrack === cursor.track.movieTrack }) ?? true else {
      throw AVError(
        .invalidSampleCursor, "The limit cursor of a request stands in another track than its start cursor.",
        track: cursor.track.trackID)
    }
    track = cursor.track
    let table = track.movieTrack.samples
    switch request.direction {
    case .none: samples = cursor.index..<cursor.index + 1
    case .forward: samples = table.run(upFrom: cursor.index, by: request)
    case .reverse: samples = table.run(downFrom: cursor.index, by: request)
    }
  }

  /// The format of all of them.
  var format: CMFormatDescription {
    get throws { try track.format(of: track.movieTrack.samples[samples.lowerBound]) }
  }

  /// One entry for each sample, or one for all where they follow each other evenly.
  var timings: [CMSampleTimingInfo] {
    let table = track.movieTrack.samples
    let map = TimeMap(scale: track.mediaScale, factor: 1, offset: 0)
    let isEven =
      !table.hasCompositionOffsets
      && table.durations.run(at: samples.lowerBound).contains(samples.upperBound - 1)
    return (isEven ? samples.prefix(1) : samples[...]).map {
      table[$0].timing(map: map, reordered: table.hasCompositionOffsets)
    }
  }

  var sizes: [Int] {
    let sizes = track.movieTrack.samples.sizes
    if case .uniform(let size, _) = sizes.storage { return [Int(size)] }
    return samples.map { Int(sizes[$0]) }
  }

  var attachments: [CMSampleBuffer.PerSampleAttachmentsDictionary] {
    let (table, starts) = (track.movieTrack.samples, track.movieTrack.decodingStarts)
    return samples.map { table[$0].attachments(partialSync: starts.isPartialSync($0)) }
  }

  /// Where the samples lie, in decoding order: as few stretches of bytes as there can be.
  var places: [BytePlace] {
    let (chunks, sizes) = (track.movieTrack.samples.chunks, track.movieTrack.samples.sizes)
    var places: [BytePlace] = []
    var next = samples.lowerBound
    while next < samples.upperBound {
      let place = chunks.place(ofSample: next)
      let end = min(chunks.samples(ofChunk: place.chunk).upperBound, samples.upperBound)
      let offset = place.offset + sizes.bytes(before: next) - sizes.bytes(before: place.firstSample)
      let count = Int(sizes.bytes(before: end) - sizes.bytes(before: next))
      if let last = places.last, last.offset + Int64(last.count) == offset {
        places[places.count - 1].count += count
      } else {
        places.append(BytePlace(firstSample: next, offset: offset, count: count))
      }
      next = end
    }
    return places
  }
}

/// Bytes of a file that hold samples.
struct BytePlace: Hashable {
  var firstSample: Int
  var offset: Int64
  var count: Int
}

extension RunTable.Run {
  fileprivate func contains(_ sample: Int) -> Bool { (first..<first + count).contains(sample) }
}

extension SampleTable {
  /// No buffer holds more samples, whatever is asked for: a second of sound is less.
  private static let samplesInBuffer = 1 << 16
  /// No buffer of more than one sample holds more bytes.
  private static let bytesInBuffer = Int64(ReadingLimit.sampleBytes)

  fileprivate func run(upFrom start: Int, by request: AVSampleBufferRequest) -> Range<Int> {
    let limit = request.limitCursor.map(\.index) ?? count - 1
    let chunk = chunks.samples(ofChunk: chunks.place(ofSample: start).chunk)
    let wanted = Self.wanted(request, storedTogether: chunk.upperBound - start)
    var end = start + min(wanted, max(limit - start, 0) + 1, count - start)
    end = endOfFormat(from: start, to: end)
    while end - start > 1, sizes.bytes(before: end) - sizes.bytes(before: start) > Self.bytesInBuffer {
      end = start + (end - start) / 2
    }
    return start..<end
  }

  fileprivate func run(downFrom last: Int, by request: AVSampleBufferRequest) -> Range<Int> {
    let limit = request.limitCursor.map(\.index) ?? 0
    let chunk = chunks.samples(ofChunk: chunks.place(ofSample: last).chunk)
    let wanted = Self.wanted(request, storedTogether: last - chunk.lowerBound + 1)
    var start = last + 1 - min(wanted, max(last - limit, 0) + 1)
    start = startOfFormat(from: start, to: last)
    while start < last, sizes.bytes(before: last + 1) - sizes.bytes(before: start) > Self.bytesInBuffer {
      start = last - (last - start) / 2
    }
    return start..<last + 1
  }

  private static func wanted(_ request: AVSampleBufferRequest, storedTogether: Int) -> Int {
    let preferred = request.preferredMinSampleCount > 0 ? request.preferredMinSampleCount : storedTogether
    let most = request.maxSampleCount > 0 ? request.maxSampleCount : .max
    return min(preferred, most, samplesInBuffer)
  }

  /// The first sample, up to `end`, that is described otherwise than `start`.
  private func endOfFormat(from start: Int, to end: Int) -> Int {
    let description = chunks.place(ofSample: start).descriptionIndex
    var next = start
    while next < end {
      let place = chunks.place(ofSample: next)
      guard place.descriptionIndex == description else { return next }
      next = chunks.samples(ofChunk: place.chunk).upperBound
    }
    return end
  }

  /// The first sample, from `start` on, from which all up to `last` are described alike.
  private func startOfFormat(from start: Int, to last: Int) -> Int {
    let description = chunks.place(ofSample: last).descriptionIndex
    var first = last
    while first > start {
      let place = chunks.place(ofSample: first - 1)
      guard place.descriptionIndex == description else { return first }
      first = place.firstSample
    }
    return start
  }
}
