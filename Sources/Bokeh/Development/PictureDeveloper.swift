package import CoreVideo
import Foundation

/// Turns pictures into numbers without a lens: what the renderer does before the blur and after it.
///
/// May be used from any thread; pictures are developed one at a time, each on all of the developer's threads.
package final class PictureDeveloper: @unchecked Sendable {
  // Unchecked: everything that changes is guarded by the lock.
  private let lock = NSLock()
  private let workers: Workers
  private let stage: PictureStage
  private let rows = Storage<SIMD4<Float>>()
  private let chroma = Storage<SIMD2<Float>>()

  /// - Parameter threads: how many work on a picture; all of the machine's without a value.
  package init(threads: Int? = nil) {
    workers = Workers(threads ?? ProcessInfo.processInfo.activeProcessorCount)
    stage = PictureStage(workers: workers)
  }

  /// The pixel formats that can be developed.
  package static let pixelFormats = BokehRenderer.sourcePixelFormats

  /// Linear light in the picture's own primaries, by its attachments: 1 is reference white; HLG is scene light.
  /// - Throws: `BokehError` for a pixel format that is not read, or a picture that is too large.
  package func light(of picture: CVPixelBuffer) throws(BokehError) -> FloatPicture {
    try Self.check(picture)
    let color = ColorDescription(picture)
    return lock.withLock {
      PictureMemory.with(picture, readOnly: true) { FloatPicture(stage.load($0, color: color, reduction: 1)) }
    }
  }

  /// R'G'B' for a display in standard dynamic range with the primaries of BT.709, each 0…1.
  ///
  /// Signals of BT.709 and sRGB stay as they are. HLG and PQ are mapped by the curve of ITU-R BT.2390, as the renderer
  /// does it; light of other primaries is converted, and what these cannot show moves towards grey.
  /// - Parameter size: the means of the light in the areas of a picture of this size; nil for the picture's own.
  /// - Throws: as `light(of:)`.
  package func display(
    _ picture: CVPixelBuffer, size: (width: Int, height: Int)? = nil
  ) throws(BokehError) -> FloatPicture {
    let rendition = DisplayRendition(ColorDescription(picture))
    if size == nil, rendition.keepsSignal { return try signal(of: picture) }
    var shown = try light(of: picture)
    if let size { shown = shown.resized(width: size.width, height: size.height, threads: workers.count) }
    rendition.encode(&shown.pixels, workers)
    return shown
  }

  /// The picture's R'G'B'.
  private func signal(of picture: CVPixelBuffer) throws(BokehError) -> FloatPicture {
    try Self.check(picture)
    let color = ColorDescription(picture)
    return lock.withLock {
      PictureMemory.with(picture, readOnly: true) { memory in
        let reader = PictureReader(memory, color: color)
        let plane = rows.plane(memory.width, memory.height)
        let rooms = WorkerRows(memory.width, in: chroma, workers)
        workers.rows(memory.height) { worker, rows in
          for y in rows {
            reader.read(y, 0..<memory.width, into: plane.row(y), chroma: rooms[worker])
          }
        }
        return FloatPicture(plane)
      }
    }
  }

  private static func check(_ picture: CVPixelBuffer) throws(BokehError) {
    guard let format = picture.format, PictureMemory.isSupported(format) else {
      throw .unsupportedFormat(
        role: "picture", format: fourCharacterString(CVPixelBufferGetPixelFormatType(picture)))
    }
    guard max(picture.width, picture.height) <= BokehRenderer.maximumSide else {
      throw .tooLarge(width: picture.width, height: picture.height)
    }
  }
}

extension FloatPicture {
  fileprivate init(_ plane: Plane<SIMD4<Float>>) {
    self.init(
      width: plane.width, height: plane.height,
      pixels: Array(UnsafeBufferPointer(start: plane.base, count: plane.count)))
  }
}

/// How light becomes R'G'B' for a display in standard dynamic range.
private struct DisplayRendition {
  private let color: ColorDescription
  private let mapper: ToneMapper?

  init(_ color: ColorDescription) {
    self.color = color
    mapper = ToneMapper(.bt2390, color: color)
  }

  private var isConventional: Bool { color.transfer == .bt709 || color.transfer == .sRGB }
  private var isWide: Bool { color.primaries == .p3 || color.primaries == .bt2020 }
  /// Whether the signal can be shown as it is.
  var keepsSignal: Bool { isConventional && !isWide }

  func encode(_ pixels: inout [SIMD4<Float>], _ workers: Workers) {
    let tables = TransferTables(isConventional ? color.transfer : .sRGB)
    pixels.withUnsafeMutableBufferPointer { buffer in
      nonisolated(unsafe) let pixels = buffer.baseAddress!
      workers.rows(buffer.count, chunk: 4096) { _, range in
        for i in range { pixels[i] = mapper?.signal(pixels[i]) ?? tables.signal(narrowed(pixels[i])) }
      }
    }
  }

  /// Light in the primaries of BT.709.
  private func narrowed(_ light: SIMD4<Float>) -> SIMD4<Float> {
    guard isWide else { return light }
    let wide = color.primaries == .p3 ? ColorMatrix.p3ToBT2020(light) : light
    return SIMD4(ToneMapper.clipped(ColorMatrix.bt2020ToBT709(wide)), weight: light.w)
  }
}
