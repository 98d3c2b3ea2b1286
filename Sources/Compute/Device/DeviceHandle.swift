internal import CVulkan
import Foundation
import Synchronization

/// Owns a `VkDevice`; whatever is made of it keeps it, so that it goes last.
final class DeviceHandle: @unchecked Sendable {
  let raw: VkDevice
  let functions: DeviceFunctions
  let name: String
  private let instance: Instance
  private let lost = Atomic<Bool>(false)

  init(_ physical: PhysicalDevice, _ plan: QueuePlan) throws(ComputeError) {
    let (code, made) = DeviceHandle.create(physical, plan)
    guard code == VK_SUCCESS, let made else {
      throw ComputeError(code, "vkCreateDevice", device: physical.name)
    }
    raw = made
    name = physical.name
    instance = physical.instance
    functions = try DeviceFunctions(physical.instance.functions, made)
  }

  deinit { functions.destroyDevice(raw, nil) }

  private static func create(_ physical: PhysicalDevice, _ plan: QueuePlan) -> (VkResult, VkDevice?) {
    var older = VkPhysicalDeviceVulkan11Features()
    older.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES
    older.storageBuffer16BitAccess = physical.hasShorts ? 1 : 0
    return withUnsafeTemporary(older) { older in
      var features = VkPhysicalDeviceVulkan12Features()
      features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES
      features.pNext = UnsafeMutableRawPointer(mutating: older)
      features.timelineSemaphore = 1
      features.bufferDeviceAddress = 1
      features.storageBuffer8BitAccess = 1
      return withUnsafeTemporary(features) { create(physical, plan, $0) }
    }
  }

  private static func create(
    _ physical: PhysicalDevice, _ plan: QueuePlan, _ features: UnsafePointer<VkPhysicalDeviceVulkan12Features>
  ) -> (VkResult, VkDevice?) {
    let priorities: [Float] = [1, 1, 1]
    let names = physical.wantedExtensions.map { strdup($0) }
    defer { names.forEach { free($0) } }
    return priorities.withUnsafeBufferPointer { priorities in
      let queues = plan.families.map { family in
        var info = VkDeviceQueueCreateInfo()
        info.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO
        info.queueFamilyIndex = family
        info.queueCount = UInt32(plan.count(family))
        info.pQueuePriorities = priorities.baseAddress
        return info
      }
      return queues.withUnsafeBufferPointer { queues in
        names.map { UnsafePointer($0) }.withUnsafeBufferPointer { names in
          var info = VkDeviceCreateInfo()
          info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO
          info.pNext = UnsafeRawPointer(features)
          info.queueCreateInfoCount = UInt32(queues.count)
          info.pQueueCreateInfos = queues.baseAddress
          info.enabledExtensionCount = UInt32(names.count)
          info.ppEnabledExtensionNames = names.baseAddress
          var made: VkDevice?
          let code = physical.instance.functions.createDevice(physical.raw, &info, nil, &made)
          return (code, made)
        }
      }
    }
  }

  var isLost: Bool { lost.load(ordering: .acquiring) }

  func markLost() { lost.store(true, ordering: .releasing) }

  func waitUntilIdle() { _ = functions.waitIdle(raw) }

  /// The one place where Vulkan's codes become errors.
  func check(_ code: VkResult, _ call: String, byteCount: Int = 0) throws(ComputeError) {
    if code == VK_ERROR_DEVICE_LOST { markLost() }
    if isLost { throw .deviceLost(device: name) }
    guard code.rawValue < 0 else { return }
    throw ComputeError(code, call, device: name, byteCount: byteCount)
  }

  /// The one layout that all pipelines have: constants, and no descriptors, since buffers are reached by address.
  func makePipelineLayout() throws(ComputeError) -> Owned {
    var range = VkPushConstantRange()
    range.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT.rawValue
    range.size = UInt32(ComputeDevice.pushConstantBytes)
    var made: VkPipelineLayout?
    let code = withUnsafeTemporary(range) { range in
      var info = VkPipelineLayoutCreateInfo()
      info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO
      info.pushConstantRangeCount = 1
      info.pPushConstantRanges = range
      return functions.createPipelineLayout(raw, &info, nil, &made)
    }
    try check(code, "vkCreatePipelineLayout")
    return own(made) { $0.functions.destroyPipelineLayout($0.raw, $1, nil) }
  }

  /// Takes ownership of something made by this device.
  func own(_ raw: OpaquePointer?, _ destroy: @escaping (DeviceHandle, OpaquePointer) -> Void) -> Owned {
    guard let raw else { preconditionFailure("A call of Vulkan's that succeeded gave nothing.") }
    return Owned(raw: raw, device: self, destroy: destroy)
  }
}

/// A Vulkan object with one owner, destroyed with it.
struct Owned: ~Copyable, @unchecked Sendable {
  let raw: OpaquePointer
  fileprivate let device: DeviceHandle
  fileprivate let destroy: (DeviceHandle, OpaquePointer) -> Void

  deinit { destroy(device, raw) }
}

extension ComputeError {
  init(_ code: VkResult, _ call: String, device: String, byteCount: Int = 0) {
    self =
      switch code {
      case VK_ERROR_DEVICE_LOST: .deviceLost(device: device)
      case VK_ERROR_OUT_OF_DEVICE_MEMORY, VK_ERROR_OUT_OF_HOST_MEMORY:
        .outOfMemory(device: device, byteCount: byteCount)
      default: .failed(call: call, code: Int(code.rawValue))
      }
  }
}
