/// A codec that a writer can compress pictures with; the raw value is its four-character code.
public struct AVVideoCodecType: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  public static let hevc = AVVideoCodecType(rawValue: "hvc1")
  public static let h264 = AVVideoCodecType(rawValue: "avc1")
  /// This package's own: the disparity track of a Cinematic movie, HEVC of 10-bit grey under a name of its own.
  public static let disparityHEVC = AVVideoCodecType(rawValue: "dish")
  public static let proRes4444XQ = AVVideoCodecType(rawValue: "ap4x")
  public static let proRes4444 = AVVideoCodecType(rawValue: "ap4h")
  public static let proRes422HQ = AVVideoCodecType(rawValue: "apch")
  public static let proRes422 = AVVideoCodecType(rawValue: "apcn")
  public static let proRes422LT = AVVideoCodecType(rawValue: "apcs")
  public static let proRes422Proxy = AVVideoCodecType(rawValue: "apco")
}

/// The codec, as `AVVideoCodecType` or its raw value.
public let AVVideoCodecKey = "AVVideoCodecKey"
/// The width in pixels, a number.
public let AVVideoWidthKey = "AVVideoWidthKey"
/// The height in pixels, a number.
public let AVVideoHeightKey = "AVVideoHeightKey"
/// A dictionary of what follows below, for a writer.
public let AVVideoCompressionPropertiesKey = "AVVideoCompressionPropertiesKey"
/// A dictionary of primaries, transfer function and matrix.
public let AVVideoColorPropertiesKey = "AVVideoColorPropertiesKey"
public let AVVideoAllowWideColorKey = "AVVideoAllowWideColorKey"
public let AVVideoCleanApertureKey = "AVVideoCleanApertureKey"
public let AVVideoPixelAspectRatioKey = "AVVideoPixelAspectRatioKey"
public let AVVideoScalingModeKey = "AVVideoScalingModeKey"

/// This package's own, for `disparityHEVC`: what the codes stand for, a list of the least and the greatest disparity; (0, 16) unless set.
public let AVVideoDisparityRangeKey = "OpenCinematicDisparityRange"

// MARK: - Compression properties

/// Bits a second on average, a number.
public let AVVideoAverageBitRateKey = "AverageBitRate"
/// 0 (smallest) to 1 (best), a number.
public let AVVideoQualityKey = "Quality"
/// The most frames from one key frame to the next.
public let AVVideoMaxKeyFrameIntervalKey = "MaxKeyFrameInterval"
/// The most seconds from one key frame to the next.
public let AVVideoMaxKeyFrameIntervalDurationKey = "MaxKeyFrameIntervalDuration"
/// Whether frames may be stored in another order than they are shown; true unless told otherwise.
public let AVVideoAllowFrameReorderingKey = "AllowFrameReordering"
/// Frames a second that are expected; a hint for the encoder.
public let AVVideoExpectedSourceFrameRateKey = "ExpectedFrameRate"
/// Profile and level: one of the constants below.
public let AVVideoProfileLevelKey = "ProfileLevel"
/// This package's own: the constant rate factor of the encoder, 0 (best) to 51, a number. It wins over quality and bit rate.
public let AVVideoConstantRateFactorKey = "OpenCinematicConstantRateFactor"
/// This package's own: the name of the encoder's preset, from `ultrafast` to `placebo`, a string.
public let AVVideoEncoderPresetKey = "OpenCinematicEncoderPreset"
/// This package's own: the most threads that the encoder may use, a number; 0 lets it choose.
public let AVVideoEncoderThreadCountKey = "OpenCinematicEncoderThreadCount"

public let AVVideoProfileLevelH264BaselineAutoLevel = "H264_Baseline_AutoLevel"
public let AVVideoProfileLevelH264MainAutoLevel = "H264_Main_AutoLevel"
public let AVVideoProfileLevelH264HighAutoLevel = "H264_High_AutoLevel"
public let kVTProfileLevel_HEVC_Main_AutoLevel = "HEVC_Main_AutoLevel"
public let kVTProfileLevel_HEVC_Main10_AutoLevel = "HEVC_Main10_AutoLevel"

// MARK: - Colour properties

public let AVVideoColorPrimariesKey = "ColorPrimaries"
public let AVVideoTransferFunctionKey = "TransferFunction"
public let AVVideoYCbCrMatrixKey = "YCbCrMatrix"

public let AVVideoColorPrimaries_ITU_R_709_2 = "ITU_R_709_2"
public let AVVideoColorPrimaries_EBU_3213 = "EBU_3213"
public let AVVideoColorPrimaries_SMPTE_C = "SMPTE_C"
public let AVVideoColorPrimaries_P3_D65 = "P3_D65"
public let AVVideoColorPrimaries_ITU_R_2020 = "ITU_R_2020"

public let AVVideoTransferFunction_ITU_R_709_2 = "ITU_R_709_2"
public let AVVideoTransferFunction_SMPTE_240M_1995 = "SMPTE_240M_1995"
public let AVVideoTransferFunction_SMPTE_ST_2084_PQ = "SMPTE_ST_2084_PQ"
public let AVVideoTransferFunction_ITU_R_2100_HLG = "ITU_R_2100_HLG"
public let AVVideoTransferFunction_Linear = "Linear"
public let AVVideoTransferFunction_IEC_sRGB = "IEC_sRGB"

public let AVVideoYCbCrMatrix_ITU_R_709_2 = "ITU_R_709_2"
public let AVVideoYCbCrMatrix_ITU_R_601_4 = "ITU_R_601_4"
public let AVVideoYCbCrMatrix_SMPTE_240M_1995 = "SMPTE_240M_1995"
public let AVVideoYCbCrMatrix_ITU_R_2020 = "ITU_R_2020"

// MARK: - Shape

/// Pictures of another size are stretched to the one asked for; also what holds where the key is absent.
public let AVVideoScalingModeResize = "AVVideoScalingModeResize"
public let AVVideoScalingModeFit = "AVVideoScalingModeFit"
public let AVVideoScalingModeResizeAspect = "AVVideoScalingModeResizeAspect"
public let AVVideoScalingModeResizeAspectFill = "AVVideoScalingModeResizeAspectFill"
public let AVVideoPixelAspectRatioHorizontalSpacingKey = "HorizontalSpacing"
public let AVVideoPixelAspectRatioVerticalSpacingKey = "VerticalSpacing"
public let AVVideoH264EntropyModeKey = "H264EntropyMode"
public let AVVideoAverageNonDroppableFrameRateKey = "AverageNonDroppableFrameRate"
