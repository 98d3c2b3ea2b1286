package import CoreVideo

extension ProResDecoder {
  /// Decodes a sample into a pixel buffer of the frame's size (divided by the scale), all pixels of which are written.
  ///
  /// Alpha, where the format has it, is straight, and so marked. Colour tags are the caller's: the container's come first.
  /// - Throws: `ProResError`; `.wrongDestination` where `ProResLayout` does not know the format.
  package func decode(
    _ sample: UnsafeRawBufferPointer, into buffer: CVPixelBuffer, options: Options = Options()
  ) throws(ProResError) -> ProResReport {
    _ = CVPixelBufferLockBaseAddress(buffer, [])
    defer { _ = CVPixelBufferUnlockBaseAddress(buffer, []) }
    let report = try decode(sample, into: try ProResDestination(locked: buffer), options: options)
    if PixelFormat.description(of: CVPixelBufferGetPixelFormatType(buffer))?.hasAlpha == true {
      CVBufferSetAttachment(
        buffer, kCVImageBufferAlphaChannelModeKey, kCVImageBufferAlphaChannelMode_StraightAlpha, .shouldPropagate)
    }
    return report
  }

  /// Decodes a sample into a new pixel buffer, which is made only when the frame is known to hold its slices.
  ///
  /// - Throws: `ProResError`; `.outOfMemory` where there is none for the pixels.
  package func decode(
    _ sample: UnsafeRawBufferPointer, pixelFormat: OSType, options: Options = Options()
  ) throws(ProResError) -> (buffer: CVPixelBuffer, report: ProResReport) {
    let buffer = try prepare { () throws(ProResError) in
      let frame = try ProResFrame(sample, pixelBudget: options.pixelBudget)
      return try Self.picture(options.scale.size(of: frame.header), pixelFormat)
    }
    return (buffer, try decode(sample, into: buffer, options: options))
  }

  private static func picture(
    _ size: (width: Int, height: Int), _ pixelFormat: OSType
  ) throws(ProResError) -> CVPixelBuffer {
    do {
      return try CVBuffer.make(width: size.width, height: size.height, format: pixelFormat)
    } catch {
      let pixels = "\(size.width)x\(size.height) pixels"
      if error.code == kCVReturnAllocationFailed {
        throw ProResError(.outOfMemory, "there is no memory for \(pixels); free some and try again")
      }
      throw ProResError(
        .wrongDestination,
        "no picture of \(pixels) is made as \(fourCharacterString(pixelFormat)); choose a format that is")
    }
  }
}

extension ProResDestination {
  /// The planes of a pixel buffer, which stays locked while they are used.
  package init(locked buffer: CVPixelBuffer) throws(ProResError) {
    let layout = try ProResLayout(writing: CVPixelBufferGetPixelFormatType(buffer))
    let isPlanar = CVPixelBufferIsPlanar(buffer)
    let planes = (0..<max(1, CVPixelBufferGetPlaneCount(buffer))).compactMap { plane -> Plane? in
      let base = isPlanar ? CVPixelBufferGetBaseAddressOfPlane(buffer, plane) : CVPixelBufferGetBaseAddress(buffer)
      let pitch = isPlanar ? CVPixelBufferGetBytesPerRowOfPlane(buffer, plane) : CVPixelBufferGetBytesPerRow(buffer)
      return base.map { Plane(base: $0, bytesPerRow: pitch) }
    }
    self.init(
      layout: layout, width: CVPixelBufferGetWidth(buffer), height: CVPixelBufferGetHeight(buffer), planes: planes)
  }
}
