package import Codecs
package import CoreMedia
package import CoreVideo
package import ProRes

/// Makes pictures of the samples of a video format.
///
/// Samples go in by decode order; pictures come out in presentation order, each once, and perhaps later than their samples went in: a
/// decoder may reorder, or hold several frames in flight. Safe to use from any thread; calls wait for each other.
package protocol PictureDecoder: AnyObject, Sendable {
  /// What decodes, and where: "ProRes on the processor", "libavcodec (hevc)".
  var name: String { get }
  /// Whether a device other than the processor does the work.
  var isHardware: Bool { get }
  /// Whether no frame needs another.
  var isIntra: Bool { get }
  /// What the pictures are made as. Where the options leave it open and only the bitstream tells, it is a guess before the first picture.
  var pixelFormat: OSType { get }
  /// A conversion that is made on the way, because the decoder does not write the format that is asked for.
  var conversion: (from: OSType, to: OSType)? { get }
  /// What is not done as stored, a sentence each: an alpha layer that is left out, codes that are rounded. Complete after the first frame.
  var warnings: [String] { get }
  /// Where the container and the bitstream disagree in colour; the container wins. Complete after the first frame.
  var colorConflicts: [ColorConflict] { get }

  /// Hands in the next sample, or samples, in decode order; returns the pictures that are now due.
  ///
  /// A buffer without samples gives nothing. "Reset before decoding", "drain after decoding" and "do not display" are honoured.
  /// - Throws: `CodecError` naming the sample that cannot be decoded, which may be an earlier one; pictures that were due
  ///   come with the next call, and the next undamaged sample decodes normally.
  func decode(_ sample: CMSampleBuffer) throws -> [DecodedPicture]

  /// Returns the pictures that were held back. The decoder can then be used for others.
  func finish() throws -> [DecodedPicture]

  /// Forgets all samples handed in, as before a seek.
  func reset()
}

extension PictureDecoder {
  package var warnings: [String] { [] }
}

/// A picture, when it is shown, and what became of it.
package struct DecodedPicture: @unchecked Sendable {
  // Unchecked: the buffer is handed over.
  /// Tagged with colour, geometry, fields, alpha, and the places of damage (`kCVImageBufferDamagedSlicesKey`).
  package let pixelBuffer: CVPixelBuffer
  package let presentationTime: CMTime
  /// As its sample says; invalid where the sample is silent.
  package let duration: CMTime
  /// The number of its sample in the order handed in, from 0; samples without bytes are not counted.
  package let sample: Int
  /// The container's tags over the bitstream's.
  package let color: ColorTags
  /// The slices that were concealed, of codecs that tell.
  package let damage: [ProResReport.Damage]
  /// How many slices there were; 0 of codecs that do not tell.
  package let sliceCount: Int

  package init(
    pixelBuffer: CVPixelBuffer, presentationTime: CMTime, duration: CMTime, sample: Int, color: ColorTags,
    damage: [ProResReport.Damage] = [], sliceCount: Int = 0
  ) {
    self.pixelBuffer = pixelBuffer
    self.presentationTime = presentationTime
    self.duration = duration
    self.sample = sample
    self.color = color
    self.damage = damage
    self.sliceCount = sliceCount
  }
}
