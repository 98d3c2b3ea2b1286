internal import Codecs
internal import CoreMedia
internal import CoreVideo
internal import Foundation

/// A Boolean of a dictionary, whichever type holds it; nil for anything else.
func boolean(_ value: Any?) -> Bool? { value as? Bool ?? integer(value).map { $0 != 0 } }

/// Who is to decode.
struct DecoderSpecification {
  let choice: PictureDecoderOptions.Choice
  /// Whether a driver that computes on the processor is no answer.
  let requiresHardware: Bool
  /// Whether the processor is no answer.
  var requiresDevice: Bool {
    if case .device = choice { true } else { false }
  }

  /// - Throws: `SessionError` for values of another type, or that contradict each other.
  init(_ dictionary: [String: Any]) throws {
    func flag(_ key: String) throws -> Bool? {
      guard let value = dictionary[key] else { return nil }
      guard let flag = boolean(value) else { throw SessionError(status: kVTParameterErr) }
      return flag
    }
    let isEnabled = try flag(kVTVideoDecoderSpecification_EnableHardwareAcceleratedVideoDecoder)
    let isRequired = try flag(kVTVideoDecoderSpecification_RequireHardwareAcceleratedVideoDecoder) ?? false
    requiresHardware = isRequired
    if let name = dictionary[kVTVideoDecoderSpecification_RequiredDeviceName] {
      guard let name = name as? String else { throw SessionError(status: kVTParameterErr) }
      choice = .device(name)
    } else if isRequired {
      // It implies that devices are allowed.
      choice = .device(nil)
    } else {
      choice = isEnabled == false ? .processor : .any
    }
  }
}

/// What pictures a session is to put out.
struct ImageBufferAttributes {
  /// To choose from; empty for the decoder's own.
  let pixelFormats: [OSType]
  let size: CMVideoDimensions?
  let threshold: Int?
  let minimumCount: Int
  /// For the pool, beside size and format.
  nonisolated(unsafe) let others: [String: Any]

  /// The largest picture that is made by scaling, in pixels a side.
  private static let longestSide = 16_384

  /// - Throws: `SessionError` for what makes no sense.
  init(_ dictionary: [String: Any]) throws {
    pixelFormats = try Self.formats(dictionary[kCVPixelBufferPixelFormatTypeKey])
    let width = try Self.count(dictionary[kCVPixelBufferWidthKey], 1...Self.longestSide)
    let height = try Self.count(dictionary[kCVPixelBufferHeightKey], 1...Self.longestSide)
    guard (width == nil) == (height == nil) else { throw SessionError(status: kVTParameterErr) }
    size = width.map { CMVideoDimensions(width: Int32($0), height: Int32(height ?? $0)) }
    threshold = try Self.count(dictionary[kCVPixelBufferPoolAllocationThresholdKey], 1...Int(Int32.max))
    minimumCount = try Self.count(dictionary[kCVPixelBufferPoolMinimumBufferCountKey], 0...Self.mostBuffers) ?? 0
    let read = [
      kCVPixelBufferPixelFormatTypeKey, kCVPixelBufferWidthKey, kCVPixelBufferHeightKey,
      kCVPixelBufferPoolAllocationThresholdKey, kCVPixelBufferPoolMinimumBufferCountKey,
    ]
    others = dictionary.filter { !read.contains($0.key) }
  }

  /// The most buffers that a pool is asked to keep.
  static let mostBuffers = 1 << 10

  private static func formats(_ value: Any?) throws -> [OSType] {
    guard let value else { return [] }
    let codes = (value as? [Any] ?? [value]).map { integer($0).flatMap(OSType.init(exactly:)) }
    guard !codes.isEmpty, codes.allSatisfy({ $0 != nil }) else { throw SessionError(status: kVTParameterErr) }
    return codes.compactMap { $0 }
  }

  private static func count(_ value: Any?, _ range: ClosedRange<Int>) throws -> Int? {
    guard let value else { return nil }
    guard let count = integer(value), range ~= count else { throw SessionError(status: kVTParameterErr) }
    return count
  }
}
