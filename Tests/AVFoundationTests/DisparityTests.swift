import AVFoundation
import CoreMedia
import CoreVideo
import Foundation
import QuickTime
import Testing

struct DisparityTests {
  private let width = 64
  private let height = 48

  /// A slope from 0.2 on the left to 2 on the right, which becomes nearer with time.
  private func disparity(_ column: Int, _ frame: Int) -> Float {
    0.2 + 1.8 * Float(column) / Float(width - 1) + 0.1 * Float(frame)
  }

  private func picture(_ frame: Int, format: OSType) throws -> CVPixelBuffer {
    let image = try CVBuffer.make(width: width, height: height, format: format)
    image.withPlane(0, readOnly: false) { base, pitch, width, height in
      for row in 0..<height {
        for column in 0..<width {
          let value = disparity(column, frame)
          let place = base + row * pitch
          if format == kCVPixelFormatType_DisparityFloat16 {
            place.storeBytes(of: Float16(value), toByteOffset: column * 2, as: Float16.self)
          } else {
            place.storeBytes(of: value, toByteOffset: column * 4, as: Float.self)
          }
        }
      }
    }
    return image
  }

  @Test(
    arguments: [kCVPixelFormatType_DisparityFloat16, kCVPixelFormatType_DisparityFloat32], [[0.0, 16], [0.1, 4]])
  func linearDisparityComesBack(format: OSType, range: [Double]) async throws {
    let folder = try TemporaryFolder()
    let writer = try AVAssetWriter(outputURL: folder.file("a.mov"), fileType: .mov)
    let input = AVAssetWriterInput(
      mediaType: .auxiliaryPicture,
      outputSettings: [
        AVVideoCodecKey: AVVideoCodecType.disparityHEVC, AVVideoWidthKey: width, AVVideoHeightKey: height,
        AVVideoDisparityRangeKey: range, AVVideoCompressionPropertiesKey: [AVVideoConstantRateFactorKey: 4],
      ])
    let adaptor = AVAssetWriterInputPixelBufferAdaptor(assetWriterInput: input)
    #expect(writer.canAdd(input))
    writer.add(input)
    #expect(writer.startWriting(), "\(writer.error.debugDescription)")
    writer.startSession(atSourceTime: .zero)
    for frame in 0..<5 {
      adaptor.append(
        try picture(frame, format: format), withPresentationTime: CMTime(value: Int64(frame), timescale: 30))
    }
    await writer.finishWriting()
    #expect(writer.status == .completed, "\(writer.error.debugDescription)")

    let asset = AVURLAsset(url: folder.file("a.mov"))
    let track = try #require(asset.tracks.first)
    #expect(track.mediaType == .auxiliaryPicture)
    let description = try #require(track.movieTrack.sampleDescriptions.first)
    #expect(description.type == "dish")
    let coding = try DisparityCoding(payload: try #require(description.child("disc")))
    #expect(abs(coding.minimum - range[0]) < 1e-4 && coding.maximum == range[1])
    // Two codes: one of rounding, one of compression.
    let step = log(coding.maximum - coding.minimum + 1) / 1023
    var frame = 0
    let times = try decodedFrames(of: track, in: asset, format: kCVPixelFormatType_DisparityFloat32) { image in
      image.withPlane(0, readOnly: true) { base, _, width, _ in
        for column in 0..<width {
          let found = Double(base.load(fromByteOffset: column * 4, as: Float.self))
          let wanted = Double(disparity(column, frame))
          let tolerance = 2.5 * step * (wanted - coding.minimum + 1)
          #expect(abs(found - wanted) < tolerance)
        }
      }
      frame += 1
    }
    #expect(times == (0..<5).map { CMTime(value: $0, timescale: 30) })
  }

  @Test func impossibleRangesAreRefused() throws {
    let folder = try TemporaryFolder()
    for range in [[2.0, 1], [0, 40_000], [1]] {
      let writer = try AVAssetWriter(outputURL: folder.file("a.mov"), fileType: .mov)
      let input = AVAssetWriterInput(
        mediaType: .auxiliaryPicture,
        outputSettings: [
          AVVideoCodecKey: AVVideoCodecType.disparityHEVC, AVVideoWidthKey: width, AVVideoHeightKey: height,
          AVVideoDisparityRangeKey: range,
        ])
      #expect(!writer.canAdd(input))
      writer.add(input)
      #expect(!writer.startWriting())
      #expect(writer.error?.localizedDescription.contains(AVVideoDisparityRangeKey) ?? false)
    }
  }
}
