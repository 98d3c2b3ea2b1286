import CoreVideo
import Testing

struct AttachmentTests {
  private func makeBuffer(_ attributes: [String: Any] = [:]) throws -> CVPixelBuffer {
    try CVBuffer.make(width: 2, height: 2, format: kCVPixelFormatType_32BGRA, attributes: attributes)
  }

  @Test func modeComesBackWithTheValue() throws {
    let buffer = try makeBuffer()
    var mode = CVAttachmentMode.shouldPropagate
    #expect(CVBufferCopyAttachment(buffer, "a", &mode) == nil && CVBufferCopyAttachments(buffer, mode) == nil)
    CVBufferSetAttachment(buffer, "a", 1, .shouldNotPropagate)
    #expect(CVBufferCopyAttachment(buffer, "a", &mode) as? Int == 1 && mode == .shouldNotPropagate)
    CVBufferSetAttachment(buffer, "a", 2, .shouldPropagate)
    #expect(CVBufferCopyAttachment(buffer, "a", &mode) as? Int == 2 && mode == .shouldPropagate)
    #expect(CVBufferCopyAttachments(buffer, .shouldNotPropagate) == nil)
    #expect(CVBufferCopyAttachments(buffer, .shouldPropagate)?.keys.sorted() == ["a"])
  }

  @Test func onlyPropagatingAttachmentsTravel() throws {
    let (source, copy) = (try makeBuffer(), try makeBuffer())
    CVBufferSetAttachments(source, ["matrix": "new", "gamma": 2.2], .shouldPropagate)
    CVBufferSetAttachment(source, "private", 1, .shouldNotPropagate)
    CVBufferSetAttachments(copy, ["matrix": "old", "own": 3], .shouldNotPropagate)
    CVBufferPropagateAttachments(source, copy)
    #expect(CVBufferCopyAttachments(copy, .shouldPropagate)?.keys.sorted() == ["gamma", "matrix"])
    #expect(CVBufferCopyAttachment(copy, "matrix", nil) as? String == "new")
    #expect(CVBufferHasAttachment(copy, "own") && !CVBufferHasAttachment(copy, "private"))
    CVBufferPropagateAttachments(source, source)
    #expect(CVBufferHasAttachment(source, "private"))
  }

  @Test func attachmentsAreRemoved() throws {
    let buffer = try makeBuffer()
    CVBufferSetAttachments(buffer, ["a": 1, "b": 2], .shouldPropagate)
    CVBufferRemoveAttachment(buffer, "a")
    #expect(!CVBufferHasAttachment(buffer, "a") && CVBufferHasAttachment(buffer, "b"))
    CVBufferRemoveAllAttachments(buffer)
    #expect(!CVBufferHasAttachment(buffer, "b"))
  }

  @Test func bufferAttributesAttach() throws {
    let buffer = try makeBuffer([
      kCVBufferPropagatedAttachmentsKey: ["a": 1], kCVBufferNonPropagatedAttachmentsKey: ["b": 2],
    ])
    #expect(CVBufferCopyAttachments(buffer, .shouldPropagate)?.keys.sorted() == ["a"])
    #expect(CVBufferCopyAttachments(buffer, .shouldNotPropagate)?.keys.sorted() == ["b"])
  }

  @Test(
    arguments: [
      (kCVImageBufferYCbCrMatrix_ITU_R_709_2, 1), (kCVImageBufferYCbCrMatrix_ITU_R_601_4, 6),
      (kCVImageBufferYCbCrMatrix_SMPTE_240M_1995, 7), (kCVImageBufferYCbCrMatrix_ITU_R_2020, 9),
    ] as [(String, Int32)])
  func matrices(name: String, code: Int32) {
    #expect(CVYCbCrMatrixGetIntegerCodePointForString(name) == code)
    #expect(CVYCbCrMatrixGetStringForIntegerCodePoint(code) == name)
  }

  @Test(
    arguments: [
      (kCVImageBufferColorPrimaries_ITU_R_709_2, 1), (kCVImageBufferColorPrimaries_EBU_3213, 5),
      (kCVImageBufferColorPrimaries_SMPTE_C, 6), (kCVImageBufferColorPrimaries_ITU_R_2020, 9),
      (kCVImageBufferColorPrimaries_DCI_P3, 11), (kCVImageBufferColorPrimaries_P3_D65, 12),
      (kCVImageBufferColorPrimaries_P22, 22),
    ] as [(String, Int32)])
  func primaries(name: String, code: Int32) {
    #expect(CVColorPrimariesGetIntegerCodePointForString(name) == code)
    #expect(CVColorPrimariesGetStringForIntegerCodePoint(code) == name)
  }

  @Test(
    arguments: [
      (kCVImageBufferTransferFunction_ITU_R_709_2, 1), (kCVImageBufferTransferFunction_SMPTE_240M_1995, 7),
      (kCVImageBufferTransferFunction_Linear, 8), (kCVImageBufferTransferFunction_sRGB, 13),
      (kCVImageBufferTransferFunction_ITU_R_2020, 14), (kCVImageBufferTransferFunction_SMPTE_ST_2084_PQ, 16),
      (kCVImageBufferTransferFunction_SMPTE_ST_428_1, 17), (kCVImageBufferTransferFunction_ITU_R_2100_HLG, 18),
    ] as [(String, Int32)])
  func transfers(name: String, code: Int32) {
    #expect(CVTransferFunctionGetIntegerCodePointForString(name) == code)
    #expect(CVTransferFunctionGetStringForIntegerCodePoint(code) == name)
  }

  @Test func doubledAndUnknownCodePoints() {
    #expect(CVYCbCrMatrixGetStringForIntegerCodePoint(5) == kCVImageBufferYCbCrMatrix_ITU_R_601_4)
    #expect(CVColorPrimariesGetStringForIntegerCodePoint(7) == kCVImageBufferColorPrimaries_SMPTE_C)
    #expect(CVTransferFunctionGetStringForIntegerCodePoint(6) == kCVImageBufferTransferFunction_ITU_R_709_2)
    #expect(CVTransferFunctionGetStringForIntegerCodePoint(15) == kCVImageBufferTransferFunction_ITU_R_2020)
    for code: Int32 in [-1, 0, 2, 3, 255] {
      #expect(CVYCbCrMatrixGetStringForIntegerCodePoint(code) == nil)
      #expect(CVColorPrimariesGetStringForIntegerCodePoint(code) == nil)
      #expect(CVTransferFunctionGetStringForIntegerCodePoint(code) == nil)
    }
    #expect(CVYCbCrMatrixGetIntegerCodePointForString("?") == 2)
    #expect(CVColorPrimariesGetIntegerCodePointForString(nil) == 2)
    #expect(CVTransferFunctionGetIntegerCodePointForString("") == 2)
  }
}
