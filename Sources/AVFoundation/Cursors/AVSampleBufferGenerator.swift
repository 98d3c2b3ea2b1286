public import CoreMedia
public import Foundation
internal import QuickTime

/// Makes sample buffers of stored samples, as requests with cursors ask for them.
///
/// A generator works on the media itself: it knows neither edits nor what depends on what, and gives the samples it is asked for.
/// A buffer's samples lie in decoding order whatever the direction of the request, and have the media's own times. A buffer never holds
/// samples of two formats. Safe to use from any thread.
public final class AVSampleBufferGenerator: NSObject, @unchecked Sendable {
  // Unchecked: all properties are constants, and safe from any thread.
  private let asset: AVAsset
  private let timebase: CMTimebase?
  private let queue = DispatchQueue(label: "AVSampleBufferGenerator")
  private let leisureQueue = DispatchQueue(label: "AVSampleBufferGenerator.opportunistic", qos: .utility)

  /// A generator for tracks of an asset.
  ///
  /// Without a timebase a buffer is read before it is given, whatever the request's mode. With one it is given at once and becomes
  /// ready later: see `AVSampleBufferRequest.Mode` and `notifyOfDataReady(for:completionHandler:)`.
  public init(asset: AVAsset, timebase: CMTimebase?) {
    self.asset = asset
    self.timebase = timebase
  }

  /// The samples of a request. Throws `AVError` where a cursor belongs to another asset or, without a timebase, the samples cannot
  /// be read.
  public func makeSampleBuffer(for request: AVSampleBufferRequest) throws -> CMSampleBuffer {
    let (pending, buffer) = try makePending(request)
    guard let timebase else {
      try buffer.setDataBuffer(try pending.read())
      try buffer.setDataReadiness(.ready)
      return buffer
    }
    let needed = request.overrideTime.isNumeric ? request.overrideTime : buffer.presentationTimeStamp
    switch request.mode {
    case .immediate: read(pending, buffer, on: queue)
    case .opportunistic: read(pending, buffer, on: leisureQueue)
    case .scheduled: read(pending, buffer, shortlyBefore: needed, by: timebase)
    }
    return buffer
  }

  /// As `makeSampleBuffer(for:)`; nil where that throws.
  @available(*, deprecated, message: "Use makeSampleBuffer(for:), which says why there is no buffer.")
  public func createSampleBuffer(for request: AVSampleBufferRequest) -> CMSampleBuffer? {
    try? makeSampleBuffer(for: request)
  }

  /// A batch for sample buffers of this generator that are read together.
  public func makeBatch() -> AVSampleBufferGeneratorBatch {
    AVSampleBufferGeneratorBatch(generator: self, queue: queue)
  }

  /// The samples of a request, to be read with the others of a batch; the request's mode does not matter.
  ///
  /// Throws `AVError` where a cursor belongs to another asset, where the batch is another generator's, or has been read or cancelled.
  public func makeSampleBuffer(
    for request: AVSampleBufferRequest, addTo batch: AVSampleBufferGeneratorBatch
  ) throws -> CMSampleBuffer {
    guard batch.generator === self else {
      throw AVError(.operationNotAllowed, "The batch belongs to another generator; make one with makeBatch().")
    }
    let (pending, buffer) = try makePending(request)
    try batch.add(pending, buffer)
    return buffer
  }

  private func makePending(_ request: AVSampleBufferRequest) throws -> (PendingSamples, CMSampleBuffer) {
    let selection = try SampleSelection(request)
    guard try asset.openedMovie() === selection.track.movie else {
      throw AVError(
        .invalidSampleCursor,
        "The cursor of a request stands in track \(selection.track.trackID) of another asset than the generator's.")
    }
    let pending = PendingSamples(selection)
    let buffer = try pending.makeBuffer(selection)
    buffer.setSampleAttachments(selection.attachments)
    if request.overrideTime.isNumeric { try buffer.setOutputPresentationTimeStamp(request.overrideTime) }
    buffer.rememberFailure(of: pending)
    return (pending, buffer)
  }
}

// MARK: - Reading later

extension AVSampleBufferGenerator {
  /// A buffer that nobody holds any more is not read.
  private func read(_ pending: PendingSamples, _ buffer: CMSampleBuffer, on queue: DispatchQueue) {
    queue.async { [weak buffer] in buffer.map(pending.finish) }
  }

  /// How long before the time at which samples are needed they are read, in seconds of the clock.
  private static let leeway = 0.5
  /// How long, in seconds, a change of the timebase may go unnoticed.
  private static let longestWait = 0.05

  /// The timebase may be set, started or stopped meanwhile, so it is looked at again and again.
  private func read(
    _ pending: PendingSamples, _ buffer: CMSampleBuffer, shortlyBefore needed: CMTime, by timebase: CMTimebase
  ) {
    let rate = timebase.effectiveRate
    let wait = rate > 0 ? (needed - timebase.time).seconds / rate - Self.leeway : 0
    guard wait > 0 else { return read(pending, buffer, on: queue) }
    queue.asyncAfter(deadline: .now() + min(wait, Self.longestWait)) { [self, weak buffer] in
      guard let buffer, buffer.dataReadiness == .notReady else { return }
      read(pending, buffer, shortlyBefore: needed, by: timebase)
    }
  }
}

// MARK: - Waiting

extension AVSampleBufferGenerator {
  /// Calls the handler once, on any thread, when the buffer's data is ready or will never be: with true, or false and the reason.
  public static func notifyOfDataReady(
    for sbuf: CMSampleBuffer, completionHandler: @escaping @Sendable (_ dataReady: Bool, _ error: (any Error)?) -> Void
  ) {
    DataReadyObserver(sbuf, completionHandler).start()
  }

  /// Returns when the buffer's data is ready; throws when it will never be.
  public static func notifyOfDataReady(for sbuf: CMSampleBuffer) async throws {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      notifyOfDataReady(for: sbuf) { _, error in
        if let error { continuation.resume(throwing: error) } else { continuation.resume() }
      }
    }
  }
}

/// Tells once what becomes of a sample buffer's data. It lives until then.
private final class DataReadyObserver: @unchecked Sendable {
  // Unchecked: what changes is guarded by the lock.
  private let buffer: CMSampleBuffer
  private let lock = NSLock()
  private var handler: (@Sendable (Bool, (any Error)?) -> Void)?
  private var tokens: [any NSObjectProtocol] = []

  init(_ buffer: CMSampleBuffer, _ handler: @escaping @Sendable (Bool, (any Error)?) -> Void) {
    self.buffer = buffer
    self.handler = handler
  }

  /// Observes before it looks, so that nothing is missed in between.
  func start() {
    let tokens = [CMSampleBuffer.dataBecameReady, CMSampleBuffer.dataFailed].map { name in
      NotificationCenter.default.addObserver(forName: name, object: buffer, queue: nil) { [self] _ in tell() }
    }
    lock.withLock { self.tokens = tokens }
    tell()
  }

  private func tell() {
    guard buffer.dataReadiness != .notReady else { return }
    let (handler, tokens) = lock.withLock {
      defer { (self.handler, self.tokens) = (nil, []) }
      return (self.handler, self.tokens)
    }
    for token in tokens { NotificationCenter.default.removeObserver(token) }
    handler?(buffer.dataReadiness == .ready, buffer.failureOfData)
  }
}

extension CMSampleBuffer {
  private static let pendingKey = "AVSampleBufferGenerator.PendingSamples"

  fileprivate func setSampleAttachments(_ attachments: [PerSampleAttachmentsDictionary]) {
    guard attachments.contains(where: { !$0.isEmpty }) else { return }
    var all = sampleAttachments
    for (index, attachments) in zip(all.indices, attachments) { all[index] = attachments }
    sampleAttachments = all
  }

  /// Keeps the reading by the buffer, so that whoever waits for it learns why it failed.
  fileprivate func rememberFailure(of pending: PendingSamples) {
    CMSetAttachment(
      self, key: Self.pendingKey, value: pending, attachmentMode: kCMAttachmentMode_ShouldNotPropagate)
  }

  /// Why the data will never be there; nil unless that is so.
  fileprivate var failureOfData: (any Swift.Error)? {
    guard case .failed(let status) = dataReadiness else { return nil }
    let pending = CMGetAttachment(self, key: Self.pendingKey, attachmentModeOut: nil) as? PendingSamples
    return pending?.failure ?? CMSampleBuffer.Error(code: status)
  }
}
