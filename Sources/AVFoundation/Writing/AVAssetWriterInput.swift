public import Foundation
internal import QuickTime

/// One track of a movie that a writer makes.
///
/// Without settings, samples are stored as they are, with the sample entry that their format description carries. With settings, pictures or
/// sound are compressed, on a thread of their own: `append` returns as soon as there is room in a short queue.
public final class AVAssetWriterInput: NSObject, @unchecked Sendable {
  // Unchecked: all state is guarded by the lock.
  public let mediaType: AVMediaType
  /// Nil for samples that are stored as they are.
  nonisolated(unsafe) public let outputSettings: [String: Any]?
  /// The format of the samples to come, where it is known; metadata adaptors need it.
  public let sourceFormatHint: CMFormatDescription?

  /// Guards the state below; held for moments only.
  let lock = NSLock()
  /// Held while samples are handed on, so that calls on different threads do not mix.
  private let handing = NSLock()
  var track = TrackOptions()
  private(set) var associations: [(input: AVAssetWriterInput, type: String)] = []
  private var state: WritingState?
  private var pipeline: (any InputPipeline)?
  private var queue: BoundedQueue?
  private var isFinished = false
  var request: DataRequest?

  /// What may be set before writing starts.
  struct TrackOptions {
    var transform = CGAffineTransform.identity
    var naturalSize = CGSize.zero
    var metadata: [AVMetadataItem] = []
    var mediaTimeScale: CMTimeScale = 0
    var isRealTime = false
    var isEnabled = true
    var languageCode: String?
    var volume: Float = 1
  }

  public init(mediaType: AVMediaType, outputSettings: [String: Any]?, sourceFormatHint: CMFormatDescription? = nil) {
    self.mediaType = mediaType
    self.outputSettings = outputSettings
    self.sourceFormatHint = sourceFormatHint
  }

  /// Whether more can be appended now: there is room, and the other inputs are not far behind.
  public var isReadyForMoreMediaData: Bool {
    let (state, queue, isOpen, isRealTime) = lock.withLock {
      (self.state, self.queue, pipeline != nil && !isFinished, track.isRealTime)
    }
    guard let state, isOpen, state.status == .writing, queue?.hasRoom ?? true else { return false }
    return isRealTime || !state.isAhead(self)
  }

  /// Appends samples, in decoding order where they are stored ones, in presentation order where they are compressed here.
  ///
  /// Blocks while the queue in front of the encoder is full. False if writing has failed or is over: see the writer's `error`.
  @discardableResult
  public func append(_ sampleBuffer: CMSampleBuffer) -> Bool {
    handing.withLock {
      let (state, pipeline, isFinished) = lock.withLock { (self.state, self.pipeline, self.isFinished) }
      guard let state, state.status != .unknown else {
        preconditionFailure("Samples are appended after startWriting().")
      }
      precondition(!isFinished, "Nothing is appended to an input that is finished.")
      guard state.status == .writing, let pipeline else { return false }
      precondition(state.session != nil, "Samples are appended after startSession(atSourceTime:).")
      work(state) { try pipeline.append(sampleBuffer) }
      if sampleBuffer.presentationTimeStamp.isNumeric { state.advance(self, to: sampleBuffer.presentationTimeStamp) }
      return state.status == .writing
    }
  }

  /// Says that nothing more will be appended, so that the other inputs need not wait.
  public func markAsFinished() {
    handing.withLock {
      let open: (WritingState, any InputPipeline)? = lock.withLock {
        guard let state, let pipeline, !isFinished else { return nil }
        isFinished = true
        request = nil
        return (state, pipeline)
      }
      guard let (state, pipeline) = open else { return }
      work(state) { try pipeline.finish() }
      state.finish(self)
    }
  }

  /// Does a piece of work, in the queue where there is one. An error ends writing.
  private func work(_ state: WritingState, _ body: @escaping @Sendable () throws -> Void) {
    let checked: @Sendable () -> Void = {
      guard state.status == .writing else { return }
      do { try body() } catch { state.fail(AVError(wrapping: error)) }
    }
    guard let queue = lock.withLock({ queue }) else { return checked() }
    queue.run(checked) { state.notify() }
  }

  /// Why the writer that the input belongs to has failed; nil while it has not.
  package var writerError: (any Error)? { lock.withLock { state }?.error }

  // MARK: - For the writer

  /// Throws `AVError` naming what is wrong with the settings.
  func validate(for fileType: AVFileType) throws {
    guard let outputSettings else { return }
    if mediaType.holdsPictures {
      _ = try PictureCompression(outputSettings, mediaType: mediaType, fileType: fileType)
    } else if mediaType == .audio {
      _ = try SoundCompression(outputSettings, fileType: fileType)
    } else {
      throw AVError(
        .unsupportedOutputSettings,
        "Media of type \(mediaType.rawValue) cannot be compressed; give the input nil settings.")
    }
  }

  var isFree: Bool { lock.withLock { state == nil } }

  /// Ends writing because of what was to be appended.
  func fail(_ error: AVError) { lock.withLock { state }?.fail(error) }

  func attach(to state: WritingState) { lock.withLock { self.state = state } }

  /// Throws `AVError`, `CodecError` where there is no such encoder.
  func begin(writing track: WrittenTrack, fileType: AVFileType) throws {
    let pipeline = try makePipeline(track, fileType)
    lock.withLock {
      self.pipeline = pipeline
      guard outputSettings != nil else { return }
      let limit = mediaType == .audio ? Self.waitingSounds : Self.waitingFrames
      queue = BoundedQueue("writer input \(track.index + 1)", limit: limit)
    }
  }

  private func makePipeline(_ track: WrittenTrack, _ fileType: AVFileType) throws -> any InputPipeline {
    guard let outputSettings else { return StoredPipeline(track: track) }
    if mediaType == .audio {
      return try SoundPipeline(track: track, compression: SoundCompression(outputSettings, fileType: fileType))
    }
    let compression = try PictureCompression(outputSettings, mediaType: mediaType, fileType: fileType)
    return PicturePipeline(track: track, compression: compression)
  }

  /// Buffers of sound that may wait for the encoder.
  private static let waitingSounds = 16
  /// Frames that may wait for the encoder: enough to keep it busy, and at 4K some 100 MB.
  private static let waitingFrames = 3

  /// Finishes, and waits until all is written.
  func complete() {
    markAsFinished()
    abandon()
  }

  /// Waits until the work that has begun ends, and forgets what could do more.
  func abandon() {
    lock.withLock { queue }?.drain()
    handing.withLock {
      lock.withLock {
        pipeline = nil
        request = nil
      }
    }
  }

  func associate(with input: AVAssetWriterInput, type: String) {
    lock.withLock { associations.append((input, type)) }
  }

  /// What the track says about itself. Throws `AVError` for metadata that cannot be stored.
  var trackDescription: TrackDescription {
    get throws {
      let options = lock.withLock { track }
      return TrackDescription(
        transform: options.transform, naturalSize: options.naturalSize, isEnabled: options.isEnabled,
        languageCode: options.languageCode, volume: options.volume,
        metadata: try options.metadata.map { try $0.movieItem() }, holdsPictures: mediaType.holdsPictures)
    }
  }

  var isIdle: Bool { lock.withLock { pipeline == nil && !isFinished } }
}

/// What an input does with its samples. Used by one thread at a time.
protocol InputPipeline: AnyObject, Sendable {
  func append(_ buffer: CMSampleBuffer) throws
  /// Writes what is held back.
  func finish() throws
}

/// Samples are stored as they are.
final class StoredPipeline: InputPipeline, @unchecked Sendable {
  private let track: WrittenTrack

  init(track: WrittenTrack) { self.track = track }

  func append(_ buffer: CMSampleBuffer) throws { try track.append(buffer) }
  func finish() throws { try track.finish() }
}
