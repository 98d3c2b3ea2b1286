public import CoreVideo
internal import Foundation

public typealias CMAttachmentMode = UInt32
/// The attachment stays where it is.
public let kCMAttachmentMode_ShouldNotPropagate: CMAttachmentMode = 0
/// The attachment goes along to what is made of its bearer.
public let kCMAttachmentMode_ShouldPropagate: CMAttachmentMode = 1

/// What can carry attachments: sample buffers, block buffers and image buffers.
public protocol CMAttachmentBearerProtocol: AnyObject {}
public typealias CMAttachmentBearer = any CMAttachmentBearerProtocol

extension CMSampleBuffer: CMAttachmentBearerProtocol {}
extension CMBlockBuffer: CMAttachmentBearerProtocol {}
extension CVBuffer: CMAttachmentBearerProtocol {}

/// Keyed values with their modes.
final class AttachmentStore: @unchecked Sendable {
  // Unchecked: guarded by the lock.
  private let guardian = NSLock()
  private var values: [String: (value: Any, mode: CMAttachmentMode)] = [:]

  func get(_ key: String) -> (value: Any, mode: CMAttachmentMode)? { guardian.withLock { values[key] } }
  func set(_ key: String, _ value: Any?, _ mode: CMAttachmentMode) {
    guardian.withLock { values[key] = value.map { ($0, mode) } }
  }
  func removeAll() { guardian.withLock { values.removeAll() } }
  func all(_ mode: CMAttachmentMode) -> [String: Any] {
    guardian.withLock { values.filter { $0.value.mode == mode }.mapValues(\.value) }
  }
}

/// Where the bearer keeps its attachments; nil for an image buffer, which keeps them itself.
private func store(_ target: CMAttachmentBearer) -> AttachmentStore? {
  switch target {
  case let target as CMSampleBuffer: target.attachmentStore
  case let target as CMBlockBuffer: target.attachmentStore
  default: nil
  }
}

private func imageMode(_ mode: CMAttachmentMode) -> CVAttachmentMode {
  mode == kCMAttachmentMode_ShouldPropagate ? .shouldPropagate : .shouldNotPropagate
}

/// Attaches a value, in place of one that is there; nil takes it away.
public func CMSetAttachment(
  _ target: CMAttachmentBearer, key: CFString, value: CFTypeRef?, attachmentMode: CMAttachmentMode
) {
  guard let value else { return CMRemoveAttachment(target, key: key) }
  if let image = target as? CVBuffer {
    CVBufferSetAttachment(image, key, value, imageMode(attachmentMode))
  } else {
    store(target)?.set(key, value, attachmentMode)
  }
}

/// The value attached under the key, and its mode.
public func CMGetAttachment(
  _ target: CMAttachmentBearer, key: CFString, attachmentModeOut: UnsafeMutablePointer<CMAttachmentMode>?
) -> CFTypeRef? {
  if let image = target as? CVBuffer {
    var mode = CVAttachmentMode.shouldNotPropagate
    let value = CVBufferCopyAttachment(image, key, &mode)
    attachmentModeOut?.pointee = mode.rawValue
    return value
  }
  guard let attachment = store(target)?.get(key) else { return nil }
  attachmentModeOut?.pointee = attachment.mode
  return attachment.value
}

public func CMRemoveAttachment(_ target: CMAttachmentBearer, key: CFString) {
  if let image = target as? CVBuffer { CVBufferRemoveAttachment(image, key) }
  store(target)?.set(key, nil, kCMAttachmentMode_ShouldNotPropagate)
}

public func CMRemoveAllAttachments(_ target: CMAttachmentBearer) {
  if let image = target as? CVBuffer { CVBufferRemoveAllAttachments(image) }
  store(target)?.removeAll()
}

/// All attachments of the mode; nil where there is none.
public func CMCopyDictionaryOfAttachments(
  allocator: CFAllocator?, target: CMAttachmentBearer, attachmentMode: CMAttachmentMode
) -> CFDictionary? {
  if let image = target as? CVBuffer { return CVBufferCopyAttachments(image, imageMode(attachmentMode)) }
  let all = store(target)?.all(attachmentMode) ?? [:]
  return all.isEmpty ? nil : all
}

/// Attaches all values of the dictionary.
public func CMSetAttachments(
  _ target: CMAttachmentBearer, attachments theAttachments: CFDictionary, attachmentMode: CMAttachmentMode
) {
  for (key, value) in theAttachments { CMSetAttachment(target, key: key, value: value, attachmentMode: attachmentMode) }
}

/// Copies the attachments that propagate.
public func CMPropagateAttachments(_ source: CMAttachmentBearer, destination: CMAttachmentBearer) {
  let mode = kCMAttachmentMode_ShouldPropagate
  guard let attachments = CMCopyDictionaryOfAttachments(allocator: nil, target: source, attachmentMode: mode) else {
    return
  }
  CMSetAttachments(destination, attachments: attachments, attachmentMode: mode)
}

// MARK: - Swift

/// The attachments of a bearer: `buffer.attachments[.reverse] = .shouldPropagate(true)`.
public struct CMAttachmentBearerAttachments {
  let bearer: CMAttachmentBearer

  public enum Mode: Sendable {
    case shouldPropagate
    case shouldNotPropagate

    var rawValue: CMAttachmentMode {
      self == .shouldPropagate ? kCMAttachmentMode_ShouldPropagate : kCMAttachmentMode_ShouldNotPropagate
    }
  }

  public enum Value {
    case shouldPropagate(Any)
    case shouldNotPropagate(Any)

    public var value: Any {
      switch self {
      case .shouldPropagate(let value), .shouldNotPropagate(let value): value
      }
    }

    public var mode: Mode {
      if case .shouldPropagate = self { .shouldPropagate } else { .shouldNotPropagate }
    }
  }

  public subscript(key: CFString) -> Value? {
    get {
      var mode = kCMAttachmentMode_ShouldNotPropagate
      guard let value = CMGetAttachment(bearer, key: key, attachmentModeOut: &mode) else { return nil }
      return mode == kCMAttachmentMode_ShouldPropagate ? .shouldPropagate(value) : .shouldNotPropagate(value)
    }
    nonmutating set {
      CMSetAttachment(
        bearer, key: key, value: newValue?.value, attachmentMode: (newValue?.mode ?? .shouldNotPropagate).rawValue)
    }
  }

  public subscript(key: CMSampleBuffer.AttachmentKey) -> Value? {
    get { self[key.rawValue] }
    nonmutating set { self[key.rawValue] = newValue }
  }

  public var propagated: [String: Any] { all(.shouldPropagate) }
  public var nonPropagated: [String: Any] { all(.shouldNotPropagate) }

  private func all(_ mode: Mode) -> [String: Any] {
    CMCopyDictionaryOfAttachments(allocator: nil, target: bearer, attachmentMode: mode.rawValue) ?? [:]
  }

  public func merge(_ attachments: [String: Any], mode: Mode) {
    CMSetAttachments(bearer, attachments: attachments, attachmentMode: mode.rawValue)
  }

  public func removeAll() { CMRemoveAllAttachments(bearer) }
}

extension CMAttachmentBearerProtocol {
  public var attachments: CMAttachmentBearerAttachments { CMAttachmentBearerAttachments(bearer: self) }

  public func propagateAttachments(to destination: CMAttachmentBearer) {
    CMPropagateAttachments(self, destination: destination)
  }
}
