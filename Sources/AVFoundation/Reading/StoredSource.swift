internal import CoreMedia
internal import Foundation
internal import QuickTime

/// Stored samples with their times in the movie: what an output without settings gives.
final class StoredSource: SampleSource {
  private let track: AVAssetTrack
  private var samples: StoredSamples
  private var segmentsStarted = 0

  /// `copies` says that each buffer has memory of its own.
  init(track: AVAssetTrack, segments: [TrackSegment], copies: Bool) {
    self.track = track
    samples = track.storedSamples(in: segments, copies: copies)
  }

  func next() throws -> CMSampleBuffer? {
    switch try track.naming({ try samples.nextItem() }) {
    case nil: nil
    case .emptyEdit(let segment): try marker(segment)
    case .sample(let sample): try buffer(sample)
    }
  }

  private func buffer(_ stored: StoredSample) throws -> CMSampleBuffer {
    let timing = stored.timing(map: stored.segment.map, reordered: track.movieTrack.samples.hasCompositionOffsets)
    let buffer = try stored.sampleBuffer(format: track.format(of: stored.sample), timing: timing)
    buffer.setSampleAttachments(
      stored, partialSync: track.movieTrack.decodingStarts.isPartialSync(stored.sample.index))
    if track.mediaType == .audio { buffer.setTrim(stored) }
    if stored.startsSegment {
      segmentsStarted += 1
      if segmentsStarted > 1 {
        CMSetAttachment(
          buffer, key: kCMSampleBufferAttachmentKey_ResetDecoderBeforeDecoding, value: true,
          attachmentMode: kCMAttachmentMode_ShouldPropagate)
      }
    }
    return buffer
  }

  /// A buffer without samples that says "nothing for a while".
  private func marker(_ segment: TrackSegment) throws -> CMSampleBuffer {
    let buffer = try CMSampleBuffer(
      dataBuffer: nil, formatDescription: nil, numSamples: 0,
      sampleTimings: [
        CMSampleTimingInfo(
          duration: segment.movie.duration, presentationTimeStamp: segment.movie.start, decodeTimeStamp: .invalid)
      ], sampleSizes: [])
    CMSetAttachment(
      buffer, key: kCMSampleBufferAttachmentKey_EmptyMedia, value: true,
      attachmentMode: kCMAttachmentMode_ShouldPropagate)
    return buffer
  }
}

extension StoredSample {
  /// The times of the first sample under a map.
  func timing(map: TimeMap, reordered: Bool) -> CMSampleTimingInfo { sample.timing(map: map, reordered: reordered) }

  /// The samples in a buffer.
  func sampleBuffer(format: CMFormatDescription, timing: CMSampleTimingInfo) throws -> CMSampleBuffer {
    try CMSampleBuffer(
      dataBuffer: data, formatDescription: format, numSamples: count,
      sampleTimings: [timing], sampleSizes: [sample.size])
  }
}

extension Sample {
  /// The sample's times under a map; the decode time only where samples are shown out of order.
  func timing(map: TimeMap, reordered: Bool) -> CMSampleTimingInfo {
    CMSampleTimingInfo(
      duration: map.movieDuration(duration), presentationTimeStamp: map.movieTime(presentationTime),
      decodeTimeStamp: reordered ? map.movieTime(decodeTime) : .invalid)
  }

  /// What a buffer of the sample says about sync and dependencies; empty for one that depends on nothing as far as the file says.
  func attachments(partialSync: Bool) -> CMSampleBuffer.PerSampleAttachmentsDictionary {
    var attachments = CMSampleBuffer.PerSampleAttachmentsDictionary()
    if !isSync { attachments[.notSync] = true }
    if partialSync { attachments[.partialSync] = true }
    attachments[.dependsOnOthers] = dependency?.dependsOnOthers
    attachments[.isDependedOnByOthers] = dependency?.isDependedOn
    attachments[.hasRedundantCoding] = dependency?.hasRedundantCoding
    return attachments
  }
}

extension CMSampleBuffer {
  /// Says whether decoding can start here, what depends on the sample, and whether it is shown.
  fileprivate func setSampleAttachments(_ stored: StoredSample, partialSync: Bool) {
    var attachments = stored.sample.attachments(partialSync: partialSync)
    if !stored.isShown { attachments[.doNotDisplay] = true }
    guard !attachments.isEmpty else { return }
    var all = sampleAttachments
    for index in all.indices { all[index] = attachments }
    sampleAttachments = all
  }

  /// Marks what of the sound lies outside the edit.
  fileprivate func setTrim(_ stored: StoredSample) {
    let (start, end) = (stored.sample.presentationTime, stored.endTime)
    let head = min(max(stored.segment.media.lowerBound - start, 0), end - start)
    let tail = min(max(end - stored.segment.media.upperBound, 0), end - start)
    for (key, amount) in [
      (kCMSampleBufferAttachmentKey_TrimDurationAtStart, head), (kCMSampleBufferAttachmentKey_TrimDurationAtEnd, tail),
    ] where amount > 0 {
      let duration = CMTimeCopyAsDictionary(stored.segment.map.movieDuration(amount), allocator: nil)
      CMSetAttachment(self, key: key, value: duration, attachmentMode: kCMAttachmentMode_ShouldPropagate)
    }
  }
}
