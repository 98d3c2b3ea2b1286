/// One frame on its way through the blur, at the resolution at which it is computed.
struct Frame {
  let width: Int
  let height: Int
  /// Linear light, 1 = reference white; `w` is the picture's own alpha, which is kept.
  let linear: Plane<SIMD4<Float>>
  /// Valid and finite everywhere.
  let disparity: Plane<Float>
  let keys: Plane<DepthKey>
  /// The blurred picture.
  let result: Plane<SIMD4<Float>>
  /// 1 where a pixel is in focus and no other disc reaches it.
  let untouched: Plane<UInt8>
}
