package import Compute
package import CoreVideo
internal import CoreVideoCompute
internal import Dispatch
internal import Foundation
package import ProRes

/// Decodes ProRes frames on a Vulkan device, several at a time: within one code of what `ProResDecoder` makes.
///
/// May be used from any thread. Batches are worked on in the order of their submission; while one is on the device the next
/// is on its way there, and the one before on its way back.
///
///     upload → entropy, alpha → transform → pack → download
package final class ProResDeviceDecoder: @unchecked Sendable {
  // Unchecked: what changes is guarded by the lock.
  package var deviceName: String { device.name }
  package var batchesInFlight: Int { slots.count }
  /// Whether the device was lost: nothing can be decoded on it any more.
  package var isLost: Bool { device.isLost }
  private let device: ComputeDevice
  private let lock = NSLock()
  private let slots: [FrameSlot<PendingBatch>]
  private let planes: FramePlanes
  private let pool: DevicePictureMemory
  private let pipelines: Pipelines
  private let timelines: (upload: Timeline, compute: Timeline, download: Timeline)
  private var batchNumber: UInt64 = 0

  package struct Options: Sendable {
    /// The matrix of R'G'B' layouts, as ITU-T H.273 numbers it; nil is the frame header's.
    package var matrix: Int?
    /// Whether codes span all values; only R'G'B' layouts ask.
    package var isFullRange = false

    package init() {}
  }

  /// Times that are noted in a batch.
  private static let timeCapacity = 8

  /// - Parameter batchesInFlight: how many batches may be on their way at a time; each takes memory for its samples.
  /// - Throws: `ComputeError.unsuitable` where the device's shaders cannot store 16 bits.
  package init(device: ComputeDevice, batchesInFlight: Int = 3) throws(ComputeError) {
    guard device.storesShorts else { throw .unsuitable(device: device.name, lacking: "storage of 16-bit values") }
    self.device = device
    var slots: [FrameSlot<PendingBatch>] = []
    for _ in 0..<max(1, batchesInFlight) { slots.append(try FrameSlot(device, timeCapacity: Self.timeCapacity)) }
    self.slots = slots
    planes = FramePlanes(device)
    pool = DevicePictureMemory(device)
    pipelines = Pipelines(device)
    timelines = (try device.makeTimeline(), try device.makeTimeline(), try device.makeTimeline())
  }

  deinit {
    for slot in slots { _ = try? slot.pending?.wait() }
  }

  /// Hands frames of one shape to the device; waits for an earlier batch where as many as may be are on their way.
  ///
  /// - Parameters:
  ///   - frames: at least one; their bytes are not needed any more when this returns.
  ///   - pixelFormat: of the pictures, which stay on the device.
  /// - Throws: `ProResError.wrongDestination` where `ProResLayout` does not know the format, or `ComputeError`.
  package func submit(
    _ frames: [BatchFrame], pixelFormat: OSType, options: Options = Options()
  ) throws -> PendingBatch {
    let layout = try ProResLayout(writing: pixelFormat)
    return try lock.withLock { try submit(frames, layout, pixelFormat, [], options) }
  }

  /// Hands frames of one shape to the device, whose pictures are brought to pixel buffers of their size and one format.
  ///
  /// - Parameter buffers: one a frame, which belong to the batch until it has been waited for.
  /// - Throws: `ProResError.wrongDestination`, or `ComputeError`.
  package func submit(
    _ frames: [BatchFrame], into buffers: [CVPixelBuffer], options: Options = Options()
  ) throws -> PendingBatch {
    for buffer in buffers { _ = CVPixelBufferLockBaseAddress(buffer, []) }
    defer { for buffer in buffers { _ = CVPixelBufferUnlockBaseAddress(buffer, []) } }
    let targets = try buffers.map { Target(buffer: $0, planes: try ProResDestination(locked: $0)) }
    return try submit(frames, targets, options)
  }

  /// Hands frames of one shape to the device, whose pictures are brought to memory of the caller's, of one layout.
  ///
  /// - Parameter destinations: one a frame, which belong to the batch until it has been waited for.
  /// - Throws: `ProResError.wrongDestination`, or `ComputeError`.
  package func submit(
    _ frames: [BatchFrame], into destinations: [ProResDestination], options: Options = Options()
  ) throws -> PendingBatch {
    try submit(frames, destinations.map { Target(buffer: nil, planes: $0) }, options)
  }

  /// Where a picture goes on the host.
  private struct Target {
    let buffer: CVPixelBuffer?
    let planes: ProResDestination
  }

  private func submit(_ frames: [BatchFrame], _ targets: [Target], _ options: Options) throws -> PendingBatch {
    precondition(frames.count == targets.count && !frames.isEmpty, "Each frame has a destination of its own.")
    for (frame, target) in zip(frames, targets) {
      try target.planes.check(for: frame.frame.header, scale: .full)
      try target.planes.check(isLike: targets[0].planes)
    }
    let pixelFormat = targets[0].buffer.map(CVPixelBufferGetPixelFormatType)
    return try lock.withLock { try submit(frames, targets[0].planes.layout, pixelFormat, targets, options) }
  }

  private func submit(
    _ frames: [BatchFrame], _ layout: ProResLayout, _ pixelFormat: OSType?, _ targets: [Target], _ options: Options
  ) throws -> PendingBatch {
    let slot = slots[Int(batchNumber % UInt64(slots.count))]
    // Whoever waits for it learns what became of it; this batch has nothing to do with that.
    _ = try? slot.pending?.wait()
    slot.pending = nil
    batchNumber += 1
    let plan = try plan(frames, layout, pixelFormat, targets, options)
    let input = try slot.input(plan.inputByteCount)
    let slices = try slot.departure(4 * plan.sliceCount)
    try fill(input.host, try plan.layout(planes, input: input.device, slices: slices), plan)
    try upload(slot, input, plan)
    try compute(slot, input.device, slices, plan)
    let pending = try download(slot, slices, plan, targets)
    slot.pending = pending
    return pending
  }

  private func plan(
    _ frames: [BatchFrame], _ layout: ProResLayout, _ pixelFormat: OSType?, _ targets: [Target], _ options: Options
  ) throws(ComputeError) -> BatchPlan {
    let shape = BatchShape(frames[0].frame.header)
    precondition(frames.allSatisfy { BatchShape($0.frame.header) == shape }, "The frames of a batch are alike.")
    let hasAlpha = targets.first.map { $0.planes.planes.count > 3 } ?? (shape.alpha != .none)
    let memory =
      targets.first?.buffer.map { StoredMemory($0) }
      ?? StoredMemory(planes: layout.planes(shape, withAlpha: hasAlpha))
    let ready = timelines.compute.point(batchNumber)
    let request = DevicePicture.Request(
      width: shape.width, height: shape.height, pixelFormat: pixelFormat, memory: memory, ready: ready)
    var pictures: [DevicePicture] = []
    for _ in frames { pictures.append(try pool.makePicture(request)) }
    let matrix = ColorMatrix(code: options.matrix ?? shape.matrix, isFullRange: options.isFullRange)
    return BatchPlan(frames, shape, layout, matrix, pictures)
  }

  /// Brings to the host's side of a slot what the device reads.
  private func fill(_ host: Buffer, _ layout: BatchLayout, _ plan: BatchPlan) throws(ComputeError) {
    var frames: [FrameLayout] = []
    for index in plan.frames.indices { frames.append(try plan.frame(index, planes)) }
    host.withBytes { bytes in
      bytes.storeBytes(of: layout, as: BatchLayout.self)
      func store<Value: BitwiseCopyable>(_ values: [Value], at offset: Int) {
        values.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: bytes[offset...]).copyMemory(from: $0) }
      }
      store(plan.pictures, at: plan.offsets.pictures)
      store(frames, at: plan.offsets.frames)
      store(plan.sliceOffsets, at: plan.offsets.sliceOffsets)
      // Each frame's bytes go to a place of their own; all have been copied when concurrentPerform returns.
      nonisolated(unsafe) let (samples, plan) = (bytes[plan.offsets.samples...], plan)
      DispatchQueue.concurrentPerform(iterations: plan.frames.count) { index in
        UnsafeMutableRawBufferPointer(rebasing: samples.dropFirst(plan.sampleOffsets[index]))
          .copyMemory(from: plan.frames[index].sample)
      }
    }
  }

  private func upload(
    _ slot: FrameSlot<PendingBatch>, _ input: (host: Buffer, device: Buffer), _ plan: BatchPlan
  ) throws(ComputeError) {
    try slot.upload.record { $0.copy(input.host, to: input.device, byteCount: plan.inputByteCount) }
    try device.upload.submit(slot.upload, after: [], reaching: timelines.upload.point(batchNumber))
  }

  private func compute(
    _ slot: FrameSlot<PendingBatch>, _ input: Buffer, _ slices: Buffer, _ plan: BatchPlan
  ) throws(ComputeError) {
    let stages = BatchStages(
      plan: plan, planes: planes, pipelines: pipelines, slices: slices, address: input.address)
    try slot.compute.record { recorder throws(ComputeError) in
      for buffer in plan.targets.map(\.buffer) + [input] { recorder.use(buffer) }
      try stages.record(recorder)
    }
    try device.compute.submit(
      slot.compute, after: [timelines.upload.point(batchNumber)], reaching: timelines.compute.point(batchNumber))
  }
}

// MARK: - The way back

extension ProResDeviceDecoder {
  /// Where a picture arrives: in its destination's own memory, or on the host on its way there.
  private struct Arrival {
    let picture: DevicePicture
    let target: Target
    let imported: ImportedMemory?
    let offset: Int

    func store(_ bytes: UnsafeMutableRawBufferPointer) {
      if let buffer = target.buffer {
        picture.memory.store(bytes, into: buffer)
      } else {
        picture.memory.store(bytes, into: target.planes.planes.map { ($0.base, $0.bytesPerRow) })
      }
    }
  }

  private func download(
    _ slot: FrameSlot<PendingBatch>, _ slices: Buffer, _ plan: BatchPlan, _ targets: [Target]
  ) throws(ComputeError) -> PendingBatch {
    var end = (4 * plan.sliceCount + 255) & ~255
    let arrivals = zip(plan.targets, targets).map { picture, target in
      let imported = target.buffer.flatMap { picture.memory.imported($0, device) }
      defer { if imported == nil { end += picture.memory.byteCount } }
      return Arrival(picture: picture, target: target, imported: imported, offset: end)
    }
    let host = try slot.arrival(end)
    try slot.download.record { recorder in
      recorder.copy(slices, to: host, byteCount: 4 * plan.sliceCount)
      for arrival in arrivals { record(arrival, host, recorder) }
      recorder.barrier()
    }
    let point = timelines.download.point(batchNumber)
    try device.download.submit(
      slot.download, after: [timelines.compute.point(batchNumber)], reaching: point)
    for picture in plan.targets { picture.use(until: point) }
    return pending(slot, plan, arrivals, host, point)
  }

  private func record(_ arrival: Arrival, _ host: Buffer, _ recorder: borrowing Recorder) {
    let (source, memory) = (arrival.picture.buffer, arrival.picture.memory)
    guard let imported = arrival.imported, let buffer = arrival.target.buffer else {
      recorder.copy(source, at: 0, to: host, at: arrival.offset, byteCount: memory.byteCount)
      return
    }
    for plane in memory.copies(buffer) {
      recorder.copy(
        source, at: plane.device, to: imported.buffer, at: imported.offset + plane.host, byteCount: plane.byteCount)
    }
  }

  private func pending(
    _ slot: FrameSlot<PendingBatch>, _ plan: BatchPlan, _ arrivals: [Arrival], _ host: Buffer, _ end: Timeline.Point
  ) -> PendingBatch {
    let frames = plan.frames.map(\.frame)
    return PendingBatch(plan.targets) {
      try end.timeline.wait(for: end.value)
      let reports = host.withBytes { bytes in
        for arrival in arrivals where arrival.imported == nil {
          arrival.store(UnsafeMutableRawBufferPointer(rebasing: bytes[arrival.offset...]))
        }
        return Self.reports(frames, bytes)
      }
      let stages = try slot.compute.times()
      // Lets go of imported memory before the buffers that it belongs to.
      for list in [slot.upload, slot.compute, slot.download] { try list.finish() }
      return PendingBatch.Outcome(reports: reports, stages: stages)
    }
  }

  private static func reports(_ frames: [ProResFrame], _ bytes: UnsafeMutableRawBufferPointer) -> [ProResReport] {
    var first = 0
    return frames.map { frame in
      defer { first += frame.sliceCount }
      let damage = (0..<frame.sliceCount).compactMap { slice in
        let told = bytes.load(fromByteOffset: 4 * (first + slice), as: UInt32.self)
        return told & ShaderNumbers.damagedBit == 0 ? nil : frame.damage(ofSlice: slice)
      }
      return ProResReport(header: frame.header, sliceCount: frame.sliceCount, damage: damage)
    }
  }
}
