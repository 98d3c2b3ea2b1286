import Bokeh
import Compute
import CoreVideo
import CoreVideoCompute

/// Where a frame's data lies in its slot's input: what shaders know of it, the picture, the disparity.
struct FrameInput {
  /// The picture where it is on the device already.
  let picture: DevicePicture?
  let source: StoredMemory
  let disparity: StoredMemory
  let target: StoredMemory
  let sourceOffset: Int
  let disparityOffset: Int
  let byteCount: Int

  /// What the host brings: a pixel buffer, how it lies on the device, and where.
  typealias Part = (buffer: CVPixelBuffer, memory: StoredMemory, place: Range<Int>)
  /// The picture, if it comes from the host, and the disparity.
  let parts: [Part]

  init(_ request: RenderRequest, picture: DevicePicture?) {
    self.picture = picture
    source = picture?.memory ?? StoredMemory(request.source)
    disparity = StoredMemory(request.disparity)
    target = StoredMemory(request.destination)
    sourceOffset = (MemoryLayout<FrameLayout>.size + 255) & ~255
    disparityOffset = sourceOffset + (picture == nil ? source.byteCount : 0)
    // Shaders read whole words.
    byteCount = disparityOffset + disparity.byteCount + 16
    let fromHost: [Part] = picture == nil ? [(request.source, source, sourceOffset..<disparityOffset)] : []
    parts = fromHost + [(request.disparity, disparity, disparityOffset..<byteCount)]
  }
}
