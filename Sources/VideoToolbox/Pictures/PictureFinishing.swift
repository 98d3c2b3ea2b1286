internal import Codecs
internal import CoreMedia
internal import CoreVideo

/// What a session does to a decoded picture before it is put out: fields first, then size.
final class PictureFinishing {
  private let size: CMVideoDimensions?
  private let transfer = PictureTransfer()
  private let pools: SessionPools
  var fields = SessionSettings.Fields.both
  var settings = TransferSettings()

  init(size: CMVideoDimensions?, _ pools: SessionPools) {
    self.size = size
    self.pools = pools
  }

  /// The picture itself where nothing is to be done.
  func finish(_ picture: CVPixelBuffer) throws -> CVPixelBuffer {
    let progressive = try withoutFields(picture)
    guard let size, !progressive.hasSize(size) else { return progressive }
    let scaled = try makeBuffer(size, like: picture, pools.finished)
    try transfer.transfer(progressive, to: scaled, settings)
    return scaled
  }

  private func withoutFields(_ picture: CVPixelBuffer) throws -> CVPixelBuffer {
    guard fields != .both, integer(CVBufferCopyAttachment(picture, kCVImageBufferFieldCountKey, nil)) == 2 else {
      return picture
    }
    let height = CVPixelBufferGetHeight(picture)
    let progressive = CMVideoDimensions(
      width: Int32(CVPixelBufferGetWidth(picture)), height: Int32(fields.isHalf ? (height + 1) / 2 : height))
    let isFinal = size == nil || size == progressive
    let made = try makeBuffer(progressive, like: picture, isFinal ? pools.finished : pools.progressive)
    try FieldFilter.apply(fields, picture, to: made)
    return made
  }

  private func makeBuffer(
    _ size: CMVideoDimensions, like picture: CVPixelBuffer, _ pool: PicturePool
  ) throws -> CVPixelBuffer {
    try pool.makeBuffer(
      width: Int(size.width), height: Int(size.height), format: CVPixelBufferGetPixelFormatType(picture))
  }
}

extension CVBuffer {
  fileprivate func hasSize(_ size: CMVideoDimensions) -> Bool {
    CVPixelBufferGetWidth(self) == Int(size.width) && CVPixelBufferGetHeight(self) == Int(size.height)
  }
}
