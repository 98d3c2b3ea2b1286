public import Foundation
package import QuickTime

/// The domain of `AVError`.
public let AVFoundationErrorDomain = "AVFoundationErrorDomain"

/// Key of an error's `userInfo`: the `CMTime` at which it happened.
public let AVErrorTimeKey = "AVErrorTimeKey"

/// Key of an error's `userInfo`: the `CMPersistentTrackID` of the track concerned.
public let AVErrorPersistentTrackIDKey = "AVErrorPersistentTrackIDKey"

/// Key of an error's `userInfo`: the `AVMediaType` concerned.
public let AVErrorMediaTypeKey = "AVErrorMediaTypeKey"

/// What went wrong with a file, a device or settings, by what the caller can do about it.
///
/// `localizedDescription` is one sentence that says what, where (track, sample, byte) and what to do.
public struct AVError: CustomNSError, LocalizedError, Hashable, @unchecked Sendable {
  /// The kinds of errors; raw values are those of the original interfaces.
  public enum Code: Int, Sendable, Hashable {
    case unknown = -11800
    case outOfMemory = -11801
    case diskFull = -11807
    case mediaDiscontinuity = -11812
    case maximumNumberOfSamplesForFileFormatReached = -11813
    case exportFailed = -11820
    case decodeFailed = -11821
    case invalidSourceMedia = -11822
    case fileAlreadyExists = -11823
    case compositionTrackSegmentsNotContiguous = -11824
    case invalidCompositionTrackSegmentDuration = -11825
    case invalidCompositionTrackSegmentSourceStartTime = -11826
    case invalidCompositionTrackSegmentSourceDuration = -11827
    case fileFormatNotRecognized = -11828
    case fileFailedToParse = -11829
    case contentIsProtected = -11831
    case noImageAtTime = -11832
    case decoderNotFound = -11833
    case encoderNotFound = -11834
    case operationNotSupportedForAsset = -11838
    case decoderTemporarilyUnavailable = -11839
    case encoderTemporarilyUnavailable = -11840
    case invalidVideoComposition = -11841
    case invalidOutputURLPathExtension = -11843
    case operationInterrupted = -11847
    case incompatibleAsset = -11848
    case failedToLoadMediaData = -11849
    case failedToParse = -11853
    case fileTypeDoesNotSupportSampleReferences = -11854
    case undecodableMediaData = -11855
    case videoCompositorFailed = -11858
    case operationNotAllowed = -11862
    case unsupportedOutputSettings = -11861
    case invalidSampleCursor = -11870
    case operationCancelled = -11878
  }

  /// What kind of error this is.
  public let code: Code
  /// The description, and where known the time, the track and the underlying error.
  public let userInfo: [String: Any]

  public init(_ code: Code, userInfo: [String: Any] = [:]) {
    self.code = code
    self.userInfo = userInfo
  }

  public static var errorDomain: String { AVFoundationErrorDomain }
  public var errorCode: Int { code.rawValue }
  public var errorUserInfo: [String: Any] { userInfo }

  public var errorDescription: String? {
    userInfo[NSLocalizedDescriptionKey] as? String ?? "The operation could not be completed (\(code))."
  }

  /// When in the movie it happened, if known.
  public var time: CMTime? { userInfo[AVErrorTimeKey] as? CMTime }
  /// The track concerned, if known.
  public var persistentTrackID: CMPersistentTrackID? { userInfo[AVErrorPersistentTrackIDKey] as? CMPersistentTrackID }
  /// The error of the stage below that led to this one, if any.
  public var underlyingError: (any Error)? { userInfo[NSUnderlyingErrorKey] as? any Error }

  public static func == (a: AVError, b: AVError) -> Bool {
    a.code == b.code && a.errorDescription == b.errorDescription
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}

extension AVError {
  /// `code` with one sentence for people.
  package init(
    _ code: Code, _ message: String, track: CMPersistentTrackID? = nil, time: CMTime? = nil,
    underlying: (any Error)? = nil
  ) {
    var info: [String: Any] = [NSLocalizedDescriptionKey: message]
    info[AVErrorPersistentTrackIDKey] = track
    info[AVErrorTimeKey] = time
    info[NSUnderlyingErrorKey] = underlying
    self.init(code, userInfo: info)
  }

  /// Any error of the stages below as one of this stage; an `AVError` stays as it is.
  package init(wrapping error: any Error, as fallback: Code = .unknown) {
    switch error {
    case let error as AVError: self = error
    case let error as QuickTimeError: self.init(error)
    default: self.init(fallback, "\(error)", underlying: error)
    }
  }

  /// The container's own account of what is wrong, if that is the cause.
  package var quickTimeError: QuickTimeError? { underlyingError as? QuickTimeError }

  private init(_ error: QuickTimeError) {
    let code: Code =
      switch error.kind {
      case .notAMovie: .fileFormatNotRecognized
      case .truncated, .malformed: .fileFailedToParse
      case .unsupported: .operationNotSupportedForAsset
      case .io: .failedToLoadMediaData
      }
    self.init(code, "\(error)", underlying: error)
  }
}
