public import Bokeh
import Compute

/// What pictures can be rendered on: the processor, or a Vulkan device.
public struct BokehDevice: Hashable, Sendable {
  /// The name by which a user asks for it.
  public let name: String
  /// What kind of device it is, in a word.
  public let kind: String
  /// The device's place among Vulkan's; nil for the processor.
  let index: Int?
  private let isSoftware: Bool

  /// The processor.
  public static let cpu = BokehDevice(name: "cpu", kind: "processor", index: nil, isSoftware: true)

  /// All devices that can be used, the processor first; only it where there is no Vulkan.
  public static var all: [BokehDevice] {
    let vulkan = ComputeDevice.all().enumerated().filter { $0.element.lacking == nil }
    return [.cpu]
      + vulkan.map { index, found in
        BokehDevice(name: found.name, kind: found.kind.rawValue, index: index, isSoftware: found.kind == .software)
      }
  }

  public var isVulkan: Bool { index != nil }

  /// The device for a user's wish.
  ///
  /// - Parameter wish: `auto` (a GPU if there is one, else the processor), `cpu`, `vulkan` (any Vulkan device, GPUs
  ///   first), or a device's name or the part of it that no other has, in any case of letters.
  /// - Throws: `ComputeError.noSuchDevice`, or `unavailable` for `vulkan` where there is none.
  public static func choose(_ wish: String) throws -> BokehDevice {
    let devices = all
    let graphics = devices.first { !$0.isSoftware }
    switch wish.lowercased() {
    case "auto": return graphics ?? .cpu
    case "cpu": return .cpu
    case "vulkan":
      guard let device = graphics ?? devices.first(where: \.isVulkan) else {
        throw ComputeError.unavailable(reason: "no driver for one is installed.")
      }
      return device
    default:
      if let exact = devices.first(where: { $0.name.lowercased() == wish.lowercased() }) { return exact }
      let alike = devices.filter { $0.name.lowercased().contains(wish.lowercased()) }
      // Blanks and brackets are no part that names a device.
      guard let device = alike.first, alike.count == 1, wish.contains(where: { $0.isLetter || $0.isNumber }) else {
        throw ComputeError.noSuchDevice(name: wish, known: devices.map(\.name))
      }
      return device
    }
  }

  /// A renderer of one quality on this device.
  public func makeRenderer(quality: BokehQuality) throws -> any FrameRenderer {
    index == nil ? BokehRenderer(quality: quality) : try VulkanBokehRenderer(device: self, quality: quality)
  }
}

/// Something that renders frames, one after the other.
public protocol FrameRenderer: Sendable {
  var quality: BokehQuality { get }
  /// The device's name, to be said to the user.
  var deviceName: String { get }
  /// How many frames may usefully be submitted before the first of them is waited for; at least 1.
  var framesInFlight: Int { get }
  /// Begins one frame; its buffers belong to it until it has been waited for, or its renderer is gone.
  func submit(_ request: RenderRequest) throws -> PendingFrame
  /// Renders one frame and returns when it is in the destination.
  func render(_ request: RenderRequest) throws
}

extension BokehRenderer: FrameRenderer {
  public var deviceName: String { BokehDevice.cpu.name }
  /// All cores are busy with one frame.
  public var framesInFlight: Int { 1 }

  /// Renders the frame at once, so that there is nothing left to wait for.
  public func submit(_ request: RenderRequest) throws -> PendingFrame {
    try render(request)
    return PendingFrame { [] }
  }
}
