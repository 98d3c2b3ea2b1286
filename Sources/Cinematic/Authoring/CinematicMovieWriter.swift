package import AVFoundation
import Foundation
package import QuickTime

/// Writes a Cinematic movie: a picture, its disparity, the focus script frame by frame, and sound.
///
/// The script is known before the first frame, so that everything is written interleaved and memory does not grow with the length.
/// Not safe to use from several threads at once.
package final class CinematicMovieWriter {
  /// What a movie consists of.
  package struct Plan {
    package var url: URL
    package var script: RecordedScript
    /// The metadata sample of each frame of the script.
    package var metadataSample: (Int) throws -> Data
    package var picture: Picture
    /// Pixels of the disparity track, un-rotated like the picture.
    package var disparitySize: (width: Int, height: Int)
    package var coding = DisparityCoding.standard
    /// From stored to displayed orientation, of picture and disparity: a quarter turn each.
    package var pictureTransform = CGAffineTransform.identity
    package var disparityTransform = CGAffineTransform.identity
    package var timescale: CMTimeScale = 600
    package var metadata: [AVMetadataItem] = []
    /// Sound tracks as they are stored, or nil settings' counterparts; each is started and fed by its owner.
    package var sound: [AVAssetWriterInput] = []

    package init(
      url: URL, script: RecordedScript, picture: Picture, disparitySize: (width: Int, height: Int),
      metadataSample: @escaping (Int) throws -> Data
    ) {
      self.url = url
      self.script = script
      self.picture = picture
      self.disparitySize = disparitySize
      self.metadataSample = metadataSample
    }
  }

  package enum Picture {
    /// Encoded here, by the settings of a writer's input; the buffers have this pixel format.
    case encoded([String: Any], pixelFormat: OSType)
    /// Samples copied as they are stored.
    case copied(CMFormatDescription)
  }

  private let plan: Plan
  private let writer: AVAssetWriter
  private let picture: AVAssetWriterInput
  private let pictureBuffers: AVAssetWriterInputPixelBufferAdaptor?
  private let disparity: AVAssetWriterInput
  private let disparityBuffers: AVAssetWriterInputPixelBufferAdaptor
  private let metadata: AVAssetWriterInput
  private let metadataFormat: CMFormatDescription
  private var nextMetadata = 0

  package init(_ plan: Plan) throws {
    self.plan = plan
    writer = try AVAssetWriter(outputURL: plan.url, fileType: .mov)
    (picture, pictureBuffers) = Self.pictureInput(plan)
    (disparity, disparityBuffers) = Self.disparityInput(plan)
    metadataFormat = try Self.metadataFormat()
    metadata = AVAssetWriterInput(mediaType: .metadata, outputSettings: nil, sourceFormatHint: metadataFormat)
    metadata.mediaTimeScale = plan.timescale
    metadata.addTrackAssociation(withTrackOf: picture, type: AVAssetTrack.AssociationType.metadataReferent.rawValue)
    disparity.addTrackAssociation(withTrackOf: picture, type: AVAssetTrack.AssociationType.auxiliary.rawValue)
    writer.metadata = plan.metadata + Self.movieMetadata(plan.script)
    for input in [picture, disparity] + plan.sound + [metadata] { writer.add(input) }
    guard writer.startWriting() else { throw failure }
    writer.startSession(atSourceTime: plan.script.timeRange.start)
  }

  private var failure: any Error {
    writer.error ?? CNCinematicError(.unknown, "The movie cannot be written to \(plan.url.path).")
  }

  // MARK: Frames

  /// A buffer to draw a picture into, of the plan's size and format.
  package func makePictureBuffer() throws -> CVPixelBuffer {
    guard let pool = pictureBuffers?.pixelBufferPool else { throw failure }
    return try pool.makeBuffer()
  }

  /// A buffer of 10-bit codes (`L010`) to draw a disparity into.
  package func makeDisparityBuffer() throws -> CVPixelBuffer {
    guard let pool = disparityBuffers.pixelBufferPool else { throw failure }
    return try pool.makeBuffer()
  }

  package func append(picture buffer: CVPixelBuffer, at time: CMTime) throws {
    guard let pictureBuffers, pictureBuffers.append(buffer, withPresentationTime: time) else { throw failure }
  }

  /// A stored sample, where the picture is copied.
  package func append(picture sample: CMSampleBuffer) throws {
    guard picture.append(sample) else { throw failure }
  }

  /// The disparity of a frame, and with it the metadata of the script's frames up to its time.
  package func append(disparity buffer: CVPixelBuffer, at time: CMTime) throws {
    guard disparityBuffers.append(buffer, withPresentationTime: time) else { throw failure }
    try appendMetadata(upTo: time)
  }

  private func appendMetadata(upTo time: CMTime) throws {
    let times = plan.script.times
    while nextMetadata < times.count, times[nextMetadata] <= time {
      let start = times[nextMetadata]
      let end = nextMetadata + 1 < times.count ? times[nextMetadata + 1] : plan.script.timeRange.end
      let sample = try CMSampleBuffer(
        dataBuffer: CMBlockBuffer(copying: try plan.metadataSample(nextMetadata)), formatDescription: metadataFormat,
        numSamples: 1,
        sampleTimings: [
          CMSampleTimingInfo(duration: end - start, presentationTimeStamp: start, decodeTimeStamp: .invalid)
        ],
        sampleSizes: [])
      guard metadata.append(sample) else { throw failure }
      nextMetadata += 1
    }
  }

  /// Writes what is left and completes the movie. The sound's inputs must be marked as finished before.
  package func finish() async throws {
    try appendMetadata(upTo: .positiveInfinity)
    for input in [picture, disparity, metadata] { input.markAsFinished() }
    writer.endSession(atSourceTime: plan.script.timeRange.end)
    await writer.finishWriting()
    guard writer.status == .completed else { throw failure }
  }

  /// Why writing has ended by itself, if it has; who appends to one of its inputs then only finds that closed.
  package var endingFailure: (any Error)? { writer.status == .failed ? writer.error : nil }

  package func cancel() { writer.cancelWriting() }
}

// MARK: Tracks
extension CinematicMovieWriter {
  private static func pictureInput(_ plan: Plan) -> (AVAssetWriterInput, AVAssetWriterInputPixelBufferAdaptor?) {
    switch plan.picture {
    case .encoded(let settings, let pixelFormat):
      let input = AVAssetWriterInput(mediaType: .video, outputSettings: settings)
      input.transform = plan.pictureTransform
      input.mediaTimeScale = plan.timescale
      let attributes: [String: Any] = [
        kCVPixelBufferPixelFormatTypeKey: pixelFormat, kCVPixelBufferWidthKey: settings[AVVideoWidthKey] as Any,
        kCVPixelBufferHeightKey: settings[AVVideoHeightKey] as Any,
      ]
      return (
        input, AVAssetWriterInputPixelBufferAdaptor(assetWriterInput: input, sourcePixelBufferAttributes: attributes)
      )
    case .copied(let format):
      let input = AVAssetWriterInput(mediaType: .video, outputSettings: nil, sourceFormatHint: format)
      input.transform = plan.pictureTransform
      input.mediaTimeScale = plan.timescale
      return (input, nil)
    }
  }

  /// The constant rate factor of the disparity: at 10, codes are off by about one.
  private static let disparityRateFactor = 10

  private static func disparityInput(_ plan: Plan) -> (AVAssetWriterInput, AVAssetWriterInputPixelBufferAdaptor) {
    let (width, height) = plan.disparitySize
    let input = AVAssetWriterInput(
      mediaType: .auxiliaryPicture,
      outputSettings: [
        AVVideoCodecKey: AVVideoCodecType.disparityHEVC, AVVideoWidthKey: width, AVVideoHeightKey: height,
        AVVideoCompressionPropertiesKey: [AVVideoConstantRateFactorKey: disparityRateFactor],
        AVVideoDisparityRangeKey: [plan.coding.minimum, plan.coding.maximum],
      ])
    input.transform = plan.disparityTransform
    input.mediaTimeScale = plan.timescale
    let attributes: [String: Any] = [
      kCVPixelBufferPixelFormatTypeKey: kCVPixelFormatType_OneComponent10, kCVPixelBufferWidthKey: width,
      kCVPixelBufferHeightKey: height,
    ]
    return (
      input, AVAssetWriterInputPixelBufferAdaptor(assetWriterInput: input, sourcePixelBufferAttributes: attributes)
    )
  }

  /// A description of the five keys, whose local ids are those of `CinematicKey.writtenLocalID`.
  private static func metadataFormat() throws -> CMFormatDescription {
    try CMFormatDescription(
      boxedMetadataSpecifications: CinematicKey.allCases.map { key in
        [
          kCMMetadataFormatDescriptionMetadataSpecificationKey_Identifier: "mdta/" + key.rawValue,
          kCMMetadataFormatDescriptionMetadataSpecificationKey_DataType: key.dataType == 0
            ? kCMMetadataBaseDataType_RawData : kCMMetadataBaseDataType_Float32,
        ]
      })
  }

  private static func movieMetadata(_ script: RecordedScript) -> [AVMetadataItem] {
    let written = CinematicMovieBlob.written(
      fNumber: script.recordedFNumber, focalLength35mm: script.focalLength35mm ?? FocalLength.standard35mm)
    let blob = script.movieBlob?.renumbered(as: written) ?? written
    return [
      item(CinematicKey.movie, blob.payload, kCMMetadataBaseDataType_RawData),
      item(CinematicKey.intent, 1, metadataDataTypeSignedInteger),
    ]
  }

  private static func item(_ key: String, _ value: any Sendable, _ type: String) -> AVMetadataItem {
    let item = AVMutableMetadataItem()
    item.identifier = AVMetadataIdentifier(rawValue: "mdta/" + key)
    item.value = value
    item.dataType = type
    return item
  }
}
