internal import CoreMedia
internal import CoreVideo
internal import Foundation
internal import QuickTime

/// Makes the codes that a `dish` track stores of linear disparity; the other way is `DisparityPictures`.
final class DisparityCodes {
  private let coding: DisparityCoding
  /// The code, in the high bits of 16, of each number in half precision; made when first needed.
  private lazy var halves: [UInt16] = (0...UInt16.max).map { stored(Float(Float16(bitPattern: $0))) }

  init(_ coding: DisparityCoding) { self.coding = coding }

  /// Whether pictures of the format hold linear disparity.
  static func takes(_ format: OSType) -> Bool {
    format == kCVPixelFormatType_DisparityFloat16 || format == kCVPixelFormatType_DisparityFloat32
  }

  /// A picture of 10-bit codes (`L010`). Disparities outside the range get its ends; infinite ones and NaN the greatest.
  func picture(from disparity: CVPixelBuffer) throws -> CVPixelBuffer {
    let codes = try CVBuffer.make(
      width: CVPixelBufferGetWidth(disparity), height: CVPixelBufferGetHeight(disparity),
      format: kCVPixelFormatType_OneComponent10)
    let isHalf = CVPixelBufferGetPixelFormatType(disparity) == kCVPixelFormatType_DisparityFloat16
    disparity.withPlane(0, readOnly: true) { source, sourcePitch, width, height in
      codes.withPlane(0, readOnly: false) { target, targetPitch, _, _ in
        for row in 0..<height {
          let line = UnsafeRawPointer(source + row * sourcePitch)
          let words = (target + row * targetPitch).assumingMemoryBound(to: UInt16.self)
          if isHalf { codeHalves(line, words, width) } else { codeFloats(line, words, width) }
        }
      }
    }
    return codes
  }

  private func codeHalves(_ line: UnsafeRawPointer, _ words: UnsafeMutablePointer<UInt16>, _ count: Int) {
    let values = line.assumingMemoryBound(to: UInt16.self)
    halves.withUnsafeBufferPointer { table in
      for column in 0..<count { words[column] = table[Int(values[column])] }
    }
  }

  private func codeFloats(_ line: UnsafeRawPointer, _ words: UnsafeMutablePointer<UInt16>, _ count: Int) {
    let values = line.assumingMemoryBound(to: Float.self)
    for column in 0..<count { words[column] = stored(values[column]) }
  }

  private func stored(_ disparity: Float) -> UInt16 { coding.code(disparity: disparity) << 6 }
}
