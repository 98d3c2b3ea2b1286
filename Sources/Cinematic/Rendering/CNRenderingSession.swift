public import Bokeh
package import BokehCompute
public import CoreGeometry
public import CoreVideo
import Foundation
public import Metal

/// Renders a Cinematic movie's frames with shallow depth of field.
///
/// A session belongs to one movie and one queue. Its calls may come from any thread; frames are rendered one at a time,
/// each on all processor cores or on a Vulkan device. It keeps the disparity of the last frame to steady the next one's, so a movie's frames
/// should come in their order.
public final class CNRenderingSession: @unchecked Sendable {
  /// The queue whose command buffers `encodeRender` is given.
  public let commandQueue: any MTLCommandQueue
  /// What the session knows of the movie as a whole.
  public let sessionAttributes: Attributes
  /// From the stored orientation to that of the destination: quarter turns and mirrors.
  public let preferredTransform: CGAffineTransform
  public let quality: CNRenderingQuality

  /// What is out of focus looks like in frames from now on: the form of the aperture, optical vignetting, clipped
  /// highlights; an addition of this package. The plain look unless set.
  ///
  /// A frame cannot be rendered with numbers out of their ranges.
  public var look: BokehLook {
    get { lookLock.withLock { lockedLook } }
    set { lookLock.withLock { lockedLook = newValue } }
  }
  private let lookLock = NSLock()
  private var lockedLook = BokehLook()

  // Locks itself.
  private let renderer: any FrameRenderer

  /// Makes a session; it renders on the CPU.
  public convenience init(
    commandQueue: any MTLCommandQueue, sessionAttributes: Attributes, preferredTransform: CGAffineTransform,
    quality: CNRenderingQuality
  ) {
    self.init(
      commandQueue: commandQueue, sessionAttributes: sessionAttributes, preferredTransform: preferredTransform,
      quality: quality, renderer: BokehRenderer(quality: quality.bokeh))
  }

  /// Makes a session that renders on a device.
  ///
  /// - Throws: `ComputeError` if it cannot be opened.
  package convenience init(
    commandQueue: any MTLCommandQueue, sessionAttributes: Attributes, preferredTransform: CGAffineTransform,
    quality: CNRenderingQuality, device: BokehDevice
  ) throws {
    self.init(
      commandQueue: commandQueue, sessionAttributes: sessionAttributes, preferredTransform: preferredTransform,
      quality: quality, renderer: try device.makeRenderer(quality: quality.bokeh))
  }

  private init(
    commandQueue: any MTLCommandQueue, sessionAttributes: Attributes, preferredTransform: CGAffineTransform,
    quality: CNRenderingQuality, renderer: any FrameRenderer
  ) {
    self.commandQueue = commandQueue
    self.sessionAttributes = sessionAttributes
    self.preferredTransform = preferredTransform
    self.quality = quality
    self.renderer = renderer
  }

  /// The name of what the session renders on.
  package var deviceName: String { renderer.deviceName }

  /// The pixel formats that a source image may have, best first: for a reader's settings under
  /// `kCVPixelBufferPixelFormatTypeKey`.
  public static var sourcePixelFormatTypes: [OSType] { colorFormats(BokehRenderer.sourcePixelFormats) }

  /// The pixel formats that a destination image may have, best first.
  public static var destinationPixelFormatTypes: [OSType] { colorFormats(BokehRenderer.destinationPixelFormats) }

  /// A movie's picture has colours, so the grey formats that the renderer knows too are not offered.
  private static func colorFormats(_ formats: [OSType]) -> [OSType] {
    formats.filter { PixelFormat.description(of: $0)?.model != .oneComponent }
  }

  /// Renders into a pixel buffer when `commandBuffer` runs.
  ///
  /// - Parameters:
  ///   - sourceImage: the picture in stored orientation, everything in focus.
  ///   - sourceDisparity: its disparity, of any size: `hdis`, `fdis`, or the stored codes as `L010`.
  ///   - destinationImage: as large as the source after `preferredTransform`; it gets the source's colour attachments.
  /// - Returns: false if the frame cannot be rendered; `render(frameAttributes:…)` says why.
  @discardableResult
  public func encodeRender(
    to commandBuffer: any MTLCommandBuffer, frameAttributes: FrameAttributes, sourceImage: CVPixelBuffer,
    sourceDisparity: CVPixelBuffer, destinationImage: CVPixelBuffer
  ) -> Bool {
    encode(request(frameAttributes, sourceImage, sourceDisparity, destinationImage), to: commandBuffer)
  }

  /// Renders into a texture of R'G'B' and alpha with the source's transfer function when `commandBuffer` runs.
  ///
  /// The texture has one of the formats `bgra8Unorm`, `rgba8Unorm`, `rgba16Unorm`, `rgba16Float` and `rgba32Float`.
  @discardableResult
  public func encodeRender(
    to commandBuffer: any MTLCommandBuffer, frameAttributes: FrameAttributes, sourceImage: CVPixelBuffer,
    sourceDisparity: CVPixelBuffer, destinationRGBA: any MTLTexture
  ) -> Bool {
    guard let destination = TextureDestination.rgba(destinationRGBA) else { return false }
    return encode(request(frameAttributes, sourceImage, sourceDisparity, destination), to: commandBuffer)
  }

  /// Renders into a pair of textures of Y' and CbCr when `commandBuffer` runs.
  ///
  /// They are `r8Unorm` and `rg8Unorm`, or `r16Unorm` and `rg16Unorm` with ten bits in the upper ones; the chroma
  /// texture has all, half or a quarter of the luma texture's pixels. The range of the codes is the source's, or video
  /// range where that is RGB.
  @discardableResult
  public func encodeRender(
    to commandBuffer: any MTLCommandBuffer, frameAttributes: FrameAttributes, sourceImage: CVPixelBuffer,
    sourceDisparity: CVPixelBuffer, destinationLuma: any MTLTexture, destinationChroma: any MTLTexture
  ) -> Bool {
    let isFullRange = sourceImage.format.map { $0.isYCbCr && $0.isFullRange } ?? false
    guard
      let destination = TextureDestination.yCbCr(destinationLuma, destinationChroma, isFullRange: isFullRange)
    else { return false }
    return encode(request(frameAttributes, sourceImage, sourceDisparity, destination), to: commandBuffer)
  }

  /// Renders into a pixel buffer and returns when it is done, without a command buffer; an addition of this package.
  ///
  /// The buffers are as in `encodeRender`.
  ///
  /// - Throws: `CNCinematicError.unsupported` with what does not fit, before anything is written.
  public func render(
    frameAttributes: FrameAttributes, sourceImage: CVPixelBuffer, sourceDisparity: CVPixelBuffer,
    destinationImage: CVPixelBuffer
  ) throws {
    try render(request(frameAttributes, sourceImage, sourceDisparity, destinationImage))
  }

  /// What a renderer needs to know for a frame of the movie.
  package func request(
    _ attributes: FrameAttributes, _ source: CVPixelBuffer, _ disparity: CVPixelBuffer, _ destination: CVPixelBuffer
  ) -> RenderRequest {
    var request = RenderRequest(
      source: source, disparity: disparity, destination: destination, focusDisparity: attributes.focusDisparity,
      fNumber: attributes.fNumber)
    request.lens.focalLength35mm = sessionAttributes.focalLength35mm / 1000
    request.disparityCodes = sessionAttributes.disparityCodes
    request.look = look
    request.transform = preferredTransform
    request.continuesHistory = true
    return request
  }

  /// Renders a request that `request(_:_:_:_:)` gave, changed as one likes.
  package func render(_ request: RenderRequest) throws(CNCinematicError) { try submit(request).finish() }

  /// How many frames may usefully be submitted before the first of them is finished.
  package var framesInFlight: Int { renderer.framesInFlight }

  /// Begins such a request; its buffers belong to it until it has been finished.
  package func submit(_ request: RenderRequest) throws(CNCinematicError) -> SubmittedFrame {
    do {
      return SubmittedFrame(pending: try renderer.submit(request))
    } catch {
      throw CNCinematicError(.unsupported, error.localizedDescription)
    }
  }

  /// A frame on its way.
  package struct SubmittedFrame: Sendable {
    fileprivate let pending: PendingFrame

    /// Returns when the picture is in its destination.
    package func finish() throws(CNCinematicError) {
      do {
        try pending.wait()
      } catch {
        throw CNCinematicError(.unsupported, error.localizedDescription)
      }
    }
  }

  private func encode(_ request: RenderRequest, to commandBuffer: any MTLCommandBuffer) -> Bool {
    guard (try? BokehRenderer.check(request)) != nil else { return false }
    commandBuffer.encode("bokeh") { [renderer] in try renderer.render(request) }
    return true
  }
}
