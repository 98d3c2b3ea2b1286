public import CoreVideo

public let kCMFormatDescriptionExtensionKey_MetadataKeyTable: CFString = "MetadataKeyTable"

public let kCMMetadataFormatDescriptionKey_Namespace: CFString = "MetadataKeyNamespace"
public let kCMMetadataFormatDescriptionKey_Value: CFString = "MetadataKeyValue"
public let kCMMetadataFormatDescriptionKey_LocalID: CFString = "MetadataKeyLocalID"
public let kCMMetadataFormatDescriptionKey_DataType: CFString = "MetadataKeyDataType"
public let kCMMetadataFormatDescriptionKey_DataTypeNamespace: CFString = "MetadataKeyDataTypeNameSpace"
public let kCMMetadataFormatDescriptionKey_ConformingDataTypes: CFString = "MetadataKeyConformingDataTypes"
public let kCMMetadataFormatDescriptionKey_LanguageTag: CFString = "MetadataKeyLanguageTag"
public let kCMMetadataFormatDescriptionKey_StructuralDependency: CFString = "MetadataKeyStructuralDependency"
public let kCMMetadataFormatDescriptionKey_SetupData: CFString = "MetadataKeySetupData"
public let kCMMetadataFormatDescription_StructuralDependencyKey_DependencyIsInvalidFlag: CFString =
  "StructuralDependencyIsInvalidFlag"

public let kCMMetadataFormatDescriptionMetadataSpecificationKey_Identifier: CFString = "MetadataIdentifier"
public let kCMMetadataFormatDescriptionMetadataSpecificationKey_DataType: CFString = "MetadataDataType"
public let kCMMetadataFormatDescriptionMetadataSpecificationKey_ExtendedLanguageTag: CFString =
  "MetadataExtendedLanguageTag"
public let kCMMetadataFormatDescriptionMetadataSpecificationKey_StructuralDependency: CFString = "StructuralDependency"
public let kCMMetadataFormatDescriptionMetadataSpecificationKey_SetupData: CFString = "MetadataKeySetupData"

public let kCMMetadataKeySpace_QuickTimeUserData: CFString = "udta"
public let kCMMetadataKeySpace_ISOUserData: CFString = "uiso"
public let kCMMetadataKeySpace_QuickTimeMetadata: CFString = "mdta"
public let kCMMetadataKeySpace_iTunes: CFString = "itsk"
public let kCMMetadataKeySpace_ID3: CFString = "org.id3"
public let kCMMetadataKeySpace_Icy: CFString = "icy"
public let kCMMetadataKeySpace_HLSDateRange: CFString = "lsdr"

public let kCMMetadataIdentifier_QuickTimeMetadataLocation_ISO6709: CFString =
  "mdta/com.apple.quicktime.location.ISO6709"
public let kCMMetadataIdentifier_QuickTimeMetadataDirection_Facing: CFString =
  "mdta/com.apple.quicktime.direction.facing"
public let kCMMetadataIdentifier_QuickTimeMetadataPreferredAffineTransform: CFString =
  "mdta/com.apple.quicktime.preferred-affine-transform"
public let kCMMetadataIdentifier_QuickTimeMetadataVideoOrientation: CFString =
  "mdta/com.apple.quicktime.video-orientation"
public let kCMMetadataDataType_QuickTimeMetadataLocation_ISO6709: CFString = "com.apple.quicktime.location.ISO6709"
public let kCMMetadataDataType_QuickTimeMetadataDirection: CFString = "com.apple.quicktime.direction.facing"

public let kCMMetadataBaseDataType_RawData: CFString = "com.apple.metadata.datatype.raw-data"
public let kCMMetadataBaseDataType_UTF8: CFString = "com.apple.metadata.datatype.UTF-8"
public let kCMMetadataBaseDataType_UTF16: CFString = "com.apple.metadata.datatype.UTF-16"
public let kCMMetadataBaseDataType_GIF: CFString = "com.apple.metadata.datatype.GIF"
public let kCMMetadataBaseDataType_JPEG: CFString = "com.apple.metadata.datatype.JPEG"
public let kCMMetadataBaseDataType_PNG: CFString = "com.apple.metadata.datatype.PNG"
public let kCMMetadataBaseDataType_BMP: CFString = "com.apple.metadata.datatype.BMP"
public let kCMMetadataBaseDataType_Float32: CFString = "com.apple.metadata.datatype.float32"
public let kCMMetadataBaseDataType_Float64: CFString = "com.apple.metadata.datatype.float64"
public let kCMMetadataBaseDataType_SInt8: CFString = "com.apple.metadata.datatype.int8"
public let kCMMetadataBaseDataType_SInt16: CFString = "com.apple.metadata.datatype.int16"
public let kCMMetadataBaseDataType_SInt32: CFString = "com.apple.metadata.datatype.int32"
public let kCMMetadataBaseDataType_SInt64: CFString = "com.apple.metadata.datatype.int64"
public let kCMMetadataBaseDataType_UInt8: CFString = "com.apple.metadata.datatype.uint8"
public let kCMMetadataBaseDataType_UInt16: CFString = "com.apple.metadata.datatype.uint16"
public let kCMMetadataBaseDataType_UInt32: CFString = "com.apple.metadata.datatype.uint32"
public let kCMMetadataBaseDataType_UInt64: CFString = "com.apple.metadata.datatype.uint64"
public let kCMMetadataBaseDataType_PointF32: CFString = "com.apple.metadata.datatype.pointF32"
public let kCMMetadataBaseDataType_DimensionsF32: CFString = "com.apple.metadata.datatype.dimensionsF32"
public let kCMMetadataBaseDataType_RectF32: CFString = "com.apple.metadata.datatype.rectF32"
public let kCMMetadataBaseDataType_AffineTransformF64: CFString = "com.apple.metadata.datatype.affine-transformF64"
public let kCMMetadataBaseDataType_PolygonF32: CFString = "com.apple.metadata.datatype.polygonF32"
public let kCMMetadataBaseDataType_PolylineF32: CFString = "com.apple.metadata.datatype.polylineF32"
public let kCMMetadataBaseDataType_JSON: CFString = "com.apple.metadata.datatype.JSON"
public let kCMMetadataBaseDataType_PerspectiveTransformF64: CFString =
  "com.apple.metadata.datatype.perspective-transformF64"
