internal import Codecs
internal import CoreMedia
internal import CoreVideo
internal import Foundation
internal import QuickTime
internal import VideoToolbox

/// Decoded pictures in presentation order: what an output of a picture track gives with settings.
///
/// Damage that a decoder can conceal is no error: it is told by the attachment `kCVImageBufferDamagedSlicesKey` of the picture.
final class PictureSource: SampleSource {
  private let track: AVAssetTrack
  private let settings: PictureSettings
  private var samples: StoredSamples
  private var times: PictureTimes?
  private var decoding: Decoding?
  private var segment: TrackSegment?
  private var ready: [CMSampleBuffer] = []
  private var given = 0
  private var failure: (any Error)?
  private var isAtEnd = false
  private var imageFormat: CMFormatDescription?

  /// A decoder and what its pictures are turned into.
  private struct Decoding {
    var descriptionIndex: Int
    var decoder: any PictureDecoder
    var disparity: DisparityPictures?
  }

  init(track: AVAssetTrack, segments: [TrackSegment], settings: PictureSettings) {
    self.track = track
    self.settings = settings
    samples = track.storedSamples(in: segments)
    times = PictureTimes(for: track)
  }

  /// The next picture. What was decoded before an error is given before the error is thrown.
  func next() throws -> CMSampleBuffer? {
    while true {
      if given < ready.count { return takeReady() }
      if let failure { throw failure }
      if isAtEnd { return nil }
      do { try step() } catch {
        failure = error
        try? flush()
      }
    }
  }

  private func takeReady() -> CMSampleBuffer {
    let buffer = ready[given]
    given += 1
    if given == ready.count {
      ready.removeAll(keepingCapacity: true)
      given = 0
    }
    return buffer
  }

  private func step() throws {
    switch try track.naming({ try samples.nextItem() }) {
    case nil:
      isAtEnd = true
      try flush()
    case .emptyEdit: break
    case .sample(let stored):
      try prepare(for: stored)
      try decode(stored)
    }
  }

  /// A new stretch of media, or a new sample entry, begins with a decoder that knows nothing.
  private func prepare(for stored: StoredSample) throws {
    let index = stored.sample.descriptionIndex
    if stored.startsSegment || decoding?.descriptionIndex != index { try flush() }
    segment = stored.segment
    guard decoding?.descriptionIndex != index else { return }
    decoding = try makeDecoding(index, format: track.format(of: stored.sample))
    times?.beginDecoder()
  }

  private func makeDecoding(_ index: Int, format: CMFormatDescription) throws -> Decoding {
    let isDisparity = format.mediaSubType == .disparityHEVC
    let wanted = isDisparity ? DisparityFormat.code.pixelFormat : settings.pixelFormat
    do {
      let decoder = try PictureDecoderFactory.standard.makeDecoder(
        for: format, options: PictureDecoderOptions(pixelFormat: wanted))
      guard isDisparity, let asked = settings.pixelFormat, asked != wanted else {
        return Decoding(descriptionIndex: index, decoder: decoder, disparity: nil)
      }
      let disparity = try DisparityPictures(format, format: asked)
      return Decoding(descriptionIndex: index, decoder: decoder, disparity: disparity)
    } catch let error as CodecError {
      throw AVError(
        .decoderNotFound, "Track \(track.trackID) cannot be decoded: \(error)", track: track.trackID, underlying: error)
    }
  }

  private func decode(_ stored: StoredSample) throws {
    guard let decoding else { return }
    let map = TimeMap(scale: track.mediaScale, factor: 1, offset: 0)
    let timing = stored.timing(map: map, reordered: true)
    let buffer = try stored.sampleBuffer(format: track.format(of: stored.sample), timing: timing)
    if stored.data.dataLength > 0 { times?.expect(stored.sample.presentationTime, isSync: stored.sample.isSync) }
    do {
      try emit(decoding.decoder.decode(buffer))
    } catch let error as CodecError {
      throw AVError(
        .undecodableMediaData,
        "Sample \(stored.sample.index + 1) of track \(track.trackID), at byte \(stored.sample.offset), cannot be decoded: \(error)",
        track: track.trackID, time: stored.segment.map.movieTime(stored.sample.presentationTime), underlying: error)
    }
  }

  private func flush() throws {
    guard let decoding else { return }
    do {
      try emit(decoding.decoder.finish())
    } catch let error as CodecError {
      throw AVError(
        .undecodableMediaData, "Track \(track.trackID) cannot be decoded to its end: \(error)", track: track.trackID,
        underlying: error)
    }
    decoding.decoder.reset()
    times?.clear()
  }

  private func emit(_ frames: [DecodedPicture]) throws {
    guard let segment else { return }
    for frame in frames {
      let own = frame.presentationTime.convertScale(track.mediaScale, method: .default).value
      let time = times?.next(sample: frame.sample) ?? own
      guard segment.media.contains(time) else { continue }
      ready.append(try buffer(frame, mediaTime: time, segment: segment))
    }
  }

  private func buffer(_ frame: DecodedPicture, mediaTime: Int64, segment: TrackSegment) throws -> CMSampleBuffer {
    let start = segment.map.movieTime(mediaTime)
    let end = min(segment.map.movieTime(mediaTime + shownDuration(from: mediaTime, frame)), segment.movie.end)
    let timing = CMSampleTimingInfo(duration: end - start, presentationTimeStamp: start, decodeTimeStamp: .invalid)
    let image = try finished(frame.pixelBuffer)
    return try CMSampleBuffer(imageBuffer: image, formatDescription: try format(of: image), sampleTiming: timing)
  }

  /// Until the next picture is shown, whatever is decoded in between; the last one lasts as long as its sample.
  private func shownDuration(from time: Int64, _ frame: DecodedPicture) -> Int64 {
    let table = track.movieTrack.samples
    let next = table.presentationOrder.position(ofFirstAfter: time)
    if next < table.count { return table.presentationOrder.presentationTime(next) - time }
    return frame.duration.isNumeric ? frame.duration.convertScale(track.mediaScale, method: .default).value : 0
  }

  private func finished(_ image: CVPixelBuffer) throws -> CVPixelBuffer {
    if let disparity = decoding?.disparity { return try disparity.picture(from: image) }
    guard let size = settings.size,
      Int(size.width) != CVPixelBufferGetWidth(image) || Int(size.height) != CVPixelBufferGetHeight(image)
    else { return image }
    let scaled = try CVBuffer.make(
      width: Int(size.width), height: Int(size.height), format: CVPixelBufferGetPixelFormatType(image))
    try converter.convert(image, to: scaled)
    CVBufferPropagateAttachments(image, scaled)
    return scaled
  }

  private lazy var converter = PixelConverter()

  private func format(of image: CVPixelBuffer) throws -> CMFormatDescription {
    if let imageFormat, CMVideoFormatDescriptionMatchesImageBuffer(imageFormat, imageBuffer: image) {
      return imageFormat
    }
    let made = try CMFormatDescription.describing(image)
    imageFormat = made
    return made
  }
}
