internal import Codecs
internal import CoreMedia
internal import CoreVideo

/// A refusal with the code that it is answered with.
struct SessionError: Error {
  let status: OSStatus
}

/// Why a session was not made.
func sessionStatus(of error: any Error) -> OSStatus {
  switch error {
  case let error as SessionError: error.status
  case let error as CodecError where error.kind == .unsupported: kVTCouldNotFindVideoDecoderErr
  case let error as CodecError where error.kind == .outOfMemory: kVTAllocationFailedErr
  case is CVError: kVTParameterErr
  default: kVTCouldNotCreateInstanceErr
  }
}

/// Why a frame has no picture.
func frameStatus(of error: any Error) -> OSStatus {
  switch error {
  case let error as SessionError: error.status
  case let error as CodecError: frameStatus(of: error.kind)
  case let error as CVError: frameStatus(of: error)
  case is CMBlockBuffer.Error, is CMSampleBuffer.Error: kVTVideoDecoderBadDataErr
  default: kVTVideoDecoderUnknownErr
  }
}

private func frameStatus(of error: CVError) -> OSStatus {
  switch error.code {
  case kCVReturnAllocationFailed, kCVReturnPoolAllocationFailed, kCVReturnWouldExceedAllocationThreshold:
    kVTAllocationFailedErr
  default: kVTParameterErr
  }
}

private func frameStatus(of kind: CodecError.Kind) -> OSStatus {
  switch kind {
  case .damaged: kVTVideoDecoderBadDataErr
  case .unsupported, .overLimit: kVTVideoDecoderUnsupportedDataFormatErr
  case .outOfMemory: kVTAllocationFailedErr
  case .invalidSettings: kVTPixelTransferNotSupportedErr
  case .deviceLost: kVTVideoDecoderRemovedErr
  case .input, .library: kVTVideoDecoderMalfunctionErr
  }
}
