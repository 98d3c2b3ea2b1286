public import CoreVideo
internal import Foundation

extension CMFormatDescription {
  /// The extensions of a format description, by typed keys.
  public struct Extensions: @unchecked Sendable {
    // Unchecked: the values are canonical property-list copies.
    private var values: [Key: Value]

    public init() { values = [:] }
    public init(base: [Key: Value]) { values = base }
    init(_ dictionary: [String: Any]) {
      values = Dictionary(
        uniqueKeysWithValues: dictionary.map { (Key(rawValue: $0.key), Value(canonicalProperty($0.value))) })
    }

    public subscript(key: Key) -> Value? {
      get { values[key] }
      set { values[key] = newValue }
    }

    /// The extensions as the C interface has them.
    public var dictionary: CFDictionary {
      Dictionary(uniqueKeysWithValues: values.map { ($0.key.rawValue, $0.value.propertyListRepresentation) })
    }

    /// The name of an extension.
    public struct Key: RawRepresentable, Hashable, Sendable {
      public let rawValue: CFString
      public init(rawValue: CFString) { self.rawValue = rawValue }

      public static let originalCompressionSettings = Key(
        rawValue: kCMFormatDescriptionExtension_OriginalCompressionSettings)
      public static let sampleDescriptionExtensionAtoms = Key(
        rawValue: kCMFormatDescriptionExtension_SampleDescriptionExtensionAtoms)
      public static let verbatimSampleDescription = Key(
        rawValue: kCMFormatDescriptionExtension_VerbatimSampleDescription)
      public static let verbatimISOSampleEntry = Key(rawValue: kCMFormatDescriptionExtension_VerbatimISOSampleEntry)
      public static let verbatimImageDescription = Key(rawValue: kCMFormatDescriptionExtension_VerbatimImageDescription)
      public static let formatName = Key(rawValue: kCMFormatDescriptionExtension_FormatName)
      public static let depth = Key(rawValue: kCMFormatDescriptionExtension_Depth)
      public static let cleanAperture = Key(rawValue: kCMFormatDescriptionExtension_CleanAperture)
      public static let pixelAspectRatio = Key(rawValue: kCMFormatDescriptionExtension_PixelAspectRatio)
      public static let fieldCount = Key(rawValue: kCMFormatDescriptionExtension_FieldCount)
      public static let fieldDetail = Key(rawValue: kCMFormatDescriptionExtension_FieldDetail)
      public static let colorPrimaries = Key(rawValue: kCMFormatDescriptionExtension_ColorPrimaries)
      public static let transferFunction = Key(rawValue: kCMFormatDescriptionExtension_TransferFunction)
      public static let gammaLevel = Key(rawValue: kCMFormatDescriptionExtension_GammaLevel)
      public static let yCbCrMatrix = Key(rawValue: kCMFormatDescriptionExtension_YCbCrMatrix)
      public static let fullRangeVideo = Key(rawValue: kCMFormatDescriptionExtension_FullRangeVideo)
      public static let iccProfile = Key(rawValue: kCMFormatDescriptionExtension_ICCProfile)
      public static let bytesPerRow = Key(rawValue: kCMFormatDescriptionExtension_BytesPerRow)
      public static let chromaLocationTopField = Key(rawValue: kCMFormatDescriptionExtension_ChromaLocationTopField)
      public static let chromaLocationBottomField = Key(
        rawValue: kCMFormatDescriptionExtension_ChromaLocationBottomField)
      public static let conformsToMPEG2VideoProfile = Key(rawValue: kCMFormatDescriptionConformsToMPEG2VideoProfile)
      public static let temporalQuality = Key(rawValue: kCMFormatDescriptionExtension_TemporalQuality)
      public static let spatialQuality = Key(rawValue: kCMFormatDescriptionExtension_SpatialQuality)
      public static let version = Key(rawValue: kCMFormatDescriptionExtension_Version)
      public static let revisionLevel = Key(rawValue: kCMFormatDescriptionExtension_RevisionLevel)
      public static let vendor = Key(rawValue: kCMFormatDescriptionExtension_Vendor)
      public static let masteringDisplayColorVolume = Key(
        rawValue: kCMFormatDescriptionExtension_MasteringDisplayColorVolume)
      public static let contentLightLevelInfo = Key(rawValue: kCMFormatDescriptionExtension_ContentLightLevelInfo)
      public static let contentColorVolume = Key(rawValue: kCMFormatDescriptionExtension_ContentColorVolume)
      public static let alternativeTransferCharacteristics = Key(
        rawValue: kCMFormatDescriptionExtension_AlternativeTransferCharacteristics)
      public static let ambientViewingEnvironment = Key(
        rawValue: kCMFormatDescriptionExtension_AmbientViewingEnvironment)
      public static let auxiliaryTypeInfo = Key(rawValue: kCMFormatDescriptionExtension_AuxiliaryTypeInfo)
      public static let alphaChannelMode = Key(rawValue: kCMFormatDescriptionExtension_AlphaChannelMode)
      public static let containsAlphaChannel = Key(rawValue: kCMFormatDescriptionExtension_ContainsAlphaChannel)
      public static let bitsPerComponent = Key(rawValue: kCMFormatDescriptionExtension_BitsPerComponent)
      public static let logTransferFunction = Key(rawValue: kCMFormatDescriptionExtension_LogTransferFunction)
      public static let protectedContentOriginalFormat = Key(
        rawValue: kCMFormatDescriptionExtension_ProtectedContentOriginalFormat)
      public static let horizontalFieldOfView = Key(rawValue: kCMFormatDescriptionExtension_HorizontalFieldOfView)
      public static let heroEye = Key(rawValue: kCMFormatDescriptionExtension_HeroEye)
      public static let hasLeftStereoEyeView = Key(rawValue: kCMFormatDescriptionExtension_HasLeftStereoEyeView)
      public static let hasRightStereoEyeView = Key(rawValue: kCMFormatDescriptionExtension_HasRightStereoEyeView)
      public static let hasAdditionalViews = Key(rawValue: kCMFormatDescriptionExtension_HasAdditionalViews)
      public static let horizontalDisparityAdjustment = Key(
        rawValue: kCMFormatDescriptionExtension_HorizontalDisparityAdjustment)
      public static let stereoCameraBaseline = Key(rawValue: kCMFormatDescriptionExtension_StereoCameraBaseline)
      public static let projectionKind = Key(rawValue: kCMFormatDescriptionExtension_ProjectionKind)
      public static let viewPackingKind = Key(rawValue: kCMFormatDescriptionExtension_ViewPackingKind)
      public static let metadataKeyTable = Key(rawValue: kCMFormatDescriptionExtensionKey_MetadataKeyTable)
    }

    /// The value of an extension: a property list.
    public struct Value: Hashable, @unchecked Sendable {
      // Unchecked: a canonical property-list copy.
      public let propertyListRepresentation: CFPropertyList

      init(_ canonical: Any) { propertyListRepresentation = canonical }
      public init(propertyListRepresentation: CFPropertyList) {
        self.propertyListRepresentation = canonicalProperty(propertyListRepresentation)
      }

      public static func string(_ value: CFString) -> Value { Value(value) }
      public static func number(_ value: Int) -> Value { Value(value) }
      public static func number(_ value: Double) -> Value { Value(value) }
      public static func data(_ value: Data) -> Value { Value(value) }
      public static func colorPrimaries(_ value: ColorPrimaries) -> Value { Value(value.rawValue) }
      public static func transferFunction(_ value: TransferFunction) -> Value { Value(value.rawValue) }
      public static func yCbCrMatrix(_ value: YCbCrMatrix) -> Value { Value(value.rawValue) }

      public static func == (lhs: Value, rhs: Value) -> Bool {
        propertiesAreEqual(lhs.propertyListRepresentation, rhs.propertyListRepresentation)
      }

      public func hash(into hasher: inout Hasher) {
        // Equal numbers of different types are equal; everything else may share a bucket.
        hasher.combine(CoreVideo.number(propertyListRepresentation))
        hasher.combine(propertyListRepresentation as? String)
      }
    }
  }

  /// All extensions.
  public var extensions: Extensions { Extensions(extensionDictionary) }
}

extension CMFormatDescription.Extensions: Collection, Equatable {
  public typealias Index = Dictionary<Key, Value>.Index
  public var startIndex: Index { values.startIndex }
  public var endIndex: Index { values.endIndex }
  public func index(after i: Index) -> Index { values.index(after: i) }
  public subscript(position: Index) -> (key: Key, value: Value) { values[position] }
}

extension CMFormatDescription.Extensions: ExpressibleByDictionaryLiteral {
  public init(dictionaryLiteral elements: (Key, Value)...) {
    self.init(base: Dictionary(elements, uniquingKeysWith: { $1 }))
  }
}

extension CMFormatDescription.Extensions.Value: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral
{
  public init(stringLiteral value: String) { self.init(value) }
  public init(integerLiteral value: Int) { self.init(value) }
  public init(floatLiteral value: Double) { self.init(value) }
  public init(booleanLiteral value: Bool) { self.init(value) }
}

// MARK: - Colour

extension CMFormatDescription.Extensions.Value {
  public struct ColorPrimaries: RawRepresentable, Hashable, Sendable {
    public let rawValue: CFString
    public init(rawValue: CFString) { self.rawValue = rawValue }
    public static let itu_R_709_2 = ColorPrimaries(rawValue: kCMFormatDescriptionColorPrimaries_ITU_R_709_2)
    public static let ebu_3213 = ColorPrimaries(rawValue: kCMFormatDescriptionColorPrimaries_EBU_3213)
    public static let smpte_C = ColorPrimaries(rawValue: kCMFormatDescriptionColorPrimaries_SMPTE_C)
    public static let dci_P3 = ColorPrimaries(rawValue: kCMFormatDescriptionColorPrimaries_DCI_P3)
    public static let p3_D65 = ColorPrimaries(rawValue: kCMFormatDescriptionColorPrimaries_P3_D65)
    public static let itu_R_2020 = ColorPrimaries(rawValue: kCMFormatDescriptionColorPrimaries_ITU_R_2020)
    public static let p22 = ColorPrimaries(rawValue: kCMFormatDescriptionColorPrimaries_P22)
  }

  public struct TransferFunction: RawRepresentable, Hashable, Sendable {
    public let rawValue: CFString
    public init(rawValue: CFString) { self.rawValue = rawValue }
    public static let itu_R_709_2 = TransferFunction(rawValue: kCMFormatDescriptionTransferFunction_ITU_R_709_2)
    public static let smpte_240M_1995 = TransferFunction(rawValue: kCMFormatDescriptionTransferFunction_SMPTE_240M_1995)
    public static let useGamma = TransferFunction(rawValue: kCMFormatDescriptionTransferFunction_UseGamma)
    public static let itu_R_2020 = TransferFunction(rawValue: kCMFormatDescriptionTransferFunction_ITU_R_2020)
    public static let smpte_ST_428_1 = TransferFunction(rawValue: kCMFormatDescriptionTransferFunction_SMPTE_ST_428_1)
    public static let smpte_ST_2084_PQ = TransferFunction(
      rawValue: kCMFormatDescriptionTransferFunction_SMPTE_ST_2084_PQ)
    public static let itu_R_2100_HLG = TransferFunction(rawValue: kCMFormatDescriptionTransferFunction_ITU_R_2100_HLG)
    public static let linear = TransferFunction(rawValue: kCMFormatDescriptionTransferFunction_Linear)
    public static let sRGB = TransferFunction(rawValue: kCMFormatDescriptionTransferFunction_sRGB)
  }

  public struct YCbCrMatrix: RawRepresentable, Hashable, Sendable {
    public let rawValue: CFString
    public init(rawValue: CFString) { self.rawValue = rawValue }
    public static let itu_R_709_2 = YCbCrMatrix(rawValue: kCMFormatDescriptionYCbCrMatrix_ITU_R_709_2)
    public static let itu_R_601_4 = YCbCrMatrix(rawValue: kCMFormatDescriptionYCbCrMatrix_ITU_R_601_4)
    public static let smpte_240M_1995 = YCbCrMatrix(rawValue: kCMFormatDescriptionYCbCrMatrix_SMPTE_240M_1995)
    public static let itu_R_2020 = YCbCrMatrix(rawValue: kCMFormatDescriptionYCbCrMatrix_ITU_R_2020)
  }
}
