public import CoreVideo
internal import Foundation

/// Width and height of a picture in pixels.
public struct CMVideoDimensions: Hashable, Sendable {
  public var width: Int32
  public var height: Int32

  public init() { self.init(width: 0, height: 0) }
  public init(width: Int32, height: Int32) {
    self.width = width
    self.height = height
  }
}

/// Makes a description of video in a codec. The extensions are copied deeply. -12710 for a size that is not positive or
/// a codec of zero.
@discardableResult
public func CMVideoFormatDescriptionCreate(
  allocator: CFAllocator?, codecType: CMVideoCodecType, width: Int32, height: Int32, extensions: CFDictionary?,
  formatDescriptionOut: UnsafeMutablePointer<CMVideoFormatDescription?>
) -> OSStatus {
  guard width > 0, height > 0, codecType != 0 else { return kCMFormatDescriptionError_InvalidParameter }
  formatDescriptionOut.pointee = CMFormatDescription(
    type: kCMMediaType_Video, subType: codecType, extensions: extensions,
    detail: .video(CMVideoDimensions(width: width, height: height)))
  return noErr
}

/// Makes the description of an uncompressed image: its pixel format, size and those attachments that both have.
@discardableResult
public func CMVideoFormatDescriptionCreateForImageBuffer(
  allocator: CFAllocator?, imageBuffer: CVImageBuffer,
  formatDescriptionOut: UnsafeMutablePointer<CMVideoFormatDescription?>
) -> OSStatus {
  formatDescriptionOut.pointee = try? CMFormatDescription(imageBuffer: imageBuffer)
  return formatDescriptionOut.pointee == nil ? kCMFormatDescriptionError_InvalidParameter : noErr
}

/// Whether the description is one of the image: the same pixel format and size, and the same value for every key that
/// both may have.
public func CMVideoFormatDescriptionMatchesImageBuffer(_ desc: CMVideoFormatDescription, imageBuffer: CVImageBuffer)
  -> Bool
{
  guard desc.type == kCMMediaType_Video, desc.subType == CVPixelBufferGetPixelFormatType(imageBuffer),
    Int(desc.dimensions.width) == CVPixelBufferGetWidth(imageBuffer),
    Int(desc.dimensions.height) == CVPixelBufferGetHeight(imageBuffer)
  else { return false }
  let attachments = commonAttachments(imageBuffer).mapValues(canonicalProperty)
  return commonKeys.allSatisfy { propertiesAreEqual(attachments[$0], desc.extensionDictionary[$0]) }
}

private func commonAttachments(_ image: CVImageBuffer) -> [String: Any] {
  commonKeys.reduce(into: [:]) { $0[$1] = CVBufferCopyAttachment(image, $1, nil) }
}

/// Encoded width and height in pixels; zero for what is no video.
public func CMVideoFormatDescriptionGetDimensions(_ videoDesc: CMVideoFormatDescription) -> CMVideoDimensions {
  videoDesc.dimensions
}

/// The size in which the picture is to be shown, in square pixels where `usePixelAspectRatio`, of the clean aperture
/// alone where asked.
public func CMVideoFormatDescriptionGetPresentationDimensions(
  _ videoDesc: CMVideoFormatDescription, usePixelAspectRatio: Bool, useCleanAperture: Bool
) -> CGSize {
  videoDesc.presentationDimensions(usePixelAspectRatio: usePixelAspectRatio, useCleanAperture: useCleanAperture)
}

/// The clean aperture in encoded pixels: the whole picture where there is none. The origin is at the top left or at the
/// bottom left.
public func CMVideoFormatDescriptionGetCleanAperture(_ videoDesc: CMVideoFormatDescription, originIsAtTopLeft: Bool)
  -> CGRect
{
  videoDesc.cleanAperture(originIsAtTopLeft: originIsAtTopLeft)
}

/// The keys of extensions that image buffers have as attachments under the same names.
public func CMVideoFormatDescriptionGetExtensionKeysCommonWithImageBuffers() -> CFArray { commonKeys }

private let commonKeys: [String] = [
  kCMFormatDescriptionExtension_CleanAperture, kCMFormatDescriptionExtension_PixelAspectRatio,
  kCMFormatDescriptionExtension_FieldCount, kCMFormatDescriptionExtension_FieldDetail,
  kCMFormatDescriptionExtension_ColorPrimaries, kCMFormatDescriptionExtension_TransferFunction,
  kCMFormatDescriptionExtension_GammaLevel, kCMFormatDescriptionExtension_YCbCrMatrix,
  kCMFormatDescriptionExtension_ICCProfile, kCMFormatDescriptionExtension_ChromaLocationTopField,
  kCMFormatDescriptionExtension_ChromaLocationBottomField, kCMFormatDescriptionExtension_MasteringDisplayColorVolume,
  kCMFormatDescriptionExtension_ContentLightLevelInfo, kCMFormatDescriptionExtension_AmbientViewingEnvironment,
  kCMFormatDescriptionExtension_AlphaChannelMode,
]

extension CMFormatDescription {
  public convenience init(
    videoCodecType: MediaSubType, width: Int, height: Int, extensions: Extensions? = nil
  ) throws {
    let (width, height) = (Int32(clamping: width), Int32(clamping: height))
    guard width > 0, height > 0, videoCodecType.rawValue != 0 else { throw Error.invalidParameter }
    self.init(
      type: kCMMediaType_Video, subType: videoCodecType.rawValue, extensions: extensions?.dictionary,
      detail: .video(CMVideoDimensions(width: width, height: height)))
  }

  /// The description of an uncompressed image: its pixel format, size and those attachments that both have.
  public convenience init(imageBuffer: CVImageBuffer) throws {
    self.init(
      type: kCMMediaType_Video, subType: CVPixelBufferGetPixelFormatType(imageBuffer),
      extensions: commonAttachments(imageBuffer),
      detail: .video(
        CMVideoDimensions(
          width: Int32(clamping: CVPixelBufferGetWidth(imageBuffer)),
          height: Int32(clamping: CVPixelBufferGetHeight(imageBuffer)))))
  }

  public convenience init(
    mediaType: MediaType, mediaSubType: MediaSubType, extensions: Extensions? = nil
  ) throws {
    guard mediaType.rawValue != 0 else { throw Error.invalidParameter }
    self.init(type: mediaType.rawValue, subType: mediaSubType.rawValue, extensions: extensions?.dictionary)
  }

  /// A description of any media type: pictures that are no video, such as an auxiliary track's, have a size too.
  package convenience init(
    mediaType: CMMediaType, codecType: FourCharCode, dimensions: CMVideoDimensions?, extensions: [String: Any]
  ) {
    self.init(
      type: mediaType, subType: codecType, extensions: extensions,
      detail: dimensions.map { .video($0) } ?? .none)
  }

  /// Encoded width and height in pixels; zero for what is no video.
  public var dimensions: CMVideoDimensions {
    if case .video(let dimensions) = detail { dimensions } else { CMVideoDimensions() }
  }

  /// The size in which the picture is to be shown: in square pixels where `usePixelAspectRatio`, of the clean aperture
  /// alone where asked.
  public func presentationDimensions(usePixelAspectRatio: Bool = true, useCleanAperture: Bool = true) -> CGSize {
    let full = CGSize(width: CGFloat(dimensions.width), height: CGFloat(dimensions.height))
    var size = useCleanAperture ? cleanAperture(originIsAtTopLeft: true).size : full
    if usePixelAspectRatio { size.width = size.width * pixelAspectRatio.horizontal / pixelAspectRatio.vertical }
    return size
  }

  /// Width of a pixel to its height; 1 to 1 where it is not said or makes no sense.
  private var pixelAspectRatio: (horizontal: Double, vertical: Double) {
    let ratio = extensionDictionary[kCMFormatDescriptionExtension_PixelAspectRatio] as? [String: Any]
    guard let horizontal = number(ratio?[kCMFormatDescriptionKey_PixelAspectRatioHorizontalSpacing]),
      let vertical = number(ratio?[kCMFormatDescriptionKey_PixelAspectRatioVerticalSpacing]), horizontal > 0,
      vertical > 0
    else { return (1, 1) }
    return (horizontal, vertical)
  }

  /// The clean aperture in encoded pixels: the whole picture where there is none. The origin is at the top left or at
  /// the bottom left.
  public func cleanAperture(originIsAtTopLeft: Bool = false) -> CGRect {
    let (width, height) = (Double(dimensions.width), Double(dimensions.height))
    let whole = CGRect(x: 0, y: 0, width: width, height: height)
    let aperture = extensionDictionary[kCMFormatDescriptionExtension_CleanAperture] as? [String: Any] ?? [:]
    guard let cleanWidth = aperture.part("Width"), let cleanHeight = aperture.part("Height"), cleanWidth > 0,
      cleanHeight > 0
    else { return whole }
    let x = (width - cleanWidth) / 2 + (aperture.part("HorizontalOffset") ?? 0)
    let y = (height - cleanHeight) / 2 + (aperture.part("VerticalOffset") ?? 0)
    return CGRect(x: x, y: originIsAtTopLeft ? y : height - y - cleanHeight, width: cleanWidth, height: cleanHeight)
  }

  public func matchesImageBuffer(_ imageBuffer: CVImageBuffer) -> Bool {
    CMVideoFormatDescriptionMatchesImageBuffer(self, imageBuffer: imageBuffer)
  }
}

extension [String: Any] {
  /// A part of a clean aperture: a number, or under the other key a numerator and a denominator.
  fileprivate func part(_ name: String) -> Double? {
    guard let rational = self["CleanAperture\(name)Rational"] as? [Any], rational.count == 2,
      let numerator = number(rational[0]),
      let denominator = number(rational[1]), denominator != 0
    else { return number(self[name]) }
    return numerator / denominator
  }
}
