/// One sample of a track: where it lies and when it is shown. Times are in units of the media's time scale.
package struct Sample: Hashable, Sendable {
  /// Counts from 0, in decoding order.
  package var index: Int
  /// The place of its first byte in the file.
  package var offset: Int64
  package var size: Int
  package var decodeTime: Int64
  package var compositionOffset: Int64
  package var duration: Int64
  /// Whether decoding can start here.
  package var isSync: Bool
  /// An index into the track's sample descriptions, from 0.
  package var descriptionIndex: Int
  /// Counts from 0.
  package var chunkIndex: Int
  /// Nil where the file does not say.
  package var dependency: SampleDependency?

  package init(
    index: Int, offset: Int64, size: Int, decodeTime: Int64, compositionOffset: Int64 = 0, duration: Int64,
    isSync: Bool = true, descriptionIndex: Int = 0, chunkIndex: Int = 0, dependency: SampleDependency? = nil
  ) {
    self.index = index
    self.offset = offset
    self.size = size
    self.decodeTime = decodeTime
    self.compositionOffset = compositionOffset
    self.duration = duration
    self.isSync = isSync
    self.descriptionIndex = descriptionIndex
    self.chunkIndex = chunkIndex
    self.dependency = dependency
  }

  package var presentationTime: Int64 { decodeTime + compositionOffset }
}
