import Foundation

/// Something that runs command buffers and owns textures.
///
/// This slice of the interface hands over work and pixels; it has no shaders. Work itself is given by the package's own stages.
public protocol MTLDevice: AnyObject, Sendable {
  var name: String { get }
  var registryID: UInt64 { get }
  var hasUnifiedMemory: Bool { get }
  /// A queue whose command buffers run one after the other, in the order of their enqueueing.
  func makeCommandQueue() -> (any MTLCommandQueue)?
  /// As `makeCommandQueue()`; the count is a hint that the processor's device does not need.
  func makeCommandQueue(maxCommandBufferCount: Int) -> (any MTLCommandQueue)?
  /// A zeroed texture, or nil where the descriptor is not supported or the memory cannot be had.
  func makeTexture(descriptor: MTLTextureDescriptor) -> (any MTLTexture)?
  /// `length` zeroed bytes; nil if it is not positive or the memory cannot be had.
  func makeBuffer(length: Int, options: MTLResourceOptions) -> (any MTLBuffer)?
}

extension MTLDevice {
  public func makeBuffer(length: Int) -> (any MTLBuffer)? { makeBuffer(length: length, options: []) }
}

/// The device that runs work by default: the processor, the same object at each call.
public func MTLCreateSystemDefaultDevice() -> (any MTLDevice)? { CPUDevice.shared }

/// All devices: the processor.
public func MTLCopyAllDevices() -> [any MTLDevice] { [CPUDevice.shared] }

/// The processor as a device.
final class CPUDevice: MTLDevice {
  static let shared = CPUDevice()

  let name = "CPU"
  let registryID: UInt64 = 1
  let hasUnifiedMemory = true

  func makeCommandQueue() -> (any MTLCommandQueue)? { CPUCommandQueue(device: self) }

  func makeCommandQueue(maxCommandBufferCount: Int) -> (any MTLCommandQueue)? {
    maxCommandBufferCount > 0 ? CPUCommandQueue(device: self) : nil
  }

  func makeTexture(descriptor: MTLTextureDescriptor) -> (any MTLTexture)? {
    CPUTexture(device: self, descriptor: descriptor)
  }

  func makeBuffer(length: Int, options: MTLResourceOptions) -> (any MTLBuffer)? {
    CPUBuffer(device: self, length: length)
  }
}
