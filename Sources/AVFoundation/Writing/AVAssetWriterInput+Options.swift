public import Foundation
internal import QuickTime

extension AVAssetWriterInput {
  /// How pictures are turned for display; identity unless set. Set everything here before writing starts.
  public var transform: CGAffineTransform {
    get { lock.withLock { track.transform } }
    set { change { $0.transform = newValue } }
  }

  /// The size in pixels at which pictures are shown, before `transform`; zero, unless set, is that of the samples.
  public var naturalSize: CGSize {
    get { lock.withLock { track.naturalSize } }
    set { change { $0.naturalSize = newValue } }
  }

  /// The track's own metadata.
  public var metadata: [AVMetadataItem] {
    get { lock.withLock { track.metadata } }
    set { change { $0.metadata = newValue } }
  }

  /// Units a second of the track's times; 0, unless set, is one in which the first sample's times are whole.
  public var mediaTimeScale: CMTimeScale {
    get { lock.withLock { track.mediaTimeScale } }
    set { change { $0.mediaTimeScale = max(0, newValue) } }
  }

  /// Whether samples come from a live source, which cannot wait for other inputs; false unless set.
  public var expectsMediaDataInRealTime: Bool {
    get { lock.withLock { track.isRealTime } }
    set { change { $0.isRealTime = newValue } }
  }

  /// Whether the track is enabled; true unless set.
  public var marksOutputTrackAsEnabled: Bool {
    get { lock.withLock { track.isEnabled } }
    set { change { $0.isEnabled = newValue } }
  }

  /// The ISO 639-2/T code of the language; nil, unless set, is undetermined.
  public var languageCode: String? {
    get { lock.withLock { track.languageCode } }
    set { change { $0.languageCode = newValue } }
  }

  /// The loudness of sound; 1, unless set, is as recorded.
  public var preferredVolume: Float {
    get { lock.withLock { track.volume } }
    set { change { $0.volume = newValue } }
  }

  private func change(_ body: (inout TrackOptions) -> Void) {
    precondition(isIdle, "An input is set up before writing starts.")
    lock.withLock { body(&track) }
  }

  /// Whether the track of this input may refer to the one of `input`.
  public func canAddTrackAssociation(withTrackOf input: AVAssetWriterInput, type trackAssociationType: String) -> Bool {
    input !== self && isIdle && FourCC(trackAssociationType) != nil
  }

  /// Makes the track of this input refer to the one of `input`, as by `AVAssetTrack.AssociationType.metadataReferent.rawValue`.
  public func addTrackAssociation(withTrackOf input: AVAssetWriterInput, type trackAssociationType: String) {
    precondition(
      canAddTrackAssociation(withTrackOf: input, type: trackAssociationType),
      "A track refers to another one by a type of four characters, before writing starts.")
    associate(with: input, type: trackAssociationType)
  }

  // MARK: - Data on request

  /// What to call when more can be appended.
  struct DataRequest {
    var queue: DispatchQueue
    var block: @Sendable () -> Void
    /// Whether the block is about to be called or runs.
    var isCalling = false
    /// Whether it is being waited for the input to get ready.
    var isWaiting = false
  }

  /// Calls `block` on `queue` whenever more can be appended, until the input is finished. The block appends as long as
  /// `isReadyForMoreMediaData`, and calls `markAsFinished()` at the end.
  public func requestMediaDataWhenReady(on queue: DispatchQueue, using block: @escaping @Sendable () -> Void) {
    lock.withLock { request = DataRequest(queue: queue, block: block) }
    wake()
  }

  /// Calls the block if there is one and more can be appended; looks again later if not.
  func wake() {
    guard lock.withLock({ request != nil }) else { return }
    if isReadyForMoreMediaData { call() } else { wait() }
  }

  private func call() {
    let due: DataRequest? = lock.withLock {
      guard let request, !request.isCalling else { return nil }
      self.request?.isCalling = true
      return request
    }
    due?.queue.async { [self] in
      if lock.withLock({ request != nil }), isReadyForMoreMediaData { due?.block() }
      lock.withLock { request?.isCalling = false }
      wake()
    }
  }

  /// Not everything that makes an input ready tells of it: time passes too.
  private func wait() {
    let due: DataRequest? = lock.withLock {
      guard let request, !request.isWaiting else { return nil }
      self.request?.isWaiting = true
      return request
    }
    due?.queue.asyncAfter(deadline: .now() + Self.patience) { [self] in
      lock.withLock { request?.isWaiting = false }
      wake()
    }
  }

  private static let patience = DispatchTimeInterval.milliseconds(50)
}
