internal import CVulkan

/// A device as the loader describes it, before it is opened.
struct PhysicalDevice {
  let raw: VkPhysicalDevice
  let instance: Instance
  let name: String
  let kind: ComputeDevice.Kind
  let apiVersion: UInt32
  let limits: ComputeDevice.Limits
  let hasHostImport: Bool
  let hasShorts: Bool

  private static let hostImport = "VK_EXT_external_memory_host"

  init(_ raw: VkPhysicalDevice, _ instance: Instance) {
    self.raw = raw
    self.instance = instance
    let extensions = PhysicalDevice.extensions(raw, instance)
    hasHostImport = extensions.contains(PhysicalDevice.hostImport)
    hasShorts = PhysicalDevice.hasShorts(raw, instance)
    var host = VkPhysicalDeviceExternalMemoryHostPropertiesEXT()
    host.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT
    var maintenance = VkPhysicalDeviceMaintenance3Properties()
    maintenance.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES
    var all = VkPhysicalDeviceProperties2()
    all.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2
    withUnsafeMutablePointer(to: &host) { host in
      withUnsafeMutablePointer(to: &maintenance) { maintenance in
        all.pNext = UnsafeMutableRawPointer(maintenance)
        if extensions.contains(PhysicalDevice.hostImport) { maintenance.pointee.pNext = UnsafeMutableRawPointer(host) }
        instance.functions.getProperties(raw, &all)
      }
    }
    name = withUnsafeBytes(of: all.properties.deviceName) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    kind = ComputeDevice.Kind(all.properties.deviceType)
    apiVersion = all.properties.apiVersion
    limits = ComputeDevice.Limits(
      all.properties.limits, largestAllocation: maintenance.maxMemoryAllocationSize,
      importAlignment: host.minImportedHostPointerAlignment)
  }

  private static func hasShorts(_ raw: VkPhysicalDevice, _ instance: Instance) -> Bool {
    var found = VkPhysicalDeviceVulkan11Features()
    found.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES
    withUnsafeMutablePointer(to: &found) { found in
      var all = VkPhysicalDeviceFeatures2()
      all.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2
      all.pNext = UnsafeMutableRawPointer(found)
      instance.functions.getFeatures(raw, &all)
    }
    return found.storageBuffer16BitAccess != 0
  }

  private static func extensions(_ raw: VkPhysicalDevice, _ instance: Instance) -> Set<String> {
    var count: UInt32 = 0
    _ = instance.functions.enumerateExtensions(raw, nil, &count, nil)
    var found = [VkExtensionProperties](repeating: VkExtensionProperties(), count: Int(count))
    _ = instance.functions.enumerateExtensions(raw, nil, &count, &found)
    return Set(
      found.map { entry in
        withUnsafeBytes(of: entry.extensionName) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      })
  }

  /// The extensions to enable.
  var wantedExtensions: [String] { hasHostImport ? [PhysicalDevice.hostImport] : [] }

  /// What the device lacks, or nil if it can be used.
  var lacking: String? {
    guard apiVersion >= CVULKAN_API_VERSION else { return "Vulkan 1.2" }
    guard queueFamilies.contains(where: { $0.queueFlags & VK_QUEUE_COMPUTE_BIT.rawValue != 0 }) else {
      return "compute queues"
    }
    guard limits.sharedMemory >= ComputeDevice.Limits.leastSharedMemory else { return "32 KiB of shared memory" }
    guard limits.invocations >= ComputeDevice.Limits.leastInvocations else { return "groups of 1024 invocations" }
    var found = VkPhysicalDeviceVulkan12Features()
    found.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES
    withUnsafeMutablePointer(to: &found) { found in
      var all = VkPhysicalDeviceFeatures2()
      all.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2
      all.pNext = UnsafeMutableRawPointer(found)
      instance.functions.getFeatures(raw, &all)
    }
    if found.timelineSemaphore == 0 { return "timeline semaphores" }
    if found.bufferDeviceAddress == 0 { return "buffer addresses in shaders" }
    if found.storageBuffer8BitAccess == 0 { return "storage of bytes" }
    return nil
  }

  var queueFamilies: [VkQueueFamilyProperties] {
    var count: UInt32 = 0
    instance.functions.getQueueFamilies(raw, &count, nil)
    var families = [VkQueueFamilyProperties](repeating: VkQueueFamilyProperties(), count: Int(count))
    instance.functions.getQueueFamilies(raw, &count, &families)
    return families
  }

  var memory: VkPhysicalDeviceMemoryProperties {
    var memory = VkPhysicalDeviceMemoryProperties()
    instance.functions.getMemory(raw, &memory)
    return memory
  }
}

extension ComputeDevice.Kind {
  init(_ type: VkPhysicalDeviceType) {
    self =
      switch type {
      case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU: .discrete
      case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU: .integrated
      case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU: .virtual
      case VK_PHYSICAL_DEVICE_TYPE_CPU: .software
      default: .other
      }
  }
}

extension ComputeDevice.Limits {
  init(_ limits: VkPhysicalDeviceLimits, largestAllocation: UInt64, importAlignment: UInt64) {
    sharedMemory = Int(limits.maxComputeSharedMemorySize)
    invocations = Int(limits.maxComputeWorkGroupInvocations)
    groups = Int(limits.maxComputeWorkGroupCount.0)
    pushConstants = Int(limits.maxPushConstantsSize)
    self.largestAllocation = Int(clamping: largestAllocation)
    self.importAlignment = Int(clamping: importAlignment)
    nanosecondsPerTick = Double(limits.timestampPeriod)
  }
}
