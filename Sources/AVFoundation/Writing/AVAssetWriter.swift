public import Foundation
internal import QuickTime

/// Writes a movie from samples: stored ones as they are, or pictures and sound that it compresses.
///
/// Add inputs, call `startWriting()` and `startSession(atSourceTime:)`, append to the inputs, then finish. The file appears whole or not at
/// all: it is written beside its place under another name and moved there at the end; after an error, `cancelWriting()`, or when the writer
/// is let go unfinished, nothing remains. Inputs may be used on different threads.
public final class AVAssetWriter: NSObject, @unchecked Sendable {
  // Unchecked: all state is guarded by the lock.

  /// How far writing has come.
  public enum Status: Int, Sendable {
    case unknown = 0
    case writing = 1
    case completed = 2
    case failed = 3
    case cancelled = 4
  }

  public let outputURL: URL
  public let outputFileType: AVFileType
  private let state = WritingState()
  private let lock = NSLock()
  private var addedInputs: [AVAssetWriterInput] = []
  private var movieMetadata: [AVMetadataItem] = []
  private var options = Options()
  private var output: MovieOutput?

  private struct Options {
    var movieTimeScale: CMTimeScale = 0
    var optimizes = false
    var temporaryFolder: URL?
    var creationDate: Date?
  }

  /// Throws `AVError` for file types other than `.mov`, `.mp4`, `.m4v` and `.m4a`. Whether something lies at the URL shows in
  /// `startWriting()`.
  public init(outputURL: URL, fileType outputFileType: AVFileType) throws {
    guard [.mov, .mp4, .m4v, .m4a].contains(outputFileType) else {
      throw AVError(
        .fileFormatNotRecognized, "Files of type \(outputFileType.rawValue) cannot be written; use .mov or .mp4.")
    }
    self.outputURL = outputURL
    self.outputFileType = outputFileType
  }

  /// See `init(outputURL:fileType:)`.
  public convenience init(url: URL, fileType: AVFileType) throws { try self.init(outputURL: url, fileType: fileType) }

  /// How far writing has come; may be asked from any thread.
  public var status: Status { state.status }
  /// Why writing failed; nil unless `status` is `.failed`.
  public var error: (any Error)? { state.error }
  public var inputs: [AVAssetWriterInput] { lock.withLock { addedInputs } }

  /// The movie's metadata. Set it before writing is finished.
  public var metadata: [AVMetadataItem] {
    get { lock.withLock { movieMetadata } }
    set { lock.withLock { movieMetadata = newValue } }
  }

  /// Units a second of the movie's time; 0, unless set before writing starts, is 600 where that is exact, else a finer one.
  public var movieTimeScale: CMTimeScale {
    get { lock.withLock { options.movieTimeScale } }
    set { change { $0.movieTimeScale = max(0, newValue) } }
  }

  /// Whether the index comes in front of the samples, so that playing can start before all is loaded; false unless set.
  public var shouldOptimizeForNetworkUse: Bool {
    get { lock.withLock { options.optimizes } }
    set { change { $0.optimizes = newValue } }
  }

  /// Where to write before the movie is moved to its place; nil, unless set, is beside it.
  public var directoryForTemporaryFiles: URL? {
    get { lock.withLock { options.temporaryFolder } }
    set { change { $0.temporaryFolder = newValue } }
  }

  /// This package's own: the date in the movie's header. Nil, unless set, so that the same samples give the same file.
  public var headerCreationDate: Date? {
    get { lock.withLock { options.creationDate } }
    set { change { $0.creationDate = newValue } }
  }

  private func change(_ body: (inout Options) -> Void) {
    precondition(status == .unknown, "A writer is set up before writing starts.")
    lock.withLock { body(&options) }
  }

  public var availableMediaTypes: [AVMediaType] {
    outputFileType == .m4a ? [.audio] : [.video, .audio, .metadata, .auxiliaryPicture, .timecode]
  }

  /// Whether an input with these settings could be added.
  public func canApply(outputSettings: [String: Any]?, forMediaType mediaType: AVMediaType) -> Bool {
    canAdd(AVAssetWriterInput(mediaType: mediaType, outputSettings: outputSettings))
  }

  /// Whether `add` would accept the input: its settings are right and the file type can hold its media.
  public func canAdd(_ input: AVAssetWriterInput) -> Bool {
    status == .unknown && input.isFree && (try? validate(input)) != nil
  }

  /// Adds an input. One with wrong settings is taken too; `startWriting()` then fails and says what is wrong.
  public func add(_ input: AVAssetWriterInput) {
    precondition(status == .unknown, "An input is added before writing starts.")
    precondition(input.isFree, "An input is added to one writer, once.")
    input.attach(to: state)
    lock.withLock { addedInputs.append(input) }
  }

  private func validate(_ input: AVAssetWriterInput) throws {
    guard availableMediaTypes.contains(input.mediaType) || input.outputSettings == nil && outputFileType != .m4a else {
      throw AVError(
        .unsupportedOutputSettings,
        "A file of type \(outputFileType.rawValue) cannot hold media of type \(input.mediaType.rawValue); write a .mov."
      )
    }
    try input.validate(for: outputFileType)
  }

  // MARK: - Writing

  /// Starts writing. False if something lies at the URL, settings are wrong, or the file cannot be made; `error` then says what.
  @discardableResult
  public func startWriting() -> Bool {
    precondition(status == .unknown, "Writing starts once; make another writer to write again.")
    do {
      for input in inputs { try validate(input) }
      let (options, inputs) = lock.withLock { (self.options, addedInputs) }
      let output = try MovieOutput(
        WholeFile(outputURL, temporaryFolder: options.temporaryFolder),
        options: MovieWriter.Options(
          brand: outputFileType.brand, timescale: options.movieTimeScale > 0 ? options.movieTimeScale : 600,
          moovFirst: options.optimizes, creationDate: options.creationDate),
        fileType: outputFileType, mayRefineTimeScale: options.movieTimeScale == 0, inputs: inputs)
      lock.withLock { self.output = output }
      state.observe(
        failure: { output.discardLater() }, progress: { [inputs] in for input in inputs { input.wake() } })
      state.start(inputs)
      state.notify()
      return true
    } catch {
      state.fail(AVError(wrapping: error))
      return false
    }
  }

  /// Begins the part of the source's time line that is written: what lies at `startTime` is the start of the movie.
  ///
  /// What is appended from before it is kept where it is needed for decoding, and not shown.
  public func startSession(atSourceTime startTime: CMTime) {
    precondition(startTime.isNumeric, "A session starts at a numeric time.")
    state.startSession(startTime)
    state.notify()
  }

  /// Ends the part of the source's time line that is written; without it the last sample of each input is shown to its end.
  public func endSession(atSourceTime endTime: CMTime) {
    precondition(endTime.isNumeric, "A session ends at a numeric time.")
    state.endSession(endTime)
  }

  /// Writes what is left and moves the movie to its place; `status` then says whether that went well.
  public func finishWriting() async {
    await withCheckedContinuation { continuation in
      finishWriting { continuation.resume() }
    }
  }

  /// Writes what is left and moves the movie to its place, then calls `handler` on another thread.
  public func finishWriting(completionHandler handler: @escaping @Sendable () -> Void) {
    precondition(status != .unknown || error != nil, "Writing is finished after it has started.")
    DispatchQueue.global(qos: .userInitiated).async { [self] in
      finish()
      handler()
    }
  }

  private func finish() {
    guard let output = lock.withLock({ output }) else { return }
    if status == .writing {
      do {
        try output.finish(metadata: metadata, state: state)
      } catch {
        state.fail(AVError(wrapping: error))
      }
    }
    if status != .completed { output.discard() }
  }

  /// Ends writing and removes what was written. Blocks while work that has begun ends, also that of a failure. Does nothing once the
  /// movie is complete.
  public func cancelWriting() {
    guard state.cancel() || status == .failed, let output = lock.withLock({ output }) else { return }
    output.discard()
  }

  deinit {
    if state.cancel() { output?.discardLater() }
  }
}

extension AVFileType {
  fileprivate var brand: FourCC {
    switch self {
    case .mp4: "mp42"
    case .m4v: "M4V "
    case .m4a: "M4A "
    default: "qt  "
    }
  }
}
