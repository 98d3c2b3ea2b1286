public import CoreVideo

extension CMSampleBuffer {
  /// A buffer of data that is there (or of none, a marker). Arrays of one element stand for all samples.
  public convenience init(
    dataBuffer: CMBlockBuffer?, formatDescription: CMFormatDescription?, numSamples: CMItemCount,
    sampleTimings: [CMSampleTimingInfo], sampleSizes: [Int]
  ) throws {
    try self.init(
      Parts(
        dataBuffer: dataBuffer, format: formatDescription, count: numSamples, timings: sampleTimings, sizes: sampleSizes
      ).checked())
  }

  /// A buffer whose data may come later, by `makeDataReadyHandler`.
  public convenience init(
    dataBuffer: CMBlockBuffer?, dataReady: Bool, formatDescription: CMFormatDescription?, numSamples: CMItemCount,
    sampleTimings: [CMSampleTimingInfo], sampleSizes: [Int],
    makeDataReadyHandler: @escaping (CMSampleBuffer) throws -> Void
  ) throws {
    try self.init(
      Parts(
        dataBuffer: dataBuffer, isReady: dataReady, makeReady: makeDataReadyHandler, format: formatDescription,
        count: numSamples,
        timings: sampleTimings, sizes: sampleSizes
      ).checked())
  }

  /// A buffer of one image. Throws `invalidMediaFormat` where the format description does not describe it.
  public convenience init(
    imageBuffer: CVImageBuffer, formatDescription: CMFormatDescription, sampleTiming: CMSampleTimingInfo
  ) throws {
    try self.init(Self.imageParts(imageBuffer, true, nil, formatDescription, sampleTiming))
  }

  /// A buffer of one image that may be filled later, by `makeDataReadyHandler`.
  public convenience init(
    imageBuffer: CVImageBuffer, dataReady: Bool, formatDescription: CMFormatDescription,
    sampleTiming: CMSampleTimingInfo,
    makeDataReadyHandler: @escaping (CMSampleBuffer) throws -> Void
  ) throws {
    try self.init(Self.imageParts(imageBuffer, dataReady, makeDataReadyHandler, formatDescription, sampleTiming))
  }
}
