import Bokeh
import CoreVideo

/// A contact sheet that is being filled: tiles on a dark ground, each with its time code below.
struct ContactSheet {
  let layout: SheetLayout
  /// `BGRA`, sRGB.
  let picture: CVPixelBuffer

  /// Blue, green, red, alpha.
  private static let ground = SIMD4<UInt8>(0x1A, 0x18, 0x17, 0xFF)
  /// Below the tile where a picture is transparent.
  private static let backing = SIMD4<UInt8>(0x30, 0x2D, 0x2B, 0xFF)
  private static let ink = SIMD4<UInt8>(0xC8, 0xC4, 0xC0, 0xFF)
  /// The label of a frame that is damaged.
  private static let warningInk = SIMD4<UInt8>(0x4A, 0x7A, 0xF0, 0xFF)

  init(_ layout: SheetLayout) throws {
    self.layout = layout
    picture = try CVBuffer.make(width: layout.width, height: layout.height, format: kCVPixelFormatType_32BGRA)
    fill(x: 0, y: 0, width: layout.width, height: layout.height, Self.ground)
  }

  /// Lays a picture of the tile's size in its place, and writes the label.
  func add(_ tile: FloatPicture, label: String, isDamaged: Bool, at index: Int) {
    let place = layout.tilePlace(index)
    fill(x: place.x, y: place.y, width: tile.width, height: tile.height, Self.backing)
    tile.lay(over: picture, x: place.x, y: place.y)
    let label = SheetLabel(label)
    write(label, at: layout.labelPlace(index, label), isDamaged ? Self.warningInk : Self.ink)
  }

  private func write(_ label: SheetLabel, at place: (x: Int, y: Int), _ color: SIMD4<UInt8>) {
    let scale = layout.textScale
    for dot in label.dots {
      fill(x: place.x + dot.column * scale, y: place.y + dot.row * scale, width: scale, height: scale, color)
    }
  }

  /// Covers a rectangle as far as it lies on the sheet.
  private func fill(x: Int, y: Int, width: Int, height: Int, _ color: SIMD4<UInt8>) {
    picture.withPlane(0, readOnly: false) { base, pitch, wholeWidth, wholeHeight in
      let columns = (x..<x + width).clamped(to: 0..<wholeWidth)
      for row in (y..<y + height).clamped(to: 0..<wholeHeight) {
        let pixels = (base + row * pitch).assumingMemoryBound(to: SIMD4<UInt8>.self)
        for column in columns { pixels[column] = color }
      }
    }
  }
}
