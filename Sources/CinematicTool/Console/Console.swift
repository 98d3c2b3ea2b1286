package import Foundation

/// Where the tool speaks: results to one side, errors and progress to the other.
package struct Console: Sendable {
  /// A place for bytes. Writing does not throw; `checkOutput()` tells afterwards whether it went well.
  package typealias Sink = @Sendable (Data) -> Void

  private let outputSink: Sink
  private let errorSink: Sink
  private let outputFailure: @Sendable () -> Int32
  /// The style of results.
  package let style: Style
  /// The style of errors and progress.
  package let errorStyle: Style
  /// Whether errors and progress are seen by a person, on a line that can be drawn anew.
  package let isInteractive: Bool

  /// - Parameter outputFailure: the error number with which writing to `output` ended; 0 while it goes well.
  package init(
    output: @escaping Sink, errors: @escaping Sink, outputFailure: @escaping @Sendable () -> Int32 = { 0 },
    style: Style = Style(isColored: false), errorStyle: Style = Style(isColored: false), isInteractive: Bool = false
  ) {
    outputSink = output
    self.outputFailure = outputFailure
    errorSink = errors
    self.style = style
    self.errorStyle = errorStyle
    self.isInteractive = isInteractive
  }

  /// Writes a result, with its newline.
  package func print(_ text: String) { outputSink(Data((text + "\n").utf8)) }

  /// Writes a result as it is.
  package func write(_ data: Data) { outputSink(data) }

  /// Throws `Failure` if results were lost. A reader that has gone away has seen all it wanted: that is none.
  package func checkOutput() throws {
    let code = outputFailure()
    guard code == 0 || code == EPIPE else {
      throw Failure("cannot write to standard output: \(Failure.reason(errno: code))")
    }
  }

  /// Whether the reader of results has gone away: it has seen all it wanted.
  var isReaderGone: Bool { outputFailure() == EPIPE }

  /// Writes one line for people, with its newline.
  package func note(_ text: String) { errorSink(Data((text + "\n").utf8)) }

  /// Writes to the side of errors without a newline: progress.
  package func writeError(_ text: String) { errorSink(Data(text.utf8)) }
}
