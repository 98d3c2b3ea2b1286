import CoreGeometry
import Testing

struct AffineTransformTests {
  private let skewed = CGAffineTransform(a: 2, b: 1, c: -3, d: 4, tx: 5, ty: -6)

  @Test func inverseUndoes() {
    for transform in [skewed, CGAffineTransform(scaleX: 4, y: 0.5), CGAffineTransform(translationX: 3, y: -9)] {
      let point = CGPoint(x: 7, y: -2).applying(transform).applying(transform.inverted())
      #expect(abs(point.x - 7) < 1e-12 && abs(point.y + 2) < 1e-12)
    }
    let flat = CGAffineTransform(a: 1, b: 2, c: 2, d: 4, tx: 1, ty: 1)
    #expect(flat.inverted() == flat)
  }

  @Test func concatenationAppliesTheFirstFirst() {
    let move = CGAffineTransform(translationX: 10, y: 20)
    let both = skewed.concatenating(move)
    #expect(CGPoint(x: 1, y: 2).applying(both) == CGPoint(x: 1, y: 2).applying(skewed).applying(move))
    #expect(skewed.concatenating(.identity) == skewed && CGAffineTransform.identity.concatenating(skewed) == skewed)
    #expect(skewed.translatedBy(x: 10, y: 20) == move.concatenating(skewed))
    #expect(skewed.scaledBy(x: 2, y: 3) == CGAffineTransform(scaleX: 2, y: 3).concatenating(skewed))
    #expect(skewed.rotated(by: .pi / 2) == CGAffineTransform(rotationAngle: .pi / 2).concatenating(skewed))
  }

  @Test(arguments: -8...8)
  func quarterTurnsAreExact(turns: Int) {
    let transform = CGAffineTransform(rotationAngle: CGFloat(turns) * .pi / 2)
    #expect(transform.quarterTurns == (turns % 4 + 4) % 4)
    let point = CGPoint(x: 3, y: 5).applying(transform)
    let expected = [CGPoint(x: 3, y: 5), CGPoint(x: -5, y: 3), CGPoint(x: -3, y: -5), CGPoint(x: 5, y: -3)]
    #expect(point == expected[(turns % 4 + 4) % 4])
  }

  @Test(arguments: -4...7)
  func turnedPicturesStayAtTheOrigin(turns: Int) {
    let size = CGSize(width: 1920, height: 1080)
    let transform = CGAffineTransform(quarterTurns: turns, of: size)
    let turned = CGRect(origin: .zero, size: size).applying(transform)
    let isUpright = turns % 2 == 0
    #expect(turned == CGRect(x: 0, y: 0, width: isUpright ? 1920 : 1080, height: isUpright ? 1080 : 1920))
    #expect(transform.quarterTurns == (turns % 4 + 4) % 4)
  }

  @Test func otherTransformsAreNoQuarterTurns() {
    #expect(skewed.quarterTurns == nil && CGAffineTransform(rotationAngle: 1).quarterTurns == nil)
    #expect(CGAffineTransform(scaleX: -1, y: 1).quarterTurns == nil)
  }

  @Test func specialRectanglesStay() {
    #expect(CGRect.null.applying(skewed).isNull && CGRect.infinite.applying(skewed).isInfinite)
    #expect(CGSize(width: 1, height: 2).applying(skewed) == CGSize(width: -4, height: 9))
  }
}
