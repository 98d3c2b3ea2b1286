internal import CVulkan
import Foundation

/// A queue of a device: lists of commands run on it in the order of their submission, overlapping unless barriers say
/// otherwise.
package final class Queue: @unchecked Sendable {
  let device: DeviceHandle
  let family: UInt32
  /// Whether the queue can tell the time.
  package let hasClock: Bool
  private let raw: VkQueue
  private let lock = NSLock()

  init(_ device: DeviceHandle, _ place: QueuePlan.Place, ticks: VkQueueFamilyProperties) {
    self.device = device
    family = place.family
    hasClock = ticks.timestampValidBits > 0
    var queue: VkQueue?
    device.functions.getQueue(device.raw, place.family, place.index, &queue)
    guard let queue else { preconditionFailure("A queue that the device was opened with is missing.") }
    raw = queue
  }

  /// Submits a list that has been recorded for this queue's kind.
  ///
  /// - Parameters:
  ///   - waits: what must have been reached before the list begins.
  ///   - signal: what is reached when all of it is done; the list is taken as busy until then.
  package func submit(
    _ list: CommandList, after waits: [Timeline.Point], reaching signal: Timeline.Point
  ) throws(ComputeError) {
    let code = lock.withLock { () -> VkResult in
      device.isLost ? VK_ERROR_DEVICE_LOST : submit(list.raw, waits, signal)
    }
    try device.check(code, "vkQueueSubmit")
    list.didSubmit(signal)
  }

  private func submit(_ list: VkCommandBuffer, _ waits: [Timeline.Point], _ signal: Timeline.Point) -> VkResult {
    let semaphores: [VkSemaphore?] = waits.map(\.timeline.raw)
    let values = waits.map(\.value)
    let stages = waits.map { _ in VK_PIPELINE_STAGE_ALL_COMMANDS_BIT.rawValue }
    return semaphores.withUnsafeBufferPointer { semaphores in
      values.withUnsafeBufferPointer { values in
        stages.withUnsafeBufferPointer { stages in
          withUnsafeTemporary(signal.value) { reached in
            var timeline = VkTimelineSemaphoreSubmitInfo()
            timeline.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO
            timeline.waitSemaphoreValueCount = UInt32(values.count)
            timeline.pWaitSemaphoreValues = values.baseAddress
            timeline.signalSemaphoreValueCount = 1
            timeline.pSignalSemaphoreValues = reached
            return withUnsafeTemporary(timeline) { timeline in
              withUnsafeTemporary(list as VkCommandBuffer?) { list in
                withUnsafeTemporary(signal.timeline.raw as VkSemaphore?) { signalled in
                  var info = VkSubmitInfo()
                  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO
                  info.pNext = UnsafeRawPointer(timeline)
                  info.waitSemaphoreCount = UInt32(semaphores.count)
                  info.pWaitSemaphores = semaphores.baseAddress
                  info.pWaitDstStageMask = stages.baseAddress
                  info.commandBufferCount = 1
                  info.pCommandBuffers = list
                  info.signalSemaphoreCount = 1
                  info.pSignalSemaphores = signalled
                  return device.functions.submit(raw, 1, &info, nil)
                }
              }
            }
          }
        }
      }
    }
  }
}
