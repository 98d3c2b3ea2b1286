/// A picture in linear light with its disparity, both of the same size, as plain arrays: the algorithm without pixel formats.
package struct RenderPlanes: Sendable {
  package let width: Int
  package let height: Int
  /// Linear light, 1 = reference white, row by row; `w` is alpha, which is kept.
  package var light: [SIMD4<Float>]
  /// In 1/m, larger is nearer, row by row.
  package var disparity: [Float]

  package init(width: Int, height: Int, light: [SIMD4<Float>], disparity: [Float]) {
    precondition(light.count == width * height && disparity.count == width * height)
    self.width = width
    self.height = height
    self.light = light
    self.disparity = disparity
  }
}
