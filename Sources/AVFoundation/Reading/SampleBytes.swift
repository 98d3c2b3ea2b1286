internal import CoreMedia
internal import Foundation
internal import QuickTime

/// Gets the bytes of a track's samples from the file, in decoding order.
struct SampleBytes {
  private let movie: Movie
  private let track: MovieTrack
  /// Whether each sample has memory of its own.
  private let copies: Bool
  private var window: Window?

  /// A stretch of the file in memory.
  fileprivate struct Window {
    var offset: Int64
    var data: CMBlockBuffer
  }

  /// How much of the samples to come is read together: several packets of sound, but no second large picture.
  private static let windowBytes = 1 << 18

  init(movie: Movie, track: MovieTrack, copies: Bool) {
    self.movie = movie
    self.track = track
    self.copies = copies
  }

  /// The bytes of `count` samples of one size from `sample` on, which lie side by side.
  ///
  /// Without copies they are a part of what is read of the samples before `end`. Throws `QuickTimeError` where they cannot be read.
  mutating func read(_ sample: Sample, count: Int, before end: Int) throws -> CMBlockBuffer {
    var run = sample
    run.size *= count
    try movie.check(run, in: track)
    guard !copies, run.size > 0 else { return try read(at: run.offset, count: run.size) }
    if let part = try window?.part(at: run.offset, count: run.size) { return part }
    let bytes = max(run.size, windowBytes(from: sample, before: end))
    let window = Window(offset: run.offset, data: try read(at: run.offset, count: bytes))
    self.window = window
    return try window.part(at: run.offset, count: run.size) ?? window.data
  }

  /// How many bytes of the samples that follow in the chunk, and before `end`, are read with a sample.
  private func windowBytes(from sample: Sample, before end: Int) -> Int {
    let (chunks, sizes) = (track.samples.chunks, track.samples.sizes)
    let last = min(chunks.samples(ofChunk: sample.chunkIndex).upperBound, end)
    let rest = sizes.bytes(before: max(last, sample.index + 1)) - sizes.bytes(before: sample.index)
    return Int(min(rest, Int64(Self.windowBytes), movie.source.byteCount - sample.offset))
  }

  private func read(at offset: Int64, count: Int) throws -> CMBlockBuffer {
    try CMBlockBuffer(length: count) { try movie.source.read(at: offset, into: $0) }
  }
}

extension SampleBytes.Window {
  /// The bytes at a place of the file; nil unless all of them are here.
  fileprivate func part(at place: Int64, count: Int) throws -> CMBlockBuffer? {
    let start = place - offset
    guard start >= 0, start + Int64(count) <= Int64(data.dataLength) else { return nil }
    if start == 0, count == data.dataLength { return data }
    return try CMBlockBuffer(bufferReference: data[Int(start)..<Int(start) + count])
  }
}
