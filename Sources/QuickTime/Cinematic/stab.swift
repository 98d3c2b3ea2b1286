package import Foundation

/// `stab`: the stabilization item of a frame.
package struct CinematicStabilizationItem: Hashable, Sendable {
  package var pairs: CinematicPairs
  private var before = Data()
  private var after = Data()

  /// `homography` is a 3x3 matrix by rows; the motion blur is in pixels.
  package init(homography: [Float] = [1, 0, 0, 0, 1, 0, 0, 0, 1], motionBlurX: Float = 0, motionBlurY: Float = 0) {
    precondition(homography.count == 9, "a homography has nine elements")
    let values = homography + [motionBlurX, motionBlurY]
    pairs = CinematicPairs(values.enumerated().map { .float(UInt16($0.offset + 1), $0.element) })
  }

  package init(payload: ByteReader) throws(QuickTimeError) {
    (before, pairs, after) = try CinematicPairs.item("stab", payload: payload)
  }

  package init(payload: Data) throws(QuickTimeError) {
    try self.init(payload: ByteReader(payload, path: "stabilization"))
  }

  package var payload: Data { pairs.item("stab", before: before, after: after) }

  /// By rows; nil unless all nine elements are there.
  package var homography: [Float]? {
    let values = (UInt16(1)...9).compactMap { pairs.number($0).map { Float($0) } }
    return values.count == 9 ? values : nil
  }
}
