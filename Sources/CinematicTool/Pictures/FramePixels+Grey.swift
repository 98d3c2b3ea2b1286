import CoreVideo

extension FramePixels {
  /// Middle grey, opaque, of the same kind and size. Throws `CVError` where there is no memory.
  func grey() throws -> FramePixels {
    switch self {
    case .planes(let planes): .planes(.grey(planes.shape))
    case .buffer(let buffer):
      try Self.grey(CVPixelBufferGetPixelFormatType(buffer), width: buffer.width, height: buffer.height)
    }
  }

  /// What a plan's decoder would give.
  static func grey(_ plan: DecodingPlan, width: Int, height: Int) throws -> FramePixels {
    if let format = plan.format, format.planarDepth != nil {
      return .planes(.grey(PlanarPicture.Shape(format, width: width, height: height)))
    }
    let code = plan.format?.pixelFormat ?? plan.pixelFormat ?? kCVPixelFormatType_32BGRA
    return try grey(code, width: width, height: height)
  }

  private static func grey(_ code: OSType, width: Int, height: Int) throws -> FramePixels {
    let format = try PixelFormat.known(code)
    let buffer = try CVBuffer.make(width: width, height: height, format: code)
    for (index, plane) in format.planes.enumerated() {
      let block = format.greyBlock(plane)
      buffer.withPlane(index, readOnly: false) { base, pitch, _, height in
        // Rows are whole blocks up to their padding.
        for row in 0..<height {
          let bytes = UnsafeMutableRawBufferPointer(start: base + row * pitch, count: pitch)
          for place in stride(from: 0, to: pitch / block.count * block.count, by: block.count) {
            for (offset, byte) in block.enumerated() { bytes[place + offset] = byte }
          }
        }
      }
    }
    return .buffer(buffer)
  }
}

extension PlanarPicture {
  fileprivate static func grey(_ shape: Shape) -> PlanarPicture {
    let picture = PlanarPicture(shape)
    for (index, plane) in shape.planes.enumerated() {
      let code = index == 3 ? 1 << shape.depth - 1 : 1 << (shape.depth - 1)
      let count = plane.columns * plane.rows
      if shape.depth == 8 {
        picture.base(index).initializeMemory(as: UInt8.self, repeating: UInt8(code), count: count)
      } else {
        picture.base(index).initializeMemory(as: UInt16.self, repeating: UInt16(code).littleEndian, count: count)
      }
    }
    return picture
  }
}

extension PixelFormat {
  fileprivate static func known(_ code: OSType) throws -> PixelFormat {
    if let format = description(of: code) { return format }
    throw Failure("the pixel format '\(fourCharacterString(code))' is not known: choose another '--format'")
  }

  /// The bytes of a block of middle grey.
  fileprivate func greyBlock(_ plane: Plane) -> [UInt8] {
    // Three codes of 512 in each word.
    guard sample != .packed10 else { return [0x00, 0x02, 0x08, 0x20] }
    return plane.components.flatMap { component -> [UInt8] in
      let code = component == .alpha ? UInt16.max : 1 << 15
      switch sample {
      case .uint8: return [UInt8(code >> 8)]
      case .uint16BigEndian: return [UInt8(code >> 8), UInt8(code & 0xFF)]
      case .half: return Self.bytes(Float16(component == .alpha ? 1 : 0.5))
      case .float: return Self.bytes(Float(component == .alpha ? 1 : 0.5))
      default: return Self.bytes(code & (.max << UInt16(16 - bitsPerComponent)))
      }
    }
  }

  private static func bytes<Value: BitwiseCopyable>(_ value: Value) -> [UInt8] {
    withUnsafeBytes(of: value) { Array($0) }
  }
}
