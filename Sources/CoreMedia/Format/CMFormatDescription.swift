public import CoreVideo
public import Foundation

public typealias CMMediaType = FourCharCode
public typealias CMVideoFormatDescription = CMFormatDescription
public typealias CMAudioFormatDescription = CMFormatDescription
public typealias CMMetadataFormatDescription = CMFormatDescription
public typealias CMTextFormatDescription = CMFormatDescription
public typealias CMTimeCodeFormatDescription = CMFormatDescription
public typealias CMMuxedFormatDescription = CMFormatDescription
public typealias CMClosedCaptionFormatDescription = CMFormatDescription

/// What media data is: its media type, its codec or sub type, what that type needs to be read, and a dictionary of
/// extensions.
///
/// Immutable. The extensions are copied deeply when it is made, and read back in one form for each kind of value:
/// `Bool`, `Int`, `Double`, `String`, `Data`, `[Any]`, `[String: Any]`.
public final class CMFormatDescription: @unchecked Sendable {
  // Unchecked: `[String: Any]` holds only copies that nothing changes.
  let type: CMMediaType
  let subType: FourCharCode
  let extensionDictionary: [String: Any]
  let detail: Detail
  /// Those of the `avcC` or `hvcC` among the extensions.
  let parameterSetStorage: ParameterSets?

  /// What a media type has beside its extensions.
  enum Detail {
    case none
    case video(CMVideoDimensions)
    case audio(AudioFormat)
    case timeCode(TimeCodeFormat)
  }

  init(type: CMMediaType, subType: FourCharCode, extensions: [String: Any]?, detail: Detail = .none) {
    self.type = type
    self.subType = subType
    self.extensionDictionary = (extensions ?? [:]).mapValues(canonicalProperty)
    self.detail = detail
    self.parameterSetStorage = ParameterSets(extensions: extensionDictionary)
  }
}

// MARK: - Errors

public let kCMFormatDescriptionError_InvalidParameter: OSStatus = -12710
public let kCMFormatDescriptionError_AllocationFailed: OSStatus = -12711
public let kCMFormatDescriptionError_ValueNotAvailable: OSStatus = -12718

extension CMFormatDescription {
  /// Why a format description was not made or holds no such value.
  public struct Error: Swift.Error, CustomNSError, Hashable, Sendable {
    public let code: OSStatus
    public init(code: OSStatus) { self.code = code }

    public static let invalidParameter = Error(code: kCMFormatDescriptionError_InvalidParameter)
    public static let allocationFailed = Error(code: kCMFormatDescriptionError_AllocationFailed)
    public static let valueNotAvailable = Error(code: kCMFormatDescriptionError_ValueNotAvailable)

    public static var errorDomain: String { "CMFormatDescription.Error" }
    public var errorCode: Int { Int(code) }
  }
}

// MARK: - Equality

extension CMFormatDescription: Hashable {
  /// Equal in type, sub type, dimensions or audio format, and all extensions.
  public static func == (lhs: CMFormatDescription, rhs: CMFormatDescription) -> Bool {
    lhs === rhs || lhs.isEqual(to: rhs, ignoring: [], atoms: [])
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(type)
    hasher.combine(subType)
    hasher.combine(extensionDictionary.count)
  }

  func isEqual(to other: CMFormatDescription, ignoring keys: Set<String>, atoms: Set<String>) -> Bool {
    guard type == other.type, subType == other.subType, detail == other.detail else { return false }
    return propertiesAreEqual(comparable(ignoring: keys, atoms), other.comparable(ignoring: keys, atoms))
  }

  private func comparable(ignoring keys: Set<String>, _ atoms: Set<String>) -> [String: Any] {
    var extensions = extensionDictionary.filter { !keys.contains($0.key) }
    if !atoms.isEmpty,
      let all = extensions[kCMFormatDescriptionExtension_SampleDescriptionExtensionAtoms] as? [String: Any]
    {
      let rest = all.filter { !atoms.contains($0.key) }
      extensions[kCMFormatDescriptionExtension_SampleDescriptionExtensionAtoms] = rest.isEmpty ? nil : rest
    }
    return extensions
  }
}

extension CMFormatDescription.Detail: Equatable {}

extension CMFormatDescription: CustomStringConvertible {
  public var description: String {
    var text = "\(fourCharacterString(type))/\(fourCharacterString(subType))"
    if case .video(let size) = detail { text += " \(size.width)x\(size.height)" }
    if case .audio(let audio) = detail {
      text += " \(audio.streamDescription.mSampleRate) Hz, \(audio.streamDescription.mChannelsPerFrame) channels"
    }
    return text
  }
}

// MARK: - The C interface

/// Makes a format description of any media type. -12710 for a zero media type.
@discardableResult
public func CMFormatDescriptionCreate(
  allocator: CFAllocator?, mediaType: CMMediaType, mediaSubType: FourCharCode, extensions: CFDictionary?,
  formatDescriptionOut: UnsafeMutablePointer<CMFormatDescription?>
) -> OSStatus {
  guard mediaType != 0 else { return kCMFormatDescriptionError_InvalidParameter }
  formatDescriptionOut.pointee = CMFormatDescription(type: mediaType, subType: mediaSubType, extensions: extensions)
  return noErr
}

public func CMFormatDescriptionGetTypeID() -> CFTypeID {
  CFTypeID(bitPattern: ObjectIdentifier(CMFormatDescription.self).hashValue)
}
public func CMFormatDescriptionGetMediaType(_ desc: CMFormatDescription) -> CMMediaType { desc.type }
public func CMFormatDescriptionGetMediaSubType(_ desc: CMFormatDescription) -> FourCharCode { desc.subType }

/// All extensions; nil where there is none.
public func CMFormatDescriptionGetExtensions(_ desc: CMFormatDescription) -> CFDictionary? {
  desc.extensionDictionary.isEmpty ? nil : desc.extensionDictionary
}

public func CMFormatDescriptionGetExtension(_ desc: CMFormatDescription, extensionKey: CFString) -> CFPropertyList? {
  desc.extensionDictionary[extensionKey]
}

public func CMFormatDescriptionEqual(
  _ formatDescription: CMFormatDescription?, otherFormatDescription: CMFormatDescription?
) -> Bool {
  formatDescription == otherFormatDescription
}

/// Equality that leaves out some extensions, and some of the sample description's atoms.
public func CMFormatDescriptionEqualIgnoringExtensionKeys(
  _ formatDescription: CMFormatDescription?, otherFormatDescription: CMFormatDescription?,
  extensionKeysToIgnore: CFTypeRef?,
  sampleDescriptionExtensionAtomKeysToIgnore: CFTypeRef?
) -> Bool {
  guard let a = formatDescription, let b = otherFormatDescription else {
    return formatDescription === otherFormatDescription
  }
  return a.isEqual(
    to: b, ignoring: keys(extensionKeysToIgnore), atoms: keys(sampleDescriptionExtensionAtomKeysToIgnore))
}

private func keys(_ value: CFTypeRef?) -> Set<String> {
  switch value {
  case let value as String: [value]
  case let value as [String]: Set(value)
  case let value as [Any]: Set(value.compactMap { $0 as? String })
  default: []
  }
}
