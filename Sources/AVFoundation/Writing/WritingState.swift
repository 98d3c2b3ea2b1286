internal import CoreMedia
internal import Foundation

/// The status of a writer and how far its inputs have come, shared by it and its inputs.
final class WritingState: @unchecked Sendable {
  // Unchecked: all state is guarded by the lock.
  private let lock = NSLock()
  private var current = AVAssetWriter.Status.unknown
  private var failure: AVError?
  private var whole: WrittenTrack.Session?
  private var inputs: [ObjectIdentifier: Progress] = [:]
  private var onFailure: @Sendable () -> Void = {}
  private var onProgress: @Sendable () -> Void = {}

  private struct Progress {
    var time: CMTime?
    var isFinished = false
    var lastChange = DispatchTime.now()
  }

  var status: AVAssetWriter.Status { lock.withLock { current } }
  var error: AVError? { lock.withLock { failure } }
  var session: WrittenTrack.Session? { lock.withLock { whole } }

  /// Sets what happens once when writing fails, and whenever an input has come further.
  func observe(failure: @escaping @Sendable () -> Void, progress: @escaping @Sendable () -> Void) {
    lock.withLock {
      onFailure = failure
      onProgress = progress
    }
  }

  func start(_ inputs: [AVAssetWriterInput]) {
    lock.withLock {
      current = .writing
      for input in inputs { self.inputs[ObjectIdentifier(input)] = Progress() }
    }
  }

  func startSession(_ time: CMTime) {
    lock.withLock {
      precondition(current == .writing && whole == nil, "A session starts once, after startWriting().")
      whole = WrittenTrack.Session(start: time)
    }
  }

  func endSession(_ time: CMTime) {
    lock.withLock {
      precondition(whole != nil, "A session ends after it has started.")
      whole?.end = time
    }
  }

  func complete() { _ = end(.completed) }

  /// False if writing is over already.
  func cancel() -> Bool { end(.cancelled) }

  private func end(_ status: AVAssetWriter.Status) -> Bool {
    lock.withLock {
      guard current == .writing || current == .unknown else { return false }
      current = status
      forgetObservers()
      return true
    }
  }

  /// The observers hold the inputs, and these hold the state.
  private func forgetObservers() {
    onFailure = {}
    onProgress = {}
  }

  /// Ends writing because of an error; the first one is kept.
  func fail(_ error: AVError) {
    let cleanUp: (@Sendable () -> Void)? = lock.withLock {
      guard current == .writing || current == .unknown else { return nil }
      current = .failed
      failure = error
      defer { forgetObservers() }
      return onFailure
    }
    cleanUp?()
  }

  // MARK: - Progress

  /// How far an input may be ahead of the others before it has to wait.
  private static let lead = CMTime(value: 1, timescale: 1)
  /// How long it waits for others that get nothing.
  private static let patience = DispatchTimeInterval.seconds(2)

  func advance(_ input: AVAssetWriterInput, to time: CMTime) {
    lock.withLock {
      inputs[ObjectIdentifier(input)]?.time = time
      inputs[ObjectIdentifier(input)]?.lastChange = .now()
    }
    notify()
  }

  func finish(_ input: AVAssetWriterInput) {
    lock.withLock { inputs[ObjectIdentifier(input)]?.isFinished = true }
    notify()
  }

  /// Tells inputs that what they wait for may have come.
  func notify() { lock.withLock { onProgress }() }

  /// Whether an input should wait so that the others can catch up: samples of all inputs lie side by side in the file.
  ///
  /// An input that gets nothing for a while holds up nobody: the file is then less well interleaved.
  func isAhead(_ input: AVAssetWriterInput) -> Bool {
    lock.withLock {
      guard let session = whole, let own = inputs[ObjectIdentifier(input)]?.time else { return false }
      let now = DispatchTime.now()
      return inputs.contains { key, other in
        key != ObjectIdentifier(input) && !other.isFinished && now < other.lastChange + Self.patience
          && own - (other.time ?? session.start) > Self.lead
      }
    }
  }
}
