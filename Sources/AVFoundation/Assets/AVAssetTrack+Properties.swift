public import Foundation
internal import QuickTime

extension AVAssetTrack {
  /// The number by which the track is known in its asset; it stays the same in copies of the file.
  public var trackID: CMPersistentTrackID { CMPersistentTrackID(truncatingIfNeeded: movieTrack.id) }
  public var mediaType: AVMediaType { AVMediaType(rawValue: movieTrack.handler.description) }
  /// Whether the track is played unless somebody chooses otherwise.
  public var isEnabled: Bool { movieTrack.isEnabled }
  /// The loudness of sound; 1 is as recorded, 0 that of other tracks.
  public var preferredVolume: Float { Float(movieTrack.header.volume) / 256 }
  /// Whether the track's media lies in the asset's file.
  public var isSelfContained: Bool { movieTrack.isSelfContained }
  /// Whether a decoder for the track is there.
  public var isDecodable: Bool { mediaType.holdsPictures || mediaType == .audio }
  /// The bytes of all samples.
  public var totalSampleDataLength: Int64 { movieTrack.samples.totalBytes }

  /// From the first moment at which the track shows something to the end of the last.
  ///
  /// Empty edits in front and behind do not count: the intersection of tracks' ranges is where all of them have something to show.
  public var timeRange: CMTimeRange {
    let shown = timeline.segments.filter { !$0.isEmptyEdit }
    guard let first = shown.first, let last = shown.last else { return .zero }
    return CMTimeRange(start: first.movie.start, end: last.movie.end)
  }

  /// Units of the media's own time in a second.
  public var naturalTimeScale: CMTimeScale { mediaScale }
  /// Bits a second on average over the media's duration.
  public var estimatedDataRate: Float {
    let seconds = Double(movieTrack.samples.totalDuration) / Double(mediaScale)
    return seconds > 0 ? Float(Double(movieTrack.samples.totalBytes) * 8 / seconds) : 0
  }
  /// The ISO 639-2/T code of the language, nil if undetermined.
  public var languageCode: String? { movieTrack.language == "und" ? nil : movieTrack.language }

  /// The size in pixels at which the track is shown, before `preferredTransform`; zero for tracks without pictures.
  public var naturalSize: CGSize {
    if movieTrack.width > 0, movieTrack.height > 0 { return CGSize(width: movieTrack.width, height: movieTrack.height) }
    let coded = movieTrack.sampleDescriptions.lazy.compactMap(\.video).first
    return CGSize(width: coded?.width ?? 0, height: coded?.height ?? 0)
  }
  /// How pictures are turned for display; y points downwards.
  public var preferredTransform: CGAffineTransform { movieTrack.matrix.transform }

  /// Frames a second on average over the media's duration; 0 for tracks without pictures.
  public var nominalFrameRate: Float {
    let samples = movieTrack.samples
    guard mediaType.holdsPictures, samples.totalDuration > 0 else { return 0 }
    return Float(Double(samples.count) * Double(mediaScale) / Double(samples.totalDuration))
  }
  /// The shortest duration of a sample; invalid if there is none.
  public var minFrameDuration: CMTime {
    guard let shortest = movieTrack.samples.durations.values.filter({ $0 > 0 }).min() else { return .invalid }
    return CMTime(value: Int64(shortest), timescale: mediaScale)
  }
  /// Whether samples are stored in another order than they are shown.
  public var requiresFrameReordering: Bool { movieTrack.samples.hasCompositionOffsets }

  /// The edits of the track in movie order.
  public var segments: [AVAssetTrackSegment] {
    timeline.segments.map { AVAssetTrackSegment($0, mediaScale: mediaScale) }
  }

  /// The edit at a time of the movie; nil outside the track.
  public func segment(forTrackTime trackTime: CMTime) -> AVAssetTrackSegment? {
    timeline.segments.first { $0.movie.containsTime(trackTime) }.map { AVAssetTrackSegment($0, mediaScale: mediaScale) }
  }

  /// The start, in movie time, of the sample that is shown at a movie time; invalid if none is.
  public func samplePresentationTime(forTrackTime trackTime: CMTime) -> CMTime {
    guard let segment = timeline.segments.first(where: { $0.movie.containsTime(trackTime) }), !segment.isEmptyEdit,
      let index = movieTrack.samples.index(atPresentationTime: segment.mediaTime(atOrBefore: trackTime))
    else { return .invalid }
    return segment.map.movieTime(movieTrack.samples.presentationTime(index))
  }

  /// The track's own items of metadata.
  public var metadata: [AVMetadataItem] { movieTrack.metadata.map { AVMetadataItem(stored: $0) } }
  public var commonMetadata: [AVMetadataItem] { metadata.compactMap { $0.asCommonItem() } }

  /// The kinds of references from this track to others.
  public var availableTrackAssociationTypes: [AssociationType] {
    movieTrack.references.keys.map { AssociationType(rawValue: $0.description) }.sorted { $0.rawValue < $1.rawValue }
  }

  /// The tracks that this one refers to by a kind of reference.
  public func associatedTracks(ofType type: AssociationType) -> [AVAssetTrack] {
    guard let code = FourCC(type.rawValue), let asset, let ids = movieTrack.references[code] else { return [] }
    return ids.compactMap { id in asset.tracks.first { $0.movieTrack.id == id } }
  }

  /// The tracks that this one refers to by a kind of reference.
  public func loadAssociatedTracks(ofType type: AssociationType) async throws -> [AVAssetTrack] {
    associatedTracks(ofType: type)
  }

  public func hasMediaCharacteristic(_ characteristic: AVMediaCharacteristic) -> Bool {
    switch characteristic {
    case .visual, .frameBased: mediaType == .video
    case .audible: mediaType == .audio
    case .legible: [.subtitle, .text, .closedCaption].contains(mediaType)
    case .containsHDRVideo: mediaType == .video && formatDescriptions.contains { $0.isHDR }
    case .containsAlphaChannel: mediaType == .video && formatDescriptions.contains { $0.hasAlpha }
    case .usesWideGamutColorSpace: mediaType == .video && formatDescriptions.contains { $0.isWideGamut }
    default: false
    }
  }
}

extension AVAssetTrack {
  /// Units of media time in a second, at least 1.
  var mediaScale: Int32 { Int32(clamping: max(1, Int64(movieTrack.timescale))) }

  /// Where the samples of `segments` lie, by the rules for the kind of media. `copies` says that the data of each has memory of its own.
  func storedSamples(in segments: [TrackSegment], copies: Bool = false) -> StoredSamples {
    let isPCM = formatDescriptions.allSatisfy { $0.mediaSubType == .linearPCM }
    let rule: SamplePlan.Rule =
      switch mediaType {
      case .audio: .sound(settlingPackets: isPCM ? 0 : Self.settlingPackets)
      case .timecode, .text, .subtitle, .closedCaption: .state
      default: .picture
      }
    return StoredSamples(
      track: movieTrack, segments: segments, rule: rule, mayBatch: mediaType == .audio && isPCM,
      bytes: SampleBytes(movie: movie, track: movieTrack, copies: copies))
  }

  /// AAC overlaps a packet with the one before; two leave room for codecs with longer windows.
  private static let settlingPackets = 2

  /// The format of a stored sample. Throws where the sample names a sample entry that the track does not have.
  func format(of sample: Sample) throws -> CMFormatDescription {
    guard formatDescriptions.indices.contains(sample.descriptionIndex) else {
      throw AVError(
        .fileFailedToParse,
        "Sample \(sample.index + 1) of track \(trackID) uses sample description \(sample.descriptionIndex + 1) of \(formatDescriptions.count); get the original again.",
        track: trackID)
    }
    return formatDescriptions[sample.descriptionIndex]
  }

  /// Adds the track to errors of the container.
  func naming<Value>(_ body: () throws -> Value) throws -> Value {
    do { return try body() } catch let error as QuickTimeError {
      let wrapped = AVError(wrapping: error)
      throw AVError(
        wrapped.code, "Track \(trackID) cannot be read on: \(error.message)", track: trackID, underlying: error)
    }
  }
}

/// One edit of a track: a stretch of the movie and the stretch of media that it shows.
public final class AVAssetTrackSegment: NSObject, Sendable {
  /// From the media's time to the movie's.
  public let timeMapping: CMTimeMapping
  /// Whether the stretch shows nothing.
  public let isEmpty: Bool

  init(_ segment: TrackSegment, mediaScale: Int32) {
    isEmpty = segment.isEmptyEdit
    let media = CMTimeRange(
      start: CMTime(value: segment.media.lowerBound, timescale: mediaScale),
      end: CMTime(value: segment.media.upperBound, timescale: mediaScale))
    timeMapping = CMTimeMapping(source: isEmpty ? .invalid : media, target: segment.movie)
  }
}

extension CMFormatDescription {
  private func text(_ key: String) -> String? { CMFormatDescriptionGetExtension(self, extensionKey: key) as? String }

  /// Whether the colour tags name one of the transfer functions of high dynamic range.
  fileprivate var isHDR: Bool {
    let transfer = text(kCMFormatDescriptionExtension_TransferFunction)
    return transfer == kCMFormatDescriptionTransferFunction_ITU_R_2100_HLG
      || transfer == kCMFormatDescriptionTransferFunction_SMPTE_ST_2084_PQ
  }

  fileprivate var isWideGamut: Bool {
    let primaries = text(kCMFormatDescriptionExtension_ColorPrimaries)
    return primaries == kCMFormatDescriptionColorPrimaries_ITU_R_2020
      || primaries == kCMFormatDescriptionColorPrimaries_P3_D65
  }

  /// ProRes 4444 of depth 32, and HEVC with an alpha layer.
  fileprivate var hasAlpha: Bool {
    let depth = CMFormatDescriptionGetExtension(self, extensionKey: kCMFormatDescriptionExtension_Depth)
    return mediaSubType == .hevcWithAlpha || CoreVideo.integer(depth) == 32
  }
}
