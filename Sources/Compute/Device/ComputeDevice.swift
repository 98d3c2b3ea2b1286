internal import CVulkan
import Synchronization

/// An opened Vulkan device: where buffers, pipelines and work are made.
///
/// May be used from any thread. Everything made by a device keeps it.
package final class ComputeDevice: Sendable {
  package enum Kind: String, Hashable, Sendable {
    case discrete, integrated, virtual, software, other
  }

  /// What a device offers at most.
  package struct Limits: Hashable, Sendable {
    /// Bytes of memory that a group of invocations shares.
    package let sharedMemory: Int
    /// Invocations in a group.
    package let invocations: Int
    /// Groups of a dispatch in one direction.
    package let groups: Int
    /// Bytes of a dispatch's constants.
    package let pushConstants: Int
    /// Bytes of a buffer.
    package let largestAllocation: Int
    /// What imported host memory is aligned to, in bytes.
    package let importAlignment: Int
    package let nanosecondsPerTick: Double
    /// What the package's shaders count on; nearly every device has as much.
    package static let leastSharedMemory = 32_768
    package static let leastInvocations = 1024
  }

  /// A device that could be opened.
  package struct Description: Hashable, Sendable {
    package let name: String
    package let kind: Kind
    /// What it lacks, or nil if it can be used.
    package let lacking: String?
  }

  package let name: String
  package let kind: Kind
  package let limits: Limits
  /// Whether buffers can be made of the host's own memory.
  package let importsHostMemory: Bool
  /// Whether shaders can load and store values of 16 bits.
  package let storesShorts: Bool
  /// Runs shaders.
  package let compute: Queue
  /// Copies towards the device, beside what `compute` does where the device can.
  package let upload: Queue
  /// Copies from the device, beside what the others do where the device can.
  package let download: Queue

  let handle: DeviceHandle
  let layout: Owned
  let memoryTypes: MemoryTypes
  /// The families of all queues, each once.
  let families: [UInt32]
  /// Buffers that exist and their bytes.
  let usage = Mutex((buffers: 0, bytes: 0))

  /// Bytes of constants that a dispatch may have on every device.
  package static let pushConstantBytes = 128

  /// All devices in the loader's order; empty where there is no Vulkan.
  package static func all() -> [Description] {
    guard case .success(let instance) = Instance.shared else { return [] }
    return instance.physicalDevices().map { Description(name: $0.name, kind: $0.kind, lacking: $0.lacking) }
  }

  /// Opens the device number `index` of `all()`.
  package init(index: Int) throws(ComputeError) {
    let found = try Instance.shared.get().physicalDevices()
    guard found.indices.contains(index) else {
      throw .noSuchDevice(name: "\(index)", known: found.map(\.name))
    }
    let physical = found[index]
    if let lacking = physical.lacking { throw .unsuitable(device: physical.name, lacking: lacking) }
    let plan = QueuePlan(physical.queueFamilies)
    let handle = try DeviceHandle(physical, plan)
    self.handle = handle
    (name, kind, limits, importsHostMemory) = (physical.name, physical.kind, physical.limits, physical.hasHostImport)
    storesShorts = physical.hasShorts
    families = plan.families
    memoryTypes = MemoryTypes(physical.memory)
    layout = try handle.makePipelineLayout()
    var made: [QueuePlan.Place: Queue] = [:]
    func queue(_ place: QueuePlan.Place) -> Queue {
      let queue = made[place] ?? Queue(handle, place, ticks: physical.queueFamilies[Int(place.family)])
      made[place] = queue
      return queue
    }
    (compute, upload, download) = (queue(plan.compute), queue(plan.upload), queue(plan.download))
  }

  /// Buffers of this device that exist now, and their bytes.
  package var liveBuffers: (count: Int, byteCount: Int) { usage.withLock { ($0.buffers, $0.bytes) } }

  /// Whether the device was lost.
  package var isLost: Bool { handle.isLost }

  /// Makes every later call fail as on a lost device, for tests of what survives it.
  package func simulateLoss() { handle.markLost() }

  /// Returns when all queues are idle, or the device is lost.
  package func waitUntilIdle() { handle.waitUntilIdle() }
}

/// Devices that are opened once for all who use them.
package final class OpenedDevices: Sendable {
  /// Those of this process.
  package static let shared = OpenedDevices()

  private struct WeakDevice {
    weak var device: ComputeDevice?
  }

  private let devices = Mutex<[Int: WeakDevice]>([:])

  package init() {}

  /// The device number `index` of `ComputeDevice.all()`: as it is open, or opened anew if nobody uses it, or it was lost.
  package func device(_ index: Int) throws(ComputeError) -> ComputeDevice {
    try devices.withLock { (devices) throws(ComputeError) in
      if let device = devices[index]?.device, !device.isLost { return device }
      let device = try ComputeDevice(index: index)
      devices[index] = WeakDevice(device: device)
      return device
    }
  }
}

/// Which queues of which families a device is opened with.
struct QueuePlan {
  struct Place: Hashable {
    let family: UInt32
    let index: UInt32
  }

  let compute: Place
  let upload: Place
  let download: Place

  /// Copies go to a family that does nothing else, which is what copies beside shaders on discrete devices.
  init(_ families: [VkQueueFamilyProperties]) {
    func first(_ isFit: (VkQueueFamilyProperties) -> Bool) -> UInt32? {
      families.firstIndex(where: isFit).map { UInt32($0) }
    }
    let shaders = VK_QUEUE_COMPUTE_BIT.rawValue
    let copies = VK_QUEUE_TRANSFER_BIT.rawValue
    let computeFamily = first { $0.queueFlags & shaders != 0 } ?? 0
    let others = shaders | VK_QUEUE_GRAPHICS_BIT.rawValue
    let copyFamily = first { $0.queueFlags & copies != 0 && $0.queueFlags & others == 0 } ?? computeFamily
    let spare = copyFamily == computeFamily ? 1 : 0
    let count = Int(families[Int(copyFamily)].queueCount)
    compute = Place(family: computeFamily, index: 0)
    upload = Place(family: copyFamily, index: UInt32(min(spare, count - 1)))
    download = Place(family: copyFamily, index: UInt32(min(spare + 1, count - 1)))
  }

  var families: [UInt32] { Set([compute.family, upload.family, download.family]).sorted() }

  /// How many queues of a family are used.
  func count(_ family: UInt32) -> Int {
    Int([compute, upload, download].filter { $0.family == family }.map(\.index).max() ?? 0) + 1
  }
}
