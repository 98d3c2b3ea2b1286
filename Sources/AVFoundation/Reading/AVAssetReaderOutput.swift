public import Foundation

/// One stream of samples of a reader. Abstract: use `AVAssetReaderTrackOutput`.
public class AVAssetReaderOutput: NSObject, @unchecked Sendable {
  // Unchecked: all state is guarded by the lock.
  private let lock = NSRecursiveLock()
  private var state: ReadingState?
  private var source: (any SampleSource)?
  private var phase = Phase.idle
  private var copies = true
  private var randomAccess = false
  private var isFinal = false

  private enum Phase {
    case idle
    case reading
    /// All samples were given; more may be asked for by `reset(forReadingTimeRanges:)`.
    case drained
    /// Nothing will come any more.
    case finished
  }

  override init() {}

  /// The kind of media that the samples are.
  public var mediaType: AVMediaType { preconditionFailure("The kind of output decides.") }

  /// Whether every buffer is the caller's alone, to change at will; true unless set before reading starts.
  ///
  /// With false, stored samples that lie side by side are read together and share memory: nobody may write to it. Decoded pictures and
  /// sound come from pools and are nobody else's in either case.
  public var alwaysCopiesSampleData: Bool {
    get { lock.withLock { copies } }
    set {
      precondition(isIdle, "alwaysCopiesSampleData is set before reading starts.")
      lock.withLock { copies = newValue }
    }
  }

  /// Whether `reset(forReadingTimeRanges:)` may be used; false unless set before reading starts.
  public var supportsRandomAccess: Bool {
    get { lock.withLock { randomAccess } }
    set {
      precondition(isIdle, "supportsRandomAccess is set before reading starts.")
      lock.withLock { randomAccess = newValue }
    }
  }

  /// The next sample buffer; nil at the end, after an error, and once the reader is cancelled: the reader's `status` says which.
  ///
  /// Blocks while the file is read and samples are decoded. With stored samples a buffer may be a marker without samples.
  public func copyNextSampleBuffer() -> CMSampleBuffer? {
    precondition(isTakenByAdaptor == false, "The output's metadata adaptor reads its samples.")
    return nextBuffer()
  }

  /// Starts again with other ranges, once `copyNextSampleBuffer()` has given nil. Times must be numbers and the ranges ascending.
  public func reset(forReadingTimeRanges timeRanges: [CMTimeRange]) {
    lock.withLock {
      precondition(randomAccess && !isFinal, "An output is reset only if it supports random access and is not final.")
      precondition(phase == .drained, "An output is reset after it has given nil.")
      precondition(Self.areAscending(timeRanges), "The ranges must be numbers, ascending, and must not overlap.")
      begin(timeRanges)
    }
  }

  /// Says that `reset(forReadingTimeRanges:)` will not be used any more, so that the reader can complete.
  public func markConfigurationAsFinal() {
    lock.withLock {
      isFinal = true
      if phase == .drained { finish() }
    }
  }

  // MARK: - For the reader and the adaptors

  /// Throws `AVError` naming what is wrong with the output's settings.
  func validate(for asset: AVAsset) throws {}

  /// The samples of `ranges`, in order.
  func makeSource(for ranges: [CMTimeRange]) throws -> any SampleSource {
    preconditionFailure("The kind of output decides.")
  }

  final var isFree: Bool { lock.withLock { state == nil } }
  final var isIdle: Bool { lock.withLock { phase == .idle } }
  final var isTakenByAdaptor = false

  final func attach(to state: ReadingState) { lock.withLock { self.state = state } }

  final func start(reading ranges: [CMTimeRange]) throws {
    try lock.withLock {
      source = try makeSource(for: ranges)
      phase = .reading
    }
  }

  final func stop() {
    lock.withLock {
      source = nil
      if phase != .idle { phase = .finished }
    }
  }

  final func nextBuffer() -> CMSampleBuffer? {
    lock.withLock {
      precondition(state != nil && (phase != .idle || state?.status != .unknown), "Read after startReading().")
      guard phase == .reading, let source, state?.status == .reading else {
        if state?.status != .reading { stop() }
        return nil
      }
      do {
        if let buffer = try source.next() { return buffer }
        phase = .drained
        if !randomAccess || isFinal { finish() }
      } catch {
        state?.fail(AVError(wrapping: error, as: .decodeFailed))
        stop()
      }
      return nil
    }
  }

  /// Ends reading because of what was read.
  final func fail(_ error: AVError) {
    lock.withLock { state }?.fail(error)
    stop()
  }

  private func begin(_ ranges: [CMTimeRange]) {
    do { try start(reading: ranges) } catch {
      state?.fail(AVError(wrapping: error))
      stop()
    }
  }

  private func finish() {
    source = nil
    phase = .finished
    state?.finishOutput()
  }

  private static func areAscending(_ ranges: [CMTimeRange]) -> Bool {
    ranges.allSatisfy { $0.isValid && $0.start.isNumeric && $0.duration.isNumeric }
      && zip(ranges, ranges.dropFirst()).allSatisfy { $0.end <= $1.start }
  }
}

/// Where an output gets its samples from.
protocol SampleSource: AnyObject {
  /// The next sample buffer, nil at the end. Blocks.
  func next() throws -> CMSampleBuffer?
}
