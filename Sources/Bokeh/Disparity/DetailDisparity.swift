/// Disparity at full resolution in parts of a frame, after the whole was upsampled to a lower one.
struct DetailDisparity {
  /// Nil where the samples are fine enough to be picked.
  let upsampler: GuidedUpsampler?
  let samples: Plane<Float>
  let full: Plane<Float>
  /// Room for a row of samples and one more.
  let rows: WorkerRows<Float>

  /// Finds the disparity of some pixels of row `y` of `full`.
  func read(_ picture: Plane<SIMD4<Float>>, _ y: Int, _ columns: Range<Int>, worker: Int) {
    guard let upsampler else { return DisparityStage.pick(samples, full, y, columns) }
    upsampler.apply(picture, full, y, columns, rows[worker])
  }
}
