internal import CoreMedia

/// What one call hands in: samples and the requests that they are to answer, in the same order.
struct FrameWork: Sendable {
  let samples: [CMSampleBuffer]
  let requests: [FrameRequest]
  let format: CMFormatDescription
  let isAsynchronous: Bool
  /// Whether answers may come later than they could.
  let mayWait: Bool
  /// Frames inside the decoder are given up before, or put out after.
  let resets: Bool
  let drains: Bool
}
