internal import CoreVideo
internal import Foundation

/// Takes settings out of a dictionary one by one and finds what is wrong with them.
///
/// The first thing that is wrong is kept as an `AVError` that names its key.
struct SettingsReader {
  private let settings: [String: Any]
  private let name: String
  private var known: Set<String> = []
  private(set) var error: AVError?

  /// `name` says whose settings these are, for messages.
  init(_ settings: [String: Any], of name: String) {
    self.settings = settings
    self.name = name
  }

  /// Whether the dictionary has the key, with whatever value.
  func has(_ key: String) -> Bool { settings[key] != nil }

  /// Accepts a key whose value makes no difference here.
  mutating func ignore(_ keys: String...) { known.formUnion(keys) }

  /// A whole number in `range`, or nil if the key is absent or wrong.
  mutating func integer(_ key: String, in range: ClosedRange<Int>) -> Int? {
    guard let value = value(key) else { return nil }
    guard let number = CoreVideo.integer(value), range.contains(number) else {
      refuse(key, "must be a whole number from \(range.lowerBound) to \(range.upperBound)")
      return nil
    }
    return number
  }

  /// A number in `range`, or nil if the key is absent or wrong.
  mutating func real(_ key: String, in range: ClosedRange<Double>) -> Double? {
    guard let value = value(key) else { return nil }
    guard let number = CoreVideo.number(value), range.contains(number) else {
      refuse(key, "must be a number from \(range.lowerBound) to \(range.upperBound)")
      return nil
    }
    return number
  }

  mutating func flag(_ key: String) -> Bool? {
    guard let value = value(key) else { return nil }
    if let flag = value as? Bool { return flag }
    guard let number = CoreVideo.integer(value) else {
      refuse(key, "must be true or false")
      return nil
    }
    return number != 0
  }

  mutating func text(_ key: String) -> String? {
    guard let value = value(key) else { return nil }
    guard let text = value as? String else {
      refuse(key, "must be a string")
      return nil
    }
    return text
  }

  mutating func dictionary(_ key: String) -> [String: Any]? {
    guard let value = value(key) else { return nil }
    guard let dictionary = value as? [String: Any] else {
      refuse(key, "must be a dictionary")
      return nil
    }
    return dictionary
  }

  /// One code or a list of codes.
  mutating func codes(_ key: String) -> [UInt32]? {
    guard let value = value(key) else { return nil }
    let values = value as? [Any] ?? [value]
    let codes = values.compactMap { CoreVideo.integer($0).flatMap(UInt32.init(exactly:)) }
    guard codes.count == values.count, !codes.isEmpty else {
      refuse(key, "must be a four-character code or a list of some")
      return nil
    }
    return codes
  }

  /// The value whatever its type; the key counts as known.
  mutating func value(_ key: String) -> Any? {
    known.insert(key)
    return settings[key]
  }

  /// Notes that the value of a key cannot be used.
  mutating func refuse(_ key: String, _ reason: String) {
    let given = settings[key].map { ", not \($0)" } ?? ""
    note("The key \(key) in the settings of \(name) \(reason)\(given).")
  }

  /// Notes the first of the keys that is there, whatever its value; `reason` is the rest of the sentence.
  mutating func refuse(anyOf keys: [String], _ reason: String) {
    known.formUnion(keys)
    for key in keys where has(key) { note("The key \(key) in the settings of \(name) \(reason)") }
  }

  /// Notes anything else that is wrong with the settings.
  mutating func note(_ message: String) {
    if error == nil { error = AVError(.unsupportedOutputSettings, message) }
  }

  mutating func note(_ other: AVError?) { if error == nil { error = other } }

  /// Refuses keys that nobody asked for, and a dictionary without any key.
  mutating func finish() throws {
    if let unknown = settings.keys.filter({ !known.contains($0) }).min() {
      note("The key \(unknown) in the settings of \(name) is not supported here; leave it out.")
    }
    if let error { throw error }
  }
}
