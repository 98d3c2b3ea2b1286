/// What one thread needs to decode slices, two of which are read at a time; used for one frame after another.
final class SliceWorkspace {
  private let memory: UnsafeMutableRawPointer
  let slots: (SliceSlot, SliceSlot)
  let weights: UnsafeMutablePointer<Float>
  /// The planes of both slots while their bits are read.
  let lanes: UnsafeMutableBufferPointer<CoefficientLane>
  /// Where a `DecodedSlice` has its planes.
  let samples: UnsafeMutablePointer<UInt16>
  /// What could not be read.
  var damage: [ProResReport.Damage] = []

  private static let laneByteCount = 6 * MemoryLayout<CoefficientLane>.stride

  init() {
    let count = 2 * SliceSlot.byteCount + DecodedSlice.byteCount + Dequantiser.byteCount + Self.laneByteCount
    memory = .allocate(byteCount: count, alignment: 64)
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: count)
    slots = (SliceSlot(memory), SliceSlot(memory + SliceSlot.byteCount))
    var next = memory + 2 * SliceSlot.byteCount
    samples = next.bindMemory(to: UInt16.self, capacity: DecodedSlice.byteCount / 2)
    next += DecodedSlice.byteCount
    weights = next.bindMemory(to: Float.self, capacity: Dequantiser.byteCount / 4)
    next += Dequantiser.byteCount
    lanes = UnsafeMutableBufferPointer(start: next.bindMemory(to: CoefficientLane.self, capacity: 6), count: 6)
  }

  deinit { memory.deallocate() }
}

/// A slice between its bits and the transform.
struct SliceSlot {
  let stores: (luma: CoefficientStore, chromaBlue: CoefficientStore, chromaRed: CoefficientStore)
  /// A slice's alpha as it is coded: rows of the slice's own width.
  let codedAlpha: UnsafeMutablePointer<UInt16>
  /// The bytes of the planes, each followed by zeros.
  private let bytes: UnsafeMutableRawPointer

  private static let storeStride = (CoefficientStore.byteCount + 63) & ~63
  private static let alphaByteCount = 128 * 16 * 2
  /// A slice has at most 65535 bytes, its table's numbers being of 16 bits.
  private static let bytesCount = 1 << 16 + 4 * CoefficientLane.padding
  static let byteCount = 3 * storeStride + alphaByteCount + bytesCount

  /// `memory` has `byteCount` bytes, on a boundary of 64.
  init(_ memory: UnsafeMutableRawPointer) {
    stores = (
      CoefficientStore(memory), CoefficientStore(memory + Self.storeStride),
      CoefficientStore(memory + 2 * Self.storeStride)
    )
    codedAlpha = (memory + 3 * Self.storeStride).bindMemory(to: UInt16.self, capacity: Self.alphaByteCount / 2)
    bytes = memory + 3 * Self.storeStride + Self.alphaByteCount
  }

  /// After a damaged slice.
  func clear() {
    stores.luma.clear()
    stores.chromaBlue.clear()
    stores.chromaRed.clear()
  }

  /// Copies a plane's bytes to where zeros follow them, behind those of the planes before it.
  func padded(_ frame: UnsafeRawBufferPointer, _ range: Range<Int>, after offset: inout Int) -> UnsafeRawPointer {
    let place = bytes + offset
    if !range.isEmpty { place.copyMemory(from: frame.baseAddress! + range.lowerBound, byteCount: range.count) }
    (place + range.count).initializeMemory(as: UInt8.self, repeating: 0, count: CoefficientLane.padding)
    offset += range.count + CoefficientLane.padding
    return UnsafeRawPointer(place)
  }
}
