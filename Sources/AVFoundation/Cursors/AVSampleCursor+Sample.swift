public import CoreMedia
internal import Foundation
internal import QuickTime

extension AVSampleCursor {
  /// How long the sample lasts; always known here, never indefinite.
  public var currentSampleDuration: CMTime { time(sample.duration) }

  /// How the sample is coded.
  public func copyCurrentSampleFormatDescription() -> CMFormatDescription {
    // A table names no description that is not there: opening the movie would have failed.
    track.formatDescriptions[sample.descriptionIndex]
  }

  /// Whether decoding can start at the sample and whether it can be left out.
  public var currentSampleSyncInfo: AVSampleCursorSyncInfo {
    let sample = sample
    return AVSampleCursorSyncInfo(
      sampleIsFullSync: ObjCBool(sample.isSync),
      sampleIsPartialSync: ObjCBool(track.movieTrack.decodingStarts.isPartialSync(index)),
      sampleIsDroppable: ObjCBool(sample.dependency?.isDependedOn == false))
  }

  /// How the sample depends on others, by the track's table of dependencies; where that is silent on whether it depends on others,
  /// by whether it is a sync sample.
  public var currentSampleDependencyInfo: AVSampleCursorDependencyInfo {
    let sample = sample
    let dependsOnOthers = sample.dependency?.dependsOnOthers ?? !sample.isSync
    var info = AVSampleCursorDependencyInfo()
    info.sampleIndicatesWhetherItDependsOnOthers = true
    info.sampleDependsOnOthers = ObjCBool(dependsOnOthers)
    if let isDependedOn = sample.dependency?.isDependedOn {
      info.sampleIndicatesWhetherItHasDependentSamples = true
      info.sampleHasDependentSamples = ObjCBool(isDependedOn)
    }
    if let hasRedundantCoding = sample.dependency?.hasRedundantCoding {
      info.sampleIndicatesWhetherItHasRedundantCoding = true
      info.sampleHasRedundantCoding = ObjCBool(hasRedundantCoding)
    }
    return info
  }

  /// The attachments that a sample buffer of the sample has on account of what depends on what, by their keys
  /// (`kCMSampleAttachmentKey_…`); nil if there are none.
  public var currentSampleDependencyAttachments: [AnyHashable: Any]? {
    let attachments = sample.attachments(partialSync: track.movieTrack.decodingStarts.isPartialSync(index))
    guard !attachments.isEmpty else { return nil }
    return Dictionary(
      uniqueKeysWithValues: attachments.keys.compactMap { key in
        attachments[key].map { (AnyHashable(key.rawValue), $0) }
      })
  }

  /// Whether a packet of sound can be decoded by itself, and how many packets it takes until the sound is right.
  public var currentSampleAudioDependencyInfo: AVSampleCursorAudioDependencyInfo {
    AVSampleCursorAudioDependencyInfo(
      audioSampleIsIndependentlyDecodable: ObjCBool(track.mediaType == .audio && sample.isSync),
      audioSamplePacketRefreshCount: track.mediaType == .audio ? samplesRequiredForDecoderRefresh : 0)
  }

  /// How many samples before this one, in decoding order, a decoder must be given so that this one comes out right, by the track's
  /// sample groups `roll` and `prol`; 0 where the file does not say.
  public var samplesRequiredForDecoderRefresh: Int {
    max(0, -track.movieTrack.decodingStarts.rollDistance(at: index))
  }
}

// MARK: - Storage

extension AVSampleCursor {
  /// The file in which the sample lies; nil if that is another file than the asset's, or none.
  public var currentChunkStorageURL: URL? {
    track.movieTrack.isSelfContained ? (track.movie.source as? FileSource)?.url : nil
  }

  /// Where the samples that are stored together with this one lie. They always lie in a row.
  public var currentChunkStorageRange: AVSampleCursorStorageRange {
    let sizes = table.sizes
    return AVSampleCursorStorageRange(
      offset: table.chunks.place(ofSample: index).offset,
      length: sizes.bytes(before: chunkSamples.upperBound) - sizes.bytes(before: chunkSamples.lowerBound))
  }

  /// What the samples that are stored together with this one have in common.
  public var currentChunkInfo: AVSampleCursorChunkInfo {
    AVSampleCursorChunkInfo(
      chunkSampleCount: Int64(chunkSamples.count),
      chunkHasUniformSampleSizes: ObjCBool(table.hasEqualSizes(chunkSamples)),
      chunkHasUniformSampleDurations: ObjCBool(table.hasEqualDurations(chunkSamples)),
      chunkHasUniformFormatDescriptions: true)
  }

  /// The sample's place among those that are stored together with it, from 0.
  public var currentSampleIndexInChunk: Int64 { Int64(index - chunkSamples.lowerBound) }

  /// Where the sample lies.
  public var currentSampleStorageRange: AVSampleCursorStorageRange {
    let sample = sample
    return AVSampleCursorStorageRange(offset: sample.offset, length: Int64(sample.size))
  }

  private var chunkSamples: Range<Int> {
    table.chunks.samples(ofChunk: table.chunks.place(ofSample: index).chunk)
  }
}

extension SampleTable {
  fileprivate func hasEqualSizes(_ samples: Range<Int>) -> Bool {
    if case .uniform = sizes.storage { return true }
    return samples.allSatisfy { sizes[$0] == sizes[samples.lowerBound] }
  }

  /// Looks at the runs of equal durations that cover the samples.
  fileprivate func hasEqualDurations(_ samples: Range<Int>) -> Bool {
    var run = durations.run(at: samples.lowerBound)
    let duration = run.value
    while run.value == duration {
      if run.first + run.count >= samples.upperBound { return true }
      run = durations.run(at: run.first + run.count)
    }
    return false
  }
}
