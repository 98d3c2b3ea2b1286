import AVFoundation
import Codecs
import CoreMedia
import CoreVideo
import ProRes
import VideoToolbox

/// A frame of a movie, by its place among those that are shown.
struct ShownFrame: Sendable {
  /// Counts from 0.
  let index: Int
  let time: CMTime
  let pixels: FramePixels
  let fields: FieldOrder
  /// Nil for a sound frame.
  let damage: FrameDamage?
}

/// What is wrong with a frame.
enum FrameDamage: Sendable {
  /// Slices that were concealed.
  case slices([ProResReport.Damage])
  /// All of it stands for a frame that could not be decoded.
  case whole(reason: String)
}

/// The frames of a track in order of presentation, each of some ranges exactly once.
///
/// Each sample is decoded by its own description. A frame that cannot be decoded is replaced, so that the frames after it keep their places.
struct MovieFrames {
  private let track: PictureTrack
  private let plan: DecodingPlan
  private let reader: AVAssetReader
  private let output: AVAssetReaderTrackOutput
  /// What is read when the first range has been.
  private var rest: [CMTimeRange]
  private var places: FramePlaces
  private var description: CMFormatDescription?
  private var decoder: (any FrameDecoder)?
  private var pending: ArraySlice<TimedFrame> = []
  private var isAtEnd = false
  private var refusals = Refusals()
  private var last: TimedFrame?
  /// Samples in a row, beside those that others need, of which nothing came.
  private var silentSamples = 0
  /// What decoded, how often, and what was converted.
  private(set) var account = DecodingAccount()

  /// - Parameter ranges: at least one, ascending; none is empty.
  /// - Throws: `Failure` or `AVError` where the movie cannot be read.
  init(_ track: PictureTrack, ranges: [Range<Int>], plan: DecodingPlan) throws {
    (self.track, self.plan) = (track, plan)
    places = FramePlaces(ranges)
    let times = track.timeRanges(of: ranges)
    rest = Array(times.dropFirst())
    reader = try AVAssetReader(asset: track.asset)
    reader.timeRange = times[0]
    output = AVAssetReaderTrackOutput(track: track.track, outputSettings: nil)
    output.alwaysCopiesSampleData = false
    output.supportsRandomAccess = !rest.isEmpty
    reader.add(output)
    guard reader.startReading() else { throw reader.error ?? Failure("the movie cannot be read") }
  }

  /// The next frame, or nil at the end. Throws where there is no decoder, and where the file cannot be read on.
  mutating func nextFrame() throws -> ShownFrame? {
    while let place = places.next {
      while let first = pending.first, first.time < track.times[place] { pending.removeFirst() }
      if let first = pending.first {
        guard !comesLater(first, than: place) else { return try replacement(at: place) }
        pending.removeFirst()
        return put(first, at: place)
      }
      if isAtEnd { return try replacementAtEnd(place) }
      try step()
    }
    return nil
  }

  func cancel() { reader.cancelReading() }

  /// Whether a frame belongs to a later place.
  private func comesLater(_ frame: TimedFrame, than place: Int) -> Bool {
    guard let following = places.following, frame.time > track.times[place] else { return false }
    return frame.time >= track.times[following]
  }

  private mutating func put(_ frame: TimedFrame, at place: Int) -> ShownFrame {
    last = frame
    places.advance()
    return ShownFrame(
      index: place, time: track.times[place], pixels: frame.pixels, fields: frame.fields,
      damage: frame.damage.isEmpty ? nil : .slices(frame.damage))
  }
}

/// Walks over the frames of ascending ranges.
private struct FramePlaces {
  private let ranges: [Range<Int>]
  private var range = 0
  /// The frame that is due; nil at the end.
  private(set) var next: Int?

  init(_ ranges: [Range<Int>]) {
    self.ranges = ranges
    next = ranges.first?.lowerBound
  }

  /// Whether no frame has been passed yet.
  var isAtStart: Bool { next == ranges.first?.lowerBound }

  /// The frame behind the next.
  var following: Int? {
    guard let next else { return nil }
    if next + 1 < ranges[range].upperBound { return next + 1 }
    return range + 1 < ranges.count ? ranges[range + 1].lowerBound : nil
  }

  mutating func advance() {
    let following = following
    if let next, next + 1 == ranges[range].upperBound { range += 1 }
    next = following
  }
}

// MARK: - Frames that do not come
extension MovieFrames {
  private mutating func replacement(at place: Int) throws -> ShownFrame {
    let (time, pixels) = (track.times[place], try substitute())
    places.advance()
    return ShownFrame(
      index: place, time: time, pixels: pixels, fields: last?.fields ?? .progressive,
      damage: .whole(reason: refusals.reason(at: time)))
  }

  /// Where nothing at all could be decoded, the reason is the command's failure.
  private mutating func replacementAtEnd(_ place: Int) throws -> ShownFrame {
    guard last != nil else { throw refusals.first ?? Failure("no frame of '\(track.path)' can be decoded") }
    return try replacement(at: place)
  }

  /// The frame before, or grey of its size.
  private func substitute() throws -> FramePixels {
    if plan.concealment == .previousPicture, let last { return last.pixels }
    if let last { return try last.pixels.grey() }
    let size = (description ?? track.track.formatDescriptions[0]).dimensions, scale = plan.scale.rawValue
    let (width, height) = ((Int(size.width) + scale - 1) / scale, (Int(size.height) + scale - 1) / scale)
    return try FramePixels.grey(plan, width: max(1, width), height: max(1, height))
  }
}

// MARK: - Samples in, frames out
extension MovieFrames {
  private mutating func step() throws {
    guard let sample = output.copyNextSampleBuffer() else {
      if reader.status == .failed { throw readingFailure() }
      drain()
      return readOn()
    }
    guard sample.numSamples > 0, let format = sample.formatDescription else { return }
    let isReset = sample.isMarked(kCMSampleBufferAttachmentKey_ResetDecoderBeforeDecoding)
    if isReset || format !== description { drain() }
    if format !== description {
      description = format
      decoder = try plan.makeDecoder(for: format)
      refusals.beginDecoder()
    }
    if (sample.dataBuffer?.dataLength ?? 0) > 0 { refusals.willDecode(sample) }
    let count = take { try $0.decode(sample) }
    silentSamples = count > 0 || sample.isHidden ? 0 : silentSamples + 1
    guard silentSamples <= Self.mostSilentSamples else { throw silenceFailure() }
  }

  /// More than any decoder holds. A table may claim any number of samples, and each would become a grey frame.
  private static let mostSilentSamples = 1000

  private func silenceFailure() -> Failure {
    let place = places.next ?? 0
    let words = Failure(describing: refusals.first ?? Failure("they are empty")).message
    let reason = words.hasSuffix(".") ? words.dropLast() : words[...]
    return Failure(
      name: "unreadable", code: 2,
      message:
        "from frame #\(place) on, \(silentSamples) samples in a row give no picture (\(reason)): end the '--range' before it"
    )
  }

  private mutating func readOn() {
    isAtEnd = rest.isEmpty
    if !isAtEnd { output.reset(forReadingTimeRanges: rest) }
    rest = []
  }

  private mutating func drain() { _ = take { try $0.finish() } }

  /// Keeps the frames that come, and the reason why none do; returns how many came.
  private mutating func take(_ body: (any FrameDecoder) throws -> [TimedFrame]) -> Int {
    guard let decoder else { return 0 }
    do {
      let made = try body(decoder)
      account.add(decoder, made.count, plan)
      pending += made
      return made.count
    } catch {
      refusals.add(error)
      return 0
    }
  }

  private func readingFailure() -> any Error {
    guard let place = places.next, !places.isAtStart, let error = reader.error else {
      return reader.error ?? Failure("the movie cannot be read")
    }
    let sentence = Failure(describing: error).message
    return Failure("frame #\(place) cannot be read: \(sentence)")
  }
}

/// Why frames do not come: what decoders refused, by the times of the samples to blame.
private struct Refusals {
  private(set) var first: (any Error)?
  private var reasons: [(time: CMTime, reason: String)] = []
  /// Times of the samples that a decoder has been given, by their numbers there.
  private var times: [CMTime] = []
  private var firstNumber = 0

  /// As many samples may be inside a decoder, and as many reasons are kept.
  private static let most = 256

  mutating func willDecode(_ sample: CMSampleBuffer) {
    times.append(sample.presentationTimeStamp)
    guard times.count > Self.most else { return }
    times.removeFirst()
    firstNumber += 1
  }

  /// A new decoder counts anew.
  mutating func beginDecoder() { (firstNumber, times) = (0, []) }

  mutating func add(_ error: any Error) {
    first = first ?? error
    let number = (error as? CodecError)?.sample.map { $0 - firstNumber } ?? times.count - 1
    guard let time = times.indices.contains(number) ? times[number] : times.last else { return }
    reasons.append((time, Failure(describing: error).message))
    if reasons.count > Self.most { reasons.removeFirst() }
  }

  func reason(at time: CMTime) -> String {
    reasons.first { $0.time == time }?.reason ?? "no picture came of its sample"
  }
}
