import Foundation

public struct MTLResourceOptions: OptionSet, Sendable {
  public let rawValue: UInt
  public init(rawValue: UInt) { self.rawValue = rawValue }

  public static let storageModeShared: MTLResourceOptions = []
  public static let cpuCacheModeWriteCombined = MTLResourceOptions(rawValue: 1)
  public static let storageModePrivate = MTLResourceOptions(rawValue: 2 << 4)
}

public enum MTLStorageMode: UInt, Sendable {
  case shared = 0
  case managed = 1
  case `private` = 2
  case memoryless = 3
}

/// Memory that commands work on.
public protocol MTLResource: AnyObject, Sendable {
  var device: any MTLDevice { get }
  var label: String? { get set }
  var storageMode: MTLStorageMode { get }
}

/// Plain bytes.
public protocol MTLBuffer: MTLResource {
  /// In bytes.
  var length: Int { get }
  /// The bytes, valid as long as the buffer.
  func contents() -> UnsafeMutableRawPointer
}

/// A value that any thread may read and set.
final class Guarded<Value>: @unchecked Sendable {
  private let lock = NSLock()
  private var value: Value

  init(_ value: Value) { self.value = value }

  func withLock<R>(_ body: (inout Value) throws -> R) rethrows -> R {
    lock.lock()
    defer { lock.unlock() }
    return try body(&value)
  }
}

final class CPUBuffer: MTLBuffer, @unchecked Sendable {
  /// No buffer is longer: 8 GiB.
  static let maximumLength = 1 << 33

  let device: any MTLDevice
  let length: Int
  let storageMode = MTLStorageMode.shared
  private let bytes: UnsafeMutableRawPointer
  private let name = Guarded<String?>(nil)

  init?(device: any MTLDevice, length: Int) {
    guard 1...Self.maximumLength ~= length, let bytes = calloc(1, length) else { return nil }
    (self.device, self.length, self.bytes) = (device, length, bytes)
  }

  deinit { free(bytes) }

  var label: String? {
    get { name.withLock { $0 } }
    set { name.withLock { $0 = newValue } }
  }

  func contents() -> UnsafeMutableRawPointer { bytes }
}
