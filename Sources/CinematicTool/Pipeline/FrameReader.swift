import AVFoundation
import Cinematic
import Foundation

/// Pictures of a shot in order of presentation, each with the disparity that belongs to it.
struct FrameReader {
  struct Frame: @unchecked Sendable {
    var time: CMTime
    var duration: CMTime
    var picture: CVPixelBuffer
    /// Linear disparity in 1 / metres (`hdis`), un-rotated like the picture.
    var disparity: CVPixelBuffer
  }

  private let reader: AVAssetReader
  private let pictures: AVAssetReaderTrackOutput?
  private let disparities: AVAssetReaderTrackOutput
  /// Set where the disparity is stored upright beside a picture that is not.
  private let upright: UprightDisparity?
  private var current: CMSampleBuffer?
  private var next: CMSampleBuffer?

  /// - Parameters:
  ///   - pixelFormat: of the pictures; nil reads no pictures.
  ///   - disparityFormat: `hdis`, `fdis`, or `L010` for the codes as they are stored.
  init(
    _ info: CNAssetInfo, range: CMTimeRange, pixelFormat: OSType?,
    disparityFormat: OSType = kCVPixelFormatType_DisparityFloat16
  ) throws {
    reader = try AVAssetReader(asset: info.asset)
    reader.timeRange = range
    upright = UprightDisparity(info.cinematicTracks)
    pictures = pixelFormat.map { Self.output(info.cinematicVideoTrack, $0) }
    guard let disparity = info.cinematicDisparityTrack else {
      throw Failure(
        name: "incomplete", code: 3,
        message: "the movie has no disparity track; get the original with all of its data (\"All Photos Data\")")
    }
    disparities = Self.output(disparity, disparityFormat)
    for output in [pictures, disparities] { if let output { reader.add(output) } }
    guard reader.startReading() else { throw reader.error ?? Failure("the movie cannot be read") }
    current = try Self.take(from: disparities, of: reader)
    next = try Self.take(from: disparities, of: reader)
  }

  private static func output(_ track: AVAssetTrack, _ pixelFormat: OSType) -> AVAssetReaderTrackOutput {
    let output = AVAssetReaderTrackOutput(
      track: track, outputSettings: [kCVPixelBufferPixelFormatTypeKey: pixelFormat])
    output.alwaysCopiesSampleData = false
    return output
  }

  /// The next frame, or nil at the end.
  mutating func nextFrame() throws -> Frame? {
    guard let pictures, let sample = try Self.take(from: pictures, of: reader), let picture = sample.imageBuffer else {
      return nil
    }
    let time = sample.presentationTimeStamp
    return Frame(
      time: time, duration: sample.duration, picture: picture, disparity: try disparity(at: time))
  }

  /// The disparity for a picture; to be asked in rising order of times.
  mutating func disparity(at time: CMTime) throws -> CVPixelBuffer {
    try advanceDisparity(to: time)
    if let disparity = current?.imageBuffer { return try upright?.turnedBack(disparity) ?? disparity }
    throw Failure(
      name: "incomplete", code: 3,
      message: "the disparity track has no frame for the picture at \(time.seconds) s; get the original movie")
  }

  /// The disparity nearest in time becomes the current one; of two equally near ones the earlier.
  private mutating func advanceDisparity(to time: CMTime) throws {
    while let candidate = next {
      let now = current.map { abs(($0.presentationTimeStamp - time).seconds) } ?? .infinity
      guard abs((candidate.presentationTimeStamp - time).seconds) < now else { return }
      current = candidate
      next = try Self.take(from: disparities, of: reader)
    }
  }

  /// The next sample with a picture; marker buffers are passed over.
  private static func take(from output: AVAssetReaderTrackOutput, of reader: AVAssetReader) throws -> CMSampleBuffer? {
    while let sample = output.copyNextSampleBuffer() {
      if sample.imageBuffer != nil { return sample }
    }
    if reader.status == .failed { throw reader.error ?? Failure("the movie cannot be read") }
    return nil
  }

  func cancel() { reader.cancelReading() }
}
