package import CoreMedia
package import CoreVideo

/// A decoded picture with its exact time.
package struct DecodedFrame: @unchecked Sendable {
  // Unchecked: the buffer is handed over; its decoder keeps no reference.
  package let pixelBuffer: CVPixelBuffer
  package let presentationTime: CMTime
  /// As its sample says; invalid where the sample is silent.
  package let duration: CMTime
  /// The number of its sample in the order handed in, from 0.
  package let sample: Int
  /// The container's tags over the bitstream's. `isFullRange` also tells how the codes of a grey buffer are meant.
  package let color: ColorTags

  package init(
    pixelBuffer: CVPixelBuffer, presentationTime: CMTime, duration: CMTime, sample: Int, color: ColorTags
  ) {
    self.pixelBuffer = pixelBuffer
    self.presentationTime = presentationTime
    self.duration = duration
    self.sample = sample
    self.color = color
  }
}
