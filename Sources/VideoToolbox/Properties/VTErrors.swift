public import CoreVideo

// What VideoToolbox's functions answer; 0 is success.

public let kVTPropertyNotSupportedErr: OSStatus = -12900
public let kVTPropertyReadOnlyErr: OSStatus = -12901
public let kVTParameterErr: OSStatus = -12902
public let kVTInvalidSessionErr: OSStatus = -12903
public let kVTAllocationFailedErr: OSStatus = -12904
public let kVTPixelTransferNotSupportedErr: OSStatus = -12905
public let kVTCouldNotFindVideoDecoderErr: OSStatus = -12906
public let kVTCouldNotCreateInstanceErr: OSStatus = -12907
public let kVTCouldNotFindVideoEncoderErr: OSStatus = -12908
public let kVTVideoDecoderBadDataErr: OSStatus = -12909
public let kVTVideoDecoderUnsupportedDataFormatErr: OSStatus = -12910
public let kVTVideoDecoderMalfunctionErr: OSStatus = -12911
public let kVTVideoEncoderMalfunctionErr: OSStatus = -12912
public let kVTVideoDecoderNotAvailableNowErr: OSStatus = -12913
public let kVTPixelRotationNotSupportedErr: OSStatus = -12914
public let kVTVideoEncoderNotAvailableNowErr: OSStatus = -12915
public let kVTFormatDescriptionChangeNotSupportedErr: OSStatus = -12916
public let kVTInsufficientSourceColorDataErr: OSStatus = -12917
public let kVTCouldNotCreateColorCorrectionDataErr: OSStatus = -12918
public let kVTColorSyncTransformConvertFailedErr: OSStatus = -12919
public let kVTVideoDecoderAuthorizationErr: OSStatus = -12210
public let kVTVideoEncoderAuthorizationErr: OSStatus = -12211
public let kVTColorCorrectionPixelTransferFailedErr: OSStatus = -12212
public let kVTMultiPassStorageIdentifierMismatchErr: OSStatus = -12213
public let kVTMultiPassStorageInvalidErr: OSStatus = -12214
public let kVTFrameSiloInvalidTimeStampErr: OSStatus = -12215
public let kVTFrameSiloInvalidTimeRangeErr: OSStatus = -12216
public let kVTCouldNotFindTemporalFilterErr: OSStatus = -12217
public let kVTPixelTransferNotPermittedErr: OSStatus = -12218
public let kVTColorCorrectionImageRotationFailedErr: OSStatus = -12219
public let kVTVideoDecoderRemovedErr: OSStatus = -17690
public let kVTSessionMalfunctionErr: OSStatus = -17691
public let kVTVideoDecoderNeedsRosettaErr: OSStatus = -17692
public let kVTVideoEncoderNeedsRosettaErr: OSStatus = -17693
public let kVTVideoDecoderReferenceMissingErr: OSStatus = -17694
public let kVTVideoDecoderCallbackMessagingErr: OSStatus = -17695
public let kVTVideoDecoderUnknownErr: OSStatus = -17696
