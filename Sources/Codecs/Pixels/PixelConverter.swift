internal import CFFmpeg
package import CoreVideo
internal import Foundation

/// Converts pixel buffers from one usable format and size to another with libswscale, its best quality and all colour
/// details set from the buffers' formats and attachments.
///
/// Matrix and range follow the buffers; primaries and transfer function are never converted: they are copied to the
/// destination. Grey is moved code for code. Safe to use from any thread; one conversion runs at a time.
package final class PixelConverter: @unchecked Sendable {
  private let guardian = NSLock()
  private let store = PictureStore()

  package init() {}

  /// The pixel formats that buffers can be converted from and to, and that decoders can deliver.
  package static let usableFormats: [OSType] = PixelFormat.all.map(\.code).filter { StoredLayout.of($0) != nil }

  /// Converts `source` into `destination`, both of any size.
  ///
  /// - Throws: `CodecError.unsupported` for formats that cannot be read or written.
  package func convert(_ source: CVPixelBuffer, to destination: CVPixelBuffer) throws {
    try guardian.withLock {
      let tags = ColorTags(attachmentsOf: source)
      let picture = try PictureStore.Source(load(source), tags: tags)
      try store.store(picture, into: destination)
    }
    CVBufferPropagateAttachments(source, destination)
  }

  private func load(_ source: CVPixelBuffer) throws -> Frame {
    let layout = try StoredLayout.required(CVPixelBufferGetPixelFormatType(source))
    let frame = try store.scratchFrame(
      .source, CVPixelBufferGetWidth(source), CVPixelBufferGetHeight(source), layout.twin)
    try PixelTransfer.load(source, layout, into: frame)
    return frame
  }
}
