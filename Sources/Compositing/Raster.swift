/// A picture as it is shown: R'G'B' and alpha of every pixel as floats, rows from the top, without padding.
///
/// What the numbers mean (a signal or light, straight or multiplied by alpha) is said by whoever hands it over. One thread at a time
/// changes it.
package final class Raster: @unchecked Sendable {
  package let width: Int
  package let height: Int
  package let pixels: UnsafeMutablePointer<SIMD4<Float>>

  /// Transparent black.
  package init(width: Int, height: Int) {
    precondition(width > 0 && height > 0)
    self.width = width
    self.height = height
    pixels = .allocate(capacity: width * height)
    pixels.initialize(repeating: .zero, count: width * height)
  }

  deinit { pixels.deallocate() }

  package func row(_ y: Int) -> UnsafeMutablePointer<SIMD4<Float>> { pixels + y &* width }

  package func fill(_ pixel: SIMD4<Float>) { pixels.update(repeating: pixel, count: width * height) }

  /// Whether a pixel lets something through.
  package var hasAlpha: Bool { (0..<width * height).contains { pixels[$0].w < 1 } }

  package subscript(x: Int, y: Int) -> SIMD4<Float> {
    get { pixels[y &* width &+ x] }
    set { pixels[y &* width &+ x] = newValue }
  }
}
