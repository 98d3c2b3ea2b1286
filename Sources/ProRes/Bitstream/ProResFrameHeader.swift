/// What a frame says of itself (RDD 36, 5.1.1 and 6.1.1).
package struct ProResFrameHeader: Sendable, Hashable {
  package enum Chroma: Int, Sendable, Hashable {
    case halved = 2
    case full = 3
  }

  /// Progressive, or which field comes first in the frame and in time.
  package enum Fields: Int, Sendable, Hashable {
    case progressive, topFirst, bottomFirst
  }

  /// Bits of an alpha sample; alpha is straight, and full range.
  package enum Alpha: Int, Sendable, Hashable {
    case none, eightBits, sixteenBits
  }

  package let version: Int
  /// Four characters that name the encoder.
  package let encoder: UInt32
  /// Pixels of the frame, 1 to 65535 each.
  package let width: Int
  package let height: Int
  package let chroma: Chroma
  package let fields: Fields
  /// Codes of the standard's tables; 0 is unknown.
  package let aspectRatioCode: Int
  package let frameRateCode: Int
  /// Code points of ITU-T H.273; 2, and 0, are unspecified. The container's own come first.
  package let primaries: Int
  package let transfer: Int
  package let matrix: Int
  package let alpha: Alpha
  /// Weights of the coefficients in raster order, v·8 + u.
  package let lumaMatrix: [UInt8]
  package let chromaMatrix: [UInt8]

  /// Bytes of the whole frame, and of what stands before its pictures.
  package let frameByteCount: Int
  package let byteCount: Int

  static let leastByteCount = 20
  static let identifier = 0x6963_7066  // icpf

  /// Reads the header at the start of a sample.
  /// - Throws: `ProResError` if the sample is no frame, is cut off, or is of a version later than 1.
  package init(_ sample: UnsafeRawBufferPointer) throws(ProResError) {
    try self.init(sample, isWhole: true)
  }

  /// Reads the header of a frame of which only the beginning need be there.
  /// - Throws: `ProResError` if no frame begins there, or of a version later than 1.
  package init(beginning bytes: UnsafeRawBufferPointer) throws(ProResError) {
    try self.init(bytes, isWhole: false)
  }

  private init(_ sample: UnsafeRawBufferPointer, isWhole: Bool) throws(ProResError) {
    var reader = ByteReader(sample, "the frame header")
    frameByteCount = try reader.uint32()
    guard try reader.uint32() == Self.identifier else {
      throw ProResError(.damaged, "it does not begin as a ProRes frame does; check the sample's place and codec")
    }
    guard !isWhole || frameByteCount <= sample.count else {
      throw ProResError(
        .truncated, "it has \(frameByteCount) bytes, but the sample ends after \(sample.count); the file is cut off")
    }
    let headerSize = try reader.uint16()
    version = try reader.uint16()
    guard version <= 1 else {
      throw ProResError(.unsupported, "its bitstream has version \(version), and versions 0 and 1 are known")
    }
    encoder = UInt32(try reader.uint32())
    width = try reader.uint16()
    height = try reader.uint16()
    guard width > 0, height > 0 else {
      throw ProResError(.damaged, "a picture of \(width)x\(height) has no pixels; the header is damaged")
    }
    let form = try reader.uint8()
    chroma = try Self.known(Chroma(rawValue: form >> 6), "chroma format", form >> 6)
    fields = try Self.known(Fields(rawValue: form >> 2 & 3), "interlace mode", form >> 2 & 3)
    let rates = try reader.uint8()
    (aspectRatioCode, frameRateCode) = (rates >> 4, rates & 15)
    primaries = try reader.uint8()
    transfer = try reader.uint8()
    matrix = try reader.uint8()
    let alphaType = try reader.uint8() & 15
    alpha = try Self.known(Alpha(rawValue: alphaType), "alpha channel type", alphaType)
    let flags = try reader.uint16()
    let luma = flags & 2 != 0 ? try Self.matrix(&reader) : [UInt8](repeating: 4, count: 64)
    lumaMatrix = luma
    chromaMatrix = flags & 1 != 0 ? try Self.matrix(&reader) : luma
    byteCount = 8 + headerSize
    guard byteCount >= reader.offset, byteCount <= frameByteCount else {
      throw ProResError(
        .damaged, "its header claims \(headerSize) bytes, which do not hold what it announces; the header is damaged")
    }
  }

  private static func known<Value>(_ value: Value?, _ name: String, _ code: Int) throws(ProResError) -> Value {
    guard let value else { throw ProResError(.damaged, "its \(name) \(code) is reserved; the header is damaged") }
    return value
  }

  private static func matrix(_ reader: inout ByteReader) throws(ProResError) -> [UInt8] {
    let weights = try reader.bytes(64)
    guard !weights.contains(0) else {
      throw ProResError(.damaged, "a quantisation matrix has the weight 0; the header is damaged")
    }
    return weights
  }
}

extension ProResFrameHeader {
  package var hasAlpha: Bool { alpha != .none }
  package var isInterlaced: Bool { fields != .progressive }
  package var macroblockColumns: Int { (width + 15) / 16 }
  /// Bits of a sample that hold what the profile is made for; the bitstream itself has no depth.
  package var usualDepth: Int { chroma == .full ? 12 : 10 }
}
