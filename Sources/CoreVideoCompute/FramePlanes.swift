package import Compute

/// A device's memory between what comes and what goes: one set for all frames, which the device works on one after the other.
///
/// It grows to the largest frame met. Work that was handed over keeps the buffers that it uses.
package final class FramePlanes {
  private let device: ComputeDevice
  private var buffers: [String: Buffer] = [:]

  package init(_ device: ComputeDevice) {
    self.device = device
  }

  package var byteCount: Int { buffers.values.reduce(0) { $0 + $1.byteCount } }

  /// The buffer of that name with at least so many bytes; what it held before is lost where it has to grow.
  package func buffer(_ name: String, _ byteCount: Int) throws(ComputeError) -> Buffer {
    if let buffer = buffers[name], buffer.byteCount >= byteCount { return buffer }
    buffers[name] = nil
    let made = try device.makeBuffer(max(byteCount, 16), .device)
    buffers[name] = made
    return made
  }

  /// All that recorded work may reach by address.
  package var all: [Buffer] { Array(buffers.values) }
}
