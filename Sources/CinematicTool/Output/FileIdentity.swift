import Foundation

/// Which file a path leads to: two paths with equal identities are one file.
struct FileIdentity: Equatable {
  private let device: UInt64
  private let number: UInt64
  private let mode: mode_t

  /// Nil, with `errno` set, if there is nothing at `path`. Follows symbolic links.
  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    device = UInt64(status.st_dev)
    number = UInt64(status.st_ino)
    mode = status.st_mode
  }

  /// Whether the path itself is in use, be it by a symbolic link that leads nowhere.
  static func isTaken(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }

  var isFolder: Bool { mode & S_IFMT == S_IFDIR }

  /// A device, a pipe or a socket: not replaced by a rename.
  var isStream: Bool { !isFolder && mode & S_IFMT != S_IFREG }
}
