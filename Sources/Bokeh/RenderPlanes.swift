/// A picture in linear light with its disparity as plain arrays: the algorithm without pixel formats.
package struct RenderPlanes: Sendable {
  package let width: Int
  package let height: Int
  /// Linear light, 1 = reference white, row by row; `w` is alpha, which is kept.
  package var light: [SIMD4<Float>]
  /// In 1/m, larger is nearer, row by row; what is not from 0 to 10 000 is a hole.
  package var disparity: [Float]
  package let disparityWidth: Int
  package let disparityHeight: Int

  /// - Parameter disparitySize: width and height of the disparity, the picture's without a value.
  package init(
    width: Int, height: Int, light: [SIMD4<Float>], disparity: [Float],
    disparitySize: (width: Int, height: Int)? = nil
  ) {
    (disparityWidth, disparityHeight) = disparitySize ?? (width, height)
    precondition(width > 0 && height > 0 && light.count == width * height)
    precondition(disparity.count == disparityWidth * disparityHeight && !disparity.isEmpty)
    self.width = width
    self.height = height
    self.light = light
    self.disparity = disparity
  }
}
