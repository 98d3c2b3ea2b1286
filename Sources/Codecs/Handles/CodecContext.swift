internal import CFFmpeg
internal import Foundation

/// Owns one AVCodecContext: a decoder or an encoder. One thread at a time.
final class CodecContext {
  typealias Raw = UnsafeMutablePointer<AVCodecContext>

  private let raw: Raw
  private let codec: UnsafePointer<AVCodec>

  /// Allocates the context of a codec; set its fields through `with`, then `open`.
  init(codec: UnsafePointer<AVCodec>) throws {
    Library.quiet
    guard let raw = avcodec_alloc_context3(codec) else {
      throw CodecError(.outOfMemory, "There is no memory for a codec; free some and try again.")
    }
    self.raw = raw
    self.codec = codec
  }

  deinit {
    var pointer: Raw? = raw
    avcodec_free_context(&pointer)
  }

  func with<R>(_ body: (Raw) throws -> R) rethrows -> R {
    try withExtendedLifetime(self) { try body(raw) }
  }

  /// The codec's own name, as in "libx265".
  var name: String { String(cString: codec.pointee.name) }

  /// Opens the codec. An option that the codec does not know is an error: nothing is ignored silently.
  func open(options: [String: String] = [:]) throws {
    var dictionary = try OptionDictionary(options)
    _ = try dictionary.withPointer { pointer in
      try checked(avcodec_open2(raw, codec, pointer), "opening \(name)")
    }
    if let unused = dictionary.firstKey {
      throw CodecError(.invalidSettings, "The codec \(name) has no option \"\(unused)\"; leave it out.")
    }
  }

  /// Gives the context its codec configuration (copied, padded as the library demands).
  func setExtradata(_ data: Data) throws {
    guard !data.isEmpty else { return }
    guard data.count <= Limits.extradataBytes else {
      throw CodecError(
        .overLimit, "The codec configuration has \(data.count) bytes, more than the \(Limits.extradataBytes) allowed.")
    }
    guard let memory = av_mallocz(data.count + Int(CFFMPEG_INPUT_PADDING)) else {
      throw CodecError(.outOfMemory, "There is no memory for a codec configuration; free some and try again.")
    }
    let bytes = memory.bindMemory(to: UInt8.self, capacity: data.count)
    data.copyBytes(to: bytes, count: data.count)
    av_freep(&raw.pointee.extradata)
    raw.pointee.extradata = bytes
    raw.pointee.extradata_size = Int32(data.count)
  }

  /// The codec configuration that an encoder made for the container; empty if there is none.
  var extradata: Data {
    guard let bytes = raw.pointee.extradata, raw.pointee.extradata_size > 0 else { return Data() }
    return Data(bytes: bytes, count: Int(raw.pointee.extradata_size))
  }

  // MARK: The four exchanges. They return the library's code, since "again" and "end" are answers.

  func send(_ packet: Packet?) -> Int32 {
    guard let packet else { return avcodec_send_packet(raw, nil) }
    return packet.with { avcodec_send_packet(raw, $0) }
  }

  func receive(_ frame: Frame) -> Int32 {
    frame.with { avcodec_receive_frame(raw, $0) }
  }

  func send(_ frame: Frame?) -> Int32 {
    guard let frame else { return avcodec_send_frame(raw, nil) }
    return frame.with { avcodec_send_frame(raw, $0) }
  }

  func receive(_ packet: Packet) -> Int32 {
    packet.with { avcodec_receive_packet(raw, $0) }
  }

  func flush() { avcodec_flush_buffers(raw) }
}

/// What the whole library shares.
enum Library {
  /// Silences the library once: what it has to say reaches callers as typed errors.
  static let quiet: Void = av_log_set_level(AV_LOG_QUIET)
}

/// Named limits for numbers that come from files.
enum Limits {
  static let extradataBytes = 1 << 20
  /// One compressed sample; an 8K ProRes 4444 XQ frame has about 30 MB.
  static let sampleBytes = 1 << 29
  /// Samples that were handed in and have not come out as frames yet (libavcodec holds back at most 16 plus its threads).
  static let pendingSamples = 512
  /// Samples that one audio buffer may hold.
  static let audioSamples = 1 << 26
}
