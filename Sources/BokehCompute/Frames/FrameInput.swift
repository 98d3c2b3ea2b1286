import Bokeh
import Compute
import CoreVideo
import CoreVideoCompute

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
