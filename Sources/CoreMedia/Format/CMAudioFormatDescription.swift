public import CoreVideo
internal import Foundation

/// What an audio format description holds beside its extensions; the memory that its C functions point into lives as
/// long as it.
final class AudioFormat: Equatable, Sendable {
  let streamDescription: AudioStreamBasicDescription
  let channelLayout: ManagedAudioChannelLayout?
  let magicCookie: Data?
  // Never written after the start.
  nonisolated(unsafe) let streamDescriptionMemory: UnsafePointer<AudioStreamBasicDescription>
  nonisolated(unsafe) let layoutMemory: UnsafeRawBufferPointer
  nonisolated(unsafe) let cookieMemory: UnsafeRawBufferPointer

  init(streamDescription: AudioStreamBasicDescription, channelLayout: ManagedAudioChannelLayout?, magicCookie: Data?) {
    self.streamDescription = streamDescription
    self.channelLayout = channelLayout
    self.magicCookie = magicCookie
    let memory = UnsafeMutablePointer<AudioStreamBasicDescription>.allocate(capacity: 1)
    memory.initialize(to: streamDescription)
    streamDescriptionMemory = UnsafePointer(memory)
    layoutMemory = Self.copy(channelLayout?.data ?? Data())
    cookieMemory = Self.copy(magicCookie ?? Data())
  }

  deinit {
    streamDescriptionMemory.deallocate()
    layoutMemory.deallocate()
    cookieMemory.deallocate()
  }

  private static func copy(_ data: Data) -> UnsafeRawBufferPointer {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: data.count, alignment: 16)
    data.copyBytes(to: memory)
    return UnsafeRawBufferPointer(memory)
  }

  static func == (lhs: AudioFormat, rhs: AudioFormat) -> Bool {
    lhs.streamDescription == rhs.streamDescription && lhs.channelLayout == rhs.channelLayout
      && lhs.magicCookie == rhs.magicCookie
  }
}

/// Makes a description of audio. `layout` and `magicCookie` are copied. -12710 where a size and its pointer do not go
/// together or the layout is cut short.
@discardableResult
public func CMAudioFormatDescriptionCreate(
  allocator: CFAllocator?, asbd: UnsafePointer<AudioStreamBasicDescription>, layoutSize: Int,
  layout: UnsafePointer<AudioChannelLayout>?, magicCookieSize: Int, magicCookie: UnsafeRawPointer?,
  extensions: CFDictionary?,
  formatDescriptionOut: UnsafeMutablePointer<CMAudioFormatDescription?>
) -> OSStatus {
  guard layoutSize >= 0, magicCookieSize >= 0, layoutSize == 0 || layout != nil,
    magicCookieSize == 0 || magicCookie != nil
  else {
    return kCMFormatDescriptionError_InvalidParameter
  }
  var managedLayout: ManagedAudioChannelLayout?
  if let layout, layoutSize > 0 {
    managedLayout = ManagedAudioChannelLayout(bytes: UnsafeRawBufferPointer(start: layout, count: layoutSize))
    guard managedLayout != nil else { return kCMFormatDescriptionError_InvalidParameter }
  }
  let cookie = magicCookie.flatMap { magicCookieSize > 0 ? Data(bytes: $0, count: magicCookieSize) : nil }
  let format = AudioFormat(streamDescription: asbd.pointee, channelLayout: managedLayout, magicCookie: cookie)
  formatDescriptionOut.pointee = CMFormatDescription(
    type: kCMMediaType_Audio, subType: asbd.pointee.mFormatID, extensions: extensions, detail: .audio(format))
  return noErr
}

/// The stream description; it stays valid as long as the format description. Nil for what is no audio.
public func CMAudioFormatDescriptionGetStreamBasicDescription(
  _ desc: CMAudioFormatDescription
) -> UnsafePointer<AudioStreamBasicDescription>? {
  desc.audioFormat?.streamDescriptionMemory
}

/// The magic cookie and its size in bytes; it stays valid as long as the format description. Nil where there is none.
public func CMAudioFormatDescriptionGetMagicCookie(
  _ desc: CMAudioFormatDescription, sizeOut: UnsafeMutablePointer<Int>?
) -> UnsafeRawPointer? {
  sizeOut?.pointee = desc.audioFormat?.cookieMemory.count ?? 0
  return desc.magicCookie == nil ? nil : desc.audioFormat?.cookieMemory.baseAddress
}

/// The channel layout and its size in bytes; it stays valid as long as the format description. Nil where there is none.
public func CMAudioFormatDescriptionGetChannelLayout(
  _ desc: CMAudioFormatDescription, sizeOut: UnsafeMutablePointer<Int>?
) -> UnsafePointer<AudioChannelLayout>? {
  sizeOut?.pointee = desc.audioFormat?.layoutMemory.count ?? 0
  guard let audio = desc.audioFormat, audio.channelLayout != nil else { return nil }
  return audio.layoutMemory.baseAddress?.assumingMemoryBound(to: AudioChannelLayout.self)
}

/// Which parts of two audio format descriptions are compared, or were equal.
public struct CMAudioFormatDescriptionMask: OptionSet, Hashable, Sendable {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }
  public static let streamBasicDescription = CMAudioFormatDescriptionMask(rawValue: 1 << 0)
  public static let magicCookie = CMAudioFormatDescriptionMask(rawValue: 1 << 1)
  public static let channelLayout = CMAudioFormatDescriptionMask(rawValue: 1 << 2)
  public static let extensions = CMAudioFormatDescriptionMask(rawValue: 1 << 3)
  public static let all: CMAudioFormatDescriptionMask = [
    .streamBasicDescription, .magicCookie, .channelLayout, .extensions,
  ]
}

/// Whether the asked parts are equal; `equalityMaskOut` says which of them are.
public func CMAudioFormatDescriptionEqual(
  _ formatDescription: CMAudioFormatDescription, otherFormatDescription: CMAudioFormatDescription,
  equalityMask: CMAudioFormatDescriptionMask, equalityMaskOut: UnsafeMutablePointer<CMAudioFormatDescriptionMask>?
) -> Bool {
  let (a, b) = (formatDescription, otherFormatDescription)
  var equal: CMAudioFormatDescriptionMask = []
  if a.audioStreamBasicDescription == b.audioStreamBasicDescription { equal.insert(.streamBasicDescription) }
  if a.magicCookie == b.magicCookie { equal.insert(.magicCookie) }
  if a.audioChannelLayout == b.audioChannelLayout { equal.insert(.channelLayout) }
  if a.extensions == b.extensions { equal.insert(.extensions) }
  equal.formIntersection(equalityMask)
  equalityMaskOut?.pointee = equal
  return equal == equalityMask
}

extension CMFormatDescription {
  public convenience init(
    audioStreamBasicDescription: AudioStreamBasicDescription, layout: ManagedAudioChannelLayout? = nil,
    magicCookie: Data? = nil,
    extensions: Extensions? = nil
  ) throws {
    let format = AudioFormat(
      streamDescription: audioStreamBasicDescription, channelLayout: layout, magicCookie: magicCookie)
    self.init(
      type: kCMMediaType_Audio, subType: audioStreamBasicDescription.mFormatID, extensions: extensions?.dictionary,
      detail: .audio(format))
  }

  var audioFormat: AudioFormat? {
    if case .audio(let format) = detail { format } else { nil }
  }

  /// How the sound is stored; nil for what is no audio.
  public var audioStreamBasicDescription: AudioStreamBasicDescription? { audioFormat?.streamDescription }
  public var audioChannelLayout: ManagedAudioChannelLayout? { audioFormat?.channelLayout }
  /// The codec's own configuration, such as the `esds` of AAC.
  public var magicCookie: Data? { audioFormat?.magicCookie }

  public func withMagicCookie<R>(_ body: (UnsafeRawBufferPointer?) throws -> R) rethrows -> R {
    try withExtendedLifetime(self) { try body(magicCookie == nil ? nil : audioFormat?.cookieMemory) }
  }
}
