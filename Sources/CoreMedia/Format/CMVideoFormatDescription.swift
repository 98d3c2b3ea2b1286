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

/// Makes a description of video in a codec. The extensions are copied deeply. -12710 for a size that is not positive or a codec of zero.
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
public func CMVideoFormatDescriptionCreateForImageBuffer(
  allocator: CFAllocator?, imageBuffer: CVImageBuffer,
  formatDescriptionOut: UnsafeMutablePointer<CMVideoFormatDescription?>
) -> OSStatus {
  fatalError()
}

/// Whether the description is the one `CMVideoFormatDescriptionCreateForImageBuffer` would make for the image.
public func CMVideoFormatDescriptionMatchesImageBuffer(_ desc: CMVideoFormatDescription, imageBuffer: CVImageBuffer)
  -> Bool
{
  fatalError()
}

/// Encoded width and height in pixels; zero for what is no video.
public func CMVideoFormatDescriptionGetDimensions(_ videoDesc: CMVideoFormatDescription) -> CMVideoDimensions {
  videoDesc.dimensions
}

/// The size in which the picture is to be shown, in square pixels where `usePixelAspectRatio`, of the clean aperture alone where asked.
public func CMVideoFormatDescriptionGetPresentationDimensions(
  _ videoDesc: CMVideoFormatDescription, usePixelAspectRatio: Bool, useCleanAperture: Bool
) -> CGSize {
  videoDesc.presentationDimensions(usePixelAspectRatio: usePixelAspectRatio, useCleanAperture: useCleanAperture)
}

/// The clean aperture in encoded pixels: the whole picture where there is none. The origin is at the top left or at the bottom left.
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

  public convenience init(
    mediaType: MediaType, mediaSubType: MediaSubType, extensions: Extensions? = nil
  ) throws {
    guard mediaType.rawValue != 0 else { throw Error.invalidParameter }
    self.init(type: mediaType.rawValue, subType: mediaSubType.rawValue, extensions: extensions?.dictionary)
  }

  /// Encoded width and height in pixels; zero for what is no video.
  public var dimensions: CMVideoDimensions {
    if case .video(let dimensions) = detail { dimensions } else { CMVideoDimensions() }
  }

  public func presentationDimensions(usePixelAspectRatio: Bool = true, useCleanAperture: Bool = true) -> CGSize {
    fatalError()
  }

  public func cleanAperture(originIsAtTopLeft: Bool = false) -> CGRect { fatalError() }
  public func matchesImageBuffer(_ imageBuffer: CVImageBuffer) -> Bool {
    CMVideoFormatDescriptionMatchesImageBuffer(self, imageBuffer: imageBuffer)
  }
}
