package import ProRes

/// A frame on its way to a device: what its headers say, and its bytes, which stay the caller's.
package struct BatchFrame {
  package let frame: ProResFrame
  package let sample: UnsafeRawBufferPointer

  /// Reads the headers and slice tables of a sample.
  /// - Throws: `ProResError`, as the decoder on the processor does before it decodes.
  package init(
    _ sample: UnsafeRawBufferPointer, pixelBudget: Int = ProResFrame.standardPixelBudget
  ) throws(ProResError) {
    self.init(try ProResFrame(sample, pixelBudget: pixelBudget), of: sample)
  }
}

extension BatchFrame {
  /// A sample whose headers have been read.
  package init(_ frame: ProResFrame, of sample: UnsafeRawBufferPointer) {
    self.frame = frame
    self.sample = UnsafeRawBufferPointer(rebasing: sample.prefix(frame.byteCount))
  }
}

/// What the frames of a batch have in common.
package struct BatchShape: Hashable, Sendable {
  package let width: Int
  package let height: Int
  let chroma: ProResFrameHeader.Chroma
  let fields: ProResFrameHeader.Fields
  let alpha: ProResFrameHeader.Alpha
  let matrix: Int

  package init(_ header: ProResFrameHeader) {
    (width, height) = (header.width, header.height)
    (chroma, fields, alpha) = (header.chroma, header.fields, header.alpha)
    matrix = header.matrix
  }

  var isFullChroma: Bool { chroma == .full }
  var macroblocksAcross: Int { (width + 15) / 16 }
  /// Macroblocks of a frame, with room for fields that have a row more than they need.
  var macroblocks: Int { macroblocksAcross * ((height + 31) / 32 * 2) }
  /// Blocks of a macroblock in Y', Cb and Cr.
  var blocksInMacroblock: [Int] { isFullChroma ? [4, 4, 4] : [4, 2, 2] }

  /// Bytes of the device's memory that a frame takes between its bits and its picture.
  private var workByteCount: Int { macroblocks * blocksInMacroblock.reduce(0, +) * (128 + 4 + 128) }

  /// Frames that are decoded at a time: enough to keep a device busy, as far as memory allows.
  package var framesInBatch: Int { max(1, min(BatchShape.mostFrames, BatchShape.workBudget / workByteCount)) }

  private static let mostFrames = 16
  /// Bytes of work memory.
  private static let workBudget = 1 << 30
}

extension ProResLayout {
  /// Planes of a picture as bytes in a row, and rows.
  func planes(_ shape: BatchShape, withAlpha hasAlpha: Bool) -> [(rowBytes: Int, height: Int)] {
    let count =
      switch self {
      case .planar: hasAlpha ? 4 : 3
      default: 3
      }
    return blocks(shape.chroma, planeCount: count).map { block in
      ((shape.width + block.pixels - 1) / block.pixels * block.byteCount, shape.height)
    }
  }
}
