/// Why a frame was refused; `message` is one sentence: what, where, what to do. The next frame may be fine.
package struct ProResError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What a caller can do about it.
  package enum Kind: Sendable, Hashable {
    /// The sample ends before its frame does.
    case truncated
    /// The bytes contradict the standard: no frame, a value out of range, a table that does not fit.
    case damaged
    /// A bitstream that this decoder does not know: a later version, or ProRes RAW.
    case unsupported
    /// More pixels than the caller allowed.
    case overLimit
    /// The memory handed in has another size or layout than the frame needs.
    case wrongDestination
    /// There is no memory for the picture.
    case outOfMemory
  }

  package let kind: Kind
  /// The number of the sample in the order it was handed in, from 0; nil where none was.
  package var frame: Int?
  /// The slice to blame, counted from 0 through both fields, where it is one.
  package let slice: Int?
  private let reason: String

  init(_ kind: Kind, _ reason: String, slice: Int? = nil, frame: Int? = nil) {
    self.kind = kind
    self.frame = frame
    self.slice = slice
    self.reason = reason
  }

  package var message: String {
    let place = [frame.map { "frame \($0)" }, slice.map { "slice \($0)" }].compactMap { $0 }
    return (["ProRes"] + place).joined(separator: ", ") + ": \(reason)."
  }
  package var description: String { message }
}
