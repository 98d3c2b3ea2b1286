import Bokeh
import CoreVideo

/// What the host finds out about a frame's disparity before the device has it, so that the device is given no work for
/// radii and holes that the frame does not have.
struct DisparityScan {
  /// From the least to the greatest valid disparity, or wider.
  let range: ClosedRange<Float>
  /// Whether a sample may be invalid.
  let mayHaveHoles: Bool

  /// Coarse disparity is looked through in far less time than a frame takes; finer is the device's to look at.
  private static let mostSamples = 1 << 20

  init(_ plan: DevicePlan) {
    let (stored, buffer) = (plan.disparity, plan.request.disparity)
    self.init(range: stored.range, mayHaveHoles: !stored.isCoded || stored.isDepth)
    guard buffer.width * buffer.height <= DisparityScan.mostSamples, !stored.isDepth else { return }
    switch (stored.isCoded, stored.bytesPerSample) {
    case (true, 1): self.init(codes: DisparityScan.extremes(buffer, UInt8.self), stored)
    case (true, _): self.init(codes: DisparityScan.extremes(buffer, UInt16.self), stored)
    case (false, 2):
      let (bits, isValid) = DisparityScan.extremes(buffer, UInt16.self, valid: Float16(largest).bitPattern)
      self.init(Float(Float16(bitPattern: bits.0)), Float(Float16(bitPattern: bits.1)), isValid)
    case (false, _):
      let (bits, isValid) = DisparityScan.extremes(buffer, UInt32.self, valid: Float(largest).bitPattern)
      self.init(Float(bitPattern: bits.0), Float(bitPattern: bits.1), isValid)
    }
  }

  private init(range: ClosedRange<Float>, mayHaveHoles: Bool) {
    (self.range, self.mayHaveHoles) = (range, mayHaveHoles)
  }

  private init(codes: (UInt8, UInt8), _ stored: StoredDisparity) {
    self.init(codes: (UInt16(codes.0), UInt16(codes.1)), stored)
  }

  private init(codes: (UInt16, UInt16), _ stored: StoredDisparity) {
    let ends = [codes.0, codes.1].map { stored.value(Int($0) >> stored.shift) }
    self.init(range: min(ends[0], ends[1])...max(ends[0], ends[1]), mayHaveHoles: false)
  }

  /// - Parameter isValid: whether all samples are; of others nothing else is known.
  private init(_ least: Float, _ most: Float, _ isValid: Bool) {
    self.init(range: isValid ? least...most : 0...DeviceEffort.largestDisparity, mayHaveHoles: !isValid)
  }

  /// The least and greatest of all samples.
  private static func extremes<Bits: FixedWidthInteger & BitwiseCopyable>(
    _ buffer: CVPixelBuffer, _: Bits.Type
  ) -> (Bits, Bits) {
    buffer.withPlane(0, readOnly: true) { base, pitch, width, height in
      // Variables of its own for each row are what the compiler makes a loop over vectors of: a device waits for this.
      (0..<height).reduce((Bits.max, Bits.min)) { found, y in
        let row = (base + y * pitch).assumingMemoryBound(to: Bits.self)
        var (least, most) = found
        for x in 0..<width {
          least = min(least, row[x])
          most = max(most, row[x])
        }
        return (least, most)
      }
    }
  }

  /// The same of floating-point numbers as bits, which are ordered as the numbers where these are not negative.
  private static func extremes<Bits: FixedWidthInteger & BitwiseCopyable>(
    _ buffer: CVPixelBuffer, _ type: Bits.Type, valid: Bits
  ) -> ((Bits, Bits), isValid: Bool) {
    let bits = extremes(buffer, type)
    return (bits, bits.1 <= valid)
  }
}

private let largest = DeviceEffort.largestDisparity
