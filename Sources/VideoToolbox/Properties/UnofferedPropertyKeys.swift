public import CoreVideo

// Keys of properties that no session here has: a session answers them with `kVTPropertyNotSupportedErr`, as one of Apple's
// systems does whose decoder lacks them.

public let kVTDecompressionPropertyKey_MaximizePowerEfficiency: CFString = "MaximizePowerEfficiency"
public let kVTDecompressionPropertyKey_SuggestedQualityOfServiceTiers: CFString = "SuggestedQualityOfServiceTiers"
public let kVTDecompressionPropertyKey_PropagatePerFrameHDRDisplayMetadata: CFString =
  "PropagatePerFrameHDRDisplayMetadata"
public let kVTDecompressionPropertyKey_GeneratePerFrameHDRDisplayMetadata: CFString =
  "GeneratePerFrameHDRDisplayMetadata"
public let kVTDecompressionPropertyKey_DecoderProducesRAWOutput: CFString = "DecoderProducesRAWOutput"
public let kVTDecompressionPropertyKey_RequestRAWOutput: CFString = "RequestRAWOutput"

public let kVTPixelTransferPropertyKey_DestinationColorPrimaries: CFString = "DestinationColorPrimaries"
public let kVTPixelTransferPropertyKey_DestinationTransferFunction: CFString = "DestinationTransferFunction"
public let kVTPixelTransferPropertyKey_DestinationYCbCrMatrix: CFString = "DestinationYCbCrMatrix"
