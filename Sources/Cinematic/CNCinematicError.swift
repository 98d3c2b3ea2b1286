public import Foundation

/// The domain of `CNCinematicError`.
public let CNCinematicErrorDomain = "CNCinematicErrorDomain"

/// Why a movie, a script or its changes cannot be used.
///
/// `localizedDescription` is one sentence that says what is wrong, where, and what to do.
public struct CNCinematicError: CustomNSError, LocalizedError, Hashable, Sendable, CustomStringConvertible {
  public enum Code: Int, Hashable, Sendable {
    case unknown = 1
    /// Not a movie, or its boxes do not lead to its samples.
    case unreadable = 2
    /// A Cinematic track is missing, as in a flattened share.
    case incomplete = 3
    /// Cinematic content is there but cannot be decoded in any frame.
    case malformed = 4
    case unsupported = 5
    /// The changes belong to another movie, or do not fit this one.
    case incompatible = 6
    case cancelled = 7
  }

  public let code: Code
  private let sentence: String

  /// `sentence` says what, where and what to do; an empty one gives the code's general sentence.
  public init(_ code: Code, _ sentence: String = "") {
    self.code = code
    self.sentence = sentence.isEmpty ? code.sentence : sentence
  }

  public static var unknown: Code { .unknown }
  public static var unreadable: Code { .unreadable }
  public static var incomplete: Code { .incomplete }
  public static var malformed: Code { .malformed }
  public static var unsupported: Code { .unsupported }
  public static var incompatible: Code { .incompatible }
  public static var cancelled: Code { .cancelled }

  public static var errorDomain: String { CNCinematicErrorDomain }
  public var errorCode: Int { code.rawValue }
  public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: sentence] }
  public var errorDescription: String? { sentence }
  public var description: String { sentence }
}

extension CNCinematicError.Code {
  /// Lets `catch CNCinematicError.cancelled` match.
  public static func ~= (code: Self, error: any Error) -> Bool { (error as? CNCinematicError)?.code == code }

  /// The name that programs see, as in the tool's JSON.
  package var name: String { "\(self)" }

  fileprivate var sentence: String {
    switch self {
    case .unknown: "The movie could not be used for an unknown reason; try the original file."
    case .unreadable: "The file cannot be read as a movie; get the original again."
    case .incomplete: "The movie lacks a Cinematic track; get the original with “All Photos Data”."
    case .malformed: "The movie's Cinematic content cannot be decoded; get the original again."
    case .unsupported: "The movie uses something that is not supported; look for a newer version."
    case .incompatible: "The changes do not belong to this movie; open them with the movie they were made for."
    case .cancelled: "Loading was cancelled."
    }
  }
}
