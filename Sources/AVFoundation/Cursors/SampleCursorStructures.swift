public import Foundation

/// Whether decoding can start at a sample, and whether it can be left out.
public struct AVSampleCursorSyncInfo: Sendable {
  /// Whether it and all that follows it can be decoded without anything before.
  public var sampleIsFullSync: ObjCBool
  /// Whether decoding can start here although samples behind it may depend on some before.
  public var sampleIsPartialSync: ObjCBool
  /// Whether the file says that no other sample depends on it.
  public var sampleIsDroppable: ObjCBool

  public init(
    sampleIsFullSync: ObjCBool = false, sampleIsPartialSync: ObjCBool = false, sampleIsDroppable: ObjCBool = false
  ) {
    self.sampleIsFullSync = sampleIsFullSync
    self.sampleIsPartialSync = sampleIsPartialSync
    self.sampleIsDroppable = sampleIsDroppable
  }
}

/// How a sample depends on others; of each two the second means something only if the first is true.
public struct AVSampleCursorDependencyInfo: Sendable {
  public var sampleIndicatesWhetherItHasDependentSamples: ObjCBool
  public var sampleHasDependentSamples: ObjCBool
  public var sampleIndicatesWhetherItDependsOnOthers: ObjCBool
  public var sampleDependsOnOthers: ObjCBool
  public var sampleIndicatesWhetherItHasRedundantCoding: ObjCBool
  public var sampleHasRedundantCoding: ObjCBool

  public init(
    sampleIndicatesWhetherItHasDependentSamples: ObjCBool = false, sampleHasDependentSamples: ObjCBool = false,
    sampleIndicatesWhetherItDependsOnOthers: ObjCBool = false, sampleDependsOnOthers: ObjCBool = false,
    sampleIndicatesWhetherItHasRedundantCoding: ObjCBool = false, sampleHasRedundantCoding: ObjCBool = false
  ) {
    self.sampleIndicatesWhetherItHasDependentSamples = sampleIndicatesWhetherItHasDependentSamples
    self.sampleHasDependentSamples = sampleHasDependentSamples
    self.sampleIndicatesWhetherItDependsOnOthers = sampleIndicatesWhetherItDependsOnOthers
    self.sampleDependsOnOthers = sampleDependsOnOthers
    self.sampleIndicatesWhetherItHasRedundantCoding = sampleIndicatesWhetherItHasRedundantCoding
    self.sampleHasRedundantCoding = sampleHasRedundantCoding
  }
}

/// How a packet of sound depends on others.
public struct AVSampleCursorAudioDependencyInfo: Sendable {
  public var audioSampleIsIndependentlyDecodable: ObjCBool
  /// How many packets a decoder must be given before the sound is right.
  public var audioSamplePacketRefreshCount: Int

  public init(audioSampleIsIndependentlyDecodable: ObjCBool = false, audioSamplePacketRefreshCount: Int = 0) {
    self.audioSampleIsIndependentlyDecodable = audioSampleIsIndependentlyDecodable
    self.audioSamplePacketRefreshCount = audioSamplePacketRefreshCount
  }
}

/// Bytes of a file.
public struct AVSampleCursorStorageRange: Hashable, Sendable {
  /// −1 where the bytes do not lie in a row.
  public var offset: Int64
  public var length: Int64

  public init(offset: Int64 = 0, length: Int64 = 0) {
    self.offset = offset
    self.length = length
  }
}

/// What the samples of a chunk, which lie side by side in the file, have in common.
public struct AVSampleCursorChunkInfo: Sendable {
  public var chunkSampleCount: Int64
  public var chunkHasUniformSampleSizes: ObjCBool
  public var chunkHasUniformSampleDurations: ObjCBool
  public var chunkHasUniformFormatDescriptions: ObjCBool

  public init(
    chunkSampleCount: Int64 = 0, chunkHasUniformSampleSizes: ObjCBool = false,
    chunkHasUniformSampleDurations: ObjCBool = false, chunkHasUniformFormatDescriptions: ObjCBool = false
  ) {
    self.chunkSampleCount = chunkSampleCount
    self.chunkHasUniformSampleSizes = chunkHasUniformSampleSizes
    self.chunkHasUniformSampleDurations = chunkHasUniformSampleDurations
    self.chunkHasUniformFormatDescriptions = chunkHasUniformFormatDescriptions
  }
}
