public import CoreVideo

/// What a time code's description holds beside its extensions.
struct TimeCodeFormat: Equatable {
  var frameDuration: CMTime
  var frameQuanta: UInt32
  var flags: UInt32
}

public let kCMTimeCodeFlag_DropFrame: UInt32 = 1 << 0
public let kCMTimeCodeFlag_24HourMax: UInt32 = 1 << 1
public let kCMTimeCodeFlag_NegTimesOK: UInt32 = 1 << 2

public let kCMTimeCodeFormatDescriptionExtension_SourceReferenceName: CFString = "SourceReferenceName"
public let kCMTimeCodeFormatDescriptionKey_Value: CFString = "Value"
public let kCMTimeCodeFormatDescriptionKey_LangCode: CFString = "LangCode"

/// Makes a description of time codes. -12710 for a frame duration that is not a positive number.
@discardableResult
public func CMTimeCodeFormatDescriptionCreate(
  allocator: CFAllocator?, timeCodeFormatType: CMTimeCodeFormatType, frameDuration: CMTime, frameQuanta: UInt32,
  flags: UInt32,
  extensions: CFDictionary?, formatDescriptionOut: UnsafeMutablePointer<CMTimeCodeFormatDescription?>
) -> OSStatus {
  guard frameDuration.isNumeric, frameDuration > .zero, timeCodeFormatType != 0 else {
    return kCMFormatDescriptionError_InvalidParameter
  }
  formatDescriptionOut.pointee = CMFormatDescription(
    type: kCMMediaType_TimeCode, subType: timeCodeFormatType, extensions: extensions,
    detail: .timeCode(TimeCodeFormat(frameDuration: frameDuration, frameQuanta: frameQuanta, flags: flags)))
  return noErr
}

/// The duration of a frame; invalid for what is no time code.
public func CMTimeCodeFormatDescriptionGetFrameDuration(_ timeCodeFormatDescription: CMTimeCodeFormatDescription)
  -> CMTime
{
  timeCodeFormatDescription.frameDuration
}

/// Frames a second of the code, or frames a tick of a counter; zero for what is no time code.
public func CMTimeCodeFormatDescriptionGetFrameQuanta(_ timeCodeFormatDescription: CMTimeCodeFormatDescription)
  -> UInt32
{
  timeCodeFormatDescription.frameQuanta
}

public func CMTimeCodeFormatDescriptionGetTimeCodeFlags(_ desc: CMTimeCodeFormatDescription) -> UInt32 {
  desc.timeCodeFormat?.flags ?? 0
}

extension CMFormatDescription {
  var timeCodeFormat: TimeCodeFormat? {
    if case .timeCode(let format) = detail { format } else { nil }
  }

  public var frameDuration: CMTime { timeCodeFormat?.frameDuration ?? .invalid }
  public var frameQuanta: UInt32 { timeCodeFormat?.frameQuanta ?? 0 }
}
