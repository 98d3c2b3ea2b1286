public import Foundation
internal import QuickTime

/// Items of metadata that apply over the same stretch of time.
open class AVTimedMetadataGroup: NSObject, @unchecked Sendable {
  public final let items: [AVMetadataItem]
  /// When the items apply.
  public final let timeRange: CMTimeRange
  private let format: CMMetadataFormatDescription?

  public init(items: [AVMetadataItem], timeRange: CMTimeRange) {
    self.items = items
    self.timeRange = timeRange
    format = nil
  }

  /// The items of a sample buffer of timed metadata (`mebx`); nil if it holds none or cannot be decoded.
  public convenience init?(sampleBuffer: CMSampleBuffer) {
    guard sampleBuffer.numSamples > 0, let group = try? AVTimedMetadataGroup(decoding: sampleBuffer) else { return nil }
    self.init(items: group.items, timeRange: group.timeRange, format: group.format)
  }

  private init(items: [AVMetadataItem], timeRange: CMTimeRange, format: CMMetadataFormatDescription?) {
    self.items = items
    self.timeRange = timeRange
    self.format = format
  }

  /// A format description that has keys for all items: the one they were read with, else one made of their identifiers and data types.
  ///
  /// Nil if an item has no identifier or no data type.
  public func copyFormatDescription() -> CMMetadataFormatDescription? {
    if let format { return format }
    let specifications = items.map { item in
      [
        kCMMetadataFormatDescriptionMetadataSpecificationKey_Identifier: item.identifier?.rawValue ?? "",
        kCMMetadataFormatDescriptionMetadataSpecificationKey_DataType: item.dataType ?? "",
      ]
    }
    var seen: Set<[String: String]> = []
    let distinct = specifications.filter { seen.insert($0).inserted }
    guard !distinct.contains(where: { $0.values.contains("") }) else { return nil }
    return try? CMFormatDescription(boxedMetadataSpecifications: distinct)
  }

  /// Throws `AVError` where the sample is damaged.
  fileprivate convenience init(decoding buffer: CMSampleBuffer) throws {
    guard let format = buffer.formatDescription, format.mediaSubType == .mebx, let data = buffer.dataBuffer else {
      throw AVError(
        .undecodableMediaData, "The sample buffer holds no timed metadata; read a metadata track with nil settings.")
    }
    let keys = Dictionary(format.metadataKeys.map { ($0.localID, $0) }, uniquingKeysWith: { first, _ in first })
    let range = CMTimeRange(
      start: buffer.presentationTimeStamp, duration: buffer.duration.isNumeric ? buffer.duration : .zero)
    let sample = try MetadataSampleCodec.sample(from: try data.dataBytes())
    let items = sample.items.compactMap { item in
      keys[item.localID].map { AVMetadataItem(payload: item.payload, key: $0, range: range) }
    }
    self.init(items: items, timeRange: range, format: format)
  }
}

extension AVMetadataItem {
  fileprivate convenience init(payload: Data, key: MetadataKey, range: CMTimeRange) {
    var content = Content()
    content.identifier = key.identifier.map(AVMetadataIdentifier.init(rawValue:))
    let number =
      key.dataTypeNamespace == 0 ? key.dataType.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } : MetadataValue.raw
    content.dataType = key.dataTypeName ?? MetadataValue.name(of: number)
    content.value = MetadataValue.decode(payload, type: number)
    content.storedBytes = payload
    content.time = range.start
    content.duration = range.duration
    content.extendedLanguageTag = key.languageTag
    self.init(content)
  }
}

/// Gives the samples of a metadata track as groups of items.
public final class AVAssetReaderOutputMetadataAdaptor: NSObject, @unchecked Sendable {
  public let assetReaderTrackOutput: AVAssetReaderTrackOutput
  // Unchecked: guarded by the lock.
  private let lock = NSLock()
  private var undecodable: [CMTime] = []

  /// `assetReaderTrackOutput` must have nil settings, and its reader must not have started. From now on the adaptor reads its samples.
  public init(assetReaderTrackOutput: AVAssetReaderTrackOutput) {
    precondition(
      assetReaderTrackOutput.outputSettings == nil && assetReaderTrackOutput.isIdle
        && assetReaderTrackOutput.mediaType == .metadata,
      "A metadata adaptor takes an output of a metadata track, with nil settings, before reading starts.")
    self.assetReaderTrackOutput = assetReaderTrackOutput
    assetReaderTrackOutput.isTakenByAdaptor = true
  }

  /// The next group, without items where a sample says nothing; nil at the end, and after an error: the reader's `status` says which.
  ///
  /// A sample that cannot be decoded gives a group without items, and `undecodableTimes` tells of it.
  public func nextTimedMetadataGroup() -> AVTimedMetadataGroup? {
    while let buffer = assetReaderTrackOutput.nextBuffer() {
      guard buffer.numSamples > 0 else { continue }
      if let group = try? AVTimedMetadataGroup(decoding: buffer) { return group }
      lock.withLock { undecodable.append(buffer.presentationTimeStamp) }
      return AVTimedMetadataGroup(
        items: [], timeRange: CMTimeRange(start: buffer.presentationTimeStamp, duration: buffer.duration))
    }
    return nil
  }

  /// This package's own: the times of the samples so far that could not be decoded.
  public var undecodableTimes: [CMTime] { lock.withLock { undecodable } }
}
