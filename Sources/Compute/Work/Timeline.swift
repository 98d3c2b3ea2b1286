internal import CVulkan

/// A number that work on the device raises, and that other work and the host wait for.
package final class Timeline: @unchecked Sendable {
  /// A value of a timeline, reached or not.
  package struct Point: Sendable {
    package let timeline: Timeline
    package let value: UInt64
  }

  private let device: DeviceHandle
  private let semaphore: Owned
  var raw: VkSemaphore { semaphore.raw }

  fileprivate init(_ device: DeviceHandle, _ semaphore: consuming Owned) {
    self.device = device
    self.semaphore = semaphore
  }

  package func point(_ value: UInt64) -> Point { Point(timeline: self, value: value) }

  /// The value reached so far.
  package func value() throws(ComputeError) -> UInt64 {
    var value: UInt64 = 0
    let code = device.isLost ? VK_ERROR_DEVICE_LOST : device.functions.getSemaphoreValue(device.raw, raw, &value)
    try device.check(code, "vkGetSemaphoreCounterValue")
    return value
  }

  /// Longer than any frame takes on the slowest device, software that runs on one core; a hung driver is told apart.
  package static let longestWait = 900

  /// Returns when `value` is reached.
  ///
  /// - Throws: `ComputeError.deviceLost`, or `timedOut` after `seconds`.
  package func wait(for value: UInt64, seconds: Int = longestWait) throws(ComputeError) {
    guard !device.isLost else { throw .deviceLost(device: device.name) }
    let code = withUnsafeTemporary(raw as VkSemaphore?) { semaphore in
      withUnsafeTemporary(value) { value in
        var info = VkSemaphoreWaitInfo()
        info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO
        info.semaphoreCount = 1
        info.pSemaphores = semaphore
        info.pValues = value
        return device.functions.waitSemaphores(device.raw, &info, UInt64(seconds) * 1_000_000_000)
      }
    }
    if code == VK_TIMEOUT { throw .timedOut(device: device.name, seconds: seconds) }
    try device.check(code, "vkWaitSemaphores")
  }
}

extension ComputeDevice {
  /// A timeline that has reached 0.
  package func makeTimeline() throws(ComputeError) -> Timeline {
    var kind = VkSemaphoreTypeCreateInfo()
    kind.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO
    kind.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE
    var made: VkSemaphore?
    let code = withUnsafeTemporary(kind) { kind in
      var info = VkSemaphoreCreateInfo()
      info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO
      info.pNext = UnsafeRawPointer(kind)
      return handle.functions.createSemaphore(handle.raw, &info, nil, &made)
    }
    try handle.check(code, "vkCreateSemaphore")
    return Timeline(handle, handle.own(made) { $0.functions.destroySemaphore($0.raw, $1, nil) })
  }
}
