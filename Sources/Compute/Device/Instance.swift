internal import CVulkan

/// The process's connection to Vulkan.
final class Instance: @unchecked Sendable {
  let raw: VkInstance
  let functions: InstanceFunctions

  /// Made at first use, or why there is none.
  static let shared: Result<Instance, ComputeError> = Result { () throws(ComputeError) in try Instance() }

  private init() throws(ComputeError) {
    let library = try VulkanLibrary()
    let create: PFN_vkCreateInstance = try library.load("vkCreateInstance")
    var made: VkInstance?
    let code = withUnsafeTemporary(Instance.application()) { application in
      var info = VkInstanceCreateInfo()
      info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO
      info.pApplicationInfo = application
      return create(&info, nil, &made)
    }
    guard code == VK_SUCCESS, let made else {
      throw .unavailable(reason: "no driver for it is installed (code \(code.rawValue)).")
    }
    raw = made
    functions = try InstanceFunctions(library, made)
  }

  deinit { functions.destroyInstance(raw, nil) }

  private static func application() -> VkApplicationInfo {
    var info = VkApplicationInfo()
    info.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO
    info.apiVersion = CVULKAN_API_VERSION
    return info
  }

  /// All devices in the loader's order, suitable or not.
  func physicalDevices() -> [PhysicalDevice] {
    var count: UInt32 = 0
    guard functions.enumeratePhysicalDevices(raw, &count, nil) == VK_SUCCESS, count > 0 else { return [] }
    var handles = [VkPhysicalDevice?](repeating: nil, count: Int(count))
    let code = functions.enumeratePhysicalDevices(raw, &count, &handles)
    guard code == VK_SUCCESS || code == VK_INCOMPLETE else { return [] }
    return handles.prefix(Int(count)).compactMap { $0.map { PhysicalDevice($0, self) } }
  }
}

/// Calls `body` with the address of a copy of `value`, for the structures that Vulkan wants by address.
func withUnsafeTemporary<Value, Result>(
  _ value: Value, _ body: (UnsafePointer<Value>) -> Result
) -> Result {
  withUnsafePointer(to: value, body)
}
