import CoreMedia
import CoreVideo
import ProRes
import VideoToolbox

/// How a command wants frames decoded.
struct DecodingPlan: Sendable {
  /// Who decodes, by the words of `--decoder`.
  enum Choice: String, CaseIterable, Sendable {
    case any, cpu, vulkan, ffmpeg

    var decoder: PictureDecoderOptions.Choice {
      switch self {
      case .any: .any
      case .cpu: .processor
      case .vulkan: .device(nil)
      case .ffmpeg: .libavcodec
      }
    }
  }

  var choice = Choice.any
  /// How frames lie in a file; nil for pixel buffers.
  var format: RawFormat?
  /// The pixel format of buffers, where `format` is nil; nil for the decoder's own.
  var pixelFormat: OSType?
  var scale = ProResScale.full
  /// 0 chooses by the number of cores.
  var threads = 0
  var concealment = PictureDecoderOptions.Concealment.grey

  /// What the decoder of a description is asked for.
  func options(for description: CMFormatDescription) -> PictureDecoderOptions {
    var options = PictureDecoderOptions(
      pixelFormat: format.map { description.isFullRange ? $0.fullRangePixelFormat : $0.pixelFormat } ?? pixelFormat,
      choice: choice.decoder)
    options.scale = scale
    options.threads = threads
    options.concealment = concealment
    return options
  }

  /// Whether frames of the description may be decoded straight into planes: the processor's ProRes decoder writes planar formats of more than
  /// 8 bits itself.
  func canWritePlanes(of description: CMFormatDescription, _ factory: PictureDecoderFactory) -> Bool {
    guard let depth = format?.planarDepth, depth > 8 else { return false }
    let codec = CMFormatDescriptionGetMediaSubType(description)
    guard ProResDecoder.codecs.contains(codec) else { return false }
    return choice == .cpu || (choice == .any && !factory.hasDevice(for: codec))
  }
}

extension CMFormatDescription {
  /// Whether the container says that codes span all values.
  var isFullRange: Bool {
    let value = CMFormatDescriptionGetExtension(self, extensionKey: kCMFormatDescriptionExtension_FullRangeVideo)
    return (value as? Bool) ?? ((value as? Int) == 1)
  }
}
