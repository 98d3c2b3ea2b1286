internal import Codecs
internal import CoreMedia
internal import CoreVideo
internal import Foundation
internal import ProRes

/// Decodes ProRes on the processor with `ProResDecoder`, each sample by its own description.
///
/// Damaged slices are concealed and reported; they throw nothing.
final class ProResPictureDecoder: PictureDecoder, @unchecked Sendable {
  // Unchecked: everything that changes is guarded by the lock.
  let name = "ProRes on the processor"
  let isHardware = false
  let isIntra = true
  private let guardian = NSLock()
  private let decoder: ProResDecoder
  private let options: PictureDecoderOptions
  private let pictures: ProResPictures
  private var next = 0
  private var ready: [DecodedPicture] = []

  /// The six profiles, and ProRes RAW, which is refused by name.
  static func isProRes(_ format: CMFormatDescription) -> Bool {
    let codec = CMFormatDescriptionGetMediaSubType(format)
    return ProResDecoder.codecs.contains(codec)
      || [kCMVideoCodecType_AppleProResRAW, kCMVideoCodecType_AppleProResRAWHQ].contains(codec)
  }

  /// - Throws: `CodecError.unsupported` for ProRes RAW, and for a pixel format that cannot be made.
  init(_ format: CMFormatDescription, _ options: PictureDecoderOptions) throws {
    do {
      decoder = try ProResDecoder(codec: CMFormatDescriptionGetMediaSubType(format))
    } catch {
      throw CodecError(error)
    }
    pictures = try ProResPictures(format, options)
    self.options = options
  }

  var pixelFormat: OSType { pictures.output.wanted }
  var conversion: (from: OSType, to: OSType)? { pictures.output.conversion }
  var colorConflicts: [ColorConflict] { guardian.withLock { pictures.conflicts } }

  func decode(_ sample: CMSampleBuffer) throws -> [DecodedPicture] {
    try guardian.withLock {
      if sample.isMarked(kCMSampleBufferAttachmentKey_ResetDecoderBeforeDecoding) { startAnew() }
      var failure: (any Error)?
      for single in try sample.singles() {
        do { try decodeOne(single) } catch { failure = failure ?? error }
      }
      if let failure { throw failure }
      return takeReady()
    }
  }

  func finish() throws -> [DecodedPicture] { guardian.withLock { takeReady() } }
  func reset() { guardian.withLock { startAnew() } }

  private func takeReady() -> [DecodedPicture] {
    defer { ready = [] }
    return ready
  }

  private func startAnew() {
    ready = []
    pictures.forgetPrevious()
  }
}

// MARK: - One sample

extension ProResPictureDecoder {
  private func decodeOne(_ sample: CMSampleBuffer) throws {
    guard let data = sample.dataBuffer, data.dataLength > 0 else { return }
    let number = next
    next += 1
    guard !sample.isHidden else { return }
    do {
      try pictures.describe(sample.formatDescription)
      ready.append(try data.withContiguousStorage { try picture(of: sample, $0, number) })
    } catch {
      throw CodecError(error, sample: number)
    }
  }

  private func picture(
    of sample: CMSampleBuffer, _ bytes: UnsafeRawBufferPointer, _ number: Int
  ) throws -> DecodedPicture {
    // Before memory is given to the picture, the frame must be known to hold its slices.
    let header = try ProResFrame(bytes, pixelBudget: options.pixelBudget ?? ProResFrame.standardPixelBudget).header
    let canvas = try pictures.canvas(for: header, SampleTimes(sample, number: number))
    return try pictures.finish(canvas, try decoder.decode(bytes, into: canvas, options))
  }
}
