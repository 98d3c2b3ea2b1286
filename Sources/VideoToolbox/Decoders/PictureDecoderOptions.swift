package import Codecs
package import CoreVideo
package import ProRes

/// What is asked of a decoder.
package struct PictureDecoderOptions: Sendable {
  /// Who decodes.
  package enum Choice: Sendable, Hashable {
    /// A device if there is one for the format, else the processor.
    case any
    /// Never a device.
    case processor
    /// A device, the one with this name if one is given; an error where there is none.
    case device(String?)
    /// FFmpeg's library, also for what this package decodes itself.
    case libavcodec
  }

  /// What stands in place of damage.
  package enum Concealment: Sendable, Hashable {
    case grey
    /// The same place of the last picture, grey where there is none of the same size. Whoever gets pictures must then not write
    /// into them.
    case previousPicture
  }

  /// Nil for the decoder's native format, which costs no conversion.
  package var pixelFormat: OSType?
  package var choice = Choice.any
  /// A part of the size, for codecs that can decode so; others refuse anything but `full`.
  package var scale = ProResScale.full
  /// 0 chooses by the number of cores.
  package var threads = 0
  /// Whether a picture should come as soon as its sample has gone in, at the price of threads; for codecs that can choose.
  package var isLowDelay = false
  package var concealment = Concealment.grey
  /// The largest picture, in pixels; nil for the decoder's own limit.
  package var pixelBudget: Int?
  /// Where the pictures' buffers come from; nil for a pool of the decoder's own.
  package var pool: PicturePool?

  package init(pixelFormat: OSType? = nil, choice: Choice = .any) {
    self.pixelFormat = pixelFormat
    self.choice = choice
  }
}
