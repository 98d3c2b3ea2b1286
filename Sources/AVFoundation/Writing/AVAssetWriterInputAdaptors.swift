public import Foundation
internal import QuickTime

/// Appends pixel buffers to an input that compresses pictures.
public final class AVAssetWriterInputPixelBufferAdaptor: NSObject, @unchecked Sendable {
  // Unchecked: state is guarded by the lock.
  public let assetWriterInput: AVAssetWriterInput
  /// The attributes of the pool's buffers; nil where there is no pool.
  nonisolated(unsafe) public let sourcePixelBufferAttributes: [String: Any]?
  private let lock = NSLock()
  private var pool: CVPixelBufferPool?
  private var format: CMVideoFormatDescription?

  /// `sourcePixelBufferAttributes` describe the buffers of `pixelBufferPool`; nil makes none.
  public init(assetWriterInput input: AVAssetWriterInput, sourcePixelBufferAttributes: [String: Any]? = nil) {
    precondition(input.mediaType.holdsPictures, "A pixel buffer adaptor takes an input for pictures.")
    assetWriterInput = input
    self.sourcePixelBufferAttributes = sourcePixelBufferAttributes
  }

  /// A pool of buffers to fill and append; nil before writing has started, and where there are no attributes.
  public var pixelBufferPool: CVPixelBufferPool? {
    guard let sourcePixelBufferAttributes, !assetWriterInput.isIdle else { return nil }
    return lock.withLock {
      if pool == nil { _ = CVPixelBufferPoolCreate(nil, nil, sourcePixelBufferAttributes, &pool) }
      return pool
    }
  }

  /// Appends a picture that is shown from `presentationTime` until the next one. It must not be changed before it is written: take a new one
  /// from the pool for each picture. False if writing has failed or is over.
  @discardableResult
  public func append(_ pixelBuffer: CVPixelBuffer, withPresentationTime presentationTime: CMTime) -> Bool {
    guard
      let sample = try? CMSampleBuffer(
        imageBuffer: pixelBuffer, formatDescription: try description(of: pixelBuffer),
        sampleTiming: CMSampleTimingInfo(
          duration: .invalid, presentationTimeStamp: presentationTime, decodeTimeStamp: .invalid))
    else { return false }
    return assetWriterInput.append(sample)
  }

  private func description(of image: CVPixelBuffer) throws -> CMVideoFormatDescription {
    try lock.withLock {
      if let format, CMVideoFormatDescriptionMatchesImageBuffer(format, imageBuffer: image) { return format }
      let made = try CMFormatDescription.describing(image)
      format = made
      return made
    }
  }
}

extension CMFormatDescription {
  /// The description of an uncompressed image.
  static func describing(_ image: CVPixelBuffer) throws -> CMFormatDescription {
    var made: CMFormatDescription?
    let status = CMVideoFormatDescriptionCreateForImageBuffer(
      allocator: nil, imageBuffer: image, formatDescriptionOut: &made)
    guard let made else { throw Error(code: status) }
    return made
  }
}

/// Appends groups of metadata items to an input for timed metadata.
public final class AVAssetWriterInputMetadataAdaptor: NSObject, Sendable {
  public let assetWriterInput: AVAssetWriterInput

  /// `input` must be for metadata, with nil settings and a format hint that has keys for the items to come.
  public init(assetWriterInput input: AVAssetWriterInput) {
    precondition(
      input.mediaType == .metadata && input.outputSettings == nil && input.sourceFormatHint?.mediaSubType == .mebx,
      "A metadata adaptor takes an input for metadata, with nil settings and the format of boxed metadata as its hint.")
    assetWriterInput = input
  }

  /// Appends a group as one sample. Items without a key in the input's format hint end writing with an error that names them; a group without
  /// items says that there is no metadata. False if writing has failed or is over.
  @discardableResult
  public func append(_ timedMetadataGroup: AVTimedMetadataGroup) -> Bool {
    do { return assetWriterInput.append(try sample(of: timedMetadataGroup)) } catch {
      assetWriterInput.fail(AVError(wrapping: error))
      return false
    }
  }

  private func sample(of group: AVTimedMetadataGroup) throws -> CMSampleBuffer {
    let format = assetWriterInput.sourceFormatHint
    let keys = format?.metadataKeys ?? []
    var sample = MetadataSample()
    for item in group.items { sample.items.append(try Self.stored(item, keys)) }
    if sample.items.isEmpty { sample = .empty }
    let data = MetadataSampleCodec.data(of: sample)
    let timing = CMSampleTimingInfo(
      duration: group.timeRange.duration, presentationTimeStamp: group.timeRange.start, decodeTimeStamp: .invalid)
    return try CMSampleBuffer(
      dataBuffer: try CMBlockBuffer(copying: data), formatDescription: format, numSamples: 1, sampleTimings: [timing],
      sampleSizes: [data.count])
  }

  private static func stored(_ item: AVMetadataItem, _ keys: [MetadataKey]) throws -> MetadataSampleItem {
    let name = item.identifier?.rawValue ?? "without identifier"
    let candidates = keys.filter { $0.identifier == item.identifier?.rawValue }
    guard let key = candidates.first(where: { $0.dataTypeName == item.dataType }) ?? candidates.first else {
      throw AVError(.unsupportedOutputSettings, "The format hint of the input has no key for the item \(name); add it.")
    }
    let type = key.dataTypeNamespace == 0 ? key.dataType.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } : MetadataValue.raw
    guard let payload = item.content.storedBytes ?? item.value.flatMap({ MetadataValue.encode($0, type: type) }) else {
      throw AVError(
        .unsupportedOutputSettings,
        "The item \(name) has no value that the data type \(key.dataTypeName ?? "of its key") can hold.")
    }
    return MetadataSampleItem(localID: key.localID, payload: payload)
  }
}
