import Compute
import Foundation
import Testing

/// Every device that can be opened; tests say so where there is none.
private let devices: [Int] = ComputeDevice.all().indices.filter { ComputeDevice.all()[$0].lacking == nil }

/// As `multiply` and `groups` declare them.
private struct Constants: BitwiseCopyable {
  var numbers: UInt64
  var count: UInt32
  var offset: UInt32
}

@Suite(.enabled(if: !devices.isEmpty, "There is no Vulkan device, so nothing of it is tested."))
struct ComputeTests {
  /// Numbers 0, 1, 2, … in a buffer that the host can read.
  private func numbers(_ count: Int, on device: ComputeDevice) throws -> Buffer {
    let buffer = try device.makeBuffer(4 * count, .download)
    buffer.withBytes { bytes in
      for i in 0..<count { bytes.storeBytes(of: UInt32(i), toByteOffset: 4 * i, as: UInt32.self) }
    }
    return buffer
  }

  private func values(_ buffer: Buffer) -> [UInt32] { buffer.withBytes { Array($0.bindMemory(to: UInt32.self)) } }

  @Test(arguments: devices)
  func aDispatchChangesABuffer(index: Int) throws {
    let device = try ComputeDevice(index: index)
    let buffer = try numbers(1000, on: device)
    let pipeline = try device.makePipeline(Shaders.multiply, constants: [3])
    let timeline = try device.makeTimeline()
    let list = try device.makeCommandList(for: device.compute)
    try list.record { recorder in
      recorder.use(buffer)
      let constants = Constants(numbers: buffer.address, count: 999, offset: 7)
      recorder.dispatch(pipeline, groups: (16, 1, 1), constants: constants)
      recorder.barrier()
    }
    try device.compute.submit(list, after: [], reaching: timeline.point(1))
    try timeline.wait(for: 1)
    let expected: [UInt32] = (0..<1000).map { (i: UInt32) in i < 999 ? i * 3 + 7 : 999 }
    #expect(values(buffer) == expected)
    #expect(try timeline.value() == 1)
  }

  @Test(arguments: devices)
  func threeQueuesWaitForEachOther(index: Int) throws {
    let device = try ComputeDevice(index: index)
    let source = try numbers(256, on: device)
    let middle = try device.makeBuffer(1024, .device)
    let target = try device.makeBuffer(1024, .download)
    let pipeline = try device.makePipeline(Shaders.multiply, constants: [2])
    let timeline = try device.makeTimeline()
    let lists = try [device.upload, device.compute, device.download].map { try device.makeCommandList(for: $0) }
    try lists[0].record { $0.copy(source, to: middle, byteCount: 1024) }
    try lists[1].record { recorder in
      recorder.use(middle)
      recorder.dispatch(
        pipeline, groups: (4, 1, 1), constants: Constants(numbers: middle.address, count: 256, offset: 1))
    }
    try lists[2].record { recorder in
      recorder.copy(middle, to: target, byteCount: 1024)
      recorder.barrier()
    }
    try device.upload.submit(lists[0], after: [], reaching: timeline.point(1))
    try device.compute.submit(lists[1], after: [timeline.point(1)], reaching: timeline.point(2))
    try device.download.submit(lists[2], after: [timeline.point(2)], reaching: timeline.point(3))
    try timeline.wait(for: 3)
    let expected: [UInt32] = (0..<256).map { (i: UInt32) in i * 2 + 1 }
    #expect(values(target) == expected)
  }

  @Test(arguments: devices)
  func aShaderChoosesHowManyGroupsRun(index: Int) throws {
    let device = try ComputeDevice(index: index)
    let (counts, buffer) = (try device.makeBuffer(12, .device), try numbers(256, on: device))
    let groups = try device.makePipeline(Shaders.groups)
    let multiply = try device.makePipeline(Shaders.multiply, constants: [0])
    let timeline = try device.makeTimeline()
    let list = try device.makeCommandList(for: device.compute)
    try list.record { recorder in
      recorder.use(counts)
      recorder.use(buffer)
      recorder.dispatch(
        groups, groups: (1, 1, 1), constants: Constants(numbers: counts.address, count: 2, offset: 0))
      recorder.barrier()
      recorder.dispatch(
        multiply, groupsIn: counts, at: 0, constants: Constants(numbers: buffer.address, count: 256, offset: 5))
      recorder.barrier()
    }
    try device.compute.submit(list, after: [], reaching: timeline.point(1))
    try timeline.wait(for: 1)
    let expected: [UInt32] = (0..<256).map { (i: UInt32) in i < 128 ? 5 : i }
    #expect(values(buffer) == expected)
  }

  @Test(arguments: devices)
  func timesAreNotedInOrder(index: Int) throws {
    let device = try ComputeDevice(index: index)
    let buffer = try device.makeBuffer(1 << 20, .device)
    let timeline = try device.makeTimeline()
    let list = try device.makeCommandList(for: device.compute, timeCapacity: 3)
    try list.record { recorder in
      recorder.time("fill")
      recorder.fill(buffer, at: 0, byteCount: 1 << 20, word: 7)
      recorder.time("nothing")
      recorder.time("end")
      recorder.time("more than there is room for")
    }
    try device.compute.submit(list, after: [], reaching: timeline.point(1))
    try list.finish()
    let times = try list.times()
    #expect(times.map(\.label) == (device.compute.hasClock ? ["fill", "nothing"] : []))
    #expect(times.allSatisfy { $0.nanoseconds >= 0 })
  }

  @Test(arguments: devices)
  func hostMemoryBecomesABuffer(index: Int) throws {
    let device = try ComputeDevice(index: index)
    let alignment = max(device.limits.importAlignment, 4096)
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: alignment, alignment: alignment)
    defer { memory.deallocate() }
    memory.initializeMemory(as: UInt8.self, repeating: 9)
    guard let imported = device.importBuffer(memory, owner: device) else {
      #expect(!device.importsHostMemory)
      return
    }
    let target = try device.makeBuffer(alignment, .download)
    let timeline = try device.makeTimeline()
    let list = try device.makeCommandList(for: device.upload)
    try list.record { recorder in
      recorder.copy(imported, to: target, byteCount: alignment)
      recorder.barrier()
    }
    try device.upload.submit(list, after: [], reaching: timeline.point(1))
    try list.finish()
    #expect(target.withBytes { $0.allSatisfy { $0 == 9 } })
  }

  @Test(arguments: devices)
  func commandsKeepWhatTheyUseUntilTheyHaveRun(index: Int) throws {
    let device = try ComputeDevice(index: index)
    let timeline = try device.makeTimeline()
    let list = try device.makeCommandList(for: device.compute)
    do {
      let buffer = try device.makeBuffer(4096, .device)
      try list.record { $0.fill(buffer, at: 0, byteCount: 4096, word: 1) }
    }
    #expect(device.liveBuffers.count == 1)
    try device.compute.submit(list, after: [], reaching: timeline.point(1))
    try list.finish()
    #expect(device.liveBuffers == (0, 0))
  }

  @Test(arguments: devices)
  func aBufferBeyondTheLimitIsAnError(index: Int) throws {
    let device = try ComputeDevice(index: index)
    #expect(throws: ComputeError.outOfMemory(device: device.name, byteCount: .max)) {
      try device.makeBuffer(.max, .device)
    }
    #expect(device.liveBuffers == (0, 0))
  }

  @Test(arguments: devices)
  func aLostDeviceSaysSo(index: Int) throws {
    let device = try ComputeDevice(index: index)
    let lost = ComputeError.deviceLost(device: device.name)
    let timeline = try device.makeTimeline()
    let list = try device.makeCommandList(for: device.compute)
    try list.record { _ in }
    device.simulateLoss()
    #expect(throws: lost) { try device.compute.submit(list, after: [], reaching: timeline.point(1)) }
    #expect(throws: lost) { try timeline.wait(for: 1) }
    #expect(throws: lost) { try device.makeBuffer(16, .device) }
    #expect(throws: lost) { try device.makePipeline(Shaders.multiply, constants: [1]) }
    #expect(lost.localizedDescription.contains(device.name))
    // Another renderer opens the device anew.
    #expect(try ComputeDevice(index: index).makeBuffer(16, .device).byteCount == 16)
  }

  @Test(arguments: devices)
  func aDeviceIsSharedUntilItIsLost(index: Int) throws {
    let opened = OpenedDevices()
    let device = try opened.device(index)
    #expect(try opened.device(index) === device)
    device.simulateLoss()
    #expect(try opened.device(index) !== device)
  }

  @Test(arguments: devices)
  func everyDeviceHasTheLimitsThatShadersCountOn(index: Int) throws {
    let limits = try ComputeDevice(index: index).limits
    #expect(limits.sharedMemory >= ComputeDevice.Limits.leastSharedMemory)
    #expect(limits.pushConstants >= ComputeDevice.pushConstantBytes)
    #expect(limits.invocations >= ComputeDevice.Limits.leastInvocations)
  }
}

@Suite struct DeviceListTests {
  @Test func aDeviceThatIsNotThereIsAnError() {
    #expect(throws: ComputeError.self) { try ComputeDevice(index: 1000) }
  }

  @Test func base64GivesLittleEndianWords() {
    // The bytes 03 02 23 07 (SPIR-V's magic number) and 00 FF 3E 3F.
    #expect(ShaderCode(name: "", base64: "AwIjBwD/Pj8").words == [0x0723_0203, 0x3F3E_FF00])
  }

  @Test func committedShadersAreThoseOfTheSources() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    guard FileManager.default.isExecutableFile(atPath: "/usr/bin/glslangValidator") else {
      print("glslangValidator is not installed, so the committed shaders are not compared with their sources.")
      return
    }
    let process = Process()
    process.executableURL = root.appending(path: "Scripts/shaders")
    process.arguments = ["--check"]
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "Run Scripts/shaders.")
  }
}
