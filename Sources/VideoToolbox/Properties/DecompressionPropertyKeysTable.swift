public import CoreVideo

// MARK: - Who decodes: the keys of a decoder specification

/// Whether a device may decode: true (the standard) allows it, false forbids it.
public let kVTVideoDecoderSpecification_EnableHardwareAcceleratedVideoDecoder: CFString =
  "EnableHardwareAcceleratedVideoDecoder"
/// Whether a device must decode; a session is not made where there is none for the format.
public let kVTVideoDecoderSpecification_RequireHardwareAcceleratedVideoDecoder: CFString =
  "RequireHardwareAcceleratedVideoDecoder"
/// This package's own: the name of the device that must decode, a string.
public let kVTVideoDecoderSpecification_RequiredDeviceName: CFString = "OpenCinematicRequiredDeviceName"

// MARK: - Pools and frames

/// The pool of the pictures that are put out. Read-only.
public let kVTDecompressionPropertyKey_PixelBufferPool: CFString = "PixelBufferPool"
/// Whether the decoder writes into that pool itself; false where a conversion lies between. Read-only.
public let kVTDecompressionPropertyKey_PixelBufferPoolIsShared: CFString = "PixelBufferPoolIsShared"
/// Pictures that the pool keeps though nobody uses them; a new pool is made when it changes, 0 takes the wish back.
public let kVTDecompressionPropertyKey_OutputPoolRequestedMinimumBufferCount: CFString =
  "OutputPoolRequestedMinimumBufferCount"
/// Frames handed in whose callback has not been made. Read-only.
public let kVTDecompressionPropertyKey_NumberOfFramesBeingDecoded: CFString = "NumberOfFramesBeingDecoded"
/// The earliest and the latest presentation time among them, a `CMTime` as a dictionary; invalid where there is none.
/// Read-only.
public let kVTDecompressionPropertyKey_MinOutputPresentationTimeStampOfFramesBeingDecoded: CFString =
  "MinOutputPresentationTimeStampOfFramesBeingDecoded"
public let kVTDecompressionPropertyKey_MaxOutputPresentationTimeStampOfFramesBeingDecoded: CFString =
  "MaxOutputPresentationTimeStampOfFramesBeingDecoded"

// MARK: - The content and its decoder

/// Whether frames need others. Read-only.
public let kVTDecompressionPropertyKey_ContentHasInterframeDependencies: CFString = "ContentHasInterframeDependencies"
/// Whether a device decodes. Read-only.
public let kVTDecompressionPropertyKey_UsingHardwareAcceleratedVideoDecoder: CFString =
  "UsingHardwareAcceleratedVideoDecoder"
/// Whether asynchronous frames are decoded with the priority of what a user waits for (the standard) or of work in the
/// background; a hint.
public let kVTDecompressionPropertyKey_RealTime: CFString = "RealTime"
/// Threads that decode; 0 lets the decoder choose.
public let kVTDecompressionPropertyKey_ThreadCount: CFString = "ThreadCount"
/// Pixel formats as numbers, the most faithful first. Read-only.
public let kVTDecompressionPropertyKey_SupportedPixelFormatsOrderedByQuality: CFString =
  "SupportedPixelFormatsOrderedByQuality"
/// Pixel formats as numbers, those that cost no conversion first. Read-only.
public let kVTDecompressionPropertyKey_SupportedPixelFormatsOrderedByPerformance: CFString =
  "SupportedPixelFormatsOrderedByPerformance"
/// The properties of the pixel transfer between decoder and output, a dictionary; see `VTPixelTransferSession`.
public let kVTDecompressionPropertyKey_PixelTransferProperties: CFString = "PixelTransferProperties"

// MARK: - Fields

/// What becomes of interlaced pictures: a value of `kVTDecompressionProperty_FieldMode_…`.
public let kVTDecompressionPropertyKey_FieldMode: CFString = "FieldMode"
/// Both fields woven, as they are stored: the standard.
public let kVTDecompressionProperty_FieldMode_BothFields: CFString = "BothFields"
/// The rows of one field alone, half the height.
public let kVTDecompressionProperty_FieldMode_TopFieldOnly: CFString = "TopFieldOnly"
public let kVTDecompressionProperty_FieldMode_BottomFieldOnly: CFString = "BottomFieldOnly"
/// The rows of the field that is shown first, half the height.
public let kVTDecompressionProperty_FieldMode_SingleField: CFString = "SingleField"
/// One picture of the whole height without combs; see `kVTDecompressionPropertyKey_DeinterlaceMode`.
public let kVTDecompressionProperty_FieldMode_DeinterlaceFields: CFString = "DeinterlaceFields"
/// How fields are deinterlaced.
public let kVTDecompressionPropertyKey_DeinterlaceMode: CFString = "DeinterlaceMode"
/// Each row is its own half and a quarter of either neighbour: the standard, and the only one that is made here.
public let kVTDecompressionProperty_DeinterlaceMode_VerticalFilter: CFString = "VerticalFilter"
public let kVTDecompressionProperty_DeinterlaceMode_Temporal: CFString = "Temporal"

// MARK: - Less than all

/// The least size that is wanted, a dictionary of width and height. ProRes is then decoded at 1/2, 1/4 or 1/8, the smallest that
/// is not below it. Null takes the wish back.
public let kVTDecompressionPropertyKey_ReducedResolutionDecode: CFString = "ReducedResolutionDecode"
public let kVTDecompressionResolutionKey_Width: CFString = "Width"
public let kVTDecompressionResolutionKey_Height: CFString = "Height"
/// The share of frames that are put out, 0 to 1, evenly spread; only of content whose frames need no others. Null is 1.
public let kVTDecompressionPropertyKey_ReducedFrameDelivery: CFString = "ReducedFrameDelivery"
/// Which frames are decoded: a value of `kVTDecompressionProperty_OnlyTheseFrames_…`.
public let kVTDecompressionPropertyKey_OnlyTheseFrames: CFString = "OnlyTheseFrames"
public let kVTDecompressionProperty_OnlyTheseFrames_AllFrames: CFString = "AllFrames"
/// Not those that no other frame needs, as their samples' attachments say.
public let kVTDecompressionProperty_OnlyTheseFrames_NonDroppableFrames: CFString = "NonDroppableFrames"
/// Those that need no other frame.
public let kVTDecompressionProperty_OnlyTheseFrames_IFrames: CFString = "IFrames"
/// Those at which decoding can start.
public let kVTDecompressionProperty_OnlyTheseFrames_KeyFrames: CFString = "KeyFrames"

// MARK: - Damage

/// This package's own: what stands in place of ProRes slices that cannot be read. Pictures tell of them by
/// `kCVImageBufferDamagedSlicesKey`.
public let kVTDecompressionPropertyKey_DamageConcealment: CFString = "OpenCinematicDamageConcealment"
public let kVTDecompressionProperty_DamageConcealment_Grey: CFString = "Grey"
/// The same place of the last picture. Pictures are then not modifiable.
public let kVTDecompressionProperty_DamageConcealment_PreviousPicture: CFString = "PreviousPicture"
