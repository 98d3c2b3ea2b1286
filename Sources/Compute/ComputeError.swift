public import Foundation

/// Why a device cannot be had, or what went wrong on it.
public enum ComputeError: Error, Hashable, Sendable, LocalizedError {
  /// There is no Vulkan library, or no driver for it.
  case unavailable(reason: String)
  /// No device has that name.
  case noSuchDevice(name: String, known: [String])
  /// The device lacks something that is needed.
  case unsuitable(device: String, lacking: String)
  /// Memory, of the device or of the host for it, cannot be had.
  case outOfMemory(device: String, byteCount: Int)
  /// The device is gone: it was reset, unplugged, or hung on some program's work. All objects on it are useless.
  case deviceLost(device: String)
  /// The device did not finish within the limit.
  case timedOut(device: String, seconds: Int)
  /// A call failed in a way that nothing can be done about.
  case failed(call: String, code: Int)

  public var errorDescription: String? {
    switch self {
    case .unavailable(let reason):
      "There is no Vulkan device: \(reason)"
    case .noSuchDevice(let name, let known):
      "There is no device '\(name)'; there is \(known.map { "'\($0)'" }.joined(separator: ", "))."
    case .unsuitable(let device, let lacking):
      "The device '\(device)' lacks \(lacking); render on another one, or on the CPU."
    case .outOfMemory(let device, let byteCount):
      "The device '\(device)' has no room for \(byteCount) bytes; reduce the picture, or render on the CPU."
    case .deviceLost(let device):
      "The device '\(device)' was lost while it worked; make a new renderer, or render on the CPU."
    case .timedOut(let device, let seconds):
      "The device '\(device)' did not finish within \(seconds) s; render on another one, or on the CPU."
    case .failed(let call, let code):
      "The Vulkan call \(call) failed with code \(code)."
    }
  }
}
