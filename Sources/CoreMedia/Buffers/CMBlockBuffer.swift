public import CoreVideo
public import Foundation

/// A run of bytes put together of stretches of memory blocks and of other block buffers.
///
/// Blocks are shared, not copied. The buffer grows by appending; what has been appended never moves. Safe to read from
/// any thread; writing to the bytes while others read them is the caller's to order.
public final class CMBlockBuffer: @unchecked Sendable {
  // Unchecked: `segments` and `starts` are guarded by the lock.
  private let guardian = NSLock()
  private var segments: [Segment] = []
  /// Where each segment starts, and last where the data ends: offsets in this buffer.
  private var starts: [Int] = [0]
  let attachmentStore = AttachmentStore()

  /// A stretch of bytes of a block or of another buffer.
  struct Segment {
    enum Source {
      case memory(BlockMemory)
      case buffer(CMBlockBuffer)
    }
    var source: Source
    var offset: Int
    var length: Int
  }

  init(segments: [Segment] = []) {
    for segment in segments { append(segment) }
  }

  func append(_ segment: Segment) {
    guardian.withLock {
      segments.append(segment)
      starts.append(starts[starts.count - 1] + segment.length)
    }
  }

  var length: Int { guardian.withLock { starts[starts.count - 1] } }
  var hasNoSegments: Bool { guardian.withLock { segments.isEmpty } }

  /// The segments that cover a range of bytes, cut to it. The range must lie in the data.
  func segments(in range: Range<Int>) -> [Segment] {
    guardian.withLock {
      guard !range.isEmpty else { return [] }
      var result: [Segment] = []
      var index = firstSegment(at: range.lowerBound)
      while index < segments.count, starts[index] < range.upperBound {
        let cut = range.clamped(to: starts[index]..<starts[index + 1])
        if !cut.isEmpty {
          var segment = segments[index]
          segment.offset += cut.lowerBound - starts[index]
          segment.length = cut.count
          result.append(segment)
        }
        index += 1
      }
      return result
    }
  }

  /// The last segment that starts at or before the offset.
  private func firstSegment(at offset: Int) -> Int {
    var (low, high) = (0, segments.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if starts[middle] <= offset { low = middle } else { high = middle }
    }
    return low
  }
}

extension CMBlockBuffer: Hashable {
  /// The same buffer, not equal bytes.
  public static func == (lhs: CMBlockBuffer, rhs: CMBlockBuffer) -> Bool { lhs === rhs }
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

// MARK: - Flags and errors

public typealias CMBlockBufferFlags = UInt32
/// Allocate blocks now, not when first needed.
public let kCMBlockBufferAssureMemoryNowFlag: CMBlockBufferFlags = 1 << 0
/// `CMBlockBufferCreateContiguous` copies even what is contiguous.
public let kCMBlockBufferAlwaysCopyDataFlag: CMBlockBufferFlags = 1 << 1
/// Keep references to buffers as such instead of taking over their blocks.
public let kCMBlockBufferDontOptimizeDepthFlag: CMBlockBufferFlags = 1 << 2
/// A referenced buffer may be empty, or shorter than the range, to be filled later.
public let kCMBlockBufferPermitEmptyReferenceFlag: CMBlockBufferFlags = 1 << 3

public let kCMBlockBufferNoErr: OSStatus = 0
public let kCMBlockBufferStructureAllocationFailedErr: OSStatus = -12700
public let kCMBlockBufferBlockAllocationFailedErr: OSStatus = -12701
public let kCMBlockBufferBadCustomBlockSourceErr: OSStatus = -12702
public let kCMBlockBufferBadOffsetParameterErr: OSStatus = -12703
public let kCMBlockBufferBadLengthParameterErr: OSStatus = -12704
public let kCMBlockBufferBadPointerParameterErr: OSStatus = -12705
public let kCMBlockBufferEmptyBBufErr: OSStatus = -12706
public let kCMBlockBufferUnallocatedBlockErr: OSStatus = -12707
public let kCMBlockBufferInsufficientSpaceErr: OSStatus = -12708

extension CMBlockBuffer {
  public struct Flags: OptionSet, Hashable, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    public static let assureMemoryNow = Flags(rawValue: kCMBlockBufferAssureMemoryNowFlag)
    public static let alwaysCopyData = Flags(rawValue: kCMBlockBufferAlwaysCopyDataFlag)
    public static let dontOptimizeDepth = Flags(rawValue: kCMBlockBufferDontOptimizeDepthFlag)
    public static let permitEmptyReference = Flags(rawValue: kCMBlockBufferPermitEmptyReferenceFlag)
  }

  /// Why an operation on a block buffer was refused.
  public struct Error: Swift.Error, CustomNSError, Hashable, Sendable {
    public let code: OSStatus
    public init(code: OSStatus) { self.code = code }

    public static let structureAllocationFailed = Error(code: kCMBlockBufferStructureAllocationFailedErr)
    public static let blockAllocationFailed = Error(code: kCMBlockBufferBlockAllocationFailedErr)
    public static let badCustomBlockSource = Error(code: kCMBlockBufferBadCustomBlockSourceErr)
    public static let badOffsetParameter = Error(code: kCMBlockBufferBadOffsetParameterErr)
    public static let badLengthParameter = Error(code: kCMBlockBufferBadLengthParameterErr)
    public static let badPointerParameter = Error(code: kCMBlockBufferBadPointerParameterErr)
    public static let emptyBlockBuffer = Error(code: kCMBlockBufferEmptyBBufErr)
    public static let unallocatedBlock = Error(code: kCMBlockBufferUnallocatedBlockErr)
    public static let insufficientSpace = Error(code: kCMBlockBufferInsufficientSpaceErr)

    public static var errorDomain: String { "CMBlockBuffer.Error" }
    public var errorCode: Int { Int(code) }
  }
}

/// The status of `body`: zero, or the code of the error it throws.
func status(_ body: () throws(CMBlockBuffer.Error) -> Void) -> OSStatus {
  do {
    try body()
    return kCMBlockBufferNoErr
  } catch { return error.code }
}
