/// How the tool ends.
package enum ExitStatus {
  package static let done: Int32 = 0
  package static let failed: Int32 = 1
  package static let usage: Int32 = 2
  /// By SIGINT, SIGTERM or SIGHUP: one number for all, the 128 + 2 that shells count for the first.
  package static let interrupted: Int32 = 130
}
