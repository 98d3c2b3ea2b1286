internal import Codecs
internal import Compute
internal import CoreMedia
internal import Foundation
internal import ProRes
internal import ProResCompute

/// A Vulkan device that decodes ProRes.
final class VulkanDecodingDevice: DecodingDevice, @unchecked Sendable {
  // Unchecked: what changes is guarded by the lock.
  let name: String
  /// Whether it is one; a driver that computes on the processor is not, and is used only by those who ask for a device.
  let isHardware: Bool
  private let index: Int
  private let guardian = NSLock()
  /// One for all who use the device now, since its shaders take long to compile.
  private weak var decoder: ProResDeviceDecoder?

  /// Every device that could decode, real ones first.
  static let all: [VulkanDecodingDevice] = {
    let found = ComputeDevice.all().enumerated().filter { $1.lacking == nil }
      .map { VulkanDecodingDevice(index: $0, $1) }
    return found.filter(\.isHardware) + found.filter { !$0.isHardware }
  }()

  private init(index: Int, _ description: ComputeDevice.Description) {
    self.index = index
    name = description.name
    isHardware = description.kind != .software
  }

  func canDecode(_ codec: CMVideoCodecType) -> Bool { ProResDecoder.codecs.contains(codec) }

  func makeDecoder(for format: CMFormatDescription, options: PictureDecoderOptions) throws -> any PictureDecoder {
    do {
      return try DeviceProResPictureDecoder(format, options, try opened(), isHardware: isHardware)
    } catch let error as ComputeError {
      throw CodecError(error)
    }
  }

  private func opened() throws -> ProResDeviceDecoder {
    try guardian.withLock {
      if let decoder, !decoder.isLost { return decoder }
      let made = try ProResDeviceDecoder(device: try OpenedDevices.shared.device(index))
      decoder = made
      return made
    }
  }
}
