public import Bokeh
package import Compute
import CoreVideo
package import CoreVideoCompute
import Dispatch
import Foundation

/// Renders shallow depth of field on a Vulkan device, as `BokehRenderer` does on the processor.
///
/// May be used from any thread. Frames are worked on in the order of their submission; while one is on the device the
/// next is on its way there, and the one before on its way back.
///
///     upload → load → disparity → radii → samples → fill → store → download
public final class VulkanBokehRenderer: FrameRenderer, @unchecked Sendable {
  public let quality: BokehQuality
  public let device: BokehDevice
  public var deviceName: String { device.name }
  public var framesInFlight: Int { slots.count }

  /// Times that are noted in a frame.
  private static let timeCapacity = 96

  private let lock = NSLock()
  package let machine: ComputeDevice
  private let slots: [FrameSlot<PendingFrame>]
  private let planes: FramePlanes
  private let pipelines: Pipelines
  private let tables: DeviceTables
  private let timelines: (upload: Timeline, compute: Timeline, download: Timeline)
  private var frameNumber: UInt64 = 0
  /// The size of the disparity of the frame before, if it is kept to steady the next.
  private var historySize: SIMD2<Int>?

  /// Opens a device, or shares it with the renderers that have opened it.
  ///
  /// - Parameter framesInFlight: how many frames may be on their way at a time; each takes memory for its pictures.
  /// - Throws: `ComputeError`.
  public convenience init(device: BokehDevice, quality: BokehQuality, framesInFlight: Int = 3) throws {
    try self.init(device: device, quality: quality, framesInFlight: framesInFlight, isAlone: false)
  }

  /// - Parameter isAlone: whether the device is opened for this renderer only.
  package init(device: BokehDevice, quality: BokehQuality, framesInFlight: Int = 3, isAlone: Bool) throws {
    guard let index = device.index else {
      throw ComputeError.unsuitable(device: device.name, lacking: "Vulkan")
    }
    let machine = isAlone ? try ComputeDevice(index: index) : try OpenedDevices.shared.device(index)
    self.machine = machine
    self.device = device
    self.quality = quality
    slots = try (0..<max(1, framesInFlight)).map { _ in try FrameSlot(machine, timeCapacity: Self.timeCapacity) }
    planes = FramePlanes(machine)
    pipelines = Pipelines(machine)
    tables = DeviceTables(machine)
    timelines = (try machine.makeTimeline(), try machine.makeTimeline(), try machine.makeTimeline())
  }

  deinit {
    for slot in slots { _ = try? slot.pending?.wait() }
  }

  /// Renders one frame and returns when it is in the destination.
  ///
  /// - Throws: `BokehError` before anything is written, or `ComputeError`.
  public func render(_ request: RenderRequest) throws { try submit(request).wait() }

  /// Hands a frame to the device; waits for an earlier one where as many as may be are on their way.
  ///
  /// The request's buffers belong to the frame until it has been waited for, or its renderer is gone.
  ///
  /// - Throws: `BokehError` before anything is written, or `ComputeError`, which may have come from an earlier frame.
  public func submit(_ request: RenderRequest) throws -> PendingFrame { try submit(request, picture: nil) }

  /// Hands a frame to the device whose picture is there already, as a decoder may have left it.
  ///
  /// - Parameter picture: of the size and pixel format of the request's source, which gives nothing but its tags then.
  package func submit(_ request: RenderRequest, picture: DevicePicture?) throws -> PendingFrame {
    let plan = try DevicePlan(request)
    if let picture {
      precondition(picture.buffer.isOn(machine), "A picture is rendered on the device that it is on.")
      let source = request.source
      precondition(
        (picture.width, picture.height, picture.pixelFormat) == (source.width, source.height, source.format?.code),
        "A picture on a device is like the request's source.")
    }
    return try lock.withLock { try submit(FramePlan(plan, FramePlan.effort(quality, plan), picture: picture)) }
  }

  private func submit(_ frame: FramePlan) throws -> PendingFrame {
    let slot = slots[Int(frameNumber % UInt64(slots.count))]
    try slot.pending?.wait()
    slot.pending = nil
    frameNumber += 1
    let input = try slot.input(frame.input.byteCount)
    let output = try slot.output(frame.input.target.byteCount)
    var layout = try frame.layout(planes, input: input.device, output: output.device)
    try tables.prepare(frame.plan, &layout)
    let target = frame.input.target.imported(frame.plan.request.destination, machine)
    let parts = frame.input.parts.map { ($0, $0.memory.imported($0.buffer, machine)) }
    fill(input.host, layout, parts.compactMap { $1 == nil ? $0 : nil })
    try upload(slot, input, frame, parts)
    try compute(slot, input.device, output.device, frame)
    try download(slot, output, frame, target)
    let pending = pending(slot, target == nil ? output.host : nil, frame)
    slot.pending = pending
    // Copies the picture as soon as it comes, while the caller is busy with the frames after it.
    if target == nil { DispatchQueue.global(qos: .userInitiated).async { _ = try? pending.wait() } }
    return pending
  }

  /// Brings to the host's side of a slot what the device does not read from where it is.
  private func fill(_ host: Buffer, _ layout: FrameLayout, _ parts: [FrameInput.Part]) {
    host.withBytes { bytes in
      bytes.storeBytes(of: layout, as: FrameLayout.self)
      for part in parts {
        part.memory.load(part.buffer, into: UnsafeMutableRawBufferPointer(rebasing: bytes[part.place]))
      }
    }
  }

  private func upload(
    _ slot: FrameSlot<PendingFrame>, _ input: (host: Buffer, device: Buffer), _ frame: FramePlan,
    _ parts: [(FrameInput.Part, ImportedMemory?)]
  ) throws(ComputeError) {
    try slot.upload.record { recorder in
      tables.record(recorder)
      recorder.copy(input.host, to: input.device, byteCount: MemoryLayout<FrameLayout>.size)
      for (part, imported) in parts {
        let place = part.place.lowerBound
        guard let imported else {
          recorder.copy(input.host, at: place, to: input.device, at: place, byteCount: part.place.count)
          continue
        }
        for plane in part.memory.copies(part.buffer) {
          recorder.copy(
            imported.buffer, at: imported.offset + plane.host, to: input.device, at: place + plane.device,
            byteCount: plane.byteCount)
        }
      }
    }
    try machine.upload.submit(slot.upload, after: [], reaching: timelines.upload.point(frameNumber))
  }

  private func compute(
    _ slot: FrameSlot<PendingFrame>, _ input: Buffer, _ output: Buffer, _ frame: FramePlan
  ) throws(ComputeError) {
    let size = frame.sampleSize
    let isSteady = frame.plan.request.continuesHistory && !frame.picksDisparity
    let stages = FrameStages(
      frame: frame, pipelines: pipelines, planes: planes,
      circle: try planes.buffer("circle", ShaderNumbers.circleBytes), address: input.address,
      knowsHistory: isSteady && historySize == size, tones: tables.tones(frame.plan))
    historySize = isSteady ? size : nil
    let picture = frame.input.picture
    try slot.compute.record { recorder throws(ComputeError) in
      for buffer in tables.all + [input, output] + (picture.map { [$0.buffer] } ?? []) { recorder.use(buffer) }
      try stages.record(recorder)
    }
    let end = timelines.compute.point(frameNumber)
    try machine.compute.submit(
      slot.compute, after: [timelines.upload.point(frameNumber)] + (picture.map { [$0.ready] } ?? []), reaching: end)
    picture?.use(until: end)
  }

  private func download(
    _ slot: FrameSlot<PendingFrame>, _ output: (device: Buffer, host: Buffer), _ frame: FramePlan,
    _ target: ImportedMemory?
  ) throws(ComputeError) {
    try slot.download.record { recorder in
      if let target {
        for part in frame.input.target.copies(frame.plan.request.destination) {
          recorder.copy(
            output.device, at: part.device, to: target.buffer, at: target.offset + part.host, byteCount: part.byteCount)
        }
      } else {
        recorder.copy(output.device, to: output.host, byteCount: frame.input.target.byteCount)
      }
      recorder.barrier()
    }
    try machine.download.submit(
      slot.download, after: [timelines.compute.point(frameNumber)], reaching: timelines.download.point(frameNumber))
  }

  /// - Parameter host: where the picture arrives, if not in its destination.
  private func pending(_ slot: FrameSlot<PendingFrame>, _ host: Buffer?, _ frame: FramePlan) -> PendingFrame {
    let end = timelines.download.point(frameNumber)
    return PendingFrame {
      try end.timeline.wait(for: end.value)
      host?.withBytes { frame.input.target.store($0, into: frame.plan.request.destination) }
      frame.plan.tagDestination()
      let times = try slot.compute.times()
      // Lets go of imported memory before the buffers that it belongs to.
      for list in [slot.upload, slot.compute, slot.download] { try list.finish() }
      return times.map { PendingFrame.StageTime(stage: $0.label, seconds: $0.nanoseconds / 1e9) }
    }
  }

  /// Buffers of the device that exist now, and their bytes.
  package var liveBuffers: (count: Int, byteCount: Int) { machine.liveBuffers }

  /// Makes the device fail as a lost one does, for tests of what survives it.
  package func simulateLoss() { machine.simulateLoss() }
}
