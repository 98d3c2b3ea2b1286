package import Foundation

/// `rend`: the rendering item of a frame. Focus disparity and f-number have the same ids in both versions.
package struct CinematicRenderingItem: Hashable, Sendable {
  package var pairs: CinematicPairs
  private var before = Data()
  private var after = Data()

  /// An item of version 1 as it is written here: focus disparity, f-number, analogue gain, low-light alpha (1: full effect), frame id.
  package init(
    focusDisparity: Float, fNumber: Float, analogueGain: UInt32 = 256, lowLightAlpha: Float = 1, frameID: UInt32
  ) {
    pairs = CinematicPairs([
      .float(1, focusDisparity), .float(2, fNumber), .integer(3, analogueGain), .float(4, lowLightAlpha),
      .integer(5, frameID),
    ])
  }

  package init(payload: ByteReader) throws(QuickTimeError) {
    (before, pairs, after) = try CinematicPairs.item("rend", payload: payload)
  }

  package init(payload: Data) throws(QuickTimeError) {
    try self.init(payload: ByteReader(payload, path: "rendering"))
  }

  package var payload: Data { pairs.item("rend", before: before, after: after) }

  /// As stored, whatever it is: NaN, infinite, negative. Nil where the pair is absent.
  package var focusDisparity: Float? {
    get { pairs.number(1).map { Float($0) } }
    set { if let newValue { pairs.set(.float(1, newValue)) } }
  }

  package var fNumber: Float? {
    get { pairs.number(2).map { Float($0) } }
    set { if let newValue { pairs.set(.float(2, newValue)) } }
  }

  /// Which table of ids applies: the major version of the movie-level `rend`, else 2 for 13 pairs and 1 for others.
  package func version(movieMajor: UInt32?) -> UInt32 {
    movieMajor ?? (pairs.list.count == 13 ? 2 : 1)
  }

  /// 1: the full effect, 0: none for want of light.
  package func lowLightAlpha(movieMajor: UInt32?) -> Float? {
    pairs.number(version(movieMajor: movieMajor) == 2 ? 13 : 4).map { Float($0) }
  }

  /// The 35 mm equivalent focal length in millimetres, which only version 2 has.
  package func focalLength35mm(movieMajor: UInt32?) -> Float? {
    version(movieMajor: movieMajor) == 2 ? pairs.number(3).map { Float($0) } : nil
  }
}
