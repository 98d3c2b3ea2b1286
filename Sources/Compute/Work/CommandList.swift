internal import CVulkan

/// Commands that are recorded, submitted, and recorded anew when they have run; used by one thread at a time.
///
/// It keeps every buffer and pipeline that its commands use until they have run.
package final class CommandList: @unchecked Sendable {
  let raw: VkCommandBuffer
  private let device: ComputeDevice
  private let pool: Owned
  private let clock: Owned
  private let timeCapacity: Int
  private var labels: [String] = []
  private var used: [AnyObject] = []
  private var end: Timeline.Point?

  fileprivate init(_ device: ComputeDevice, family: UInt32, timeCapacity: Int) throws(ComputeError) {
    self.device = device
    self.timeCapacity = timeCapacity
    clock = try device.handle.makeQueryPool(max(timeCapacity, 1))
    pool = try device.handle.makeCommandPool(family)
    raw = try device.handle.makeCommandBuffer(pool)
  }

  deinit { try? finish() }

  /// Records what `body` adds in place of what was recorded before, which must have run or is waited for.
  package func record(
    _ body: (borrowing Recorder) throws(ComputeError) -> Void
  ) throws(ComputeError) {
    try finish()
    let functions = device.handle.functions
    try device.handle.check(
      functions.resetCommandPool(device.handle.raw, pool.raw, 0), "vkResetCommandPool")
    var info = VkCommandBufferBeginInfo()
    info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO
    info.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT.rawValue
    try device.handle.check(functions.begin(raw, &info), "vkBeginCommandBuffer")
    labels = []
    if timeCapacity > 0 { functions.resetQueryPool(raw, clock.raw, 0, UInt32(timeCapacity)) }
    try body(Recorder(list: self, device: device))
    try device.handle.check(functions.end(raw), "vkEndCommandBuffer")
  }

  /// Waits until what was submitted has run, and lets go of what it used.
  package func finish() throws(ComputeError) {
    guard let end else {
      used = []
      return
    }
    defer {
      self.end = nil
      used = []
    }
    try end.timeline.wait(for: end.value)
  }

  /// The time in nanoseconds between each label given while recording and the next; empty until the list has run, or
  /// where the device has no clock.
  package func times() throws(ComputeError) -> [(label: String, nanoseconds: Double)] {
    guard labels.count > 1 else { return [] }
    var ticks = [UInt64](repeating: 0, count: labels.count)
    let flags = VK_QUERY_RESULT_64_BIT.rawValue | VK_QUERY_RESULT_WAIT_BIT.rawValue
    let code = device.handle.functions.getQueryResults(
      device.handle.raw, clock.raw, 0, UInt32(ticks.count), ticks.count * 8, &ticks, 8, flags)
    try device.handle.check(code, "vkGetQueryPoolResults")
    return zip(labels, zip(ticks, ticks.dropFirst())).map { label, pair in
      (label, Double(pair.1 &- pair.0) * device.limits.nanosecondsPerTick)
    }
  }

  func didSubmit(_ end: Timeline.Point) { self.end = end }

  fileprivate func use(_ object: AnyObject) { used.append(object) }

  fileprivate func addTime(_ label: String) {
    guard labels.count < timeCapacity else { return }
    device.handle.functions.writeTimestamp(
      raw, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, clock.raw, UInt32(labels.count))
    labels.append(label)
  }
}

/// Adds commands to a list.
package struct Recorder: ~Copyable {
  fileprivate let list: CommandList
  fileprivate let device: ComputeDevice

  private var functions: DeviceFunctions { device.handle.functions }

  /// Runs `groups` groups of a shader; `constants` is what it calls its push constants.
  package func dispatch<Constants: BitwiseCopyable>(
    _ pipeline: Pipeline, groups: (x: Int, y: Int, z: Int), constants: Constants
  ) {
    bind(pipeline, constants)
    functions.dispatch(list.raw, UInt32(groups.x), UInt32(groups.y), UInt32(groups.z))
  }

  /// Runs as many groups as three numbers of 32 bits in `buffer` say, which earlier commands have written.
  package func dispatch<Constants: BitwiseCopyable>(
    _ pipeline: Pipeline, groupsIn buffer: Buffer, at offset: Int, constants: Constants
  ) {
    bind(pipeline, constants)
    list.use(buffer)
    functions.dispatchIndirect(list.raw, buffer.handle.raw, UInt64(offset))
  }

  private func bind<Constants: BitwiseCopyable>(_ pipeline: Pipeline, _ constants: Constants) {
    list.use(pipeline)
    functions.bindPipeline(list.raw, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.handle.raw)
    withUnsafeBytes(of: constants) { bytes in
      precondition(bytes.count <= ComputeDevice.pushConstantBytes, "A dispatch has at most 128 bytes of constants.")
      functions.pushConstants(
        list.raw, device.layout.raw, VK_SHADER_STAGE_COMPUTE_BIT.rawValue, 0, UInt32(bytes.count), bytes.baseAddress)
    }
  }

  /// Keeps a buffer that a dispatch reaches by its address.
  package func use(_ buffer: Buffer) { list.use(buffer) }

  /// Copies bytes between buffers.
  package func copy(_ source: Buffer, at start: Int = 0, to target: Buffer, at place: Int = 0, byteCount: Int) {
    list.use(source)
    list.use(target)
    var region = VkBufferCopy(srcOffset: UInt64(start), dstOffset: UInt64(place), size: UInt64(byteCount))
    functions.copyBuffer(list.raw, source.handle.raw, target.handle.raw, 1, &region)
  }

  /// Fills bytes with copies of a word; place and length are multiples of 4.
  package func fill(_ buffer: Buffer, at place: Int, byteCount: Int, word: UInt32) {
    list.use(buffer)
    functions.fillBuffer(list.raw, buffer.handle.raw, UInt64(place), UInt64(byteCount), word)
  }

  /// Everything recorded before has run, and can be seen, before what is recorded later begins; also by the host when
  /// the list has run.
  package func barrier() {
    var memory = VkMemoryBarrier()
    memory.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER
    memory.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT.rawValue
    memory.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT.rawValue | VK_ACCESS_MEMORY_WRITE_BIT.rawValue
    let all = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT.rawValue | VK_PIPELINE_STAGE_HOST_BIT.rawValue
    functions.pipelineBarrier(list.raw, all, all, 0, 1, &memory, 0, nil, 0, nil)
  }

  /// Notes the time at which all that was recorded before has run; `label` names what comes next.
  package func time(_ label: String) { list.addTime(label) }
}

extension ComputeDevice {
  /// Makes an empty list of commands for a queue.
  ///
  /// - Parameter timeCapacity: how many times may be noted.
  package func makeCommandList(for queue: Queue, timeCapacity: Int = 0) throws(ComputeError) -> CommandList {
    try CommandList(self, family: queue.family, timeCapacity: queue.hasClock ? timeCapacity : 0)
  }
}

extension DeviceHandle {
  fileprivate func makeQueryPool(_ count: Int) throws(ComputeError) -> Owned {
    var info = VkQueryPoolCreateInfo()
    info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO
    info.queryType = VK_QUERY_TYPE_TIMESTAMP
    info.queryCount = UInt32(count)
    var made: VkQueryPool?
    try check(functions.createQueryPool(raw, &info, nil, &made), "vkCreateQueryPool")
    return own(made) { $0.functions.destroyQueryPool($0.raw, $1, nil) }
  }

  fileprivate func makeCommandPool(_ family: UInt32) throws(ComputeError) -> Owned {
    var info = VkCommandPoolCreateInfo()
    info.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO
    info.queueFamilyIndex = family
    var made: VkCommandPool?
    try check(functions.createCommandPool(raw, &info, nil, &made), "vkCreateCommandPool")
    return own(made) { $0.functions.destroyCommandPool($0.raw, $1, nil) }
  }

  /// A command buffer goes with its pool.
  fileprivate func makeCommandBuffer(_ pool: borrowing Owned) throws(ComputeError) -> VkCommandBuffer {
    var info = VkCommandBufferAllocateInfo()
    info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO
    info.commandPool = pool.raw
    info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY
    info.commandBufferCount = 1
    var made: VkCommandBuffer?
    try check(functions.allocateCommandBuffers(raw, &info, &made), "vkAllocateCommandBuffers")
    guard let made else { preconditionFailure("A call of Vulkan's that succeeded gave nothing.") }
    return made
  }
}
