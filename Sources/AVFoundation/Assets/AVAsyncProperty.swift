internal import Foundation

/// A property of `Root` that can be loaded, its type left open.
public class AVPartialAsyncProperty<Root>: @unchecked Sendable {
  /// The name of the property, for messages.
  package let name: String

  init(name: String) { self.name = name }
}

/// A property of `Root` that is read from the media when asked for: `try await asset.load(.duration)`.
public final class AVAsyncProperty<Root, Value>: AVPartialAsyncProperty<Root>, @unchecked Sendable {
  /// How far loading has come.
  public enum Status {
    case notYetLoaded
    case loading
    case loaded(Value)
    case failed(any Error)
  }

  /// Reads the value, blocking on the file.
  let read: @Sendable (Root) throws -> Value

  init(_ name: String, _ read: @escaping @Sendable (Root) throws -> Value) {
    self.read = read
    super.init(name: name)
  }
}

/// What can be asked for its properties without blocking the caller's thread.
public protocol AVAsynchronousKeyValueLoading: AnyObject, Sendable {
  /// Whether the media behind all properties has been opened already, or why it could not be.
  func loadingState() -> AVLoadingState
}

/// Whether media has been opened.
public enum AVLoadingState: Sendable {
  case notYetLoaded
  case loaded
  case failed(any Error)
}

extension AVAsynchronousKeyValueLoading {
  /// The value of a property, read on another thread. Throws `AVError` where the media cannot be read.
  public func load<Value: Sendable>(_ property: AVAsyncProperty<Self, Value>) async throws -> Value {
    try await offCallersThread { try property.read(self) }
  }

  /// The values of several properties in the order asked for. Throws the first error.
  public func load<A: Sendable, B: Sendable, each Rest: Sendable>(
    _ a: AVAsyncProperty<Self, A>, _ b: AVAsyncProperty<Self, B>, _ rest: repeat AVAsyncProperty<Self, each Rest>
  ) async throws -> (A, B, repeat each Rest) {
    (try await load(a), try await load(b), repeat try await load(each rest))
  }

  /// How far the property has been loaded; never blocks on the file once it is open.
  public func status<Value>(of property: AVAsyncProperty<Self, Value>) -> AVAsyncProperty<Self, Value>.Status {
    switch loadingState() {
    case .notYetLoaded: return .notYetLoaded
    case .failed(let error): return .failed(error)
    case .loaded:
      do { return .loaded(try property.read(self)) } catch { return .failed(error) }
    }
  }
}

/// Runs blocking work outside the pool of the concurrency runtime, which must not be held up by a file.
func offCallersThread<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
  try await withCheckedThrowingContinuation { continuation in
    DispatchQueue.global(qos: .userInitiated).async {
      continuation.resume(with: Result { try work() })
    }
  }
}
