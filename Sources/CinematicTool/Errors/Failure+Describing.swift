import Foundation

extension Failure {
  /// The failure that tells what `error` means to a person at the command line.
  package init(describing error: any Error) {
    switch error {
    case let failure as Failure: self = failure
    default: self.init("\(error)")
    }
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
