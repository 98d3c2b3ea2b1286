internal import Codecs
package import CoreMedia
internal import CoreVideo
internal import ProRes

/// A device other than the processor that decodes some formats.
package protocol DecodingDevice: Sendable {
  var name: String { get }
  /// Whether the work leaves the processor. Other devices are used by those who ask for one.
  var isHardware: Bool { get }
  func canDecode(_ codec: CMVideoCodecType) -> Bool
  /// - Throws: `CodecError` where this format, or an option, is beyond it.
  func makeDecoder(for format: CMFormatDescription, options: PictureDecoderOptions) throws -> any PictureDecoder
}

extension DecodingDevice {
  /// Whether `wish` is the device's name or a part of it, in any case of letters.
  fileprivate func isCalled(_ wish: String) -> Bool { name.lowercased().contains(wish.lowercased()) }
}

/// Chooses who decodes a format.
package struct PictureDecoderFactory: Sendable {
  /// In the order of preference.
  package var devices: [any DecodingDevice] { find() }
  private let find: @Sendable () -> [any DecodingDevice]
  /// The codecs for which devices are looked for at all; nil for every codec.
  private let codecs: [CMVideoCodecType]?

  /// - Parameter devices: looked at when a format of these codecs comes, since drivers take time and memory to load.
  package init(codecs: [CMVideoCodecType]? = nil, devices: @escaping @autoclosure @Sendable () -> [any DecodingDevice])
  {
    self.codecs = codecs
    find = devices
  }

  /// With all Vulkan devices.
  package static let standard = PictureDecoderFactory(
    codecs: ProResDecoder.codecs, devices: VulkanDecodingDevice.all)

  private func devices(for codec: CMVideoCodecType) -> [any DecodingDevice] {
    codecs?.contains(codec) == false ? [] : devices.filter { $0.canDecode(codec) }
  }

  /// - Throws: `CodecError` that names the format, device or option that cannot be had.
  package func makeDecoder(
    for format: CMFormatDescription, options: PictureDecoderOptions = PictureDecoderOptions()
  ) throws -> any PictureDecoder {
    switch options.choice {
    case .any: try onDevice(format, options, name: nil) ?? onProcessor(format, options)
    case .processor: try onProcessor(format, options)
    case .device(let name): try required(format, options, name)
    case .libavcodec: try LibraryPictureDecoder(format, options)
    }
  }

  /// Whether a device other than the processor decodes the codec.
  package func hasDevice(for codec: CMVideoCodecType) -> Bool {
    devices(for: codec).contains(where: \.isHardware)
  }

  private func onProcessor(
    _ format: CMFormatDescription, _ options: PictureDecoderOptions
  ) throws -> any PictureDecoder {
    ProResPictureDecoder.isProRes(format)
      ? try ProResPictureDecoder(format, options) : try LibraryPictureDecoder(format, options)
  }

  /// The first device that takes the format with these options; nil where none does.
  private func onDevice(
    _ format: CMFormatDescription, _ options: PictureDecoderOptions, name: String?
  ) throws -> (any PictureDecoder)? {
    var refusal: (any Error)?
    let codec = CMFormatDescriptionGetMediaSubType(format)
    let isAsked = options.choice != .any
    for device in devices(for: codec) where (device.isHardware || isAsked) && (name.map(device.isCalled) ?? true) {
      do { return try device.makeDecoder(for: format, options: options) } catch { refusal = refusal ?? error }
    }
    if case .device = options.choice, let refusal { throw refusal }
    return nil
  }

  private func required(
    _ format: CMFormatDescription, _ options: PictureDecoderOptions, _ name: String?
  ) throws -> any PictureDecoder {
    if let decoder = try onDevice(format, options, name: name) { return decoder }
    let codec = fourCharacterString(CMFormatDescriptionGetMediaSubType(format))
    throw CodecError(
      .unsupported,
      "\(name.map { "The device '\($0)' does not decode" } ?? "No device decodes") video of type '\(codec)' here; let the processor do it."
    )
  }
}
