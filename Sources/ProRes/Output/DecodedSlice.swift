internal import CProRes

/// A slice's samples between transform and picture: planes in the nearest cache, and where they belong.
///
/// Each row of a plane is preceded by the last samples of the slice to the left, for what is written together with
/// neighbours.
struct DecodedSlice {
  /// Samples of the slice to the left that are kept.
  static let margin = 16
  /// Samples from one row of a plane to the next.
  static let pitch = margin + 128
  static let planeCount = 6
  static let planeSampleCount = pitch * 16

  /// The first sample of the slice in each plane.
  let luma: UnsafeMutablePointer<UInt16>
  let chromaBlue: UnsafeMutablePointer<UInt16>
  let chromaRed: UnsafeMutablePointer<UInt16>
  let alpha: UnsafeMutablePointer<UInt16>
  /// Chroma in the resolution that is written, where that is not the stream's.
  let resampledBlue: UnsafeMutablePointer<UInt16>
  let resampledRed: UnsafeMutablePointer<UInt16>
  /// A row on its way past the caches: 128 pixels, and what the slice to the left has left over, of 8 bytes.
  private let staged: UnsafeMutableRawPointer
  static let stagedByteCount = 2048
  /// Whether pictures are so large that no cache keeps them until they are read.
  var isStreaming = false

  /// The slice's place and visible size, in pixels of the picture that is made; rows are those of the frame.
  var x = 0
  var width = 0
  var firstRow = 0
  var rowStep = 1
  var rows = 0
  /// The pixels to write, counted from `x`: they begin with those that the slice to the left has left over.
  var span = 0..<0

  static let byteCount = planeCount * planeSampleCount * 2 + stagedByteCount

  /// `memory` has `byteCount` bytes.
  init(_ memory: UnsafeMutablePointer<UInt16>) {
    func plane(_ index: Int) -> UnsafeMutablePointer<UInt16> { memory + index * Self.planeSampleCount + Self.margin }
    luma = plane(0)
    chromaBlue = plane(1)
    chromaRed = plane(2)
    alpha = plane(3)
    resampledBlue = plane(4)
    resampledRed = plane(5)
    staged = UnsafeMutableRawPointer(memory + Self.planeCount * Self.planeSampleCount)
  }
}

extension DecodedSlice {
  /// Goes on to another slice, and keeps what is needed of the last one where that is its neighbour to the left.
  ///
  /// - Parameters:
  ///   - chromaWidth: of the last slice, where its samples are needed; else nil.
  mutating func advance(to x: Int, width: Int, keepingChromaWidth chromaWidth: Int?) {
    let leftOver = x > 0 ? span.upperBound - self.width : 0
    if x > 0, let chromaWidth {
      keep(luma, self.width)
      keep(chromaBlue, chromaWidth)
      keep(chromaRed, chromaWidth)
      keep(alpha, self.width)
    }
    span = leftOver..<leftOver
    self.x = x
    self.width = width
  }

  /// Moves the last samples of each row into its margin.
  private func keep(_ plane: UnsafeMutablePointer<UInt16>, _ width: Int) {
    for row in 0..<16 {
      let start = plane + row * Self.pitch
      (start - Self.margin).update(from: start + width - Self.margin, count: Self.margin)
    }
  }

  /// The first byte of row `row` of the slice in a plane.
  @inline(__always)
  func row(_ row: Int, of plane: ProResDestination.Plane) -> UnsafeMutableRawPointer {
    plane.base + (firstRow + row * rowStep) * plane.bytesPerRow
  }

  /// Has `fill` write `byteCount` bytes of a row, `offset` bytes from its start in the picture.
  @inline(__always)
  func emit(
    _ number: Int, _ plane: ProResDestination.Plane, offset: Int, byteCount: Int,
    _ fill: (UnsafeMutableRawPointer) -> Void
  ) {
    let to = row(number, of: plane) + offset
    guard isStreaming else { return fill(to) }
    fill(staged)
    cprores_stream(to, staged, byteCount)
  }

  /// Copies samples of a row.
  @inline(__always)
  func emit(
    _ number: Int, _ plane: ProResDestination.Plane, offset: Int, _ samples: UnsafePointer<UInt16>, count: Int
  ) {
    let to = row(number, of: plane) + offset
    if isStreaming {
      cprores_stream(to, samples, count * 2)
    } else {
      to.copyMemory(from: samples, byteCount: count * 2)
    }
  }
}
