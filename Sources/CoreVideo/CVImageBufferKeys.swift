// What can be attached to a picture, with Apple's values; the numbers behind the names are those of ITU-T H.273.

public let kCVImageBufferYCbCrMatrixKey: CFString = "CVImageBufferYCbCrMatrix"
public let kCVImageBufferYCbCrMatrix_ITU_R_709_2: CFString = "ITU_R_709_2"
public let kCVImageBufferYCbCrMatrix_ITU_R_601_4: CFString = "ITU_R_601_4"
public let kCVImageBufferYCbCrMatrix_SMPTE_240M_1995: CFString = "SMPTE_240M_1995"
public let kCVImageBufferYCbCrMatrix_ITU_R_2020: CFString = "ITU_R_2020"
public let kCVImageBufferYCbCrMatrix_DCI_P3: CFString = "DCI_P3"
public let kCVImageBufferYCbCrMatrix_P3_D65: CFString = "P3_D65"

public let kCVImageBufferColorPrimariesKey: CFString = "CVImageBufferColorPrimaries"
public let kCVImageBufferColorPrimaries_ITU_R_709_2: CFString = "ITU_R_709_2"
public let kCVImageBufferColorPrimaries_EBU_3213: CFString = "EBU_3213"
public let kCVImageBufferColorPrimaries_SMPTE_C: CFString = "SMPTE_C"
public let kCVImageBufferColorPrimaries_P22: CFString = "P22"
public let kCVImageBufferColorPrimaries_DCI_P3: CFString = "DCI_P3"
public let kCVImageBufferColorPrimaries_P3_D65: CFString = "P3_D65"
public let kCVImageBufferColorPrimaries_ITU_R_2020: CFString = "ITU_R_2020"

public let kCVImageBufferTransferFunctionKey: CFString = "CVImageBufferTransferFunction"
public let kCVImageBufferTransferFunction_ITU_R_709_2: CFString = "ITU_R_709_2"
public let kCVImageBufferTransferFunction_SMPTE_240M_1995: CFString = "SMPTE_240M_1995"
public let kCVImageBufferTransferFunction_UseGamma: CFString = "UseGamma"
public let kCVImageBufferTransferFunction_sRGB: CFString = "IEC_sRGB"
public let kCVImageBufferTransferFunction_ITU_R_2020: CFString = "ITU_R_2020"
public let kCVImageBufferTransferFunction_SMPTE_ST_428_1: CFString = "SMPTE_ST_428_1"
public let kCVImageBufferTransferFunction_SMPTE_ST_2084_PQ: CFString = "SMPTE_ST_2084_PQ"
public let kCVImageBufferTransferFunction_ITU_R_2100_HLG: CFString = "ITU_R_2100_HLG"
public let kCVImageBufferTransferFunction_Linear: CFString = "Linear"

public let kCVImageBufferChromaLocationTopFieldKey: CFString = "CVImageBufferChromaLocationTopField"
public let kCVImageBufferChromaLocationBottomFieldKey: CFString = "CVImageBufferChromaLocationBottomField"
public let kCVImageBufferChromaLocation_Left: CFString = "Left"
public let kCVImageBufferChromaLocation_Center: CFString = "Center"
public let kCVImageBufferChromaLocation_TopLeft: CFString = "TopLeft"
public let kCVImageBufferChromaLocation_Top: CFString = "Top"
public let kCVImageBufferChromaLocation_BottomLeft: CFString = "BottomLeft"
public let kCVImageBufferChromaLocation_Bottom: CFString = "Bottom"
public let kCVImageBufferChromaLocation_DV420: CFString = "DV 4:2:0"
public let kCVImageBufferChromaSubsamplingKey: CFString = "CVImageBufferChromaSubsampling"
public let kCVImageBufferChromaSubsampling_420: CFString = "4:2:0"
public let kCVImageBufferChromaSubsampling_422: CFString = "4:2:2"
public let kCVImageBufferChromaSubsampling_411: CFString = "4:1:1"

public let kCVImageBufferGammaLevelKey: CFString = "CVImageBufferGammaLevel"
public let kCVImageBufferCGColorSpaceKey: CFString = "CGColorSpace"
public let kCVImageBufferICCProfileKey: CFString = "CVImageBufferICCProfile"

public let kCVImageBufferCleanApertureKey: CFString = "CVCleanAperture"
public let kCVImageBufferCleanApertureWidthKey: CFString = "Width"
public let kCVImageBufferCleanApertureHeightKey: CFString = "Height"
public let kCVImageBufferCleanApertureHorizontalOffsetKey: CFString = "HorizontalOffset"
public let kCVImageBufferCleanApertureVerticalOffsetKey: CFString = "VerticalOffset"
public let kCVImageBufferPixelAspectRatioKey: CFString = "CVPixelAspectRatio"
public let kCVImageBufferPixelAspectRatioHorizontalSpacingKey: CFString = "HorizontalSpacing"
public let kCVImageBufferPixelAspectRatioVerticalSpacingKey: CFString = "VerticalSpacing"
public let kCVImageBufferDisplayDimensionsKey: CFString = "CVDisplayDimensions"
public let kCVImageBufferDisplayWidthKey: CFString = "Width"
public let kCVImageBufferDisplayHeightKey: CFString = "Height"
public let kCVImageBufferFieldCountKey: CFString = "CVFieldCount"
public let kCVImageBufferFieldDetailKey: CFString = "CVFieldDetail"

public let kCVImageBufferAlphaChannelIsOpaque: CFString = "CVImageBufferAlphaChannelIsOpaque"
public let kCVImageBufferAlphaChannelModeKey: CFString = "AlphaChannelMode"
public let kCVImageBufferAlphaChannelMode_StraightAlpha: CFString = "StraightAlpha"
public let kCVImageBufferAlphaChannelMode_PremultipliedAlpha: CFString = "PremultipliedAlpha"

public let kCVImageBufferMasteringDisplayColorVolumeKey: CFString = "MasteringDisplayColorVolume"
public let kCVImageBufferContentLightLevelInfoKey: CFString = "ContentLightLevelInfo"
public let kCVImageBufferAmbientViewingEnvironmentKey: CFString = "AmbientViewingEnvironment"

/// This package's own: what of the picture could not be decoded and was concealed, an array of dictionaries, one for each
/// slice of the bitstream; absent where nothing is damaged.
///
/// Places are in pixels of the picture as it was decoded, before any scaling.
public let kCVImageBufferDamagedSlicesKey: CFString = "OpenCinematicDamagedSlices"
/// The number of the slice, from 0, counted through both fields.
public let kCVImageBufferDamagedSliceNumberKey: CFString = "Slice"
/// The left edge, the top edge from the top of the picture, the width and the height of what the slice covers.
public let kCVImageBufferDamagedSliceXKey: CFString = "X"
public let kCVImageBufferDamagedSliceYKey: CFString = "Y"
public let kCVImageBufferDamagedSliceWidthKey: CFString = "Width"
public let kCVImageBufferDamagedSliceHeightKey: CFString = "Height"
/// 2 where only every other row is damaged, beginning with the top one: that of a field.
public let kCVImageBufferDamagedSliceRowStepKey: CFString = "RowStep"

/// A name of Core Video beside its number in ITU-T H.273; the first of two names for one number is the one given back.
private typealias CodePoints = [(name: String, code: Int32)]

private let matrices: CodePoints = [
  ("ITU_R_709_2", 1), ("ITU_R_601_4", 6), ("ITU_R_601_4", 5), ("SMPTE_240M_1995", 7), ("ITU_R_2020", 9), ("DCI_P3", 11),
  ("P3_D65", 12),
]
private let primaries: CodePoints = [
  ("ITU_R_709_2", 1), ("EBU_3213", 5), ("SMPTE_C", 6), ("SMPTE_C", 7), ("ITU_R_2020", 9), ("DCI_P3", 11),
  ("P3_D65", 12),
  ("P22", 22),
]
private let transfers: CodePoints = [
  ("ITU_R_709_2", 1), ("ITU_R_709_2", 6), ("SMPTE_240M_1995", 7), ("Linear", 8), ("IEC_sRGB", 13), ("ITU_R_2020", 14),
  ("ITU_R_2020", 15), ("SMPTE_ST_2084_PQ", 16), ("SMPTE_ST_428_1", 17), ("ITU_R_2100_HLG", 18),
]

extension [(name: String, code: Int32)] {
  /// 2, "unspecified", for a name that is not known.
  fileprivate func code(_ name: String?) -> Int32 { first { $0.name == name }?.code ?? 2 }
  fileprivate func name(_ code: Int32) -> String? { first { $0.code == code }?.name }
}

public func CVYCbCrMatrixGetIntegerCodePointForString(_ name: CFString?) -> Int32 { matrices.code(name) }
public func CVColorPrimariesGetIntegerCodePointForString(_ name: CFString?) -> Int32 { primaries.code(name) }
public func CVTransferFunctionGetIntegerCodePointForString(_ name: CFString?) -> Int32 { transfers.code(name) }
public func CVYCbCrMatrixGetStringForIntegerCodePoint(_ code: Int32) -> CFString? { matrices.name(code) }
public func CVColorPrimariesGetStringForIntegerCodePoint(_ code: Int32) -> CFString? { primaries.name(code) }
public func CVTransferFunctionGetStringForIntegerCodePoint(_ code: Int32) -> CFString? { transfers.name(code) }
