package import Compute

/// What one piece of work in flight has for itself: its way to a device and back, and its commands.
package final class FrameSlot<Pending: AnyObject> {
  package let device: ComputeDevice
  package let upload: CommandList
  package let compute: CommandList
  package let download: CommandList
  /// The work that uses the slot now.
  package var pending: Pending?
  private var memory: [Buffer.Place: Buffer] = [:]
  private var results: [Buffer.Place: Buffer] = [:]

  /// - Parameter timeCapacity: how many times may be noted on the way.
  package init(_ device: ComputeDevice, timeCapacity: Int) throws(ComputeError) {
    self.device = device
    upload = try device.makeCommandList(for: device.upload)
    compute = try device.makeCommandList(for: device.compute, timeCapacity: timeCapacity)
    download = try device.makeCommandList(for: device.download)
  }

  /// Room for what goes to the device: on the host and on the device.
  package func input(_ byteCount: Int) throws(ComputeError) -> (host: Buffer, device: Buffer) {
    (try room(&memory, .upload, byteCount), try room(&memory, .device, byteCount))
  }

  /// Room for what comes from the device: on the device and on the host.
  package func output(_ byteCount: Int) throws(ComputeError) -> (device: Buffer, host: Buffer) {
    (try departure(byteCount), try arrival(byteCount))
  }

  /// Room on the device for what comes from it.
  package func departure(_ byteCount: Int) throws(ComputeError) -> Buffer { try room(&results, .device, byteCount) }

  /// Room on the host for what comes from the device.
  package func arrival(_ byteCount: Int) throws(ComputeError) -> Buffer { try room(&results, .download, byteCount) }

  private func room(
    _ buffers: inout [Buffer.Place: Buffer], _ place: Buffer.Place, _ byteCount: Int
  ) throws(ComputeError) -> Buffer {
    if let buffer = buffers[place], buffer.byteCount >= byteCount { return buffer }
    buffers[place] = nil
    let made = try device.makeBuffer(max(byteCount, 16), place)
    buffers[place] = made
    return made
  }
}
