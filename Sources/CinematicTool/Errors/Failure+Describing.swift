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
    case let error as any LocalizedError: self.init(error.errorDescription ?? "\(error)")
    default: self.init("\(error)")
    }
  }

  private init(_ error: CNCinematicError) {
    self.init(name: error.code.name, code: error.code.rawValue, message: error.localizedDescription)
  }

  /// What the system said about a file: `verb` is "read", "write", "create"…
  package init(errno code: Int32, _ verb: String, _ path: String) {
    let reason =
      switch code {
      case ENOENT: "there is no such file or folder"
      case EACCES, EPERM: "permission is denied"
      case ENOSPC, EDQUOT: "the disk is full"
      case EROFS: "the file system is read-only"
      case EISDIR: "it is a folder"
      case ENOTDIR: "a part of the path is no folder"
      case ENAMETOOLONG: "the name is too long"
      default: String(cString: strerror(code)).lowercased()
      }
    self.init("cannot \(verb) '\(path)': \(reason)")
  }
}
