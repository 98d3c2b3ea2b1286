import AVFoundation
import Cinematic
import Foundation
import QuickTime

extension Failure {
  /// The failure that tells what `error` means to a person at the command line.
  package init(describing error: any Error) {
    switch error {
    case let failure as Failure: self = failure
    case let error as CNCinematicError: self.init(error)
    case let error as QuickTimeError: self.init(CNCinematicError(error))
    case let error as AVError:
      // What the container says of itself is a matter of the movie; the rest is not.
      if let cause = error.quickTimeError {
        self.init(CNCinematicError(cause))
      } else {
        self.init(error.localizedDescription)
      }
    case let error as any LocalizedError where error.errorDescription != nil:
      self.init(error.errorDescription ?? "\(error)")
    case is CocoaError, is POSIXError: self.init(foundation: error as NSError)
    case let error where type(of: error) is NSError.Type: self.init(foundation: error as NSError)
    default: self.init("\(error)")
    }
  }

  private init(_ error: CNCinematicError) {
    let sentence = error.localizedDescription
    let isWithoutIndex = error.code == .unreadable && sentence.contains("index (moov")
    self.init(
      name: error.code.name, code: error.code.rawValue,
      message: isWithoutIndex ? Self.withRecovery(sentence) : sentence)
  }

  /// What to do about a movie without a whole index, which the library leaves at getting it again.
  private static func withRecovery(_ sentence: String) -> String {
    (sentence.hasSuffix(".") ? String(sentence.dropLast()) : sentence)
      + ", or save its ProRes frames with 'cinematic recover'."
  }

  /// What the system said about a file: `verb` is "read", "write", "create"…
  package init(errno code: Int32, _ verb: String, _ path: String) {
    self.init("cannot \(verb) '\(path)': \(Self.reason(errno: code))")
  }

  static func reason(errno code: Int32) -> String {
    switch code {
    case ENOENT: "there is no such file or folder"
    case EACCES, EPERM: "permission is denied"
    case ENOSPC, EDQUOT: "the disk is full"
    case EFBIG: "it would become larger than files may be here"
    case EROFS: "the file system is read-only"
    case EISDIR: "it is a folder"
    case ENOTDIR: "a part of the path is no folder"
    case ENAMETOOLONG: "the name is too long"
    case ELOOP: "its symbolic links lead in a circle"
    case EBADF: "it is closed"
    default: String(cString: strerror(code)).lowercased()
    }
  }

  /// Foundation's errors describe themselves for programmers; the system's reason and the file are what counts.
  private init(foundation error: NSError) {
    let cause = (error.userInfo[NSUnderlyingErrorKey] as? NSError) ?? error
    let place = (error.userInfo[NSFilePathErrorKey] as? String).map { " '\($0)'" } ?? " a file"
    guard cause.domain == NSPOSIXErrorDomain, let code = Int32(exactly: cause.code) else {
      self.init("the system failed with error \(error.code) of \(error.domain) at\(place)")
      return
    }
    self.init("cannot use\(place): \(Self.reason(errno: code))")
  }
}
