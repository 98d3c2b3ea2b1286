/// The innermost loops: one row of one component, from one place to another.
///
/// All are generic over the element and inlined, so that each use becomes a loop over plain pointers; nothing here checks
/// bounds, the callers have.
enum PixelLoops {
  /// Where a row's codes are: the first one, and the elements from one to the next.
  struct Source<Element> {
    let base: UnsafePointer<Element>
    let step: Int

    init(_ base: UnsafeRawPointer, offset: Int = 0, step: Int = 1) {
      self.base = base.assumingMemoryBound(to: Element.self) + offset
      self.step = step
    }
  }

  struct Destination<Element> {
    let base: UnsafeMutablePointer<Element>
    let step: Int

    init(_ base: UnsafeMutableRawPointer, offset: Int = 0, step: Int = 1) {
      self.base = base.assumingMemoryBound(to: Element.self) + offset
      self.step = step
    }
  }

  @inline(__always)
  static func move<In, Out>(
    _ source: Source<In>, _ destination: Destination<Out>, count: Int, _ convert: (In) -> Out
  ) {
    if source.step == 1 && destination.step == 1 {
      for index in 0..<count { destination.base[index] = convert(source.base[index]) }
      return
    }
    var from = source.base
    var to = destination.base
    for _ in 0..<count {
      to.pointee = convert(from.pointee)
      from += source.step
      to += destination.step
    }
  }

  /// Two rows into one, alternating: the chroma of bi-planar formats.
  @inline(__always)
  static func interleave<In, Out>(
    _ first: UnsafePointer<In>, _ second: UnsafePointer<In>, into out: UnsafeMutablePointer<Out>, count: Int,
    _ convert: (In) -> Out
  ) {
    for index in 0..<count {
      out[2 &* index] = convert(first[index])
      out[2 &* index &+ 1] = convert(second[index])
    }
  }

  /// One alternating row into two.
  @inline(__always)
  static func separate<In, Out>(
    _ source: UnsafePointer<In>, into first: UnsafeMutablePointer<Out>, _ second: UnsafeMutablePointer<Out>,
    count: Int, _ convert: (In) -> Out
  ) {
    for index in 0..<count {
      first[index] = convert(source[2 &* index])
      second[index] = convert(source[2 &* index &+ 1])
    }
  }
}

/// How a code of one depth becomes a code of another: exact by a shift where there is room, else rounded.
struct DepthChange: Sendable {
  private let drop: UInt32
  private let up: UInt32
  private let down: UInt32
  private let half: UInt32
  private let limit: UInt32
  private let place: UInt32
  /// Full-range codes of either depth: the largest of one becomes the largest of the other.
  private let scale: (from: UInt32, to: UInt32)?

  /// From codes of `from.bits` bits to codes of `to.bits`, with `shift` unused bits below each.
  ///
  /// `scales` is for alpha and RGB, whose largest code means 1 at any depth; Y'CbCr and grey codes are shifted.
  init(from: (bits: Int, shift: Int), to: (bits: Int, shift: Int), scales: Bool = false) {
    drop = UInt32(from.shift)
    place = UInt32(to.shift)
    up = UInt32(max(0, to.bits - from.bits))
    down = UInt32(max(0, from.bits - to.bits))
    half = down > 0 ? 1 << (down - 1) : 0
    limit = 1 << UInt32(to.bits) &- 1
    scale = scales && from.bits != to.bits ? (1 << UInt32(from.bits) &- 1, limit) : nil
  }

  /// The shift to the left that does it all, if one does.
  var leftShiftOnly: UInt32? { drop == 0 && down == 0 && scale == nil ? up &+ place : nil }

  /// The shift to the right that does it all, if one does.
  var rightShiftOnly: UInt32? { up == 0 && down == 0 && place == 0 && scale == nil ? drop : nil }

  @inline(__always)
  func callAsFunction(_ stored: UInt32) -> UInt32 {
    let code = stored &>> drop
    if let scale { return ((code &* scale.to &+ scale.from &>> 1) / scale.from) &<< place }
    return min((code &<< up &+ half) &>> down, limit) &<< place
  }
}
