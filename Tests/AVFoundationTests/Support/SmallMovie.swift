import AVFoundation
import CoreGeometry
import CoreMedia
import CoreVideo
import Foundation
import Testing

/// A movie made on the fly: flat grey pictures whose brightness tells which frame they are.
struct SmallMovie: @unchecked Sendable {
  // Unchecked: the dictionaries hold strings and numbers.
  var codec = AVVideoCodecType.h264
  var width = 64
  var height = 48
  var frames = 12
  var frameDuration = CMTime(value: 1, timescale: 30)
  var format = kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange
  var compression: [String: Any] = [AVVideoEncoderPresetKey: "medium", AVVideoMaxKeyFrameIntervalKey: 4]
  var colour: [String: Any]?
  var transform = CGAffineTransform.identity
  var start = CMTime.zero

  /// The 8-bit luma of a frame: far enough apart to survive compression.
  static func luma(_ frame: Int) -> Int { 32 + 8 * (frame % 24) }

  /// Which frame a picture decoded to 420v is, of the first 24.
  static func frame(of image: CVPixelBuffer) -> Int {
    image.withPlane(0, readOnly: true) { base, pitch, width, height in
      let middle = base + height / 2 * pitch
      return (Int(middle.load(fromByteOffset: width / 2, as: UInt8.self)) - 32 + 4) / 8
    }
  }

  func picture(_ frame: Int) throws -> CVPixelBuffer {
    let image = try CVBuffer.make(width: width, height: height, format: format)
    let planes = CVPixelBufferGetPlaneCount(image)
    let is8Bit = format == kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange
    for plane in 0..<planes {
      let value = plane == 0 ? Self.luma(frame) : 128
      image.withPlane(plane, readOnly: false) { base, pitch, _, height in
        if is8Bit {
          memset(base, Int32(value), pitch * height)
        } else {
          let words = base.assumingMemoryBound(to: UInt16.self)
          for index in 0..<pitch * height / 2 { words[index] = UInt16(value) << 8 }
        }
      }
    }
    return image
  }

  var settings: [String: Any] {
    var settings: [String: Any] = [AVVideoCodecKey: codec, AVVideoWidthKey: width, AVVideoHeightKey: height]
    if !compression.isEmpty { settings[AVVideoCompressionPropertiesKey] = compression }
    settings[AVVideoColorPropertiesKey] = colour
    return settings
  }

  func time(_ frame: Int) -> CMTime { start + CMTimeMultiply(frameDuration, multiplier: Int32(frame)) }

  /// Ten bits, HLG and the primaries of BT.2020.
  static var hlg: SmallMovie {
    var movie = SmallMovie()
    movie.codec = .hevc
    movie.format = kCVPixelFormatType_420YpCbCr10BiPlanarVideoRange
    movie.colour = [
      AVVideoColorPrimariesKey: AVVideoColorPrimaries_ITU_R_2020,
      AVVideoTransferFunctionKey: AVVideoTransferFunction_ITU_R_2100_HLG,
      AVVideoYCbCrMatrixKey: AVVideoYCbCrMatrix_ITU_R_2020,
    ]
    return movie
  }

  /// Writes the movie, with its index in front of the samples if asked.
  func write(to url: URL, fileType: AVFileType = .mov, indexFirst: Bool = false) async throws {
    let writer = try AVAssetWriter(outputURL: url, fileType: fileType)
    writer.shouldOptimizeForNetworkUse = indexFirst
    let input = AVAssetWriterInput(mediaType: .video, outputSettings: settings)
    input.transform = transform
    let adaptor = AVAssetWriterInputPixelBufferAdaptor(assetWriterInput: input)
    #expect(writer.canAdd(input))
    writer.add(input)
    #expect(writer.startWriting(), "\(writer.error.debugDescription)")
    writer.startSession(atSourceTime: start)
    for frame in 0..<frames { #expect(adaptor.append(try picture(frame), withPresentationTime: time(frame))) }
    await writer.finishWriting()
    #expect(writer.status == .completed, "\(writer.error.debugDescription)")
  }
}

/// Which frames of a small movie a track gives, and when.
func framesAndTimes(
  of track: AVAssetTrack, in asset: AVAsset, range: CMTimeRange? = nil
) throws -> (frames: [Int], times: [CMTime]) {
  var frames: [Int] = []
  let format = kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange
  let times = try decodedFrames(of: track, in: asset, format: format, range: range) {
    frames.append(SmallMovie.frame(of: $0))
  }
  return (frames, times)
}
