internal import CoreVideo
internal import Foundation

public typealias CMAttachmentMode = UInt32
public let kCMAttachmentMode_ShouldNotPropagate: CMAttachmentMode = 0
public let kCMAttachmentMode_ShouldPropagate: CMAttachmentMode = 1

/// What can carry attachments: sample buffers, block buffers and image buffers.
public protocol CMAttachmentBearerProtocol: AnyObject {}
public typealias CMAttachmentBearer = any CMAttachmentBearerProtocol

extension CMSampleBuffer: CMAttachmentBearerProtocol {}
extension CMBlockBuffer: CMAttachmentBearerProtocol {}

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
