internal import CVulkan
import Synchronization

/// Bytes that shaders and copies reach; recorded work keeps the buffers that it uses.
package final class Buffer: @unchecked Sendable {
  /// Where the bytes are.
  package enum Place: Hashable, Sendable {
    /// In the device's own memory.
    case device
    /// In the host's memory, for what the host writes and the device reads.
    case upload
    /// In the host's memory, for what the device writes and the host reads.
    case download
    /// In memory of the host's that someone else made.
    case imported
  }

  package let place: Place
  package let byteCount: Int
  /// The first byte's address as shaders see it.
  package let address: UInt64

  private let device: ComputeDevice
  let handle: Owned
  private let memory: Owned
  private let bytes: UnsafeMutableRawPointer?
  private let owner: AnyObject?

  fileprivate init(
    _ device: ComputeDevice, _ place: Place, _ byteCount: Int, handle: consuming Owned, memory: consuming Owned,
    bytes: UnsafeMutableRawPointer?, owner: AnyObject?
  ) throws(ComputeError) {
    let raw = handle.raw
    let code = device.handle.functions.bindBuffer(device.handle.raw, raw, memory.raw, 0)
    self.device = device
    self.place = place
    self.byteCount = byteCount
    self.handle = handle
    self.memory = memory
    self.bytes = bytes
    self.owner = owner
    var info = VkBufferDeviceAddressInfo()
    info.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO
    info.buffer = raw
    address = code == VK_SUCCESS ? device.handle.functions.getBufferAddress(device.handle.raw, &info) : 0
    device.usage.withLock { $0 = ($0.buffers + 1, $0.bytes + byteCount) }
    try device.handle.check(code, "vkBindBufferMemory")
  }

  /// Whether the buffer is of this device.
  package func isOn(_ device: ComputeDevice) -> Bool { self.device === device }

  deinit { device.usage.withLock { $0 = ($0.buffers - 1, $0.bytes - byteCount) } }

  /// Calls `body` with the bytes, which must be in the host's memory.
  ///
  /// Only the caller knows whether the device works on them meanwhile.
  package func withBytes<R>(_ body: (UnsafeMutableRawBufferPointer) throws -> R) rethrows -> R {
    guard let bytes else { preconditionFailure("The buffer is in the device's memory.") }
    return try body(UnsafeMutableRawBufferPointer(start: bytes, count: byteCount))
  }
}

extension ComputeDevice {
  /// Makes a buffer of undefined bytes.
  ///
  /// - Throws: `ComputeError.outOfMemory` where it cannot be had, or is larger than the device's limit.
  package func makeBuffer(_ byteCount: Int, _ place: Buffer.Place) throws(ComputeError) -> Buffer {
    precondition(byteCount > 0 && place != .imported, "A buffer has bytes, and importing has a call of its own.")
    guard byteCount <= limits.largestAllocation else { throw .outOfMemory(device: name, byteCount: byteCount) }
    let buffer = try makeHandle(byteCount, imports: false)
    var needs = VkMemoryRequirements()
    handle.functions.getBufferRequirements(handle.raw, buffer.raw, &needs)
    guard let type = memoryTypes.index(place, allowed: needs.memoryTypeBits) else {
      throw .unsuitable(device: name, lacking: "memory that the host sees")
    }
    let memory = try allocate(Int(needs.size), type: type, importing: nil)
    let bytes = place == .device ? nil : try map(memory)
    return try Buffer(self, place, byteCount, handle: buffer, memory: memory, bytes: bytes, owner: nil)
  }

  /// Makes a buffer of the host's memory, which `owner` (or, without one, the caller) keeps alive, or nil where the device
  /// cannot.
  ///
  /// Both the address and the length must be multiples of `limits.importAlignment`.
  package func importBuffer(_ bytes: UnsafeMutableRawBufferPointer, owner: AnyObject?) -> Buffer? {
    guard importsHostMemory, let start = bytes.baseAddress, bytes.count <= limits.largestAllocation,
      let properties = handle.functions.getHostPointerProperties
    else { return nil }
    let kind = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT
    var found = VkMemoryHostPointerPropertiesEXT()
    found.sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT
    guard properties(handle.raw, kind, start, &found) == VK_SUCCESS else { return nil }
    do {
      let buffer = try makeHandle(bytes.count, imports: true)
      var needs = VkMemoryRequirements()
      handle.functions.getBufferRequirements(handle.raw, buffer.raw, &needs)
      let allowed = needs.memoryTypeBits & found.memoryTypeBits
      guard needs.size <= bytes.count, let type = memoryTypes.index(.download, allowed: allowed) else { return nil }
      let memory = try allocate(bytes.count, type: type, importing: start)
      return try Buffer(self, .imported, bytes.count, handle: buffer, memory: memory, bytes: start, owner: owner)
    } catch {
      return nil
    }
  }

  private func makeHandle(_ byteCount: Int, imports: Bool) throws(ComputeError) -> Owned {
    var external = VkExternalMemoryBufferCreateInfo()
    external.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO
    external.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT.rawValue
    var made: VkBuffer?
    let code = withUnsafeTemporary(external) { external in
      families.withUnsafeBufferPointer { families in
        var info = VkBufferCreateInfo()
        info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO
        info.pNext = imports ? UnsafeRawPointer(external) : nil
        info.size = UInt64(byteCount)
        info.usage = ComputeDevice.bufferUsage
        info.sharingMode = families.count > 1 ? VK_SHARING_MODE_CONCURRENT : VK_SHARING_MODE_EXCLUSIVE
        info.queueFamilyIndexCount = families.count > 1 ? UInt32(families.count) : 0
        info.pQueueFamilyIndices = families.baseAddress
        return handle.functions.createBuffer(handle.raw, &info, nil, &made)
      }
    }
    try handle.check(code, "vkCreateBuffer", byteCount: byteCount)
    return handle.own(made) { $0.functions.destroyBuffer($0.raw, $1, nil) }
  }

  private static let bufferUsage =
    VK_BUFFER_USAGE_STORAGE_BUFFER_BIT.rawValue | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT.rawValue
    | VK_BUFFER_USAGE_TRANSFER_SRC_BIT.rawValue | VK_BUFFER_USAGE_TRANSFER_DST_BIT.rawValue
    | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT.rawValue

  private func allocate(
    _ byteCount: Int, type: UInt32, importing start: UnsafeMutableRawPointer?
  ) throws(ComputeError) -> Owned {
    var imported = VkImportMemoryHostPointerInfoEXT()
    imported.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT
    imported.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT
    imported.pHostPointer = start
    var flags = VkMemoryAllocateFlagsInfo()
    flags.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO
    flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT.rawValue
    var made: VkDeviceMemory?
    let code = withUnsafeTemporary(imported) { imported in
      flags.pNext = start == nil ? nil : UnsafeRawPointer(imported)
      return withUnsafeTemporary(flags) { flags in
        var info = VkMemoryAllocateInfo()
        info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO
        info.pNext = UnsafeRawPointer(flags)
        info.allocationSize = UInt64(byteCount)
        info.memoryTypeIndex = type
        return handle.functions.allocateMemory(handle.raw, &info, nil, &made)
      }
    }
    try handle.check(code, "vkAllocateMemory", byteCount: byteCount)
    return handle.own(made) { $0.functions.freeMemory($0.raw, $1, nil) }
  }

  private func map(_ memory: borrowing Owned) throws(ComputeError) -> UnsafeMutableRawPointer? {
    var bytes: UnsafeMutableRawPointer?
    let code = handle.functions.mapMemory(handle.raw, memory.raw, 0, CVULKAN_WHOLE_SIZE, 0, &bytes)
    try handle.check(code, "vkMapMemory")
    return bytes
  }
}

extension MemoryTypes {
  /// The type for a place.
  fileprivate func index(_ place: Buffer.Place, allowed: UInt32) -> UInt32? {
    switch place {
    case .device: index(allowed: allowed, needed: MemoryTypes.local) ?? index(allowed: allowed, needed: 0)
    case .upload: index(allowed: allowed, needed: MemoryTypes.visible, unwanted: MemoryTypes.local)
    case .download, .imported:
      index(
        allowed: allowed, needed: MemoryTypes.visible, wanted: MemoryTypes.cached, unwanted: MemoryTypes.local)
    }
  }
}
