internal import Foundation
internal import QuickTime

/// The samples of one track: as they are stored, or decoded to pixel buffers or linear PCM.
///
/// Without settings a buffer holds a stored sample with its exact times after the track's edits, its format description (which carries the
/// sample entry verbatim) and its sync attachments. Samples that are only there so that others can be decoded have the attachment
/// `DoNotDisplay`; sound that lies outside the edits is marked by trim attachments; an empty edit gives a marker buffer.
///
/// With settings, pictures come decoded in presentation order, each that is shown once. `kCVPixelBufferPixelFormatTypeKey` chooses the
/// format. A `dish` track gives linear disparity for `hdis` and `fdis`, its stored codes for `L010`.
public final class AVAssetReaderTrackOutput: AVAssetReaderOutput, @unchecked Sendable {
  public let track: AVAssetTrack
  /// Nil for stored samples.
  nonisolated(unsafe) public let outputSettings: [String: Any]?

  /// An output of a track of the reader's asset; wrong settings show in `canAdd(_:)` and `startReading()`.
  public init(track: AVAssetTrack, outputSettings: [String: Any]?) {
    self.track = track
    self.outputSettings = outputSettings
  }

  public override var mediaType: AVMediaType { track.mediaType }

  override func validate(for asset: AVAsset) throws {
    guard try asset.openedTracks().contains(where: { $0 === track }) else {
      throw AVError(.unknown, "Track \(track.trackID) of an output belongs to another asset than the reader's.")
    }
    guard let outputSettings else { return }
    if track.mediaType.holdsPictures {
      _ = try PictureSettings(outputSettings, track: track)
    } else if track.mediaType == .audio {
      _ = try SoundSettings(outputSettings, track: track)
    } else {
      throw AVError(
        .unsupportedOutputSettings,
        "Track \(track.trackID) of type \(track.mediaType.rawValue) cannot be decoded; read it with nil settings.")
    }
  }

  override func makeSource(for ranges: [CMTimeRange]) throws -> any SampleSource {
    let segments = ranges.flatMap { track.timeline.segments(in: $0) }
    guard let outputSettings else {
      return StoredSource(track: track, segments: segments, copies: alwaysCopiesSampleData)
    }
    if track.mediaType == .audio {
      return SoundSource(track: track, segments: segments, settings: try SoundSettings(outputSettings, track: track))
    }
    return PictureSource(track: track, segments: segments, settings: try PictureSettings(outputSettings, track: track))
  }
}
