/// Whether `CVBufferPropagateAttachments` takes an attachment along.
public enum CVAttachmentMode: UInt32, Sendable {
  case shouldNotPropagate = 0
  case shouldPropagate = 1
}

public let kCVAttachmentMode_ShouldNotPropagate = CVAttachmentMode.shouldNotPropagate
public let kCVAttachmentMode_ShouldPropagate = CVAttachmentMode.shouldPropagate

public func CVBufferSetAttachment(_ buffer: CVBuffer, _ key: CFString, _ value: CFTypeRef, _ mode: CVAttachmentMode) {
  buffer.withAttachments { $0[key] = CVAttachment(value: value, mode: mode) }
}

public func CVBufferSetAttachments(_ buffer: CVBuffer, _ attachments: CFDictionary, _ mode: CVAttachmentMode) {
  buffer.withAttachments { kept in
    for (key, value) in attachments { kept[key] = CVAttachment(value: value, mode: mode) }
  }
}

/// The value of an attachment, or nil; `mode` gets how it was attached.
public func CVBufferCopyAttachment(
  _ buffer: CVBuffer, _ key: CFString, _ mode: UnsafeMutablePointer<CVAttachmentMode>?
) -> CFTypeRef? {
  buffer.withAttachments { kept in
    guard let attachment = kept[key] else { return nil }
    mode?.pointee = attachment.mode
    return attachment.value
  }
}

/// All attachments of one mode, or nil if there are none.
public func CVBufferCopyAttachments(_ buffer: CVBuffer, _ mode: CVAttachmentMode) -> CFDictionary? {
  buffer.withAttachments { kept in
    let chosen = kept.filter { $0.value.mode == mode }.mapValues(\.value)
    return chosen.isEmpty ? nil : chosen
  }
}

public func CVBufferHasAttachment(_ buffer: CVBuffer, _ key: CFString) -> Bool {
  buffer.withAttachments { $0[key] != nil }
}

public func CVBufferRemoveAttachment(_ buffer: CVBuffer, _ key: CFString) {
  buffer.withAttachments { $0[key] = nil }
}

public func CVBufferRemoveAllAttachments(_ buffer: CVBuffer) {
  buffer.withAttachments { $0.removeAll() }
}

/// Copies the attachments that should propagate from one buffer to another.
public func CVBufferPropagateAttachments(_ source: CVBuffer, _ destination: CVBuffer) {
  guard source !== destination else { return }
  let travelling = source.withAttachments { $0.filter { $0.value.mode == .shouldPropagate } }
  destination.withAttachments { $0.merge(travelling) { _, new in new } }
}
