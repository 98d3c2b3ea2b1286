internal import CFFmpeg
internal import Foundation

/// Why a codec, a scaler or a foreign container refused; `message` is one sentence: what, where, what to do.
package struct CodecError: Error, Sendable, CustomStringConvertible {
  /// What a caller can do about it.
  package enum Kind: Sendable, Hashable {
    /// The bytes of one sample or file are damaged; the next one may be fine.
    case damaged
    /// No decoder, encoder, layout or conversion for this.
    case unsupported
    /// A setting, or a buffer handed in, contradicts what was agreed.
    case invalidSettings
    /// More pixels, samples or bytes than the caller allowed.
    case overLimit
    /// No memory.
    case outOfMemory
    /// The file or device could not be read.
    case input
    /// The device that did the work is gone.
    case deviceLost
    /// Anything else the library reports.
    case library
  }

  package let kind: Kind
  /// The library's code (AVERROR), 0 where the refusal is our own.
  package let code: Int32
  package let message: String
  /// The number of the sample in the order it was handed in (0-based), where one is to blame.
  package var sample: Int?

  package init(_ kind: Kind, _ message: String, code: Int32 = 0, sample: Int? = nil) {
    self.kind = kind
    self.message = message
    self.code = code
    self.sample = sample
  }

  package var description: String { message }
}

extension CodecError: LocalizedError {
  package var errorDescription: String? { message }
}

extension CodecError {
  /// The error for a code of the library; `doing` completes the sentence "… failed while <doing>".
  init(code: Int32, doing: String, sample: Int? = nil) {
    let reason = CodecError.text(of: code)
    self.init(
      CodecError.kind(of: code), "The codec library failed while \(doing): \(reason).", code: code, sample: sample)
  }

  private static func kind(of code: Int32) -> Kind {
    switch code {
    case CFFMPEG_INVALIDDATA, CFFMPEG_EOF: .damaged
    case CFFMPEG_ENOMEM: .outOfMemory
    case CFFMPEG_DECODER_NOT_FOUND, CFFMPEG_ENCODER_NOT_FOUND, CFFMPEG_PATCHWELCOME: .unsupported
    case CFFMPEG_EINVAL: .invalidSettings
    default: .library
    }
  }

  static func text(of code: Int32) -> String {
    var bytes = [CChar](repeating: 0, count: 128)
    av_strerror(code, &bytes, bytes.count)
    let text = String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return text.prefix(1).lowercased() + text.dropFirst()
  }
}

/// Passes a count or zero through, and turns a negative code of the library into an error.
@discardableResult
func checked(_ status: Int32, _ doing: @autoclosure () -> String) throws(CodecError) -> Int32 {
  guard status >= 0 else { throw CodecError(code: status, doing: doing()) }
  return status
}
