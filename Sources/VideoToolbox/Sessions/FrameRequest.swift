internal import CoreMedia
internal import CoreVideo

/// A session's callback with the caller's reference.
struct OutputCallback: @unchecked Sendable {
  // Unchecked: the caller answers for what function and reference reach; calls are made one at a time.
  let function: VTDecompressionOutputCallback
  let reference: UnsafeMutableRawPointer?
}

/// Where the answer to a frame goes.
struct FrameOutput: @unchecked Sendable {
  // Unchecked: as `OutputCallback`.
  let handler: VTDecompressionOutputHandler
}

/// A frame that has been handed in and not been answered.
struct FrameRequest: Sendable {
  let output: FrameOutput
  let presentationTime: CMTime
  let duration: CMTime
  let isAsynchronous: Bool
  /// Whether the answer may wait for later frames to come.
  let mayBeHeld: Bool
  /// Decoded for others, or not at all.
  var isHidden: Bool
  /// Counted over the session, to find the frame among those being decoded.
  let serial: Int

  func answer(_ status: OSStatus, _ flags: VTDecodeInfoFlags, _ image: CVImageBuffer? = nil) -> FrameAnswer {
    FrameAnswer(request: self, status: status, flags: isAsynchronous ? flags.union(.asynchronous) : flags, image: image)
  }
}

/// What a frame is answered with.
struct FrameAnswer: @unchecked Sendable {
  // Unchecked: the picture is handed over.
  let request: FrameRequest
  let status: OSStatus
  let flags: VTDecodeInfoFlags
  let image: CVImageBuffer?

  func deliver() {
    request.output.handler(status, flags, image, request.presentationTime, request.duration)
  }
}

extension FrameAnswer {
  var withoutImage: FrameAnswer { FrameAnswer(request: request, status: status, flags: flags, image: nil) }
}
