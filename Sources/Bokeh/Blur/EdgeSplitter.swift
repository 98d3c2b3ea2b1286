/// One part of a pixel on a depth edge.
struct EdgePart {
  let key: DepthKey
  /// Premultiplied light; `w` is the part's share of the pixel.
  let color: SIMD4<Float>
}

/// Divides pixels on depth edges into a near and a far part.
struct EdgeSplitter {
  func split(_ x: Int, _ y: Int) -> (near: EdgePart, far: EdgePart)? { nil }
}
