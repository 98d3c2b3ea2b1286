internal import CVulkan
import Foundation

/// Vulkan's loader, opened at run time and never closed.
struct VulkanLibrary {
  let getInstanceProcAddr: PFN_vkGetInstanceProcAddr

  /// The name under which every distribution installs it.
  private static let fileName = "libvulkan.so.1"

  init() throws(ComputeError) {
    guard let library = dlopen(VulkanLibrary.fileName, RTLD_NOW | RTLD_LOCAL) else {
      throw .unavailable(reason: "\(VulkanLibrary.fileName) is not installed.")
    }
    guard let entry = dlsym(library, "vkGetInstanceProcAddr") else {
      throw .unavailable(reason: "\(VulkanLibrary.fileName) is not Vulkan's loader.")
    }
    getInstanceProcAddr = unsafeBitCast(entry, to: PFN_vkGetInstanceProcAddr.self)
  }

  /// The function of that name as a `Function`, which must be its type.
  func load<Function>(_ name: String, _ instance: VkInstance? = nil) throws(ComputeError) -> Function {
    guard let function = getInstanceProcAddr(instance, name) else {
      throw .unavailable(reason: "its loader has no \(name).")
    }
    return unsafeBitCast(function, to: Function.self)
  }
}

/// Vulkan's functions that need an instance.
struct InstanceFunctions {
  let destroyInstance: PFN_vkDestroyInstance
  let enumeratePhysicalDevices: PFN_vkEnumeratePhysicalDevices
  let getProperties: PFN_vkGetPhysicalDeviceProperties2
  let getFeatures: PFN_vkGetPhysicalDeviceFeatures2
  let getQueueFamilies: PFN_vkGetPhysicalDeviceQueueFamilyProperties
  let getMemory: PFN_vkGetPhysicalDeviceMemoryProperties
  let enumerateExtensions: PFN_vkEnumerateDeviceExtensionProperties
  let createDevice: PFN_vkCreateDevice
  let getDeviceProcAddr: PFN_vkGetDeviceProcAddr

  init(_ library: VulkanLibrary, _ instance: VkInstance) throws(ComputeError) {
    destroyInstance = try library.load("vkDestroyInstance", instance)
    enumeratePhysicalDevices = try library.load("vkEnumeratePhysicalDevices", instance)
    getProperties = try library.load("vkGetPhysicalDeviceProperties2", instance)
    getFeatures = try library.load("vkGetPhysicalDeviceFeatures2", instance)
    getQueueFamilies = try library.load("vkGetPhysicalDeviceQueueFamilyProperties", instance)
    getMemory = try library.load("vkGetPhysicalDeviceMemoryProperties", instance)
    enumerateExtensions = try library.load("vkEnumerateDeviceExtensionProperties", instance)
    createDevice = try library.load("vkCreateDevice", instance)
    getDeviceProcAddr = try library.load("vkGetDeviceProcAddr", instance)
  }
}
