/// A picture or a plane in memory, row by row from the top.
package struct Image<Element: BitwiseCopyable & Sendable>: Sendable {
  package let width: Int
  package let height: Int
  package var values: [Element]

  package init(width: Int, height: Int, values: [Element]) {
    precondition(width > 0 && height > 0 && values.count == width * height)
    self.width = width
    self.height = height
    self.values = values
  }

  /// Computes each row on one of the machine's threads.
  package init(
    width: Int, height: Int, filler: Element,
    row compute: @Sendable (_ y: Int, _ row: UnsafeMutableBufferPointer<Element>) -> Void
  ) {
    self.init(width: width, height: height, values: Array(repeating: filler, count: width * height))
    values.withUnsafeMutableBufferPointer { all in
      nonisolated(unsafe) let all = all
      ParallelRows.run(height) { y in
        compute(y, UnsafeMutableBufferPointer(rebasing: all[y * width..<(y + 1) * width]))
      }
    }
  }

  package subscript(x: Int, y: Int) -> Element {
    get { values[y &* width &+ x] }
    set { values[y &* width &+ x] = newValue }
  }

  /// The nearest element to a place that may lie outside.
  package func clamped(_ x: Int, _ y: Int) -> Element {
    self[min(max(x, 0), width &- 1), min(max(y, 0), height &- 1)]
  }
}

/// Linear light in x, y, z (red, green, blue), 1 = reference white.
package typealias LightImage = Image<SIMD4<Float>>
/// One number a pixel.
package typealias ScalarImage = Image<Float>
