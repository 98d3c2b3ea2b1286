public import Foundation

/// A parser that is fed hostile bytes.
///
/// Whatever comes, it must end soon, in memory of the order of the input, with a value or a typed error. What it understands it must
/// also be able to write again.
public struct FuzzTarget: Sendable {
  public let name: String
  /// Sound inputs to start from.
  public let seeds: @Sendable () throws -> [Data]
  /// Feeds one input. A trap is a finding.
  public let run: @Sendable (Data) -> Void

  public init(name: String, seeds: @escaping @Sendable () throws -> [Data], run: @escaping @Sendable (Data) -> Void) {
    self.name = name
    self.seeds = seeds
    self.run = run
  }
}

/// A broken promise; a finding like a trap.
public func expect(_ condition: Bool, _ promise: @autoclosure () -> String) {
  guard condition else { fatalError("broken promise: \(promise())") }
}
