internal import CVulkan

/// The kinds of memory that a device offers.
struct MemoryTypes: @unchecked Sendable {
  private let flags: [UInt32]

  init(_ properties: VkPhysicalDeviceMemoryProperties) {
    flags = withUnsafeBytes(of: properties.memoryTypes) { bytes in
      let types = bytes.bindMemory(to: VkMemoryType.self)
      return types.prefix(Int(properties.memoryTypeCount)).map(\.propertyFlags)
    }
  }

  /// The first type among `allowed` (a bit for each type) that has `needed`, rather one that has `wanted` too and
  /// nothing of `unwanted`.
  func index(allowed: UInt32, needed: UInt32, wanted: UInt32 = 0, unwanted: UInt32 = 0) -> UInt32? {
    let fit = flags.indices.filter { allowed & (1 << UInt32($0)) != 0 && flags[$0] & needed == needed }
    let better = fit.first { flags[$0] & wanted == wanted && flags[$0] & unwanted == 0 }
    let good = fit.first { flags[$0] & wanted == wanted }
    return (better ?? good ?? fit.first).map { UInt32($0) }
  }

  static let local = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT.rawValue
  static let visible = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT.rawValue | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT.rawValue
  static let cached = VK_MEMORY_PROPERTY_HOST_CACHED_BIT.rawValue
}
