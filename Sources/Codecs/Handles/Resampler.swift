internal import CFFmpeg
internal import Foundation

/// Owns one SwrContext: converts sample type, rate and number of channels. One thread at a time.
final class Resampler {
  /// One side of the conversion.
  struct Side: Equatable {
    var format: AVSampleFormat
    var sampleRate: Int
    var channels: Int
    /// Which loudspeakers the channels are, as the library's mask; nil is the usual layout of that many.
    var mask: UInt64?
  }

  let source: Side
  let target: Side
  private let raw: OpaquePointer

  init(from source: Side, to target: Side) throws {
    self.source = source
    self.target = target
    var context: OpaquePointer?
    var input = try Resampler.layout(source)
    var output = source.channels == target.channels ? input : try Resampler.layout(target)
    let status = swr_alloc_set_opts2(
      &context, &output, target.format, Int32(target.sampleRate), &input, source.format, Int32(source.sampleRate), 0,
      nil)
    guard status >= 0, let context else { throw Resampler.refusal(source, target, status) }
    raw = context
    let opened = swr_init(context)
    guard opened >= 0 else { throw Resampler.refusal(source, target, opened) }
  }

  deinit {
    var pointer: OpaquePointer? = raw
    swr_free(&pointer)
  }

  private static func layout(_ side: Side) throws -> AVChannelLayout {
    var layout = AVChannelLayout()
    if let mask = side.mask, mask.nonzeroBitCount == side.channels {
      try checked(av_channel_layout_from_mask(&layout, mask), "describing the channels of sound")
    } else {
      av_channel_layout_default(&layout, Int32(side.channels))
    }
    return layout
  }

  private static func refusal(_ source: Side, _ target: Side, _ status: Int32) -> CodecError {
    CodecError(
      .unsupported,
      "Sound of \(source.channels) channels at \(source.sampleRate) Hz cannot become \(target.channels) channels at "
        + "\(target.sampleRate) Hz; keep its number of channels.", code: status)
  }

  /// Converts `count` sample frames; what comes out are interleaved samples of the target, perhaps fewer at first.
  func convert(_ planes: [UnsafePointer<UInt8>?], count: Int) throws -> Data {
    var planes = planes
    return try planes.withUnsafeMutableBufferPointer { try run($0.baseAddress, count) }
  }

  func convert(_ interleaved: Data, frameCount: Int) throws -> Data {
    guard frameCount > 0 else { return Data() }
    return try interleaved.withUnsafeBytes { bytes in
      try convert([bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)], count: frameCount)
    }
  }

  /// What a change of rate has held back, at the end.
  func flush() throws -> Data { try run(nil, 0) }

  private func run(_ planes: UnsafeMutablePointer<UnsafePointer<UInt8>?>?, _ count: Int) throws -> Data {
    let capacity = try checked(swr_get_out_samples(raw, Int32(clamping: count)), "converting sound")
    let frameSize = Int(av_get_bytes_per_sample(target.format)) * target.channels
    guard Int(capacity) <= Limits.audioSamples / max(1, target.channels) else {
      throw CodecError(.overLimit, "A stretch of \(count) sound samples is too long to convert; hand in shorter ones.")
    }
    var out = Data(count: Int(capacity) * frameSize)
    let made = out.withUnsafeMutableBytes { bytes in
      var base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
      return swr_convert(raw, &base, capacity, planes, Int32(clamping: count))
    }
    try checked(made, "converting sound")
    return out.prefix(Int(made) * frameSize)
  }
}
