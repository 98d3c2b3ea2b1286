import CoreMedia
import CoreVideo
import Foundation
import Testing
import VideoToolbox

/// Pictures are brought into others.
@Suite struct TransferTests {
  private func session() throws -> VTPixelTransferSession {
    var session: VTPixelTransferSession?
    #expect(VTPixelTransferSessionCreate(allocator: nil, pixelTransferSessionOut: &session) == noErr)
    return try #require(session)
  }

  /// Grey in 8 bits whose code is the column.
  private func ramp(_ width: Int, _ height: Int) throws -> CVPixelBuffer {
    let buffer = try CVBuffer.make(width: width, height: height, format: fourCharacterCode("BGRA"))
    buffer.withPlane(0, readOnly: false) { base, pitch, _, _ in
      for y in 0..<height {
        for x in 0..<width {
          let pixel = (base + y * pitch + x * 4).assumingMemoryBound(to: UInt8.self)
          for place in 0..<3 { pixel[place] = UInt8(x) }
          pixel[3] = 255
        }
      }
    }
    return buffer
  }

  private func columns(_ buffer: CVPixelBuffer, row: Int) -> [Int] {
    let bytes = buffer.rows(0)[row]
    return stride(from: 0, to: bytes.count, by: 4).map { Int(bytes[$0]) }
  }

  @Test func `the same size and format is copied`() throws {
    let source = try ramp(100, 20)
    CVBufferSetAttachment(source, "Mine", 7, .shouldPropagate)
    let target = try CVBuffer.make(width: 100, height: 20, format: fourCharacterCode("BGRA"))
    #expect(VTPixelTransferSessionTransferImage(try session(), from: source, to: target) == noErr)
    #expect(target.checksum == source.checksum && target.attachment("Mine") == 7)
  }

  @Test func `the clean aperture is cut out`() throws {
    let source = try ramp(100, 20)
    CVBufferSetAttachment(
      source, kCVImageBufferCleanApertureKey,
      ["Width": 40, "Height": 20, "HorizontalOffset": 10, "VerticalOffset": 0] as CFDictionary, .shouldPropagate)
    let transfer = try session()
    let key = kVTPixelTransferPropertyKey_ScalingMode
    #expect(VTSessionSetProperty(transfer, key: key, value: kVTScalingMode_CropSourceToCleanAperture) == noErr)
    let target = try CVBuffer.make(width: 40, height: 20, format: fourCharacterCode("BGRA"))
    #expect(VTPixelTransferSessionTransferImage(transfer, from: source, to: target) == noErr)
    #expect(columns(target, row: 5) == Array(40..<80))
    #expect(!CVBufferHasAttachment(target, kCVImageBufferCleanApertureKey))
  }

  @Test func `letterbox and trim keep the shape`() throws {
    let source = try ramp(100, 20)
    let transfer = try session()
    let key = kVTPixelTransferPropertyKey_ScalingMode
    let target = try CVBuffer.make(width: 100, height: 40, format: fourCharacterCode("BGRA"))
    #expect(VTSessionSetProperty(transfer, key: key, value: kVTScalingMode_Letterbox) == noErr)
    #expect(VTPixelTransferSessionTransferImage(transfer, from: source, to: target) == noErr)
    #expect(columns(target, row: 9).allSatisfy { $0 == 0 } && columns(target, row: 30).allSatisfy { $0 == 0 })
    #expect(columns(target, row: 20) == Array(0..<100))
    #expect(VTSessionSetProperty(transfer, key: key, value: kVTScalingMode_Trim) == noErr)
    let square = try CVBuffer.make(width: 20, height: 20, format: fourCharacterCode("BGRA"))
    #expect(VTPixelTransferSessionTransferImage(transfer, from: source, to: square) == noErr)
    #expect(columns(square, row: 3) == Array(40..<60))
  }

  @Test func `wrong wishes are refused`() throws {
    let transfer = try session()
    let source = try ramp(16, 16)
    let key = kVTPixelTransferPropertyKey_ScalingMode
    #expect(VTSessionSetProperty(transfer, key: key, value: "Sideways") == kVTParameterErr)
    #expect(VTSessionSetProperty(transfer, key: "Weather", value: 1) == kVTPropertyNotSupportedErr)
    let bayer = try CVBuffer.make(width: 16, height: 16, format: fourCharacterCode("bp16"))
    #expect(VTPixelTransferSessionTransferImage(transfer, from: source, to: bayer) == kVTPixelTransferNotSupportedErr)
    VTPixelTransferSessionInvalidate(transfer)
    #expect(VTPixelTransferSessionTransferImage(transfer, from: source, to: source) == kVTInvalidSessionErr)
    #expect(VTSessionSetProperty(transfer, key: key, value: nil) == kVTInvalidSessionErr)
  }
}
