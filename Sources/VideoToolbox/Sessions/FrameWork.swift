internal import Codecs
internal import CoreMedia

/// What one call hands in: samples and the requests that they are to answer, in the same order.
struct FrameWork: Sendable {
  var samples: [CMSampleBuffer]
  var requests: [FrameRequest]
  let format: CMFormatDescription
  let isAsynchronous: Bool
  /// Whether answers may come later than they could.
  let mayWait: Bool
  /// Frames inside the decoder are given up before, or put out after.
  var resets: Bool
  var drains: Bool

  /// The samples of a buffer. Several are reset and drained together, not each.
  static func samples(of buffer: CMSampleBuffer) throws -> [CMSampleBuffer] {
    let samples = try buffer.singles()
    guard samples.count > 1 else { return samples }
    for sample in samples {
      CMRemoveAttachment(sample, key: kCMSampleBufferAttachmentKey_ResetDecoderBeforeDecoding)
      CMRemoveAttachment(sample, key: kCMSampleBufferAttachmentKey_DrainAfterDecoding)
    }
    return samples
  }

  /// Whether decoding can start with it.
  var startsAnew: Bool { samples.first.map { !(boolean($0.sampleAttachments.first?[.notSync]) ?? false) } ?? false }

  /// The same sample by sample.
  var pieces: [FrameWork] {
    guard samples.count > 1 else { return [self] }
    return samples.indices.map { index in
      var piece = self
      piece.samples = [samples[index]]
      piece.requests = [requests[index]]
      piece.resets = resets && index == 0
      piece.drains = drains && index == samples.count - 1
      return piece
    }
  }
}
