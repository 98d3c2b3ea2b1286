import Foundation

/// A numbered field of a changes file.
struct ChangesField: Hashable, Sendable {
  let tag: UInt64
  let payload: Data
}

/// What a changes file of a later version says beyond what is understood here. It is written back.
struct UnknownFields: Sendable, Hashable {
  /// Of the changes as a whole.
  var fields: [ChangesField] = []
  var decisions: [CNDecision: [ChangesField]] = [:]
  /// By the added track's id.
  var tracks: [Int64: [ChangesField]] = [:]
  /// The minor version that was read; a later one is kept.
  var minorVersion: UInt8 = ChangesSchema.minorVersion
}
