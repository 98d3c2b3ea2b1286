internal import Codecs
internal import CoreMedia
internal import CoreVideo
internal import Foundation

// The properties of a decompression session. What is not in the table is not supported; a change that the decoder has to know of takes effect
// with the next frame that decoding can start at, for which a decoder is made anew.

extension DecompressionEngine {
  private static let all: [String: VTProperty] = [
    kVTDecompressionPropertyKey_PixelBufferPool: VTProperty(kind: .other, isReadOnly: true),
    kVTDecompressionPropertyKey_PixelBufferPoolIsShared: VTProperty(kind: .boolean, isReadOnly: true),
    kVTDecompressionPropertyKey_OutputPoolRequestedMinimumBufferCount: VTProperty(
      kind: .number(0...Double(ImageBufferAttributes.mostBuffers))),
    kVTDecompressionPropertyKey_NumberOfFramesBeingDecoded: VTProperty(kind: .number(nil), isReadOnly: true),
    kVTDecompressionPropertyKey_MinOutputPresentationTimeStampOfFramesBeingDecoded: VTProperty(
      kind: .other, isReadOnly: true),
    kVTDecompressionPropertyKey_MaxOutputPresentationTimeStampOfFramesBeingDecoded: VTProperty(
      kind: .other, isReadOnly: true),
    kVTDecompressionPropertyKey_ContentHasInterframeDependencies: VTProperty(kind: .boolean, isReadOnly: true),
    kVTDecompressionPropertyKey_UsingHardwareAcceleratedVideoDecoder: VTProperty(kind: .boolean, isReadOnly: true),
    kVTDecompressionPropertyKey_RealTime: VTProperty(kind: .boolean),
    kVTDecompressionPropertyKey_ThreadCount: VTProperty(kind: .number(0...Double(SessionSettings.mostThreads))),
    kVTDecompressionPropertyKey_SupportedPixelFormatsOrderedByQuality: VTProperty(kind: .other, isReadOnly: true),
    kVTDecompressionPropertyKey_SupportedPixelFormatsOrderedByPerformance: VTProperty(kind: .other, isReadOnly: true),
    kVTDecompressionPropertyKey_PixelTransferProperties: VTProperty(kind: .other),
    kVTDecompressionPropertyKey_FieldMode: VTProperty(
      kind: .enumeration(SessionSettings.Fields.allCases.map(\.rawValue))),
    kVTDecompressionPropertyKey_DeinterlaceMode: VTProperty(
      kind: .enumeration([kVTDecompressionProperty_DeinterlaceMode_VerticalFilter])),
    kVTDecompressionPropertyKey_OnlyTheseFrames: VTProperty(
      kind: .enumeration(SessionSettings.Frames.allCases.map(\.rawValue))),
  ]

  private static let ofIntra: [String: VTProperty] = [
    kVTDecompressionPropertyKey_ReducedFrameDelivery: VTProperty(kind: .number(0...1))
  ]

  private static let ofProRes: [String: VTProperty] = [
    kVTDecompressionPropertyKey_ReducedResolutionDecode: VTProperty(kind: .other),
    kVTDecompressionPropertyKey_DamageConcealment: VTProperty(
      kind: .enumeration([
        kVTDecompressionProperty_DamageConcealment_Grey, kVTDecompressionProperty_DamageConcealment_PreviousPicture,
      ])),
  ]

  var properties: [String: VTProperty] {
    var all = Self.all
    if traits.isIntra { all.merge(Self.ofIntra) { $1 } }
    if traits.isProRes { all.merge(Self.ofProRes) { $1 } }
    // No device decodes a part of the size.
    if traits.isDeviceRequired { all[kVTDecompressionPropertyKey_ReducedResolutionDecode] = nil }
    return all
  }
}

// MARK: - Reading

extension DecompressionEngine {
  func value(of key: String) -> Any? {
    switch key {
    case kVTDecompressionPropertyKey_PixelBufferPool: pool()
    case kVTDecompressionPropertyKey_PixelBufferPoolIsShared: isShared && withState { $0.settings.fields } == .both
    case kVTDecompressionPropertyKey_NumberOfFramesBeingDecoded: withState { $0.waiting.count }
    case kVTDecompressionPropertyKey_MinOutputPresentationTimeStampOfFramesBeingDecoded: time { $0.min() }
    case kVTDecompressionPropertyKey_MaxOutputPresentationTimeStampOfFramesBeingDecoded: time { $0.max() }
    case kVTDecompressionPropertyKey_ContentHasInterframeDependencies: !traits.isIntra
    case kVTDecompressionPropertyKey_UsingHardwareAcceleratedVideoDecoder: isHardware
    case kVTDecompressionPropertyKey_SupportedPixelFormatsOrderedByQuality: formats.byQuality.map { Int($0) }
    case kVTDecompressionPropertyKey_SupportedPixelFormatsOrderedByPerformance: formats.byPerformance.map { Int($0) }
    default: withState { $0.settings.value(of: key) }
    }
  }

  private func time(_ choice: ([CMTime]) -> CMTime?) -> CFDictionary? {
    let times = withState { Array($0.waiting.values) }.filter(\.isNumeric)
    return CMTimeCopyAsDictionary(choice(times) ?? .invalid, allocator: nil)
  }

  private var formats: OrderedFormats {
    OrderedFormats(native: traits.nativeFormat, isProRes: traits.isProRes)
  }
}

extension SessionSettings {
  fileprivate func value(of key: String) -> Any? {
    switch key {
    case kVTDecompressionPropertyKey_OutputPoolRequestedMinimumBufferCount: minimumCount
    case kVTDecompressionPropertyKey_RealTime: isRealTime
    case kVTDecompressionPropertyKey_ThreadCount: threads
    case kVTDecompressionPropertyKey_PixelTransferProperties: transfer.dictionary
    case kVTDecompressionPropertyKey_FieldMode: fields.rawValue
    case kVTDecompressionPropertyKey_DeinterlaceMode: kVTDecompressionProperty_DeinterlaceMode_VerticalFilter
    case kVTDecompressionPropertyKey_OnlyTheseFrames: frames.rawValue
    case kVTDecompressionPropertyKey_ReducedFrameDelivery: delivery
    case kVTDecompressionPropertyKey_ReducedResolutionDecode:
      reducedSize.map {
        [
          kVTDecompressionResolutionKey_Width: Int($0.width), kVTDecompressionResolutionKey_Height: Int($0.height),
        ] as [String: Any]
      }
    case kVTDecompressionPropertyKey_DamageConcealment:
      concealsWithPrevious
        ? kVTDecompressionProperty_DamageConcealment_PreviousPicture : kVTDecompressionProperty_DamageConcealment_Grey
    default: nil
    }
  }
}

// MARK: - Writing

extension DecompressionEngine {
  func set(_ key: String, _ value: Any?) -> OSStatus {
    withState { state in
      let before = state.settings.minimumCount
      let status = state.settings.set(key, value, standardCount: attributes.minimumCount)
      let after = state.settings.minimumCount
      if before != after { renewPools(minimumCount: after) }
      return status
    }
  }
}

extension SessionSettings {
  /// Nil goes back to the standard.
  fileprivate mutating func set(_ key: String, _ value: Any?, standardCount: Int) -> OSStatus {
    var changed = self
    guard changed.take(key, value, standardCount) else { return kVTParameterErr }
    let asksForDecoder =
      changed.threads != threads || changed.reducedSize != reducedSize
      || changed.concealsWithPrevious != concealsWithPrevious
    if asksForDecoder { changed.generation += 1 }
    self = changed
    return noErr
  }

  /// False for a value that the property cannot have.
  private mutating func take(_ key: String, _ value: Any?, _ standardCount: Int) -> Bool {
    switch key {
    case kVTDecompressionPropertyKey_OutputPoolRequestedMinimumBufferCount:
      take(\.minimumCount, value, standardCount) { Self.count($0, ImageBufferAttributes.mostBuffers) }
    case kVTDecompressionPropertyKey_RealTime: take(\.isRealTime, value, true, boolean)
    case kVTDecompressionPropertyKey_ThreadCount:
      take(\.threads, value, 0) { Self.count($0, SessionSettings.mostThreads) }
    case kVTDecompressionPropertyKey_FieldMode: take(\.fields, value, .both) { ($0 as? String).flatMap(Fields.init) }
    case kVTDecompressionPropertyKey_OnlyTheseFrames:
      take(\.frames, value, .all) { ($0 as? String).flatMap(Frames.init) }
    case kVTDecompressionPropertyKey_DeinterlaceMode:
      value == nil || value as? String == kVTDecompressionProperty_DeinterlaceMode_VerticalFilter
    case kVTDecompressionPropertyKey_ReducedFrameDelivery:
      take(\.delivery, value, nil, Self.share)
    case kVTDecompressionPropertyKey_ReducedResolutionDecode: take(\.reducedSize, value, nil, Self.size)
    case kVTDecompressionPropertyKey_PixelTransferProperties: takeTransfer(value)
    case kVTDecompressionPropertyKey_DamageConcealment: take(\.concealsWithPrevious, value, false, Self.conceals)
    default: false
    }
  }

  private mutating func take<Value>(
    _ path: WritableKeyPath<SessionSettings, Value>, _ value: Any?, _ standard: Value, _ read: (Any?) -> Value?
  ) -> Bool {
    guard let value else {
      self[keyPath: path] = standard
      return true
    }
    guard let read = read(value) else { return false }
    self[keyPath: path] = read
    return true
  }

  private static func count(_ value: Any?, _ most: Int) -> Int? { integer(value).flatMap { 0...most ~= $0 ? $0 : nil } }

  private static func share(_ value: Any?) -> Double?? {
    guard let share = number(value), 0...1 ~= share else { return nil }
    return share
  }

  private static func size(_ value: Any?) -> CMVideoDimensions?? {
    guard let dictionary = value as? [String: Any],
      let width = integer(dictionary[kVTDecompressionResolutionKey_Width]), 1...65535 ~= width,
      let height = integer(dictionary[kVTDecompressionResolutionKey_Height]), 1...65535 ~= height
    else { return nil }
    return CMVideoDimensions(width: Int32(width), height: Int32(height))
  }

  private static func conceals(_ value: Any?) -> Bool? {
    switch value as? String {
    case kVTDecompressionProperty_DamageConcealment_Grey: false
    case kVTDecompressionProperty_DamageConcealment_PreviousPicture: true
    default: nil
    }
  }

  private mutating func takeTransfer(_ value: Any?) -> Bool {
    guard let value else {
      transfer = TransferSettings()
      return true
    }
    guard let dictionary = value as? [String: Any] else { return false }
    var changed = transfer
    guard dictionary.allSatisfy({ changed.set($0.key, $0.value) == noErr }) else { return false }
    transfer = changed
    return true
  }
}
