internal import Foundation

/// A file that appears whole or not at all: written beside its place under a name of its own, then moved there.
struct WholeFile {
  let target: URL
  /// Where to write.
  let temporary: URL

  /// Throws `AVError` if something lies at the target, or its folder does not exist. `folder` is where to write instead of beside it.
  init(_ target: URL, temporaryFolder folder: URL?) throws {
    guard target.isFileURL else {
      throw AVError(.unknown, "A movie is written to a file, not to \(target.absoluteString).")
    }
    var status = stat()
    if lstat(target.path, &status) == 0 { throw Self.exists(target) }
    let place = target.deletingLastPathComponent()
    var isFolder = ObjCBool(false)
    guard FileManager.default.fileExists(atPath: place.path, isDirectory: &isFolder), isFolder.boolValue else {
      throw AVError(.unknown, "The folder \(place.path) does not exist; make it, or write the movie elsewhere.")
    }
    self.target = target
    let name = ".\(target.lastPathComponent.prefix(100)).\(UUID().uuidString).partial"
    temporary = (folder ?? place).appendingPathComponent(name)
  }

  /// Moves what was written to its place. Throws `AVError` if something has appeared there, or the system refuses.
  func publish() throws {
    // A link, unlike a rename, never replaces what lies at the target.
    if link(temporary.path, target.path) == 0 {
      unlink(temporary.path)
      return
    }
    let refusal = errno
    if refusal == EEXIST { throw Self.exists(target) }
    guard Self.codesWithoutLinks.contains(refusal) else { throw Self.failure(refusal, target) }
    var status = stat()
    if lstat(target.path, &status) == 0 { throw Self.exists(target) }
    do { try FileManager.default.moveItem(at: temporary, to: target) } catch {
      throw AVError(
        .unknown, "The movie could not be moved to \(target.path): \(error.localizedDescription)", underlying: error)
    }
  }

  /// Removes what was written.
  func discard() { unlink(temporary.path) }

  /// Refusals of file systems that know no links, and of folders on different ones.
  private static let codesWithoutLinks: Set<Int32> = [EPERM, EXDEV, ENOSYS, EOPNOTSUPP, EMLINK, EINVAL]

  private static func exists(_ target: URL) -> AVError {
    AVError(.fileAlreadyExists, "\(target.path) exists already; remove it, or write the movie elsewhere.")
  }

  private static func failure(_ code: Int32, _ target: URL) -> AVError {
    let reason = String(cString: strerror(code))
    return AVError(code == ENOSPC ? .diskFull : .unknown, "The movie could not be put at \(target.path): \(reason).")
  }
}
