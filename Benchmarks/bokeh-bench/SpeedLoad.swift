import Bokeh
import BokehScenes
import CoreVideo
import Foundation

/// The picture that every speed is measured on: the crowd in 10-bit 4:2:0 with disparity at a third of its size.
struct SpeedLoad {
  let width: Int
  let height: Int
  let source: CVPixelBuffer
  let disparity: CVPixelBuffer
  let destination: CVPixelBuffer
  let look: BokehLook
  private let depth: ScalarImage

  /// The disparity in focus.
  static let focus: Float = 0.5

  init(width: Int, height: Int, look: BokehLook = BokehLook()) throws {
    (self.width, self.height, self.look) = (width, height, look)
    let scene = SceneKind.crowd.scene(width: width, height: height)
    depth = scene.disparity
    source = try SpeedLoad.picture(scene.picture)
    disparity = try SpeedLoad.halves(GivenDisparity.third.degrade(depth))
    destination = try CVPixelBuffer.make(width: width, height: height, format: fourCharacterCode("x420"))
  }

  /// What to render so that the radius is `radiusPerDisparity` pixels for each unit of disparity.
  func request(radiusPerDisparity: Float) -> RenderRequest {
    var request = RenderRequest(
      source: source, disparity: disparity, destination: destination, focusDisparity: SpeedLoad.focus, fNumber: 2)
    let plain = Lens().radiusPerDisparity(fNumber: 2, imageWidth: max(width, height))
    request.lens.gain = radiusPerDisparity / plain
    request.look = look
    return request
  }

  /// The share of pixels in each of five ranges of radius.
  func histogram(radiusPerDisparity: Float) -> String {
    let limits: [Float] = [0.5, 4, 8, 16, 32, .infinity]
    let radii = depth.values.map { abs($0 - SpeedLoad.focus) * radiusPerDisparity }
    var lower: Float = -1
    return limits.map { limit in
      let share = Double(radii.count { $0 > lower && $0 <= limit }) / Double(radii.count)
      lower = limit
      return String(format: "≤ %g: %.0f %%", limit, share * 100)
    }.joined(separator: ", ")
  }

  private static func halves(_ image: ScalarImage) throws -> CVPixelBuffer {
    let buffer = try CVPixelBuffer.make(width: image.width, height: image.height, format: fourCharacterCode("hdis"))
    buffer.withPlane(0, readOnly: false) { base, pitch, _, _ in
      for y in 0..<image.height {
        for x in 0..<image.width {
          base.storeBytes(of: Float16(image[x, y]).bitPattern, toByteOffset: y * pitch + x * 2, as: UInt16.self)
        }
      }
    }
    return buffer
  }

  /// BT.709 in 10 bits of video range, the codes in the upper bits.
  private static func picture(_ image: LightImage) throws -> CVPixelBuffer {
    let buffer = try CVPixelBuffer.make(width: image.width, height: image.height, format: fourCharacterCode("x420"))
    for (key, value) in [
      (kCVImageBufferTransferFunctionKey, kCVImageBufferTransferFunction_ITU_R_709_2),
      (kCVImageBufferColorPrimariesKey, kCVImageBufferColorPrimaries_ITU_R_709_2),
      (kCVImageBufferYCbCrMatrixKey, kCVImageBufferYCbCrMatrix_ITU_R_709_2),
    ] { CVBufferSetAttachment(buffer, key, value, .shouldPropagate) }
    let codes = image.values.map { Display.encode($0) }
    func luma(_ color: SIMD4<Float>) -> Float { (color * SIMD4(0.2126, 0.7152, 0.0722, 0)).sum() }
    buffer.withPlane(0, readOnly: false) { base, pitch, _, _ in
      for y in 0..<image.height {
        for x in 0..<image.width {
          let code = UInt16(64 + 876 * luma(codes[y * image.width + x])) << 6
          base.storeBytes(of: code, toByteOffset: y * pitch + x * 2, as: UInt16.self)
        }
      }
    }
    buffer.withPlane(1, readOnly: false) { base, pitch, width, height in
      for y in 0..<height {
        for x in 0..<width {
          let color = codes[min(2 * y, image.height - 1) * image.width + min(2 * x, image.width - 1)]
          let pair = [(color.z - luma(color)) / 1.8556, (color.x - luma(color)) / 1.5748]
          for (i, value) in pair.enumerated() {
            let code = UInt16(max(0, 512 + 896 * value)) << 6
            base.storeBytes(of: code, toByteOffset: y * pitch + x * 4 + i * 2, as: UInt16.self)
          }
        }
      }
    }
    return buffer
  }
}
