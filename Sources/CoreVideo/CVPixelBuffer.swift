import Foundation

public let kCVPixelBufferPixelFormatTypeKey: CFString = "PixelFormatType"
public let kCVPixelBufferMemoryAllocatorKey: CFString = "MemoryAllocator"
public let kCVPixelBufferWidthKey: CFString = "Width"
public let kCVPixelBufferHeightKey: CFString = "Height"
public let kCVPixelBufferExtendedPixelsLeftKey: CFString = "ExtendedPixelsLeft"
public let kCVPixelBufferExtendedPixelsTopKey: CFString = "ExtendedPixelsTop"
public let kCVPixelBufferExtendedPixelsRightKey: CFString = "ExtendedPixelsRight"
public let kCVPixelBufferExtendedPixelsBottomKey: CFString = "ExtendedPixelsBottom"
public let kCVPixelBufferBytesPerRowAlignmentKey: CFString = "BytesPerRowAlignment"
public let kCVPixelBufferPlaneAlignmentKey: CFString = "PlaneAlignment"
public let kCVPixelBufferIOSurfacePropertiesKey: CFString = "IOSurfaceProperties"
public let kCVPixelBufferMetalCompatibilityKey: CFString = "MetalCompatibility"
public let kCVPixelBufferCGImageCompatibilityKey: CFString = "CGImageCompatibility"
public let kCVPixelBufferCGBitmapContextCompatibilityKey: CFString = "CGBitmapContextCompatibility"
public let kCVBufferPropagatedAttachmentsKey: CFString = "PropagatedAttachments"
public let kCVBufferNonPropagatedAttachmentsKey: CFString = "NonPropagatedAttachments"

public struct CVPixelBufferLockFlags: OptionSet, Sendable {
  public let rawValue: UInt64
  public init(rawValue: UInt64) { self.rawValue = rawValue }
  public static let readOnly = CVPixelBufferLockFlags(rawValue: 1)
}

extension CVBuffer {
  /// Attaches what the buffer attributes ask every new buffer to carry.
  func attachDefaults(of attributes: [String: Any]) {
    if let propagated = attributes[kCVBufferPropagatedAttachmentsKey] as? CFDictionary {
      CVBufferSetAttachments(self, propagated, .shouldPropagate)
    }
    if let kept = attributes[kCVBufferNonPropagatedAttachmentsKey] as? CFDictionary {
      CVBufferSetAttachments(self, kept, .shouldNotPropagate)
    }
  }
}

/// Makes a buffer of zeroed pixels.
///
/// - Returns: `kCVReturnInvalidPixelFormat`, `kCVReturnInvalidSize`, `kCVReturnInvalidPixelBufferAttributes`,
///   `kCVReturnUnsupported` for a format that only a GPU can read, or `kCVReturnAllocationFailed`.
@discardableResult
public func CVPixelBufferCreate(
  _ allocator: CFAllocator?, _ width: Int, _ height: Int, _ pixelFormatType: OSType, _ attributes: CFDictionary?,
  _ pixelBufferOut: UnsafeMutablePointer<CVPixelBuffer?>
) -> CVReturn {
  do {
    pixelBufferOut.pointee = try CVBuffer.make(
      width: width, height: height, format: pixelFormatType, attributes: attributes ?? [:])
    return kCVReturnSuccess
  } catch {
    return error.code
  }
}

public typealias CVPixelBufferReleaseBytesCallback =
  @Sendable (
    _ releaseRefCon: UnsafeMutableRawPointer?, _ baseAddress: UnsafeRawPointer?
  ) -> Void

/// Makes a buffer around given memory, which `releaseCallback` is told to free when the buffer is gone.
@discardableResult
public func CVPixelBufferCreateWithBytes(
  _ allocator: CFAllocator?, _ width: Int, _ height: Int, _ pixelFormatType: OSType,
  _ baseAddress: UnsafeMutableRawPointer, _ bytesPerRow: Int, _ releaseCallback: CVPixelBufferReleaseBytesCallback?,
  _ releaseRefCon: UnsafeMutableRawPointer?, _ attributes: CFDictionary?,
  _ pixelBufferOut: UnsafeMutablePointer<CVPixelBuffer?>
) -> CVReturn {
  let address = UInt(bitPattern: baseAddress)
  let context = UInt(bitPattern: releaseRefCon)
  return wrap(
    (width, height, pixelFormatType), planes: [(baseAddress, bytesPerRow)], attributes, pixelBufferOut
  ) {
    releaseCallback?(UnsafeMutableRawPointer(bitPattern: context), UnsafeRawPointer(bitPattern: address))
  }
}

public typealias CVPixelBufferReleasePlanarBytesCallback =
  @Sendable (
    _ releaseRefCon: UnsafeMutableRawPointer?, _ dataPtr: UnsafeRawPointer?, _ dataSize: Int, _ numberOfPlanes: Int,
    _ planeAddresses: UnsafePointer<UnsafeRawPointer?>?
  ) -> Void

/// Makes a buffer around given planes, which `releaseCallback` is told to free when the buffer is gone. The widths and heights
/// of the planes follow from the format and are not read.
@discardableResult
public func CVPixelBufferCreateWithPlanarBytes(
  _ allocator: CFAllocator?, _ width: Int, _ height: Int, _ pixelFormatType: OSType,
  _ dataPtr: UnsafeMutableRawPointer?,
  _ dataSize: Int, _ numberOfPlanes: Int, _ planeBaseAddress: UnsafePointer<UnsafeMutableRawPointer?>,
  _ planeWidth: UnsafePointer<Int>, _ planeHeight: UnsafePointer<Int>, _ planeBytesPerRow: UnsafePointer<Int>,
  _ releaseCallback: CVPixelBufferReleasePlanarBytesCallback?, _ releaseRefCon: UnsafeMutableRawPointer?,
  _ attributes: CFDictionary?, _ pixelBufferOut: UnsafeMutablePointer<CVPixelBuffer?>
) -> CVReturn {
  let planes = (0..<max(0, numberOfPlanes)).compactMap { index in
    planeBaseAddress[index].map { ($0, planeBytesPerRow[index]) }
  }
  guard planes.count == numberOfPlanes else { return kCVReturnInvalidArgument }
  let addresses = planes.map { UInt(bitPattern: $0.0) }
  let data = UInt(bitPattern: dataPtr)
  let context = UInt(bitPattern: releaseRefCon)
  return wrap((width, height, pixelFormatType), planes: planes, attributes, pixelBufferOut) {
    let pointers = addresses.map { UnsafeRawPointer(bitPattern: $0) }
    pointers.withUnsafeBufferPointer {
      releaseCallback?(
        UnsafeMutableRawPointer(bitPattern: context), UnsafeRawPointer(bitPattern: data), dataSize, addresses.count,
        $0.baseAddress)
    }
  }
}

private func wrap(
  _ shape: (width: Int, height: Int, format: OSType), planes: [(base: UnsafeMutableRawPointer, bytesPerRow: Int)],
  _ attributes: CFDictionary?, _ pixelBufferOut: UnsafeMutablePointer<CVPixelBuffer?>,
  release: @escaping @Sendable () -> Void
) -> CVReturn {
  do {
    let layout = try PixelLayout(
      width: shape.width, height: shape.height, format: shape.format, bytesPerRow: planes.map(\.bytesPerRow))
    let storage = PixelStorage(layout: layout, bases: planes.map(\.base), release: release)
    let buffer = CVBuffer(content: .pixels(storage))
    buffer.attachDefaults(of: attributes ?? [:])
    pixelBufferOut.pointee = buffer
    return kCVReturnSuccess
  } catch {
    return error.code
  }
}

extension PixelLayout {
  /// The layout of memory that someone else laid out, one pitch a plane.
  fileprivate init(width: Int, height: Int, format code: OSType, bytesPerRow: [Int]) throws(CVError) {
    let format = try Self.checkedFormat(code)
    try Self.check(width: width, height: height)
    guard bytesPerRow.count == format.planes.count else { throw CVError(code: kCVReturnInvalidArgument) }
    var planes: [Plane] = []
    var total = 0
    for (shape, pitch) in zip(format.planes, bytesPerRow) {
      let (planeWidth, planeHeight) = shape.size(width: width, height: height)
      let least = ((planeWidth - 1) / shape.blockWidth + 1) * shape.bytesPerBlock
      guard pitch >= least, pitch <= Self.maximumByteCount / planeHeight else {
        throw CVError(code: kCVReturnInvalidArgument)
      }
      planes.append(Plane(offset: 0, bytesPerRow: pitch, width: planeWidth, height: planeHeight))
      total += pitch * planeHeight
    }
    self.init(
      width: width, height: height, format: format, planes: planes, extended: ExtendedPixels(), byteCount: total)
  }
}

// MARK: Access

@discardableResult
public func CVPixelBufferLockBaseAddress(_ buffer: CVPixelBuffer, _ flags: CVPixelBufferLockFlags) -> CVReturn {
  guard buffer.storage != nil else { return kCVReturnInvalidArgument }
  buffer.lock()
  return kCVReturnSuccess
}

@discardableResult
public func CVPixelBufferUnlockBaseAddress(_ buffer: CVPixelBuffer, _ flags: CVPixelBufferLockFlags) -> CVReturn {
  buffer.unlock() ? kCVReturnSuccess : kCVReturnInvalidArgument
}

/// The first pixel of the (first plane of the) picture; nil unless the buffer is locked.
public func CVPixelBufferGetBaseAddress(_ buffer: CVPixelBuffer) -> UnsafeMutableRawPointer? {
  buffer.isLocked ? buffer.storage?.bases.first : nil
}

/// The first pixel of a plane; nil unless the buffer is locked and has the plane.
public func CVPixelBufferGetBaseAddressOfPlane(
  _ buffer: CVPixelBuffer, _ plane: Int
) -> UnsafeMutableRawPointer? {
  guard buffer.isLocked, let bases = buffer.storage?.bases, bases.indices.contains(plane) else { return nil }
  return bases[plane]
}

extension CVBuffer {
  fileprivate func planeLayout(_ index: Int) -> PixelLayout.Plane? {
    guard let planes = storage?.layout.planes, planes.indices.contains(index) else { return nil }
    return planes[index]
  }
}

public func CVPixelBufferGetWidth(_ buffer: CVPixelBuffer) -> Int { buffer.width }
public func CVPixelBufferGetHeight(_ buffer: CVPixelBuffer) -> Int { buffer.height }
public func CVPixelBufferGetBytesPerRow(_ buffer: CVPixelBuffer) -> Int { buffer.planeLayout(0)?.bytesPerRow ?? 0 }
public func CVPixelBufferGetPixelFormatType(_ buffer: CVPixelBuffer) -> OSType { buffer.format?.code ?? 0 }
public func CVPixelBufferIsPlanar(_ buffer: CVPixelBuffer) -> Bool { buffer.format?.isPlanar ?? false }
public func CVPixelBufferGetDataSize(_ buffer: CVPixelBuffer) -> Int { buffer.storage?.layout.byteCount ?? 0 }

/// The number of planes, or 0 for a packed format.
public func CVPixelBufferGetPlaneCount(_ buffer: CVPixelBuffer) -> Int {
  CVPixelBufferIsPlanar(buffer) ? buffer.storage?.layout.planes.count ?? 0 : 0
}

public func CVPixelBufferGetWidthOfPlane(_ buffer: CVPixelBuffer, _ plane: Int) -> Int {
  buffer.planeLayout(plane)?.width ?? 0
}

public func CVPixelBufferGetHeightOfPlane(_ buffer: CVPixelBuffer, _ plane: Int) -> Int {
  buffer.planeLayout(plane)?.height ?? 0
}

public func CVPixelBufferGetBytesPerRowOfPlane(_ buffer: CVPixelBuffer, _ plane: Int) -> Int {
  buffer.planeLayout(plane)?.bytesPerRow ?? 0
}

/// Pixels of padding around the picture.
public func CVPixelBufferGetExtendedPixels(
  _ buffer: CVPixelBuffer, _ left: UnsafeMutablePointer<Int>?, _ right: UnsafeMutablePointer<Int>?,
  _ top: UnsafeMutablePointer<Int>?, _ bottom: UnsafeMutablePointer<Int>?
) {
  let extended = buffer.storage?.layout.extended ?? ExtendedPixels()
  left?.pointee = extended.left
  right?.pointee = extended.right
  top?.pointee = extended.top
  bottom?.pointee = extended.bottom
}

/// Repeats the edge of the picture into its padding: the outermost pixel, or block of pixels where the format packs several.
@discardableResult
public func CVPixelBufferFillExtendedPixels(_ buffer: CVPixelBuffer) -> CVReturn {
  guard let storage = buffer.storage else { return kCVReturnInvalidArgument }
  for (index, plane) in storage.layout.planes.enumerated() {
    fillPadding(of: plane, at: storage.bases[index], shape: storage.layout.format.planes[index])
  }
  return kCVReturnSuccess
}

private func fillPadding(of plane: PixelLayout.Plane, at base: UnsafeMutableRawPointer, shape: PixelFormat.Plane) {
  let bytesPerBlock = shape.bytesPerBlock
  let blocks = ((plane.width - 1) / shape.blockWidth + 1) * bytesPerBlock
  for row in 0..<plane.height {
    let start = base + row * plane.bytesPerRow
    for block in 0..<plane.padding.left { memcpy(start - (block + 1) * bytesPerBlock, start, bytesPerBlock) }
    for block in 0..<plane.padding.right {
      memcpy(start + blocks + block * bytesPerBlock, start + blocks - bytesPerBlock, bytesPerBlock)
    }
  }
  let left = plane.padding.left * bytesPerBlock
  let width = blocks + left + plane.padding.right * bytesPerBlock
  for row in 0..<plane.padding.top { memcpy(base - left - (row + 1) * plane.bytesPerRow, base - left, width) }
  let last = base - left + (plane.height - 1) * plane.bytesPerRow
  for row in 0..<plane.padding.bottom { memcpy(last + (row + 1) * plane.bytesPerRow, last, width) }
}

public func CVPixelBufferGetTypeID() -> CFTypeID { 1 }
