import CoreVideo

/// Where one component of a picture is in memory.
struct ComponentView {
  /// The component's sample of the first pixel.
  let base: UnsafeMutableRawPointer
  let bytesPerRow: Int
  /// Bytes from one sample of the component to the next.
  let step: Int
  let width: Int
  let height: Int

  @inline(__always)
  func row(_ y: Int) -> UnsafeMutableRawPointer { base + y &* bytesPerRow }

  @inline(__always)
  func clampedRow(_ y: Int) -> UnsafeMutableRawPointer { row(min(max(y, 0), height &- 1)) }
}

/// The components of a locked pixel buffer.
struct PictureMemory {
  let format: PixelFormat
  let width: Int
  let height: Int
  /// Y', Cb, Cr, or R', G', B', or one grey.
  let colors: [ComponentView]
  let alpha: ComponentView?

  /// Calls `body` with the components of `buffer`, whose format must be one of `supported`.
  static func with<R>(_ buffer: CVPixelBuffer, readOnly: Bool, _ body: (PictureMemory) throws -> R) rethrows -> R {
    guard let format = buffer.format else { preconditionFailure("A texture has no pixel format.") }
    return try collect(buffer, format, readOnly, []) { planes in
      try body(PictureMemory(format, buffer.width, buffer.height, planes))
    }
  }

  private typealias PlaneMemory = (base: UnsafeMutableRawPointer, bytesPerRow: Int, width: Int, height: Int)

  /// Locks one plane after the other.
  private static func collect<R>(
    _ buffer: CVPixelBuffer, _ format: PixelFormat, _ readOnly: Bool, _ planes: [PlaneMemory],
    _ body: ([PlaneMemory]) throws -> R
  ) rethrows -> R {
    guard planes.count < format.planes.count else { return try body(planes) }
    return try buffer.withPlane(planes.count, readOnly: readOnly) { base, bytesPerRow, width, height in
      try collect(buffer, format, readOnly, planes + [(base, bytesPerRow, width, height)], body)
    }
  }

  private init(_ format: PixelFormat, _ width: Int, _ height: Int, _ planes: [PlaneMemory]) {
    self.format = format
    self.width = width
    self.height = height
    func view(_ component: PixelFormat.Component) -> ComponentView? {
      for (plane, memory) in zip(format.planes, planes) {
        guard let first = plane.components.firstIndex(of: component) else { continue }
        let count = plane.components.count { $0 == component }
        let isShared = plane.blockWidth > count
        return ComponentView(
          base: memory.base + first * format.sample.byteCount, bytesPerRow: memory.bytesPerRow,
          step: plane.bytesPerBlock / count,
          width: isShared ? (width + plane.blockWidth - 1) / plane.blockWidth : memory.width, height: memory.height)
      }
      return nil
    }
    let names: [PixelFormat.Component] =
      switch format.model {
      case .yCbCr: [.luma, .chromaBlue, .chromaRed]
      case .rgb: [.red, .green, .blue]
      default: [.first]
      }
    colors = names.compactMap(view)
    alpha = view(.alpha)
  }

  /// Whether the renderer reads and writes a format: colours or grey whose samples lie alone in whole bytes.
  static func isSupported(_ format: PixelFormat) -> Bool {
    guard !format.isOpaque, format.sample != .packed10 else { return false }
    return format.model == .yCbCr || format.model == .rgb && format.code != fourCharacterCode("bp64")
      || format.model == .oneComponent
  }
}

/// What the codes of a Y'CbCr format mean: a stored number 0…1 to Y' 0…1 and chroma −½…½, and back.
struct YCbCrRange: Hashable, Sendable {
  let lumaOffset: Float
  let lumaScale: Float
  let chromaOffset: Float
  let chromaScale: Float
  /// The least and greatest stored number; video keeps the outermost codes for synchronisation.
  let limits: ClosedRange<Float>

  init(_ format: PixelFormat) {
    guard !format.isFloat else {
      self.init(lumaOffset: 0, lumaScale: 1, chromaOffset: 0, chromaScale: 1, limits: -65_504...65_504)
      return
    }
    let bits = format.bitsPerComponent
    let most = Float(1 << bits - 1)
    let unit = Float(1 << (bits - 8))
    self.init(
      lumaOffset: format.isFullRange ? 0 : 16 * unit / most, lumaScale: format.isFullRange ? 1 : 219 * unit / most,
      chromaOffset: 128 * unit / most, chromaScale: format.isFullRange ? 1 : 224 * unit / most,
      limits: format.isFullRange ? 0...1 : unit / most...(most - unit) / most)
  }

  private init(
    lumaOffset: Float, lumaScale: Float, chromaOffset: Float, chromaScale: Float, limits: ClosedRange<Float>
  ) {
    self.lumaOffset = lumaOffset
    self.lumaScale = lumaScale
    self.chromaOffset = chromaOffset
    self.chromaScale = chromaScale
    self.limits = limits
  }

  @inline(__always)
  func luma(stored: Float) -> Float { (stored - lumaOffset) / lumaScale }
  @inline(__always)
  func chroma(stored: SIMD2<Float>) -> SIMD2<Float> { (stored - chromaOffset) / chromaScale }
  @inline(__always)
  func stored(luma: Float) -> Float { lumaOffset + lumaScale * luma }
  @inline(__always)
  func stored(chroma: SIMD2<Float>) -> SIMD2<Float> { chromaOffset + chromaScale * chroma }
  @inline(__always)
  func limited(_ stored: Float) -> Float { min(max(limits.lowerBound, stored), limits.upperBound) }
}
