import Bokeh
import BokehCompute
import CoreVideo
import PictureCodes
import ProRes
import ProResClips
import ProResCompute
import Testing

/// A picture that is decoded and rendered on one device, without the host between.
@Suite(.enabled(if: BokehDevice.all.contains(where: \.isVulkan), "There is no Vulkan device to decode and render on."))
struct RenderedPictureTests {
  @Test(arguments: [BokehQuality.preview, .export], ["x422", "y416"])
  func whatStaysOnTheDeviceIsRenderedAlike(quality: BokehQuality, format: String) throws {
    let samples = try ClipFrames(profile: .hq, size: (96, 64), count: 2).samples
    for device in BokehDevice.all where device.isVulkan {
      let renderer = try VulkanBokehRenderer(device: device, quality: quality)
      let decoder = try ProResDeviceDecoder(device: renderer.machine)
      let (buffers, _) = try decoder.pictures(samples, format)
      let batch = try decoder.withFrames(samples) {
        try decoder.submit($0, pixelFormat: fourCharacterCode(format))
      }
      for (buffer, picture) in zip(buffers, batch.pictures) {
        var request = RenderRequest(
          source: buffer, disparity: try ramp(), destination: try empty(format), focusDisparity: 0.5, fNumber: 2)
        try renderer.render(request)
        let expected = codes(request.destination)
        request.source = try empty(format)
        CVBufferPropagateAttachments(buffer, request.source)
        request.destination = try empty(format)
        try renderer.submit(request, picture: picture).wait()
        #expect(codes(request.destination) == expected)
      }
    }
  }

  private func empty(_ format: String) throws -> CVPixelBuffer {
    try CVBuffer.make(width: 96, height: 64, format: fourCharacterCode(format))
  }

  /// Near at the left.
  private func ramp() throws -> CVPixelBuffer {
    let buffer = try CVBuffer.make(width: 96, height: 64, format: kCVPixelFormatType_DisparityFloat32)
    buffer.withPlane(0, readOnly: false) { base, pitch, width, height in
      for y in 0..<height {
        let row = (base + y * pitch).assumingMemoryBound(to: Float.self)
        for x in 0..<width { row[x] = 1 - Float(x) / Float(width) }
      }
    }
    return buffer
  }
}
