/// From one kind of stored code to another: picks the loop once, runs it a row at a time.
struct Route {
  private enum Kind { case byte, word, swappedWord, half, float }

  private typealias Bits = (bits: Int, shift: Int)

  private let from: Kind
  private let to: Kind
  private let source: Bits
  private let target: Bits
  private let change: DepthChange

  /// From a component of a picture into a stored layout.
  init(from component: FrameShape.Component, of shape: FrameShape, to element: StoredLayout.Element, scales: Bool) {
    from = Self.kind(of: shape)
    to = Self.kind(of: element)
    source = Self.bits(of: component)
    target = Self.highBits(of: element)
    change = DepthChange(from: source, to: target, scales: scales)
  }

  /// From a stored layout into a component of a picture.
  init(from element: StoredLayout.Element, to component: FrameShape.Component, of shape: FrameShape, scales: Bool) {
    from = Self.kind(of: element)
    to = Self.kind(of: shape)
    source = Self.highBits(of: element)
    target = Self.bits(of: component)
    change = DepthChange(from: source, to: target, scales: scales)
  }

  private static func kind(of shape: FrameShape) -> Kind {
    shape.isFloat ? .float : shape.depth <= 8 ? .byte : shape.isBigEndian ? .swappedWord : .word
  }

  private static func kind(of element: StoredLayout.Element) -> Kind {
    switch element {
    case .byte: .byte
    case .word, .v210: .word
    case .bigEndianWord: .swappedWord
    case .half: .half
    case .float: .float
    }
  }

  private static func bits(of component: FrameShape.Component) -> Bits {
    component.depth > 16 ? (16, 0) : (component.depth, component.shift)
  }

  private static func highBits(of element: StoredLayout.Element) -> Bits {
    switch element {
    case .byte: (8, 0)
    case .word(let bits): (bits, 16 - bits)
    case .bigEndianWord, .half, .float, .v210: (16, 0)
    }
  }
}

extension Route {
  func move(_ source: Place, _ target: Place, _ count: Int) {
    switch (from, to) {
    case (.byte, .byte): codes(source, target, count, UInt8.self, UInt8.self)
    case (.byte, .word): codes(source, target, count, UInt8.self, UInt16.self)
    case (.word, .byte): codes(source, target, count, UInt16.self, UInt8.self)
    case (.word, .word): codes(source, target, count, UInt16.self, UInt16.self)
    case (.float, .float), (.float, .half), (.half, .float), (.half, .half): floats(source, target, count)
    case (.float, _): quantised(source, target, count, Float.self)
    case (.half, _): quantised(source, target, count, Float16.self)
    case (_, .float): shares(source, target, count, Float.self)
    case (_, .half): shares(source, target, count, Float16.self)
    case (_, .swappedWord), (.swappedWord, _): swapped(source, target, count)
    }
  }

  private func codes<In: UnsignedInteger & FixedWidthInteger, Out: UnsignedInteger & FixedWidthInteger>(
    _ source: Place, _ target: Place, _ count: Int, _: In.Type, _: Out.Type
  ) {
    let input = PixelLoops.Source<In>(source.base, offset: source.offset, step: source.step)
    let output = PixelLoops.Destination<Out>(target.base, offset: target.offset, step: target.step)
    if let left = change.leftShiftOnly {
      let shift = Out(truncatingIfNeeded: left)
      PixelLoops.move(input, output, count: count) { Out(truncatingIfNeeded: $0) &<< shift }
    } else if let right = change.rightShiftOnly {
      let shift = In(truncatingIfNeeded: right)
      PixelLoops.move(input, output, count: count) { Out(truncatingIfNeeded: $0 &>> shift) }
    } else {
      PixelLoops.move(input, output, count: count) { [change] in
        Out(truncatingIfNeeded: change(UInt32(truncatingIfNeeded: $0)))
      }
    }
  }

  /// Big-endian words on one side or on both.
  private func swapped(_ source: Place, _ target: Place, _ count: Int) {
    let swapsInput = from == .swappedWord
    let swapsOutput = to == .swappedWord
    let convert: (UInt16) -> UInt16 = { [change] code in
      let changed = UInt16(truncatingIfNeeded: change(UInt32(swapsInput ? code.byteSwapped : code)))
      return swapsOutput ? changed.byteSwapped : changed
    }
    switch (from, to) {
    case (.byte, _):
      let input = PixelLoops.Source<UInt8>(source.base, offset: source.offset, step: source.step)
      let output = PixelLoops.Destination<UInt16>(target.base, offset: target.offset, step: target.step)
      PixelLoops.move(input, output, count: count) { convert(UInt16($0)) }
    case (_, .byte):
      let input = PixelLoops.Source<UInt16>(source.base, offset: source.offset, step: source.step)
      let output = PixelLoops.Destination<UInt8>(target.base, offset: target.offset, step: target.step)
      PixelLoops.move(input, output, count: count) { UInt8(truncatingIfNeeded: convert($0)) }
    default:
      let input = PixelLoops.Source<UInt16>(source.base, offset: source.offset, step: source.step)
      let output = PixelLoops.Destination<UInt16>(target.base, offset: target.offset, step: target.step)
      PixelLoops.move(input, output, count: count, convert)
    }
  }

  private func floats(_ source: Place, _ target: Place, _ count: Int) {
    switch (from, to) {
    case (.float, .half): floats(source, target, count, Float.self, Float16.self)
    case (.half, .float): floats(source, target, count, Float16.self, Float.self)
    case (.half, .half): floats(source, target, count, Float16.self, Float16.self)
    default: floats(source, target, count, Float.self, Float.self)
    }
  }

  private func floats<In: BinaryFloatingPoint, Out: BinaryFloatingPoint>(
    _ source: Place, _ target: Place, _ count: Int, _: In.Type, _: Out.Type
  ) {
    let input = PixelLoops.Source<In>(source.base, offset: source.offset, step: source.step)
    let output = PixelLoops.Destination<Out>(target.base, offset: target.offset, step: target.step)
    PixelLoops.move(input, output, count: count) { Out($0) }
  }
}

// MARK: - Between codes and floats: the largest code is 1

extension Route {
  private func shares<Out: BinaryFloatingPoint>(_ source: Place, _ target: Place, _ count: Int, _: Out.Type) {
    let output = PixelLoops.Destination<Out>(target.base, offset: target.offset, step: target.step)
    let scale = 1 / Float(source16.largest)
    let drop = source16.shift
    if from == .byte {
      let input = PixelLoops.Source<UInt8>(source.base, offset: source.offset, step: source.step)
      PixelLoops.move(input, output, count: count) { Out(Float($0) * scale) }
    } else {
      let swaps = from == .swappedWord
      let input = PixelLoops.Source<UInt16>(source.base, offset: source.offset, step: source.step)
      PixelLoops.move(input, output, count: count) { Out(Float((swaps ? $0.byteSwapped : $0) &>> drop) * scale) }
    }
  }

  /// Below 0 and not a number become 0, above 1 the largest code.
  private func quantised<In: BinaryFloatingPoint>(_ source: Place, _ target: Place, _ count: Int, _: In.Type) {
    let input = PixelLoops.Source<In>(source.base, offset: source.offset, step: source.step)
    let largest = Float(target16.largest)
    let place = target16.shift
    let code: (In) -> UInt16 = { value in
      let share = Float(value)
      return share > 0 ? UInt16(min(share, 1) * largest + 0.5) &<< place : 0
    }
    if to == .byte {
      let output = PixelLoops.Destination<UInt8>(target.base, offset: target.offset, step: target.step)
      PixelLoops.move(input, output, count: count) { UInt8(truncatingIfNeeded: code($0)) }
    } else {
      let swaps = to == .swappedWord
      let output = PixelLoops.Destination<UInt16>(target.base, offset: target.offset, step: target.step)
      PixelLoops.move(input, output, count: count) { swaps ? code($0).byteSwapped : code($0) }
    }
  }

  private var source16: (largest: UInt16, shift: UInt16) { Self.range(of: source) }
  private var target16: (largest: UInt16, shift: UInt16) { Self.range(of: target) }

  private static func range(of bits: Bits) -> (largest: UInt16, shift: UInt16) {
    (UInt16(truncatingIfNeeded: 1 << bits.bits &- 1), UInt16(truncatingIfNeeded: bits.shift))
  }
}

// MARK: - Interleaved chroma: bytes and words only

extension Route {
  func interleave(
    _ first: UnsafeMutableRawPointer, _ second: UnsafeMutableRawPointer, into out: UnsafeMutableRawPointer, _ count: Int
  ) {
    switch (from, to) {
    case (.byte, .byte): interleave(first, second, out, count, UInt8.self, UInt8.self)
    case (.byte, _): interleave(first, second, out, count, UInt8.self, UInt16.self)
    case (_, .byte): interleave(first, second, out, count, UInt16.self, UInt8.self)
    default: interleave(first, second, out, count, UInt16.self, UInt16.self)
    }
  }

  func separate(
    _ source: UnsafeMutableRawPointer, into first: UnsafeMutableRawPointer, _ second: UnsafeMutableRawPointer,
    _ count: Int
  ) {
    switch (from, to) {
    case (.byte, .byte): separate(source, first, second, count, UInt8.self, UInt8.self)
    case (.byte, _): separate(source, first, second, count, UInt8.self, UInt16.self)
    case (_, .byte): separate(source, first, second, count, UInt16.self, UInt8.self)
    default: separate(source, first, second, count, UInt16.self, UInt16.self)
    }
  }

  private func interleave<In: UnsignedInteger & FixedWidthInteger, Out: UnsignedInteger & FixedWidthInteger>(
    _ first: UnsafeMutableRawPointer, _ second: UnsafeMutableRawPointer, _ out: UnsafeMutableRawPointer, _ count: Int,
    _: In.Type, _: Out.Type
  ) {
    let one = UnsafePointer(first.assumingMemoryBound(to: In.self))
    let two = UnsafePointer(second.assumingMemoryBound(to: In.self))
    let target = out.assumingMemoryBound(to: Out.self)
    if let left = change.leftShiftOnly {
      let shift = Out(truncatingIfNeeded: left)
      PixelLoops.interleave(one, two, into: target, count: count) { Out(truncatingIfNeeded: $0) &<< shift }
    } else {
      PixelLoops.interleave(one, two, into: target, count: count) { [change] in
        Out(truncatingIfNeeded: change(UInt32(truncatingIfNeeded: $0)))
      }
    }
  }

  private func separate<In: UnsignedInteger & FixedWidthInteger, Out: UnsignedInteger & FixedWidthInteger>(
    _ source: UnsafeMutableRawPointer, _ first: UnsafeMutableRawPointer, _ second: UnsafeMutableRawPointer,
    _ count: Int, _: In.Type, _: Out.Type
  ) {
    let input = UnsafePointer(source.assumingMemoryBound(to: In.self))
    let one = first.assumingMemoryBound(to: Out.self)
    let two = second.assumingMemoryBound(to: Out.self)
    if let right = change.rightShiftOnly {
      let shift = In(truncatingIfNeeded: right)
      PixelLoops.separate(input, into: one, two, count: count) { Out(truncatingIfNeeded: $0 &>> shift) }
    } else {
      PixelLoops.separate(input, into: one, two, count: count) { [change] in
        Out(truncatingIfNeeded: change(UInt32(truncatingIfNeeded: $0)))
      }
    }
  }
}
