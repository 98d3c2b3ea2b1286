internal import CFFmpeg
package import CoreMedia
internal import CoreVideo
internal import Foundation

/// The samples that are inside a decoder. Each gets a ticket that libavcodec carries from packet to picture, so that times
/// never go through its arithmetic.
struct SampleLog {
  struct Entry {
    let number: Int
    let presentationTime: CMTime
    let duration: CMTime
    /// Needed for others, but not to be shown.
    let isHidden: Bool
    var isFailed = false
  }

  private var entries: [Int64: Entry] = [:]
  private var next: Int64 = 0
  /// The first ticket since the decoder was last emptied.
  private var first: Int64 = 0

  /// Registers a sample. Entries whose picture never came are dropped when there are too many.
  mutating func add(_ sample: CMSampleBuffer) -> Int64 {
    let ticket = next
    next += 1
    entries[ticket] = Entry(
      number: Int(ticket), presentationTime: sample.presentationTimeStamp, duration: sample.duration,
      isHidden: sample.isHidden)
    if entries.count > Limits.pendingSamples, let oldest { entries[oldest] = nil }
    return ticket
  }

  /// The entry of a picture; it is then forgotten.
  mutating func take(_ ticket: Int64) -> Entry? { entries.removeValue(forKey: ticket) }

  /// Marks a sample as damaged: should its picture come nevertheless, it is not delivered.
  mutating func fail(_ ticket: Int64) -> Entry? {
    entries[ticket]?.isFailed = true
    return entries[ticket]
  }

  mutating func forget() {
    entries = [:]
    first = next
  }

  /// The sample whose error shows now, `threads - 1` samples after it was handed in.
  func culprit(threads: Int) -> Int64 { max(first, next - Int64(threads)) }

  /// The first sample that has neither come out nor failed.
  var oldest: Int64? { entries.filter { !$0.value.isFailed }.keys.min() ?? entries.keys.min() }
}

extension CMSampleBuffer {
  /// One buffer a sample; none for a marker.
  package func singles() throws -> [CMSampleBuffer] {
    switch numSamples {
    case 0: []
    case 1: [self]
    default: try Array(singleSampleBuffers())
    }
  }

  /// Whether an attachment of the buffer is true.
  package func isMarked(_ key: String) -> Bool {
    truth(CMGetAttachment(self, key: key, attachmentModeOut: nil))
  }

  private func sampleMark(_ key: String) -> Bool {
    let all = CMSampleBufferGetSampleAttachmentsArray(self, createIfNecessary: false) as? [[String: Any]]
    return truth(all?.first?[key])
  }

  private func truth(_ value: Any?) -> Bool {
    value as? Bool ?? integer(value).map { $0 != 0 } ?? false
  }

  var isNotSync: Bool { sampleMark(kCMSampleAttachmentKey_NotSync) }
  /// Whether the sample is there for others and is not to be shown.
  package var isHidden: Bool { sampleMark(kCMSampleAttachmentKey_DoNotDisplay) }
}
