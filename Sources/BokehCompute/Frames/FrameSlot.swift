import Bokeh
import Compute
import CoreVideo

/// What one frame in flight has for itself: its way to the device and back, and its commands.
final class FrameSlot {
  let device: ComputeDevice
  let upload: CommandList
  let compute: CommandList
  let download: CommandList
  /// The frame that uses the slot now.
  var pending: PendingFrame?
  private var memory: [Buffer.Place: Buffer] = [:]
  private var results: [Buffer.Place: Buffer] = [:]

  /// Times that are noted in a frame.
  private static let timeCapacity = 96

  init(_ device: ComputeDevice) throws(ComputeError) {
    self.device = device
    upload = try device.makeCommandList(for: device.upload)
    compute = try device.makeCommandList(for: device.compute, timeCapacity: FrameSlot.timeCapacity)
    download = try device.makeCommandList(for: device.download)
  }

  /// Room for what goes to the device: on the host and on the device.
  func input(_ byteCount: Int) throws(ComputeError) -> (host: Buffer, device: Buffer) {
    (try FrameSlot.room(&memory, .upload, byteCount, device), try FrameSlot.room(&memory, .device, byteCount, device))
  }

  /// Room for what comes from the device: on the device and on the host.
  func output(_ byteCount: Int) throws(ComputeError) -> (device: Buffer, host: Buffer) {
    (
      try FrameSlot.room(&results, .device, byteCount, device),
      try FrameSlot.room(&results, .download, byteCount, device)
    )
  }

  private static func room(
    _ buffers: inout [Buffer.Place: Buffer], _ place: Buffer.Place, _ byteCount: Int, _ device: ComputeDevice
  ) throws(ComputeError) -> Buffer {
    if let buffer = buffers[place], buffer.byteCount >= byteCount { return buffer }
    buffers[place] = nil
    let made = try device.makeBuffer(max(byteCount, 16), place)
    buffers[place] = made
    return made
  }
}

/// Where a frame's data lies in its slot's input: what shaders know of it, the picture, the disparity.
struct FrameInput {
  let source: StoredMemory
  let disparity: StoredMemory
  let target: StoredMemory
  let sourceOffset: Int
  let disparityOffset: Int
  let byteCount: Int

  /// What the host brings of its own: a pixel buffer, how it lies on the device, and where.
  typealias Part = (buffer: CVPixelBuffer, memory: StoredMemory, place: Range<Int>)
  /// The picture and the disparity.
  let parts: [Part]

  init(_ request: RenderRequest) {
    source = StoredMemory(request.source)
    disparity = StoredMemory(request.disparity)
    target = StoredMemory(request.destination)
    sourceOffset = (MemoryLayout<FrameLayout>.size + 255) & ~255
    disparityOffset = sourceOffset + source.byteCount
    // Shaders read whole words.
    byteCount = disparityOffset + disparity.byteCount + 16
    parts = [
      (request.source, source, sourceOffset..<disparityOffset),
      (request.disparity, disparity, disparityOffset..<byteCount),
    ]
  }
}
