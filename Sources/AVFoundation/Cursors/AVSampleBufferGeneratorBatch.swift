internal import CoreMedia
public import Foundation

/// Sample buffers whose data is read together, in the order in which it lies in the file.
///
/// Made by `AVSampleBufferGenerator.makeBatch()`. Safe to use from any thread.
public final class AVSampleBufferGeneratorBatch: NSObject, @unchecked Sendable {
  // Unchecked: all state is guarded by the lock.
  let generator: AVSampleBufferGenerator
  private let queue: DispatchQueue
  private let lock = NSLock()
  private var phase = Phase.collecting
  private var members: [Member] = []

  private enum Phase {
    case collecting
    case reading
    case cancelled
  }

  private struct Member {
    var pending: PendingSamples
    var buffer: CMSampleBuffer
  }

  init(generator: AVSampleBufferGenerator, queue: DispatchQueue) {
    self.generator = generator
    self.queue = queue
  }

  func add(_ pending: PendingSamples, _ buffer: CMSampleBuffer) throws {
    try lock.withLock {
      guard phase == .collecting else {
        throw AVError(
          .operationNotAllowed,
          "The batch has been read or cancelled and takes no more sample buffers; make another one.")
      }
      members.append(Member(pending: pending, buffer: buffer))
    }
  }

  /// Reads the data of all buffers of the batch on another thread. Called once.
  ///
  /// The handler is called there when each buffer is ready or will never be: with nil where all are ready, else with the first error in
  /// the order of the file. A buffer that cannot be read does not keep the others from being read.
  public func makeDataReady(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
    let members = lock.withLock {
      precondition(phase != .reading, "The data of a batch is made ready once.")
      if phase == .collecting { phase = .reading }
      return self.members.sorted { $0.pending.firstOffset < $1.pending.firstOffset }
    }
    queue.async { [self] in completionHandler(read(members)) }
  }

  /// Returns when all buffers of the batch are ready; throws the first error. Called once, in place of the form with a handler.
  public func makeDataReady() async throws {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      makeDataReady { error in
        if let error { continuation.resume(throwing: error) } else { continuation.resume() }
      }
    }
  }

  /// Gives up what has not been read yet: those buffers will never be ready.
  public func cancel() {
    let members = lock.withLock {
      phase = .cancelled
      return self.members
    }
    for member in members { member.pending.cancel(member.buffer) }
  }

  private func read(_ members: [Member]) -> AVError? {
    var first: AVError?
    for member in members {
      member.pending.finish(member.buffer)
      first = first ?? member.pending.failure
    }
    if let first { return first }
    return lock.withLock { phase == .cancelled } ? AVError(.operationCancelled, "The batch was cancelled.") : nil
  }
}
