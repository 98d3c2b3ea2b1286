internal import CFFmpeg
internal import Foundation

/// Owns one AVFormatContext that reads a file. One thread at a time.
final class InputContext {
  typealias Raw = UnsafeMutablePointer<AVFormatContext>

  private let raw: Raw
  let name: String

  /// Opens a local file, or a numbered sequence of images; nothing is ever fetched from a network.
  init(_ url: URL, format: String? = nil, options: [String: String] = [:]) throws {
    Library.quiet
    name = url.lastPathComponent
    guard url.isFileURL else {
      throw CodecError(.input, "\"\(url.absoluteString)\" is not a local file; download it first.")
    }
    try InputContext.refuseStreams(url)
    let demuxer = format.flatMap { av_find_input_format($0) }
    var dictionary = try OptionDictionary(options.merging(["protocol_whitelist": "file"]) { $1 })
    var opened: Raw?
    let status = dictionary.withPointer { avformat_open_input(&opened, "file:" + url.path, demuxer, $0) }
    guard status >= 0, let opened else { throw InputContext.error(status, url) }
    raw = opened
    let found = avformat_find_stream_info(raw, nil)
    guard found >= 0 else { throw InputContext.error(found, url) }
  }

  deinit {
    var pointer: Raw? = raw
    avformat_close_input(&pointer)
  }

  /// A pipe or a device would keep the library waiting, or never end; what is not there gets the library's own answer.
  private static func refuseStreams(_ url: URL) throws(CodecError) {
    var status = stat()
    guard stat(url.path, &status) == 0, status.st_mode & S_IFMT != S_IFREG else { return }
    throw CodecError(.input, "\"\(url.lastPathComponent)\" is not a regular file; name a movie or a picture.")
  }

  private static func error(_ status: Int32, _ url: URL) -> CodecError {
    let exists = FileManager.default.fileExists(atPath: url.path)
    let advice = exists ? "check that it is a movie or picture that FFmpeg reads" : "check its name"
    return CodecError(
      .input, "\"\(url.lastPathComponent)\" cannot be opened (\(CodecError.text(of: status))); \(advice).", code: status
    )
  }

  func with<R>(_ body: (Raw) throws -> R) rethrows -> R {
    try withExtendedLifetime(self) { try body(raw) }
  }

  var streamCount: Int { Int(raw.pointee.nb_streams) }

  func withStream<R>(_ index: Int, _ body: (UnsafeMutablePointer<AVStream>) throws -> R) rethrows -> R {
    precondition(index >= 0 && index < streamCount)
    return try with { try body($0.pointee.streams[index]!) }
  }

  /// The library's code: zero, its end, or an error.
  func read(into packet: Packet) -> Int32 {
    packet.with { av_read_frame(raw, $0) }
  }
}
