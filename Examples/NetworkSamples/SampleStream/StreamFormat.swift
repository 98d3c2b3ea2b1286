public import CoreMedia
import CoreVideo
import Foundation

/// What the samples that follow are: the part of a format description that ProRes needs.
public struct StreamFormat: Equatable, Sendable {
  public var codec: UInt32
  public var width: UInt32
  public var height: UInt32
  /// Code points of ITU-T H.273; 2 says nothing.
  public var primaries: UInt8 = 2
  public var transfer: UInt8 = 2
  public var matrix: UInt8 = 2
  public var isFullRange: Bool?
  public var pixelAspect: (UInt32, UInt32) = (1, 1)
  public var fieldCount: UInt8 = 0
  /// In which order the fields come, by QuickTime's numbers of `fiel`; 0 says nothing.
  public var fieldDetail: UInt8 = 0

  public init(codec: UInt32, width: UInt32, height: UInt32) {
    self.codec = codec
    self.width = width
    self.height = height
  }

  public static func == (a: StreamFormat, b: StreamFormat) -> Bool { a.bytes == b.bytes }

  var bytes: Data {
    var data = Data()
    for number in [codec, width, height] { data.append(number: number) }
    data.append(contentsOf: [primaries, transfer, matrix, isFullRange.map { $0 ? 1 : 0 } ?? 2])
    data.append(number: pixelAspect.0)
    data.append(number: pixelAspect.1)
    data.append(contentsOf: [fieldCount, fieldDetail])
    return data
  }

  init(_ reader: inout WireReader) throws {
    codec = try reader.number()
    width = try reader.number()
    height = try reader.number()
    guard 1...StreamLimits.side ~= width, 1...StreamLimits.side ~= height else {
      throw StreamError("Pictures of \(width)x\(height) were announced; a side has 1 to \(StreamLimits.side) pixels.")
    }
    primaries = try reader.number()
    transfer = try reader.number()
    matrix = try reader.number()
    let range: UInt8 = try reader.number()
    isFullRange = range > 1 ? nil : range == 1
    pixelAspect = (try reader.number(), try reader.number())
    fieldCount = try reader.number()
    fieldDetail = try reader.number()
  }

  private static let fieldDetails: [(number: UInt8, name: CFString)] = [
    (1, kCMFormatDescriptionFieldDetail_TemporalTopFirst), (6, kCMFormatDescriptionFieldDetail_TemporalBottomFirst),
    (9, kCMFormatDescriptionFieldDetail_SpatialFirstLineEarly),
    (14, kCMFormatDescriptionFieldDetail_SpatialFirstLineLate),
  ]
}

// MARK: - Core Media

extension StreamFormat {
  /// What is to be told of a movie's format.
  public init(_ format: CMFormatDescription) {
    let size = CMVideoFormatDescriptionGetDimensions(format)
    self.init(
      codec: CMFormatDescriptionGetMediaSubType(format), width: UInt32(size.width), height: UInt32(size.height))
    let all = CMFormatDescriptionGetExtensions(format) ?? [:]
    func text(_ key: CFString) -> CFString? { all[key] as? CFString }
    primaries = UInt8(
      clamping: CVColorPrimariesGetIntegerCodePointForString(text(kCMFormatDescriptionExtension_ColorPrimaries)))
    transfer = UInt8(
      clamping: CVTransferFunctionGetIntegerCodePointForString(text(kCMFormatDescriptionExtension_TransferFunction)))
    matrix = UInt8(clamping: CVYCbCrMatrixGetIntegerCodePointForString(text(kCMFormatDescriptionExtension_YCbCrMatrix)))
    isFullRange = all[kCMFormatDescriptionExtension_FullRangeVideo] as? Bool
    fieldCount = UInt8(clamping: all[kCMFormatDescriptionExtension_FieldCount] as? Int ?? 0)
    let detail = text(kCMFormatDescriptionExtension_FieldDetail)
    fieldDetail = Self.fieldDetails.first { $0.name == detail }?.number ?? 0
    let aspect = all[kCMFormatDescriptionExtension_PixelAspectRatio] as? CFDictionary
    if let across = aspect?[kCMFormatDescriptionKey_PixelAspectRatioHorizontalSpacing] as? Int,
      let down = aspect?[kCMFormatDescriptionKey_PixelAspectRatioVerticalSpacing] as? Int, across > 0, down > 0
    {
      pixelAspect = (UInt32(clamping: across), UInt32(clamping: down))
    }
  }

  /// A format description made by hand, its colour tags among the extensions.
  public func formatDescription() throws -> CMVideoFormatDescription {
    var extensions: [CFString: Any] = [:]
    extensions[kCMFormatDescriptionExtension_ColorPrimaries] = CVColorPrimariesGetStringForIntegerCodePoint(
      Int32(primaries))
    extensions[kCMFormatDescriptionExtension_TransferFunction] = CVTransferFunctionGetStringForIntegerCodePoint(
      Int32(transfer))
    extensions[kCMFormatDescriptionExtension_YCbCrMatrix] = CVYCbCrMatrixGetStringForIntegerCodePoint(Int32(matrix))
    extensions[kCMFormatDescriptionExtension_FullRangeVideo] = isFullRange
    if fieldCount > 0 { extensions[kCMFormatDescriptionExtension_FieldCount] = Int(fieldCount) }
    extensions[kCMFormatDescriptionExtension_FieldDetail] =
      Self.fieldDetails.first { $0.number == fieldDetail }?.name
    if pixelAspect.0 > 0, pixelAspect.1 > 0, pixelAspect.0 != pixelAspect.1 {
      extensions[kCMFormatDescriptionExtension_PixelAspectRatio] =
        [
          kCMFormatDescriptionKey_PixelAspectRatioHorizontalSpacing: Int(pixelAspect.0),
          kCMFormatDescriptionKey_PixelAspectRatioVerticalSpacing: Int(pixelAspect.1),
        ] as CFDictionary
    }
    var format: CMVideoFormatDescription?
    let status = CMVideoFormatDescriptionCreate(
      allocator: kCFAllocatorDefault, codecType: codec, width: Int32(width), height: Int32(height),
      extensions: extensions, formatDescriptionOut: &format)
    guard let format else { throw StreamError("The format cannot be described (\(status)).") }
    return format
  }
}
