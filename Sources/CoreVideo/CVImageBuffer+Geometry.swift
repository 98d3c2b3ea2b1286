public import CoreGeometry

// What a picture's attachments say of its shape.

/// The size in pixels in which the picture is stored.
public func CVImageBufferGetEncodedSize(_ imageBuffer: CVImageBuffer) -> CGSize {
  CGSize(width: imageBuffer.width, height: imageBuffer.height)
}

/// The clean aperture in pixels, its origin at the lower left; the whole picture where none is attached.
public func CVImageBufferGetCleanRect(_ imageBuffer: CVImageBuffer) -> CGRect {
  let (width, height) = (Double(imageBuffer.width), Double(imageBuffer.height))
  let whole = CGRect(x: 0, y: 0, width: width, height: height)
  guard let clean = CVBufferCopyAttachment(imageBuffer, kCVImageBufferCleanApertureKey, nil) as? [String: Any],
    let cleanWidth = number(clean[kCVImageBufferCleanApertureWidthKey]),
    let cleanHeight = number(clean[kCVImageBufferCleanApertureHeightKey]), cleanWidth > 0, cleanHeight > 0
  else { return whole }
  // Offsets are those of the middle, to the right and down.
  let right = number(clean[kCVImageBufferCleanApertureHorizontalOffsetKey]) ?? 0
  let down = number(clean[kCVImageBufferCleanApertureVerticalOffsetKey]) ?? 0
  return CGRect(
    x: (width - cleanWidth) / 2 + right, y: (height - cleanHeight) / 2 - down, width: cleanWidth, height: cleanHeight)
}

/// The size in which the picture is to be shown, in square pixels: the attached one, or the clean aperture's with its pixels stretched
/// across as their aspect says.
public func CVImageBufferGetDisplaySize(_ imageBuffer: CVImageBuffer) -> CGSize {
  if let size = CVBufferCopyAttachment(imageBuffer, kCVImageBufferDisplayDimensionsKey, nil) as? [String: Any],
    let width = number(size[kCVImageBufferDisplayWidthKey]), let height = number(size[kCVImageBufferDisplayHeightKey])
  {
    return CGSize(width: width, height: height)
  }
  let clean = CVImageBufferGetCleanRect(imageBuffer)
  guard let aspect = CVBufferCopyAttachment(imageBuffer, kCVImageBufferPixelAspectRatioKey, nil) as? [String: Any],
    let across = number(aspect[kCVImageBufferPixelAspectRatioHorizontalSpacingKey]),
    let down = number(aspect[kCVImageBufferPixelAspectRatioVerticalSpacingKey]), across > 0, down > 0
  else { return clean.size }
  return CGSize(width: clean.width * across / down, height: clean.height)
}

/// Whether the first row is the top of the picture: always.
public func CVImageBufferIsFlipped(_ imageBuffer: CVImageBuffer) -> Bool { true }
