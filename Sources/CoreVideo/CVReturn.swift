public import Foundation

/// The result of Core Video's functions: 0, or the reason why not.
public typealias CVReturn = Int32

public let kCVReturnSuccess: CVReturn = 0
public let kCVReturnFirst: CVReturn = -6660
public let kCVReturnError: CVReturn = -6660
public let kCVReturnInvalidArgument: CVReturn = -6661
public let kCVReturnAllocationFailed: CVReturn = -6662
public let kCVReturnUnsupported: CVReturn = -6663
public let kCVReturnInvalidDisplay: CVReturn = -6670
public let kCVReturnDisplayLinkAlreadyRunning: CVReturn = -6671
public let kCVReturnDisplayLinkNotRunning: CVReturn = -6672
public let kCVReturnDisplayLinkCallbacksNotSet: CVReturn = -6673
public let kCVReturnInvalidPixelFormat: CVReturn = -6680
public let kCVReturnInvalidSize: CVReturn = -6681
public let kCVReturnInvalidPixelBufferAttributes: CVReturn = -6682
public let kCVReturnPixelBufferNotOpenGLCompatible: CVReturn = -6683
public let kCVReturnPixelBufferNotMetalCompatible: CVReturn = -6684
public let kCVReturnWouldExceedAllocationThreshold: CVReturn = -6689
public let kCVReturnPoolAllocationFailed: CVReturn = -6690
public let kCVReturnInvalidPoolAttributes: CVReturn = -6691
public let kCVReturnRetry: CVReturn = -6692
public let kCVReturnLast: CVReturn = -6699

/// A `CVReturn` other than success, as a Swift error.
public struct CVError: Error, Hashable, Sendable, CustomNSError, CustomStringConvertible {
  public let code: CVReturn

  public init(code: CVReturn) { self.code = code }

  /// Throws unless `code` is success.
  package static func check(_ code: CVReturn) throws(CVError) {
    if code != kCVReturnSuccess { throw CVError(code: code) }
  }

  public static var errorDomain: String { "CVErrorDomain" }
  public var errorCode: Int { Int(code) }
  public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: description] }

  public var description: String { "Core Video: \(Self.reasons[code] ?? "unknown error") (\(code))." }

  private static let reasons: [CVReturn: String] = [
    kCVReturnError: "an error without a further reason",
    kCVReturnInvalidArgument: "an argument is out of range or missing",
    kCVReturnAllocationFailed: "the memory cannot be had",
    kCVReturnUnsupported: "this is known but not possible here",
    kCVReturnInvalidPixelFormat: "the pixel format is unknown or does not fit",
    kCVReturnInvalidSize: "the width or height is not positive, or too large",
    kCVReturnInvalidPixelBufferAttributes: "a pixel buffer attribute has a value that cannot be used",
    kCVReturnPixelBufferNotMetalCompatible:
      "the pixel buffer or plane does not match the texture's pixel format or size",
    kCVReturnWouldExceedAllocationThreshold: "the pool already holds as many buffers as the threshold allows",
    kCVReturnPoolAllocationFailed: "the pool cannot be made",
    kCVReturnInvalidPoolAttributes: "a pool attribute has a value that cannot be used",
    kCVReturnRetry: "the resource is busy; try again",
  ]
}
