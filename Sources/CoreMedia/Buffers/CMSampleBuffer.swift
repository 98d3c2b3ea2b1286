public import CoreVideo
public import Foundation

/// Any number of samples of media: their data, format, timing, sizes and attachments. With none it is a marker in a
/// stream.
///
/// The data is a block buffer, an image buffer, or not there yet. Safe to use from any thread; the data itself is
/// guarded by nobody.
public final class CMSampleBuffer: @unchecked Sendable {
  // Unchecked: `state` is guarded by the lock; the rest never changes.
  let format: CMFormatDescription?
  let image: CVImageBuffer?
  let sampleCount: Int
  let timings: SampleTimings
  /// None, one for all, or one for each sample, in bytes.
  let sizes: [Int]
  let makeReady: ((CMSampleBuffer) throws -> Void)?
  let attachmentStore = AttachmentStore()
  private let guardian = NSLock()
  private var state: State

  struct State {
    var dataBuffer: CMBlockBuffer?
    var readiness: DataReadiness
    var tracked: CMSampleBuffer?
    var isValid = true
    var invalidateHandler: ((CMSampleBuffer) throws -> Void)?
    var outputPresentationTimeStamp = CMTime.invalid
    var sampleAttachments: [[String: Any]]?
    /// Where the packet descriptions handed out by address lie.
    var packetDescriptions: UnsafeMutableBufferPointer<AudioStreamPacketDescription>?
  }

  /// Whether the data can be used.
  public enum DataReadiness: Hashable, Sendable {
    case notReady
    case ready
    /// It will never be; with the reason.
    case failed(OSStatus)
  }

  /// What a sample buffer is made of.
  struct Parts {
    var dataBuffer: CMBlockBuffer?
    var image: CVImageBuffer?
    var isReady = true
    var makeReady: ((CMSampleBuffer) throws -> Void)?
    var format: CMFormatDescription?
    var count = 0
    var timings: [CMSampleTimingInfo] = []
    var sizes: [Int] = []
  }

  init(_ parts: Parts) {
    format = parts.format
    image = parts.image
    sampleCount = parts.count
    timings = SampleTimings(entries: parts.timings, count: parts.count)
    sizes = parts.sizes
    makeReady = parts.makeReady
    state = State(dataBuffer: parts.dataBuffer, readiness: parts.isReady ? .ready : .notReady)
  }

  deinit { state.packetDescriptions?.deallocate() }

  func withState<R>(_ body: (inout State) throws -> R) rethrows -> R {
    guardian.lock()
    defer { guardian.unlock() }
    return try body(&state)
  }
}

extension CMSampleBuffer: Hashable {
  /// The same buffer, not equal samples.
  public static func == (lhs: CMSampleBuffer, rhs: CMSampleBuffer) -> Bool { lhs === rhs }
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

// MARK: - Errors

public let kCMSampleBufferError_AllocationFailed: OSStatus = -12730
public let kCMSampleBufferError_RequiredParameterMissing: OSStatus = -12731
public let kCMSampleBufferError_AlreadyHasDataBuffer: OSStatus = -12732
public let kCMSampleBufferError_BufferNotReady: OSStatus = -12733
public let kCMSampleBufferError_SampleIndexOutOfRange: OSStatus = -12734
public let kCMSampleBufferError_BufferHasNoSampleSizes: OSStatus = -12735
public let kCMSampleBufferError_BufferHasNoSampleTimingInfo: OSStatus = -12736
public let kCMSampleBufferError_ArrayTooSmall: OSStatus = -12737
public let kCMSampleBufferError_InvalidEntryCount: OSStatus = -12738
public let kCMSampleBufferError_CannotSubdivide: OSStatus = -12739
public let kCMSampleBufferError_SampleTimingInfoInvalid: OSStatus = -12740
public let kCMSampleBufferError_InvalidMediaTypeForOperation: OSStatus = -12741
public let kCMSampleBufferError_InvalidSampleData: OSStatus = -12742
public let kCMSampleBufferError_InvalidMediaFormat: OSStatus = -12743
public let kCMSampleBufferError_Invalidated: OSStatus = -12744
public let kCMSampleBufferError_DataFailed: OSStatus = -16750
public let kCMSampleBufferError_DataCanceled: OSStatus = -16751

extension CMSampleBuffer {
  /// Why a sample buffer was not made or an operation on it was refused.
  public struct Error: Swift.Error, CustomNSError, Hashable, Sendable {
    public let code: OSStatus
    public init(code: OSStatus) { self.code = code }

    public static let allocationFailed = Error(code: kCMSampleBufferError_AllocationFailed)
    public static let requiredParameterMissing = Error(code: kCMSampleBufferError_RequiredParameterMissing)
    public static let alreadyHasDataBuffer = Error(code: kCMSampleBufferError_AlreadyHasDataBuffer)
    public static let bufferNotReady = Error(code: kCMSampleBufferError_BufferNotReady)
    public static let sampleIndexOutOfRange = Error(code: kCMSampleBufferError_SampleIndexOutOfRange)
    public static let bufferHasNoSampleSizes = Error(code: kCMSampleBufferError_BufferHasNoSampleSizes)
    public static let bufferHasNoSampleTimingInfo = Error(code: kCMSampleBufferError_BufferHasNoSampleTimingInfo)
    public static let arrayTooSmall = Error(code: kCMSampleBufferError_ArrayTooSmall)
    public static let invalidEntryCount = Error(code: kCMSampleBufferError_InvalidEntryCount)
    public static let cannotSubdivide = Error(code: kCMSampleBufferError_CannotSubdivide)
    public static let sampleTimingInfoInvalid = Error(code: kCMSampleBufferError_SampleTimingInfoInvalid)
    public static let invalidMediaTypeForOperation = Error(code: kCMSampleBufferError_InvalidMediaTypeForOperation)
    public static let invalidSampleData = Error(code: kCMSampleBufferError_InvalidSampleData)
    public static let invalidMediaFormat = Error(code: kCMSampleBufferError_InvalidMediaFormat)
    public static let invalidated = Error(code: kCMSampleBufferError_Invalidated)
    public static let dataFailed = Error(code: kCMSampleBufferError_DataFailed)
    public static let dataCanceled = Error(code: kCMSampleBufferError_DataCanceled)

    public static var errorDomain: String { "CMSampleBuffer.Error" }
    public var errorCode: Int { Int(code) }
  }
}

/// The status of `body`: zero, or the code of the error it throws.
func sampleStatus(_ body: () throws(CMSampleBuffer.Error) -> Void) -> OSStatus {
  do {
    try body()
    return noErr
  } catch { return error.code }
}
