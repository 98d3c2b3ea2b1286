import CoreMedia
import CoreVideo
import Foundation
import Testing

@Suite struct CMFormatDescriptionTests {
  private func video(_ codec: CMVideoCodecType = kCMVideoCodecType_HEVC, _ extensions: [String: Any]? = nil) throws
    -> CMFormatDescription
  {
    var out: CMFormatDescription?
    let status = CMVideoFormatDescriptionCreate(
      allocator: nil, codecType: codec, width: 1920, height: 1080, extensions: extensions, formatDescriptionOut: &out)
    #expect(status == noErr)
    return try #require(out)
  }

  @Test func videoOfACodec() throws {
    let description = try video()
    #expect(description.mediaType == .video && description.mediaSubType == .hevc)
    #expect(CMFormatDescriptionGetMediaType(description) == kCMMediaType_Video)
    #expect(CMFormatDescriptionGetMediaSubType(description) == fourCharacterCode("hvc1"))
    #expect(description.dimensions == CMVideoDimensions(width: 1920, height: 1080))
    #expect(CMFormatDescriptionGetExtensions(description) == nil)
    #expect(description.description == "vide/hvc1 1920x1080")
    #expect(description.audioStreamBasicDescription == nil && !description.frameDuration.isValid)
  }

  @Test func wrongParameters() {
    var out: CMFormatDescription?
    for (codec, width, height) in [(0, 1, 1), (1, 0, 1), (1, 1, -1)] as [(UInt32, Int32, Int32)] {
      let status = CMVideoFormatDescriptionCreate(
        allocator: nil, codecType: codec, width: width, height: height, extensions: nil, formatDescriptionOut: &out)
      #expect(status == kCMFormatDescriptionError_InvalidParameter && out == nil)
    }
    #expect(throws: CMFormatDescription.Error.invalidParameter) {
      try CMFormatDescription(videoCodecType: .hevc, width: .min, height: 2)
    }
    #expect(
      CMFormatDescriptionCreate(
        allocator: nil, mediaType: 0, mediaSubType: 1, extensions: nil, formatDescriptionOut: &out) != noErr)
  }

  /// The four-character codes say what their names do.
  @Test(arguments: [
    ("ap4x", kCMVideoCodecType_AppleProRes4444XQ), ("ap4h", kCMVideoCodecType_AppleProRes4444),
    ("apch", kCMVideoCodecType_AppleProRes422HQ), ("apcn", kCMVideoCodecType_AppleProRes422),
    ("apcs", kCMVideoCodecType_AppleProRes422LT), ("apco", kCMVideoCodecType_AppleProRes422Proxy),
    ("aprn", kCMVideoCodecType_AppleProResRAW), ("aprh", kCMVideoCodecType_AppleProResRAWHQ),
    ("hvc1", kCMVideoCodecType_HEVC), ("muxa", kCMVideoCodecType_HEVCWithAlpha),
    ("dish", kCMVideoCodecType_DisparityHEVC),
    ("deph", kCMVideoCodecType_DepthHEVC), ("avc1", kCMVideoCodecType_H264), ("mebx", kCMMetadataFormatType_Boxed),
    ("vide", kCMMediaType_Video), ("soun", kCMMediaType_Audio), ("meta", kCMMediaType_Metadata),
    ("tmcd", kCMMediaType_TimeCode),
    ("auxv", kCMMediaType_AuxiliaryPicture), ("text", kCMMediaType_Text), ("aac ", kAudioFormatMPEG4AAC),
    ("lpcm", kAudioFormatLinearPCM),
    ("apac", kAudioFormatAPAC), ("alac", kAudioFormatAppleLossless),
  ]) func codes(_ text: String, _ code: UInt32) { #expect(fourCharacterString(code) == text) }

  // MARK: - Extensions

  @Test func extensionsAreCopiedInOneForm() throws {
    let array = NSMutableArray(array: [NSNumber(value: 1), "two"])
    let description = try video(
      kCMVideoCodecType_HEVC,
      [
        "int": Int32(-3), "unsigned": UInt8(200), "double": Float(0.5), "flag": true, "text": "abc" as NSString,
        "data": Data([1, 2]),
        "one": NSNumber(value: 1), "yes": NSNumber(value: true), "number": NSNumber(value: 2.25), "array": array,
        "nested": ["a": [UInt16(7)]] as [String: Any],
      ])
    array.add("later")
    let read = { CMFormatDescriptionGetExtension(description, extensionKey: $0) }
    #expect(read("int") as? Int == -3 && read("unsigned") as? Int == 200 && read("number") as? Double == 2.25)
    #expect(read("double") as? Double == 0.5 && read("flag") as? Bool == true && read("text") as? String == "abc")
    #expect(read("data") as? Data == Data([1, 2]) && read("none") == nil)
    #expect(read("one") as? Int == 1 && read("one") as? Bool == nil && read("yes") as? Bool == true)
    #expect((read("array") as? [Any])?.count == 2)
    #expect(((read("nested") as? [String: Any])?["a"] as? [Any])?.first as? Int == 7)
  }

  @Test func typedExtensions() throws {
    let description = try CMFormatDescription(
      videoCodecType: .hevc, width: 4, height: 2,
      extensions: [
        .colorPrimaries: .colorPrimaries(.itu_R_2020), .transferFunction: .transferFunction(.itu_R_2100_HLG),
        .fullRangeVideo: true,
        .depth: 24, .formatName: "HEVC",
      ])
    let dictionary = try #require(CMFormatDescriptionGetExtensions(description))
    #expect(dictionary[kCMFormatDescriptionExtension_ColorPrimaries] as? String == "ITU_R_2020")
    #expect(dictionary["CVImageBufferTransferFunction"] as? String == "ITU_R_2100_HLG")
    #expect(description.extensions[.depth] == 24 && description.extensions[.fullRangeVideo] == true)
    #expect(description.extensions[.formatName]?.propertyListRepresentation as? String == "HEVC")
    #expect(description.extensions.count == 5 && description.extensions[.gammaLevel] == nil)
    #expect(CMFormatDescription.Extensions.Value.number(2) == .number(2.0))
    #expect(
      CMFormatDescription.Extensions.Value.number(2).hashValue
        == CMFormatDescription.Extensions.Value.number(2.0).hashValue)
  }

  @Test func keysThatImageBuffersShareHaveTheirNames() {
    let pairs = [
      (kCMFormatDescriptionExtension_CleanAperture, kCVImageBufferCleanApertureKey),
      (kCMFormatDescriptionExtension_PixelAspectRatio, kCVImageBufferPixelAspectRatioKey),
      (kCMFormatDescriptionExtension_FieldCount, kCVImageBufferFieldCountKey),
      (kCMFormatDescriptionExtension_FieldDetail, kCVImageBufferFieldDetailKey),
      (kCMFormatDescriptionExtension_ColorPrimaries, kCVImageBufferColorPrimariesKey),
      (kCMFormatDescriptionExtension_TransferFunction, kCVImageBufferTransferFunctionKey),
      (kCMFormatDescriptionExtension_YCbCrMatrix, kCVImageBufferYCbCrMatrixKey),
      (kCMFormatDescriptionExtension_GammaLevel, kCVImageBufferGammaLevelKey),
      (kCMFormatDescriptionExtension_ICCProfile, kCVImageBufferICCProfileKey),
      (kCMFormatDescriptionExtension_ChromaLocationTopField, kCVImageBufferChromaLocationTopFieldKey),
      (kCMFormatDescriptionExtension_ChromaLocationBottomField, kCVImageBufferChromaLocationBottomFieldKey),
      (kCMFormatDescriptionExtension_MasteringDisplayColorVolume, kCVImageBufferMasteringDisplayColorVolumeKey),
      (kCMFormatDescriptionExtension_ContentLightLevelInfo, kCVImageBufferContentLightLevelInfoKey),
      (kCMFormatDescriptionExtension_AmbientViewingEnvironment, kCVImageBufferAmbientViewingEnvironmentKey),
      (kCMFormatDescriptionExtension_AlphaChannelMode, kCVImageBufferAlphaChannelModeKey),
      (kCMFormatDescriptionKey_CleanApertureWidth, kCVImageBufferCleanApertureWidthKey),
      (kCMFormatDescriptionKey_CleanApertureVerticalOffset, kCVImageBufferCleanApertureVerticalOffsetKey),
      (kCMFormatDescriptionKey_PixelAspectRatioHorizontalSpacing, kCVImageBufferPixelAspectRatioHorizontalSpacingKey),
      (kCMFormatDescriptionTransferFunction_ITU_R_2100_HLG, kCVImageBufferTransferFunction_ITU_R_2100_HLG),
      (kCMFormatDescriptionColorPrimaries_P3_D65, kCVImageBufferColorPrimaries_P3_D65),
      (kCMFormatDescriptionYCbCrMatrix_ITU_R_601_4, kCVImageBufferYCbCrMatrix_ITU_R_601_4),
      (kCMFormatDescriptionTransferFunction_sRGB, kCVImageBufferTransferFunction_sRGB),
    ]
    for (ours, theirs) in pairs { #expect(ours == theirs) }
    let common = CMVideoFormatDescriptionGetExtensionKeysCommonWithImageBuffers() as? [String] ?? []
    for (key, _) in pairs.prefix(15) { #expect(common.contains(key)) }
  }

  @Test func equality() throws {
    let a = try video(kCMVideoCodecType_HEVC, ["a": 1, "b": ["c": Data([1])]])
    let same = try video(kCMVideoCodecType_HEVC, ["b": ["c": Data([1])], "a": Int8(1)])
    #expect(a == same && a.hashValue == same.hashValue && CMFormatDescriptionEqual(a, otherFormatDescription: same))
    for other in [
      try video(kCMVideoCodecType_H264, ["a": 1, "b": ["c": Data([1])]]), try video(kCMVideoCodecType_HEVC, ["a": 1]),
      try video(kCMVideoCodecType_HEVC, ["a": 1, "b": ["c": Data([2])]]),
      try video(kCMVideoCodecType_HEVC, ["a": true, "b": 2]),
    ] { #expect(a != other) }
    #expect(
      CMFormatDescriptionEqual(nil, otherFormatDescription: nil)
        && !CMFormatDescriptionEqual(a, otherFormatDescription: nil))
    let partial = CMFormatDescriptionEqualIgnoringExtensionKeys(
      a, otherFormatDescription: try video(), extensionKeysToIgnore: ["a", "b"],
      sampleDescriptionExtensionAtomKeysToIgnore: nil)
    #expect(partial)
  }

  @Test func equalityMayIgnoreAtoms() throws {
    let key = kCMFormatDescriptionExtension_SampleDescriptionExtensionAtoms
    let a = try video(kCMVideoCodecType_HEVC, [key: ["hvcC": Data([1]), "disc": Data([2])]])
    let b = try video(kCMVideoCodecType_HEVC, [key: ["hvcC": Data([1])]])
    let equal = { (atoms: Any?) in
      CMFormatDescriptionEqualIgnoringExtensionKeys(
        a, otherFormatDescription: b, extensionKeysToIgnore: nil, sampleDescriptionExtensionAtomKeysToIgnore: atoms)
    }
    #expect(equal(["disc"]) && equal("disc") && !equal(nil) && !equal(["hvcC"]))
  }

  // MARK: - Geometry

  @Test func presentationSizes() throws {
    let plain = try video()
    #expect(plain.presentationDimensions() == CGSize(width: 1920, height: 1080))
    #expect(plain.cleanAperture() == CGRect(x: 0, y: 0, width: 1920, height: 1080))
    let wide = try video(
      kCMVideoCodecType_HEVC,
      [
        kCMFormatDescriptionExtension_PixelAspectRatio: ["HorizontalSpacing": 4, "VerticalSpacing": 3],
        kCMFormatDescriptionExtension_CleanAperture: [
          "Width": 1900.0, "Height": 1000, "HorizontalOffset": -4, "VerticalOffset": 10,
        ],
      ])
    #expect(wide.cleanAperture(originIsAtTopLeft: true) == CGRect(x: 6, y: 50, width: 1900, height: 1000))
    #expect(wide.cleanAperture(originIsAtTopLeft: false) == CGRect(x: 6, y: 30, width: 1900, height: 1000))
    #expect(wide.presentationDimensions(usePixelAspectRatio: false) == CGSize(width: 1900, height: 1000))
    #expect(wide.presentationDimensions(useCleanAperture: false) == CGSize(width: 2560, height: 1080))
    #expect(
      CMVideoFormatDescriptionGetPresentationDimensions(wide, usePixelAspectRatio: true, useCleanAperture: true)
        == CGSize(width: 1900.0 * 4 / 3, height: 1000))
  }

  @Test func rationalAndSenselessGeometry() throws {
    let rational = try video(
      kCMVideoCodecType_HEVC,
      [
        kCMFormatDescriptionExtension_CleanAperture: [
          kCMFormatDescriptionKey_CleanApertureWidthRational: [3801, 2],
          kCMFormatDescriptionKey_CleanApertureHeightRational: [1080, 1],
        ]
      ])
    #expect(rational.cleanAperture(originIsAtTopLeft: true) == CGRect(x: 9.75, y: 0, width: 1900.5, height: 1080))
    for aperture in [["Width": 0, "Height": 5], ["Width": 100], ["Width": "wide", "Height": 4]] as [[String: Any]] {
      let odd = try video(
        kCMVideoCodecType_HEVC,
        [
          kCMFormatDescriptionExtension_CleanAperture: aperture,
          kCMFormatDescriptionExtension_PixelAspectRatio: ["HorizontalSpacing": 4, "VerticalSpacing": 0],
        ])
      #expect(odd.presentationDimensions() == CGSize(width: 1920, height: 1080))
    }
  }

  // MARK: - Images

  @Test func imagesAndTheirDescriptions() throws {
    let image = try CVBuffer.make(width: 6, height: 4, format: kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange)
    CVBufferSetAttachment(image, kCVImageBufferColorPrimariesKey, "ITU_R_2020", .shouldPropagate)
    CVBufferSetAttachment(image, "mine", 1, .shouldPropagate)
    let description = try CMFormatDescription(imageBuffer: image)
    #expect(description.mediaSubType.rawValue == kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange)
    #expect(description.dimensions == CMVideoDimensions(width: 6, height: 4))
    #expect(
      description.extensions[.colorPrimaries] == .colorPrimaries(.itu_R_2020) && description.extensions.count == 1)
    #expect(description.matchesImageBuffer(image))
    let sample = try CMSampleBuffer(imageBuffer: image, formatDescription: description, sampleTiming: timing(3))
    #expect(sample.imageBuffer === image && sample.dataBuffer == nil && sample.numSamples == 1)
    #expect(sample.presentationTimeStamp == frames(3) && sample.totalSampleSize == 0)
    CVBufferSetAttachment(image, kCVImageBufferColorPrimariesKey, "ITU_R_709_2", .shouldPropagate)
    #expect(!description.matchesImageBuffer(image))
    #expect(throws: CMSampleBuffer.Error.invalidMediaFormat) {
      try CMSampleBuffer(imageBuffer: image, formatDescription: description, sampleTiming: timing(3))
    }
    for (width, format) in [(8, kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange), (6, kCVPixelFormatType_32BGRA)] {
      #expect(!(try description.matchesImageBuffer(CVBuffer.make(width: width, height: 4, format: format))))
    }
  }

  // MARK: - Parameter sets

  private func description(_ atom: String, _ record: [UInt8]) throws -> CMFormatDescription {
    try video(
      kCMVideoCodecType_H264, [kCMFormatDescriptionExtension_SampleDescriptionExtensionAtoms: [atom: Data(record)]])
  }

  private let avcC: [UInt8] = [1, 100, 0, 31, 0xFF, 0xE1, 0, 3, 0x67, 1, 2, 2, 0, 2, 0x68, 3, 0, 1, 0x68]
  private let hvcC: [UInt8] =
    [1] + [UInt8](repeating: 0, count: 20) + [3, 2, 0x20, 0, 1, 0, 2, 0x40, 1, 0x21, 0, 2, 0, 1, 0x42, 0, 2, 0x42, 9]

  @Test func parameterSetsAreFound() throws {
    let h264 = try description("avcC", avcC)
    #expect(
      h264.parameterSets.map { [UInt8]($0) } == [[0x67, 1, 2], [0x68, 3], [0x68]] && h264.nalUnitHeaderLength == 4)
    let hevc = try description("hvcC", hvcC)
    #expect(
      hevc.parameterSets.map { [UInt8]($0) } == [[0x40, 1], [0x42], [0x42, 9]] && hevc.nalUnitHeaderLength == 4)
    var (size, count, length) = (0, 0, Int32(0))
    var pointer: UnsafePointer<UInt8>?
    let status = CMVideoFormatDescriptionGetH264ParameterSetAtIndex(
      h264, parameterSetIndex: 1, parameterSetPointerOut: &pointer, parameterSetSizeOut: &size,
      parameterSetCountOut: &count,
      nalUnitHeaderLengthOut: &length)
    #expect(status == noErr && size == 2 && count == 3 && length == 4 && pointer?.pointee == 0x68)
    #expect(
      CMVideoFormatDescriptionGetHEVCParameterSetAtIndex(
        hevc, parameterSetIndex: 3, parameterSetPointerOut: &pointer, parameterSetSizeOut: nil,
        parameterSetCountOut: nil,
        nalUnitHeaderLengthOut: nil) == kCMFormatDescriptionError_InvalidParameter)
    #expect(
      CMVideoFormatDescriptionGetHEVCParameterSetAtIndex(
        h264, parameterSetIndex: 0, parameterSetPointerOut: nil, parameterSetSizeOut: nil, parameterSetCountOut: &count,
        nalUnitHeaderLengthOut: nil) == kCMFormatDescriptionError_ValueNotAvailable)
  }

  @Test func cutOffRecordsHaveNoParameterSets() throws {
    for length in 0..<avcC.count {
      #expect(try description("avcC", Array(avcC[..<length])).parameterSets.isEmpty)
    }
    for length in 0..<hvcC.count {
      #expect(try description("hvcC", Array(hvcC[..<length])).nalUnitHeaderLength == nil)
    }
    #expect(try video().parameterSets.isEmpty)
  }

  // MARK: - Time codes

  @Test func timeCodes() throws {
    var out: CMFormatDescription?
    func create(_ duration: CMTime) -> OSStatus {
      CMTimeCodeFormatDescriptionCreate(
        allocator: nil, timeCodeFormatType: kCMTimeCodeFormatType_TimeCode32, frameDuration: duration, frameQuanta: 30,
        flags: kCMTimeCodeFlag_DropFrame | kCMTimeCodeFlag_24HourMax, extensions: nil, formatDescriptionOut: &out)
    }
    for bad in [CMTime.zero, .invalid, .positiveInfinity, CMTime(value: -1, timescale: 30)] {
      #expect(create(bad) == kCMFormatDescriptionError_InvalidParameter && out == nil)
    }
    #expect(create(CMTime(value: 1001, timescale: 30000)) == noErr)
    let description = try #require(out)
    #expect(description.mediaType == .timeCode && description.frameDuration == CMTime(value: 1001, timescale: 30000))
    #expect(description.frameQuanta == 30 && CMTimeCodeFormatDescriptionGetTimeCodeFlags(description) == 3)
  }
}
