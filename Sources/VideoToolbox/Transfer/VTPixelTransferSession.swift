internal import Codecs
public import CoreVideo
internal import Foundation

/// How sizes are brought together: a value of `kVTScalingMode_…`.
public let kVTPixelTransferPropertyKey_ScalingMode: CFString = "ScalingMode"
/// All of the source fills all of the destination: the standard. The pixel aspect ratio of the destination keeps the shape.
public let kVTScalingMode_Normal: CFString = "Normal"
/// The clean aperture of the source fills all of the destination.
public let kVTScalingMode_CropSourceToCleanAperture: CFString = "CropSourceToCleanAperture"
/// The clean aperture of the source, in its shape, lies in the middle of the destination between black bars.
public let kVTScalingMode_Letterbox: CFString = "Letterbox"
/// The largest part of the source's clean aperture that has the destination's shape fills it.
public let kVTScalingMode_Trim: CFString = "Trim"
/// Whether transfers are urgent; a hint that changes nothing here.
public let kVTPixelTransferPropertyKey_RealTime: CFString = "RealTime"

/// Brings pictures into others of another pixel format or size.
///
/// Matrix and code range follow the formats and attachments of both; primaries and transfer functions are not converted. Safe to use from any
/// thread.
public final class VTPixelTransferSession: @unchecked Sendable {
  // Unchecked: what changes is guarded by the lock.
  private let guardian = NSLock()
  private let work = PictureTransfer()
  private var settings = TransferSettings()
  private var isInvalid = false

  init() {}

  fileprivate func transfer(_ source: CVPixelBuffer, to target: CVPixelBuffer) -> OSStatus {
    let (isInvalid, settings) = guardian.withLock { (self.isInvalid, self.settings) }
    guard !isInvalid else { return kVTInvalidSessionErr }
    guard CVPixelBufferGetPixelFormatType(source) != 0, CVPixelBufferGetPixelFormatType(target) != 0 else {
      return kVTParameterErr
    }
    do {
      try work.transfer(source, to: target, settings)
      return noErr
    } catch {
      return (error as? CodecError)?.kind == .outOfMemory ? kVTAllocationFailedErr : kVTPixelTransferNotSupportedErr
    }
  }

  fileprivate func invalidate() { guardian.withLock { isInvalid = true } }
}

extension VTPixelTransferSession: VTPropertySession {
  var isValid: Bool { guardian.withLock { !isInvalid } }
  var properties: [String: VTProperty] { TransferSettings.properties }
  func set(_ key: String, _ value: Any?) -> OSStatus { guardian.withLock { settings.set(key, value) } }
  func value(of key: String) -> Any? { guardian.withLock { settings.dictionary[key] } }
}

extension TransferSettings {
  static let properties: [String: VTProperty] = [
    kVTPixelTransferPropertyKey_ScalingMode: VTProperty(kind: .enumeration(Scaling.allCases.map(\.rawValue))),
    kVTPixelTransferPropertyKey_RealTime: VTProperty(kind: .boolean),
  ]

  var dictionary: [String: Any] {
    [kVTPixelTransferPropertyKey_ScalingMode: scaling.rawValue, kVTPixelTransferPropertyKey_RealTime: isRealTime]
  }

  /// Nil goes back to the standard.
  mutating func set(_ key: String, _ value: Any?) -> OSStatus {
    let standard = TransferSettings()
    switch key {
    case kVTPixelTransferPropertyKey_ScalingMode:
      guard let mode = value.map({ ($0 as? String).flatMap(Scaling.init) }) ?? standard.scaling else {
        return kVTParameterErr
      }
      scaling = mode
    case kVTPixelTransferPropertyKey_RealTime:
      guard let flag = value.map(boolean) ?? standard.isRealTime else { return kVTParameterErr }
      isRealTime = flag
    default: return kVTPropertyNotSupportedErr
    }
    return noErr
  }
}

@discardableResult
public func VTPixelTransferSessionCreate(
  allocator: CFAllocator?, pixelTransferSessionOut: UnsafeMutablePointer<VTPixelTransferSession?>
) -> OSStatus {
  pixelTransferSessionOut.pointee = VTPixelTransferSession()
  return noErr
}

/// Writes the source's picture into the destination, all of it, with the attachments that propagate.
///
/// - Returns: `kVTPixelTransferNotSupportedErr` for formats that cannot be read or written, `kVTInvalidSessionErr`, or
///   `kVTParameterErr` for what is no pixel buffer.
@discardableResult
public func VTPixelTransferSessionTransferImage(
  _ session: VTPixelTransferSession, from sourceBuffer: CVPixelBuffer, to destinationBuffer: CVPixelBuffer
) -> OSStatus { session.transfer(sourceBuffer, to: destinationBuffer) }

/// Ends the session; every later call fails.
public func VTPixelTransferSessionInvalidate(_ session: VTPixelTransferSession) { session.invalidate() }

public func VTPixelTransferSessionGetTypeID() -> CFTypeID {
  CFTypeID(bitPattern: ObjectIdentifier(VTPixelTransferSession.self).hashValue)
}
