import AVFoundation
import CoreMedia
import CoreVideo
import Foundation
import VideoToolbox

/// Decodes the same samples with each choice of decoder.
struct DecoderTrial {
  struct Row {
    let choice: DecodingPlan.Choice
    let outcome: Result<Found, Failure>
  }

  struct Found {
    let name: String
    let isHardware: Bool
    let native: OSType
    /// What was asked for.
    let asked: String
    let conversions: [DecodingAccount.Conversion]
    /// Frames a second: the median of the runs.
    let speed: Double
    /// Samples that could not be decoded.
    let refused: Int
  }

  let track: PictureTrack
  private let format: RawFormat?
  private let threads: Int
  private let samples: [CMSampleBuffer]

  private static let runs = 3
  /// The most bytes of samples that are kept in memory.
  private static let mostBytes = 256 << 20

  /// Throws `Failure` where the samples cannot be read.
  init(_ track: PictureTrack, count: Int, format: RawFormat?, threads: Int) throws {
    (self.track, self.format, self.threads) = (track, format, threads)
    samples = try Self.samples(of: track, count)
  }

  var sampleCount: Int { samples.count }
  var codec: String { fourCharacterString(CMFormatDescriptionGetMediaSubType(description)) }
  var size: (width: Int, height: Int) { (Int(description.dimensions.width), Int(description.dimensions.height)) }
  private var description: CMFormatDescription { track.track.formatDescriptions[0] }

  /// Samples of the first description, in the order of decoding.
  private static func samples(of track: PictureTrack, _ count: Int) throws -> [CMSampleBuffer] {
    let reader = try AVAssetReader(asset: track.asset)
    reader.timeRange = track.timeRange(of: 0..<min(count, track.times.count))
    let output = AVAssetReaderTrackOutput(track: track.track, outputSettings: nil)
    reader.add(output)
    defer { reader.cancelReading() }
    guard reader.startReading() else { throw reader.error ?? Failure("the movie cannot be read") }
    var samples: [CMSampleBuffer] = [], bytes = 0
    while samples.count < count, bytes < mostBytes, let sample = output.copyNextSampleBuffer() {
      guard sample.numSamples > 0, sample.formatDescription === track.track.formatDescriptions[0] else { continue }
      bytes += sample.dataBuffer?.dataLength ?? 0
      samples.append(sample)
    }
    guard !samples.isEmpty else { throw reader.error ?? Failure("'\(track.path)' has no samples to decode") }
    return samples
  }

  /// What a choice gives; a failure concerns this row only.
  func row(_ choice: DecodingPlan.Choice) -> Row {
    Row(choice: choice, outcome: Result { try found(choice) }.mapError(Failure.init(describing:)))
  }

  private func found(_ choice: DecodingPlan.Choice) throws -> Found {
    var plan = DecodingPlan(choice: choice, threads: threads)
    let native = try plan.nativePixelFormats(of: track)[0]
    plan.format = format
    if format == nil { plan.pixelFormat = PictureFormat.source(of: description) }
    let decoder = try plan.makeDecoder(for: description)
    var speeds: [Double] = [], refused = 0
    // The first run fills pools and caches.
    for run in 0...Self.runs {
      let result = try measure(decoder)
      refused = result.refused
      if run > 0 { speeds.append(result.speed) }
    }
    return Found(
      name: decoder.name, isHardware: decoder.isHardware, native: native,
      asked: format?.name ?? fourCharacterString(PictureFormat.source(of: description)),
      conversions: DecodingAccount.conversions(of: decoder, plan), speed: speeds.sorted()[Self.runs / 2],
      refused: refused)
  }

  private func measure(_ decoder: any FrameDecoder) throws -> (speed: Double, refused: Int) {
    let start = ProcessInfo.processInfo.systemUptime
    var frames = 0, refusal: (any Error)?, refused = 0
    for sample in samples {
      do { frames += try decoder.decode(sample).count } catch { (refusal, refused) = (refusal ?? error, refused + 1) }
    }
    do { frames += try decoder.finish().count } catch { (refusal, refused) = (refusal ?? error, refused + 1) }
    guard frames > 0 else { throw refusal ?? Failure("no frame came of \(samples.count) samples") }
    let seconds = max(ProcessInfo.processInfo.systemUptime - start, 1e-6)
    return (Double(frames) / seconds, refused)
  }
}

extension DecoderTrial.Row {
  /// What else there is to say of it.
  var remark: String? {
    switch outcome {
    case .failure(let failure): return failure.sentence
    case .success(let found) where found.refused > 0:
      return "\(found.refused) samples could not be decoded and are not counted."
    case .success(let found):
      return found.conversions.isEmpty ? nil : found.conversions.map(\.sentence).joined(separator: " ")
    }
  }
}

extension DecodingAccount.Conversion {
  var sentence: String { "\(from) is converted to \(to): \(why)." }
}
