/// Tells the caller of the tool what went wrong, once, in one sentence.
struct ErrorReport {
  let console: Console
  let wantsJSON: Bool

  /// Reports `error` and returns the exit status that goes with it.
  func status(after error: any Error) -> Int32 {
    switch error {
    case let error as UsageError:
      report(Failure(name: "usage", code: 0, message: error.sentence))
      return ExitStatus.usage
    case let error as ReportedFailure:
      say(error.failure)
      return ExitStatus.failed
    case is CancellationError:
      report(.interrupted)
      return ExitStatus.interrupted
    default:
      var failure = Failure(describing: error)
      failure.message = TemporaryFiles.withOutputNames(failure.message)
      report(failure)
      return ExitStatus.failed
    }
  }

  private func report(_ failure: Failure) {
    if wantsJSON { console.print(JSON.object([("error", failure.json)]).text) }
    say(failure)
  }

  private func say(_ failure: Failure) {
    console.note(console.errorStyle.red("cinematic:") + " " + failure.sentence)
  }
}

/// A failure whose JSON the command has printed itself, among what could be told of the movie all the same.
package struct ReportedFailure: Error {
  package var failure: Failure

  package init(_ failure: Failure) { self.failure = failure }
}
