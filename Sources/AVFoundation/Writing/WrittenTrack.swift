internal import CoreMedia
internal import Foundation
internal import QuickTime

/// One track of a movie that is written: takes stored samples in decoding order. Used by one thread at a time.
final class WrittenTrack {
  private let movie: MovieWriter
  /// The track's place in the movie.
  let index: Int
  private let handler: FourCC
  private let preferredScale: Int32?
  private let isStored: Bool
  private var formats: [CMFormatDescription] = []
  private var descriptions: [SampleDescription] = []
  private var timing: TrackTiming?
  private var scale: Int32 = 0
  private var held: Held?

  /// A sample whose duration is known only when the next one comes.
  private struct Held {
    var data: Data
    var sample: TimedSample
  }

  /// Adds a track to the movie. `preferredScale` is its time scale; nil chooses one in which the first sample's times are whole, and
  /// 600ths of a second too unless the samples are `stored` ones, which come from a track with a scale of its own.
  init(movie: MovieWriter, handler: FourCC, preferredScale: Int32?, isStored: Bool) {
    // Sound keeps its rate.
    self.isStored = isStored || handler == "soun"
    self.movie = movie
    self.handler = handler
    self.preferredScale = preferredScale
    // Time scale and description are those of the first sample; this stands for a track that gets none.
    let placeholder = SampleDescription(type: handler, layout: .plain)
    let specification = TrackSpecification(
      handler: handler, timescale: preferredScale ?? 600, sampleDescriptions: [placeholder])
    index = movie.addTrack(specification)
  }

  /// The presented size of the first format, in pixels.
  var presentedSize: CGSize? { formats.first?.presentationDimensions() }

  /// Appends the samples of a buffer. Throws `AVError`, `QuickTimeError`.
  func append(_ buffer: CMSampleBuffer) throws {
    guard buffer.numSamples > 0 else { return }
    guard try buffer.numSamples == 1 || (buffer.sampleSizes().count == 1 && buffer.sampleTimingInfos().count == 1)
    else {
      for single in try buffer.singleSampleBuffers() { try append(single) }
      return
    }
    guard let data = buffer.dataBuffer, let format = buffer.formatDescription else {
      throw AVError(
        .unknown,
        "A sample buffer without data or format description cannot be stored; give the input settings to compress pictures."
      )
    }
    let description = try descriptionIndex(format)
    let timed = try times(of: buffer)
    let duration = try timing?.append(timed.timing)
    try writeHeld(duration)
    var sample = timed.sample
    sample.descriptionIndex = description
    held = Held(data: try data.dataBytes(), sample: sample)
  }

  /// Writes the last sample.
  func finish() throws {
    try writeHeld(timing?.finish())
    try movie.finishTrack(index)
  }

  private func writeHeld(_ duration: Int64?) throws {
    guard var held, let duration else { return }
    self.held = nil
    held.sample.duration = duration
    try movie.append(track: index, data: held.data, held.sample)
  }

  private func descriptionIndex(_ format: CMFormatDescription) throws -> Int {
    if let known = formats.firstIndex(where: { $0 === format }) { return known }
    let description = try SampleDescription(format, handler: handler)
    if let known = descriptions.firstIndex(where: { $0.data == description.data }) { return known }
    guard descriptions.count < Self.maximumDescriptions else {
      throw AVError(.unsupportedOutputSettings, "A track cannot have more than \(Self.maximumDescriptions) formats.")
    }
    formats.append(format)
    descriptions.append(description)
    let all = descriptions
    movie.updateTrack(index) { $0.sampleDescriptions = all }
    return descriptions.count - 1
  }

  private static let maximumDescriptions = 1024

  // MARK: - Times

  private func times(of buffer: CMSampleBuffer) throws -> (timing: TrackTiming.Sample, sample: TimedSample) {
    let info = try buffer.sampleTimingInfo(at: 0)
    if timing == nil { chooseScale(info) }
    let presentation = try units(info.presentationTimeStamp)
    let decode = info.decodeTimeStamp.isNumeric ? try units(info.decodeTimeStamp) : presentation
    let duration = info.duration.isNumeric ? try units(info.duration) : nil
    guard (0..<Self.longestDuration / Int64(buffer.numSamples)).contains(duration ?? 0) else {
      throw AVError(
        .unknown, "A sample buffer lasts \(info.duration), which cannot be stored; give it a duration of zero or more.")
    }
    let attachments = buffer.sampleAttachments.first
    let isSync = attachments?[.notSync] as? Bool != true
    var timed = TrackTiming.Sample(decode: decode, duration: duration, count: buffer.numSamples)
    timed.isSync = isSync
    timed.startsRun = buffer.isMarked(kCMSampleBufferAttachmentKey_ResetDecoderBeforeDecoding)
    if attachments?[.doNotDisplay] as? Bool != true { timed.shown = try shown(buffer) }
    let sample = TimedSample(
      duration: 0, compositionOffset: presentation - decode, isSync: isSync,
      dependency: attachments.flatMap(SampleDependency.init(attachments:)), count: buffer.numSamples)
    return (timed, sample)
  }

  /// From the start of the buffer's samples to their end, without what is trimmed.
  private func shown(_ buffer: CMSampleBuffer) throws -> Range<Int64> {
    let start = try units(buffer.outputPresentationTimeStamp)
    let duration = buffer.outputDuration
    let length = duration.isNumeric ? try units(duration) : 1
    return start..<start + max(0, length)
  }

  /// A time in the track's units. Throws for a time that is no number or beyond what a movie can hold.
  private func units(_ time: CMTime) throws -> Int64 {
    let scaled = time.convertScale(scale, method: .default)
    guard scaled.isNumeric, abs(scaled.seconds) < Self.longestSeconds else {
      throw AVError(
        .unknown, "A sample buffer has the time \(time), which cannot be stored; give it numeric times.", time: time)
    }
    return scaled.value
  }

  /// Thirty years: far beyond any movie, and small enough that sums stay in 64 bits at any scale.
  private static let longestSeconds = 1e9
  /// Of all samples of a buffer, in the track's units.
  private static let longestDuration: Int64 = 1 << 60

  private func chooseScale(_ first: CMSampleTimingInfo) {
    scale = preferredScale ?? commonScale(first)
    timing = TrackTiming(scale: scale, keepsDurations: handler == "soun")
    let scale = scale
    movie.updateTrack(index) { $0.timescale = scale }
  }

  /// A scale in which all times of a sample are whole, if it is not too fine.
  private func commonScale(_ info: CMSampleTimingInfo) -> Int32 {
    let times = [info.presentationTimeStamp, info.decodeTimeStamp, info.duration].filter(\.isNumeric)
    let scales = times.map { Int64($0.timescale) } + (info.duration.isNumeric && isStored ? [] : [600])
    let common = scales.reduce(1, leastCommonMultiple)
    if common <= Self.finestScale { return Int32(common) }
    return Int32(clamping: scales.max() ?? 600)
  }

  private static let finestScale: Int64 = 10_000_000

  // MARK: - The end

  /// The part of the source that is written.
  struct Session {
    var start: CMTime
    var end: CMTime?
  }

  private func session(_ session: Session) throws -> TrackTiming.Session {
    TrackTiming.Session(start: try units(session.start), end: try session.end.map(units))
  }

  /// The coarsest movie time scale, from `movieScale` on, in which all edits are exact; nil if none is coarse enough.
  func movieScale(for whole: Session, from movieScale: Int32) throws -> Int32? {
    guard let timing else { return movieScale }
    if timing.isExact(in: try session(whole), scale: scale, movieScale: movieScale) { return movieScale }
    let common = leastCommonMultiple(Int64(scale), Int64(movieScale))
    return common <= Self.finestScale ? Int32(common) : nil
  }

  /// Sets the edits that show what lies in the session.
  func setEdits(for whole: Session, movieScale: Int32) throws {
    guard let timing else { return }
    movie.setEdits(timing.edits(in: try session(whole), scale: scale, movieScale: movieScale), track: index)
  }
}

extension CMSampleBuffer {
  /// Whether an attachment of the buffer is true.
  func isMarked(_ key: String) -> Bool {
    CMGetAttachment(self, key: key, attachmentModeOut: nil) as? Bool == true
  }
}

extension SampleDependency {
  /// What the attachments of a sample say; nil if they say nothing.
  fileprivate init?(attachments: CMSampleBuffer.PerSampleAttachmentsDictionary) {
    func bits(_ answer: Any?) -> UInt8 { (answer as? Bool).map { $0 ? 1 : 2 } ?? 0 }
    let value =
      bits(attachments[.dependsOnOthers]) << 4 | bits(attachments[.isDependedOnByOthers]) << 2
      | bits(attachments[.hasRedundantCoding])
    guard value != 0 else { return nil }
    self.init(rawValue: value)
  }
}
