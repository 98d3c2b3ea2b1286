internal import CoreMedia
internal import CoreVideo
internal import Foundation
internal import QuickTime

/// Makes linear disparity of the codes that a `dish` track stores.
final class DisparityPictures {
  private let format: OSType
  /// The bits of the disparity of each code: half or single precision.
  private let halves: [UInt16]
  private let floats: [UInt32]

  /// `format` is `hdis` or `fdis`; `description` says how the codes are meant. Throws where its `disc` atom is damaged.
  init(_ description: CMFormatDescription, format: OSType) throws {
    self.format = format
    let table = try DisparityCoding(format: description).table
    halves = table.map { Float16($0).bitPattern }
    floats = table.map(\.bitPattern)
  }

  /// A picture of disparities from one of 10-bit codes in the high bits of 16, with its attachments.
  func picture(from codes: CVPixelBuffer) throws -> CVPixelBuffer {
    let picture = try CVBuffer.make(
      width: CVPixelBufferGetWidth(codes), height: CVPixelBufferGetHeight(codes), format: format)
    codes.withPlane(0, readOnly: true) { source, sourcePitch, width, height in
      picture.withPlane(0, readOnly: false) { target, targetPitch, _, _ in
        for row in 0..<height {
          look(up: source + row * sourcePitch, into: target + row * targetPitch, count: width)
        }
      }
    }
    CVBufferPropagateAttachments(codes, picture)
    return picture
  }

  private func look(up source: UnsafeMutableRawPointer, into target: UnsafeMutableRawPointer, count: Int) {
    let codes = source.assumingMemoryBound(to: UInt16.self)
    if format == kCVPixelFormatType_DisparityFloat16 {
      let values = target.assumingMemoryBound(to: UInt16.self)
      halves.withUnsafeBufferPointer { table in
        for column in 0..<count { values[column] = table[Int(codes[column] >> 6)] }
      }
    } else {
      let values = target.assumingMemoryBound(to: UInt32.self)
      floats.withUnsafeBufferPointer { table in
        for column in 0..<count { values[column] = table[Int(codes[column] >> 6)] }
      }
    }
  }
}

extension DisparityCoding {
  /// What the `disc` atom of a format says; (0, 16) where there is none. Throws `QuickTimeError` where it is damaged.
  package init(format: CMFormatDescription) throws {
    let key = kCMFormatDescriptionExtension_SampleDescriptionExtensionAtoms
    let atoms = CMFormatDescriptionGetExtension(format, extensionKey: key) as? [String: Any]
    guard let payload = atoms?["disc"] as? Data else {
      self = .standard
      return
    }
    self = try DisparityCoding(payload: payload)
  }
}
