/// What one thread needs to decode slices; used for one frame after another.
final class SliceWorkspace {
  private let memory: UnsafeMutableRawPointer
  let stores: (luma: CoefficientStore, chromaBlue: CoefficientStore, chromaRed: CoefficientStore)
  let steps: UnsafeMutablePointer<ScanStep>
  /// A slice's alpha as it is coded: rows of the slice's own width.
  let codedAlpha: UnsafeMutablePointer<UInt16>
  /// The bytes of a slice's planes, each followed by zeros.
  private let bytes: UnsafeMutableRawPointer
  var slice: DecodedSlice
  /// What could not be read.
  var damage: [ProResReport.Damage] = []

  private static let storeStride = (CoefficientStore.byteCount + 63) & ~63
  private static let stepStride = (Dequantiser.stepByteCount + 63) & ~63
  private static let planeByteCount = DecodedSlice.planeCount * DecodedSlice.planeSampleCount * 2
  private static let alphaByteCount = 128 * 16 * 2
  /// A slice has at most 65535 bytes, its table's numbers being of 16 bits.
  private static let bytesCount = 1 << 16 + 4 * CoefficientLane.padding

  init() {
    let count =
      3 * Self.storeStride + Self.stepStride + Self.planeByteCount + Self.alphaByteCount + Self.bytesCount
    memory = .allocate(byteCount: count, alignment: 64)
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: count)
    stores = (
      CoefficientStore(memory), CoefficientStore(memory + Self.storeStride),
      CoefficientStore(memory + 2 * Self.storeStride)
    )
    var next = memory + 3 * Self.storeStride
    slice = DecodedSlice(next.assumingMemoryBound(to: UInt16.self))
    next += Self.planeByteCount
    codedAlpha = next.assumingMemoryBound(to: UInt16.self)
    next += Self.alphaByteCount
    steps = next.assumingMemoryBound(to: ScanStep.self)
    bytes = next + Self.stepStride
  }

  deinit { memory.deallocate() }

  /// Copies a plane's bytes to where zeros follow them, behind those of the planes before it.
  func padded(_ frame: UnsafeRawBufferPointer, _ range: Range<Int>, after offset: inout Int) -> UnsafeRawPointer {
    let place = bytes + offset
    if !range.isEmpty { place.copyMemory(from: frame.baseAddress! + range.lowerBound, byteCount: range.count) }
    (place + range.count).initializeMemory(as: UInt8.self, repeating: 0, count: CoefficientLane.padding)
    offset += range.count + CoefficientLane.padding
    return UnsafeRawPointer(place)
  }
}
