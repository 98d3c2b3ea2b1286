internal import CFFmpeg
internal import CoreVideo

/// Moves codes between a picture of libavutil and a pixel buffer: shifts and interleaving, never a conversion of colour or
/// range.
enum PixelTransfer {
  /// Writes a picture into a buffer of the same size. Missing alpha becomes opaque.
  ///
  /// The picture's shape must move into the layout; see `FrameShape.moves(into:)`. `luma` is the component that a grey
  /// layout takes.
  static func store(_ frame: Frame, into buffer: CVPixelBuffer, _ layout: StoredLayout, luma: Int = 0) throws {
    let shape = try shape(of: frame, buffer)
    if layout.element == .v210 { return try V210.store(frame, into: buffer) }
    let pair = layout.chromaPair.flatMap { shape.hasSeparateChroma ? $0 : nil }
    if let pair { try storePair(pair, frame, shape, into: buffer, layout) }
    for component in layout.components where pair == nil || component.index % 3 == 0 {
      try store(component, frame, shape, into: buffer, layout, luma: luma)
    }
  }

  /// Reads a buffer into a planar picture of the same size that has the layout's components.
  static func load(_ buffer: CVPixelBuffer, _ layout: StoredLayout, into frame: Frame) throws {
    let shape = try shape(of: frame, buffer)
    if layout.element == .v210 { return try V210.load(buffer, into: frame) }
    let pair = layout.chromaPair.flatMap { shape.hasSeparateChroma ? $0 : nil }
    if let pair { try loadPair(pair, buffer, layout, into: frame, shape) }
    for component in layout.components where pair == nil || component.index % 3 == 0 {
      try load(component, buffer, layout, into: frame, shape)
    }
  }

  private static func shape(of frame: Frame, _ buffer: CVPixelBuffer) throws -> FrameShape {
    guard let shape = FrameShape(frame.pixelFormat) else {
      throw CodecError(.unsupported, "The codec uses a picture layout that is unknown here; choose another codec.")
    }
    guard frame.width == CVPixelBufferGetWidth(buffer), frame.height == CVPixelBufferGetHeight(buffer) else {
      throw CodecError(
        .invalidSettings,
        "A picture of \(frame.width)x\(frame.height) does not fit a buffer of \(CVPixelBufferGetWidth(buffer))x"
          + "\(CVPixelBufferGetHeight(buffer)); make the buffer of the picture's size.")
    }
    return shape
  }
}

// MARK: - One component

extension PixelTransfer {
  private static func store(
    _ component: StoredLayout.Component, _ frame: Frame, _ shape: FrameShape, into buffer: CVPixelBuffer,
    _ layout: StoredLayout, luma: Int
  ) throws {
    let size = component.size(in: frame)
    guard !component.isAlpha || shape.hasAlpha else {
      return fillOpaque(component, size, in: buffer, layout.element)
    }
    let index = component.isAlpha ? shape.components.count - 1 : layout.components.count == 1 ? luma : component.index
    let source = shape.components[index]
    let route = Route(from: source, of: shape, to: layout.element, scales: component.isAlpha || shape.isRGB)
    try buffer.withPlane(component.plane, readOnly: false) { base, pitch, _, _ in
      try frame.withPlane(source.plane) { first, firstPitch in
        for row in 0..<size.rows {
          route.move(
            Place(first + row * firstPitch, source.offset, source.step),
            Place(base + row * pitch, component.offset, component.step), size.columns)
        }
      }
    }
  }

  private static func load(
    _ component: StoredLayout.Component, _ buffer: CVPixelBuffer, _ layout: StoredLayout, into frame: Frame,
    _ shape: FrameShape
  ) throws {
    let size = component.size(in: frame)
    guard component.index < shape.components.count else { return }
    let target = shape.components[component.index]
    let route = Route(from: layout.element, to: target, of: shape, scales: component.isAlpha || shape.isRGB)
    try buffer.withPlane(component.plane, readOnly: true) { base, pitch, _, _ in
      try frame.withPlane(target.plane) { first, firstPitch in
        for row in 0..<size.rows {
          route.move(
            Place(base + row * pitch, component.offset, component.step),
            Place(first + row * firstPitch, target.offset, target.step), size.columns)
        }
      }
    }
  }

  private static func fillOpaque(
    _ component: StoredLayout.Component, _ size: (columns: Int, rows: Int), in buffer: CVPixelBuffer,
    _ element: StoredLayout.Element
  ) {
    buffer.withPlane(component.plane, readOnly: false) { base, pitch, _, _ in
      for row in 0..<size.rows {
        let place = Place(base + row * pitch, component.offset, component.step)
        switch element {
        case .byte, .v210: place.fill(UInt8.max, size.columns)
        case .word, .bigEndianWord: place.fill(UInt16.max, size.columns)
        case .half: place.fill(Float16(1), size.columns)
        case .float: place.fill(Float(1), size.columns)
        }
      }
    }
  }
}

// MARK: - Interleaved chroma

extension PixelTransfer {
  private static func storePair(
    _ pair: StoredLayout.Component, _ frame: Frame, _ shape: FrameShape, into buffer: CVPixelBuffer,
    _ layout: StoredLayout
  ) throws {
    let size = pair.size(in: frame)
    let route = Route(from: shape.components[1], of: shape, to: layout.element, scales: false)
    try buffer.withPlane(pair.plane, readOnly: false) { base, pitch, _, _ in
      try frame.withPlane(1) { first, firstPitch in
        try frame.withPlane(2) { second, secondPitch in
          for row in 0..<size.rows {
            route.interleave(
              first + row * firstPitch, second + row * secondPitch, into: base + row * pitch, size.columns)
          }
        }
      }
    }
  }

  private static func loadPair(
    _ pair: StoredLayout.Component, _ buffer: CVPixelBuffer, _ layout: StoredLayout, into frame: Frame,
    _ shape: FrameShape
  ) throws {
    let size = pair.size(in: frame)
    let route = Route(from: layout.element, to: shape.components[1], of: shape, scales: false)
    try buffer.withPlane(pair.plane, readOnly: true) { base, pitch, _, _ in
      try frame.withPlane(1) { first, firstPitch in
        try frame.withPlane(2) { second, secondPitch in
          for row in 0..<size.rows {
            route.separate(
              base + row * pitch, into: first + row * firstPitch, second + row * secondPitch, size.columns)
          }
        }
      }
    }
  }
}

extension FrameShape {
  /// Cb and Cr each have a plane of their own in the machine's byte order.
  fileprivate var hasSeparateChroma: Bool {
    !isBigEndian && !isRGB && components.count >= 3 && components[1].plane == 1 && components[2].plane == 2
      && components[1].step == 1 && components[2].step == 1
  }
}

extension StoredLayout {
  /// The first of two chroma components that alternate in a plane of their own.
  var chromaPair: Component? {
    components.first { $0.plane == 1 && $0.step == 2 && $0.offset == 0 && $0.index == 1 }
  }
}

extension StoredLayout.Component {
  /// How many of this component a picture has; an odd last column or row has its own.
  fileprivate func size(in frame: Frame) -> (columns: Int, rows: Int) {
    (
      (frame.width + (1 << horizontalShift) - 1) >> horizontalShift,
      (frame.height + (1 << verticalShift) - 1) >> verticalShift
    )
  }
}

/// The first code of a row and the elements from one to the next.
struct Place {
  let base: UnsafeMutableRawPointer
  let offset: Int
  let step: Int

  init(_ base: UnsafeMutableRawPointer, _ offset: Int = 0, _ step: Int = 1) {
    self.base = base
    self.offset = offset
    self.step = step
  }

  func fill<Element: BitwiseCopyable>(_ value: Element, _ count: Int) {
    var target = base.assumingMemoryBound(to: Element.self) + offset
    for _ in 0..<count {
      target.pointee = value
      target += step
    }
  }
}
