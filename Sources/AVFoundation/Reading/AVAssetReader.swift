public import Foundation

/// Reads the samples of an asset's tracks, stored or decoded, one after the other.
///
/// Add outputs, call `startReading()`, then take buffers from each output until it gives nil, and look at `status` to learn whether
/// that was the end. Outputs may be read on different threads; one output is read by one thread at a time. Reading blocks the caller.
public final class AVAssetReader: NSObject, @unchecked Sendable {
  /// How far reading has come.
  public enum Status: Int, Sendable {
    case unknown = 0
    case reading = 1
    case completed = 2
    case failed = 3
    case cancelled = 4
  }

  /// Where the samples come from.
  public let asset: AVAsset
  private let state = ReadingState()
  private let lock = NSLock()
  private var addedOutputs: [AVAssetReaderOutput] = []
  private var range = CMTimeRange(start: .zero, duration: .positiveInfinity)

  /// Throws `AVError` if the asset cannot be read. Blocks while the head of the file is read.
  public init(asset: AVAsset) throws {
    self.asset = asset
    _ = try asset.openedMovie()
  }

  /// How far reading has come; may be asked from any thread.
  public var status: Status { state.status }
  /// Why reading failed; nil unless `status` is `.failed`.
  public var error: (any Error)? { state.error }
  /// The outputs in the order in which they were added.
  public var outputs: [AVAssetReaderOutput] { lock.withLock { addedOutputs } }

  /// What is read: pictures that start in it, the sound in it. Half-open; from zero to the end unless set. Set it before reading starts.
  public var timeRange: CMTimeRange {
    get { lock.withLock { range } }
    set {
      precondition(status == .unknown, "The time range of a reader is set before reading starts.")
      lock.withLock { range = newValue }
    }
  }

  /// Whether `add` would accept the output: its settings are right and its track belongs to the asset.
  public func canAdd(_ output: AVAssetReaderOutput) -> Bool {
    status == .unknown && output.isFree && (try? output.validate(for: asset)) != nil
  }

  /// Adds an output. One with wrong settings is taken too; `startReading()` then fails and says what is wrong.
  public func add(_ output: AVAssetReaderOutput) {
    precondition(status == .unknown, "An output is added before reading starts.")
    precondition(output.isFree, "An output is added to one reader, once.")
    output.attach(to: state)
    lock.withLock { addedOutputs.append(output) }
  }

  /// Starts reading. False if settings are wrong or the media cannot be read; `error` then names what it is.
  @discardableResult
  public func startReading() -> Bool {
    precondition(status == .unknown, "Reading starts once; make another reader to read again.")
    do {
      guard timeRange.isValid, timeRange.start.isNumeric else {
        throw AVError(.unknown, "The time range of the reader is not valid; give it a start and a duration.")
      }
      for output in outputs { try output.validate(for: asset) }
      state.start(outputs.count)
      for output in outputs { try output.start(reading: [timeRange]) }
      return true
    } catch {
      state.fail(AVError(wrapping: error))
      return false
    }
  }

  /// Ends reading before its end; outputs give nil from now on.
  public func cancelReading() {
    state.cancel()
    for output in outputs { output.stop() }
  }

  deinit { for output in addedOutputs { output.stop() } }
}

/// The status of a reader, shared by it and its outputs.
final class ReadingState: @unchecked Sendable {
  // Unchecked: all state is guarded by the lock.
  private let lock = NSLock()
  private var current = AVAssetReader.Status.unknown
  private var failure: AVError?
  private var unfinished = 0

  var status: AVAssetReader.Status { lock.withLock { current } }
  var error: AVError? { lock.withLock { failure } }

  func start(_ outputs: Int) {
    lock.withLock {
      current = outputs == 0 ? .completed : .reading
      unfinished = outputs
    }
  }

  /// An output has given its last sample.
  func finishOutput() {
    lock.withLock {
      unfinished -= 1
      if unfinished == 0, current == .reading { current = .completed }
    }
  }

  func fail(_ error: AVError) {
    lock.withLock {
      guard current == .reading || current == .unknown else { return }
      current = .failed
      failure = error
    }
  }

  func cancel() {
    lock.withLock { if current == .reading || current == .unknown { current = .cancelled } }
  }
}
