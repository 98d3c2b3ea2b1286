import Bokeh
import Testing

@Suite struct LensTests {
  @Test(
    "radius in pixels of the background of a phone focused at half a metre, 3840 wide",
    arguments: [(2, 36.06), (1.4, 51.51), (16, 4.507)] as [(Float, Float)])
  func radius(fNumber: Float, radius: Float) {
    let perDisparity = Lens().radiusPerDisparity(fNumber: fNumber, imageWidth: 3840)
    #expect(abs(perDisparity * 2 - radius) < 0.01)
  }

  @Test func radiusFollowsTheFormula() {
    let lens = Lens(focalLength35mm: 0.05, gain: 1.5)
    let expected: Float = 1.5 * 0.05 * 0.05 / (2 * 2.8) * 1920 / 0.036
    #expect(abs(lens.radiusPerDisparity(fNumber: 2.8, imageWidth: 1920) - expected) < 1e-4)
  }
}
