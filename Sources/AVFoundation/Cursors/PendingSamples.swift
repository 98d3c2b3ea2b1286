internal import CoreMedia
internal import Foundation
internal import QuickTime

/// A sample buffer whose data is read later, by whoever comes first: a background queue, or the caller who cannot wait.
final class PendingSamples: @unchecked Sendable {
  // Unchecked: `state` is guarded by the lock; the rest never changes.
  /// Where the first bytes lie, to read in the order of the file.
  let firstOffset: Int64
  private let track: AVAssetTrack
  private let places: [BytePlace]
  private let lock = NSLock()
  private var state = State.waiting

  private enum State {
    case waiting
    case read
    case failed(AVError)
  }

  init(_ selection: SampleSelection) {
    track = selection.track
    places = selection.places
    firstOffset = places.first?.offset ?? 0
  }

  /// The buffer of the selection, not ready yet; `CMSampleBuffer.makeDataReady()` reads its data.
  func makeBuffer(_ selection: SampleSelection) throws -> CMSampleBuffer {
    try CMSampleBuffer(
      dataBuffer: nil, dataReady: false, formatDescription: try selection.format, numSamples: selection.samples.count,
      sampleTimings: selection.timings, sampleSizes: selection.sizes,
      makeDataReadyHandler: { [self] buffer in try fill(buffer) })
  }

  /// Reads the data now. Throws `AVError`.
  func read() throws -> CMBlockBuffer {
    let track = track
    return try track.naming {
      for place in places { try track.movie.check(place, in: track.movieTrack) }
      return try CMBlockBuffer(length: places.reduce(0) { $0 + $1.count }) { memory in
        var start = 0
        for place in places {
          let part = UnsafeMutableRawBufferPointer(rebasing: memory[start..<start + place.count])
          try track.movie.source.read(at: place.offset, into: part)
          start += place.count
        }
      }
    }
  }

  /// Makes a buffer ready, or says that it never will be.
  func finish(_ buffer: CMSampleBuffer) {
    guard buffer.dataReadiness == .notReady else { return }
    do { try buffer.makeDataReady() } catch {
      // Whoever cancels meanwhile has the last word, whichever of the two comes to the buffer first.
      try? buffer.setDataReadiness(.failed(Self.status(of: failure)))
    }
  }

  /// What a buffer says whose data never comes.
  private static func status(of failure: AVError?) -> OSStatus {
    failure?.code == .operationCancelled ? kCMSampleBufferError_DataCanceled : kCMSampleBufferError_DataFailed
  }

  /// Says that a buffer's data is not wanted any more; one that has been read stays ready.
  func cancel(_ buffer: CMSampleBuffer) {
    let wasWaiting = lock.withLock {
      guard case .waiting = state else { return false }
      state = .failed(AVError(.operationCancelled, "The batch of the sample buffer was cancelled before it was read."))
      return true
    }
    if wasWaiting { try? buffer.setDataReadiness(.failed(Self.status(of: failure))) }
  }

  /// Why the data never came.
  var failure: AVError? { lock.withLock { if case .failed(let error) = state { error } else { nil } } }

  private func fill(_ buffer: CMSampleBuffer) throws {
    try lock.withLock {
      switch state {
      case .read: return
      case .failed(let error): throw error
      case .waiting: break
      }
      do {
        try buffer.setDataBuffer(try read())
        state = .read
      } catch {
        let failure = AVError(wrapping: error, as: .failedToLoadMediaData)
        state = .failed(failure)
        throw failure
      }
    }
  }
}

extension Movie {
  /// Throws as for a single sample where the bytes cannot be had; the message names the first sample.
  fileprivate func check(_ place: BytePlace, in track: MovieTrack) throws(QuickTimeError) {
    var sample = track.samples[place.firstSample]
    sample.size = place.count
    try check(sample, in: track)
  }
}
