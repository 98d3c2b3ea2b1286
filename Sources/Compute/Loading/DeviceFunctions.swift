internal import CVulkan

/// Vulkan's functions of one device, straight from its driver.
struct DeviceFunctions {
  let destroyDevice: PFN_vkDestroyDevice
  let getQueue: PFN_vkGetDeviceQueue
  let waitIdle: PFN_vkDeviceWaitIdle

  let createBuffer: PFN_vkCreateBuffer
  let destroyBuffer: PFN_vkDestroyBuffer
  let getBufferRequirements: PFN_vkGetBufferMemoryRequirements
  let getBufferAddress: PFN_vkGetBufferDeviceAddress
  let allocateMemory: PFN_vkAllocateMemory
  let freeMemory: PFN_vkFreeMemory
  let bindBuffer: PFN_vkBindBufferMemory
  let mapMemory: PFN_vkMapMemory
  /// Nil where host memory cannot be imported.
  let getHostPointerProperties: PFN_vkGetMemoryHostPointerPropertiesEXT?

  let createShaderModule: PFN_vkCreateShaderModule
  let destroyShaderModule: PFN_vkDestroyShaderModule
  let createPipelineLayout: PFN_vkCreatePipelineLayout
  let destroyPipelineLayout: PFN_vkDestroyPipelineLayout
  let createComputePipelines: PFN_vkCreateComputePipelines
  let destroyPipeline: PFN_vkDestroyPipeline

  let createCommandPool: PFN_vkCreateCommandPool
  let destroyCommandPool: PFN_vkDestroyCommandPool
  let resetCommandPool: PFN_vkResetCommandPool
  let allocateCommandBuffers: PFN_vkAllocateCommandBuffers
  let begin: PFN_vkBeginCommandBuffer
  let end: PFN_vkEndCommandBuffer
  let bindPipeline: PFN_vkCmdBindPipeline
  let pushConstants: PFN_vkCmdPushConstants
  let dispatch: PFN_vkCmdDispatch
  let dispatchIndirect: PFN_vkCmdDispatchIndirect
  let pipelineBarrier: PFN_vkCmdPipelineBarrier
  let copyBuffer: PFN_vkCmdCopyBuffer
  let fillBuffer: PFN_vkCmdFillBuffer

  let createSemaphore: PFN_vkCreateSemaphore
  let destroySemaphore: PFN_vkDestroySemaphore
  let waitSemaphores: PFN_vkWaitSemaphores
  let getSemaphoreValue: PFN_vkGetSemaphoreCounterValue
  let submit: PFN_vkQueueSubmit

  let createQueryPool: PFN_vkCreateQueryPool
  let destroyQueryPool: PFN_vkDestroyQueryPool
  let resetQueryPool: PFN_vkCmdResetQueryPool
  let writeTimestamp: PFN_vkCmdWriteTimestamp
  let getQueryResults: PFN_vkGetQueryPoolResults

  init(_ instance: InstanceFunctions, _ device: VkDevice) throws(ComputeError) {
    func load<Function>(_ name: String) throws(ComputeError) -> Function {
      guard let function = instance.getDeviceProcAddr(device, name) else {
        throw .unavailable(reason: "its driver has no \(name).")
      }
      return unsafeBitCast(function, to: Function.self)
    }
    destroyDevice = try load("vkDestroyDevice")
    getQueue = try load("vkGetDeviceQueue")
    waitIdle = try load("vkDeviceWaitIdle")
    createBuffer = try load("vkCreateBuffer")
    destroyBuffer = try load("vkDestroyBuffer")
    getBufferRequirements = try load("vkGetBufferMemoryRequirements")
    getBufferAddress = try load("vkGetBufferDeviceAddress")
    allocateMemory = try load("vkAllocateMemory")
    freeMemory = try load("vkFreeMemory")
    bindBuffer = try load("vkBindBufferMemory")
    mapMemory = try load("vkMapMemory")
    getHostPointerProperties = instance.getDeviceProcAddr(device, "vkGetMemoryHostPointerPropertiesEXT").map {
      unsafeBitCast($0, to: PFN_vkGetMemoryHostPointerPropertiesEXT.self)
    }
    createShaderModule = try load("vkCreateShaderModule")
    destroyShaderModule = try load("vkDestroyShaderModule")
    createPipelineLayout = try load("vkCreatePipelineLayout")
    destroyPipelineLayout = try load("vkDestroyPipelineLayout")
    createComputePipelines = try load("vkCreateComputePipelines")
    destroyPipeline = try load("vkDestroyPipeline")
    createCommandPool = try load("vkCreateCommandPool")
    destroyCommandPool = try load("vkDestroyCommandPool")
    resetCommandPool = try load("vkResetCommandPool")
    allocateCommandBuffers = try load("vkAllocateCommandBuffers")
    begin = try load("vkBeginCommandBuffer")
    end = try load("vkEndCommandBuffer")
    bindPipeline = try load("vkCmdBindPipeline")
    pushConstants = try load("vkCmdPushConstants")
    dispatch = try load("vkCmdDispatch")
    dispatchIndirect = try load("vkCmdDispatchIndirect")
    pipelineBarrier = try load("vkCmdPipelineBarrier")
    copyBuffer = try load("vkCmdCopyBuffer")
    fillBuffer = try load("vkCmdFillBuffer")
    createSemaphore = try load("vkCreateSemaphore")
    destroySemaphore = try load("vkDestroySemaphore")
    waitSemaphores = try load("vkWaitSemaphores")
    getSemaphoreValue = try load("vkGetSemaphoreCounterValue")
    submit = try load("vkQueueSubmit")
    createQueryPool = try load("vkCreateQueryPool")
    destroyQueryPool = try load("vkDestroyQueryPool")
    resetQueryPool = try load("vkCmdResetQueryPool")
    writeTimestamp = try load("vkCmdWriteTimestamp")
    getQueryResults = try load("vkGetQueryPoolResults")
  }
}
