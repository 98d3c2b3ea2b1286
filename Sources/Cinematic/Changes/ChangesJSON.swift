import CoreMedia
import Foundation

/// The members of the JSON view and how their values are written. Times are exact rationals of seconds, "value/timescale".
///
///     {
///       "schema": "cinematic-changes", "version": 1,
///       "fNumber": 2.8,
///       "movie": { "fingerprint": "0f1e2d3c4b5a6978", "frames": 180 },
///       "userDecisions": [
///         { "time": "1800/600", "detection": 2, "strong": true },
///         { "time": "2400/600", "group": 11, "strong": false } ],
///       "addedDetectionTracks": [
///         { "id": 3, "focusDisparity": 0.7, "original": { … } },
///         { "id": 4, "detections": [ { "time": "0/600", "type": 102, "rect": [x, y, width, height], "disparity": 0.7 } ] } ],
///       "unknownFields": [ { "tag": 77, "data": "base64" } ]
///     }
///
/// `fNumber`, `movie` and `userDecisions` may be absent: then the f-number and the decisions are as recorded, and any movie will do. A
/// member that is not understood is kept, at every level.
enum ChangesJSON {
  static let schema = "cinematic-changes"
  typealias Object = [String: Any]

  static func time(_ time: CMTime) -> String { "\(time.value)/\(time.timescale)" }

  /// From "value/timescale", or a number of seconds, which is rounded to 1/90000.
  static func time(_ value: Any?, _ place: String) throws(CNCinematicError) -> CMTime {
    if let text = value as? String {
      let parts = text.split(separator: "/", omittingEmptySubsequences: false)
      if parts.count == 2, let number = Int64(parts[0]), let scale = Int32(parts[1]), scale > 0 {
        return CMTime(value: number, timescale: scale)
      }
    } else if let seconds = number(value), abs(seconds) < 1e9 {
      return CMTime(seconds: seconds, preferredTimescale: 90_000)
    }
    throw wrong(place, "a time like \"1800/600\" or a number of seconds")
  }

  /// Nil for booleans and everything that is no number.
  static func number(_ value: Any?) -> Double? {
    guard let number = value as? NSNumber, !isBoolean(value) else { return nil }
    return number.doubleValue.isFinite ? number.doubleValue : nil
  }

  static func float(_ value: Any?, _ place: String) throws(CNCinematicError) -> Float {
    guard let number = number(value), abs(number) <= Double(Float.greatestFiniteMagnitude) else {
      throw wrong(place, "a number")
    }
    return Float(number)
  }

  static func integer(_ value: Any?, _ place: String) throws(CNCinematicError) -> Int64 {
    guard !isBoolean(value), let whole = value as? Int64 else { throw wrong(place, "a whole number") }
    return whole
  }

  static func object(_ value: Any?, _ place: String) throws(CNCinematicError) -> Object {
    guard let object = value as? Object else { throw wrong(place, "an object") }
    return object
  }

  static func objects(_ value: Any?, _ place: String) throws(CNCinematicError) -> [Object] {
    guard let objects = value as? [Object] else { throw wrong(place, "a list of objects") }
    return objects
  }

  static func boolean(_ value: Any?, _ place: String) throws(CNCinematicError) -> Bool {
    guard let value else { return false }
    guard isBoolean(value), let truth = value as? Bool else { throw wrong(place, "true or false") }
    return truth
  }

  /// Foundation keeps truth values and numbers in one class; only the encoding tells them apart.
  private static func isBoolean(_ value: Any?) -> Bool {
    guard let number = value as? NSNumber else { return false }
    return ["c", "B"].contains(String(cString: number.objCType))
  }

  static func wrong(_ place: String, _ wanted: String) -> CNCinematicError {
    CNCinematicError(.malformed, "“\(place)” in the JSON is not \(wanted); correct it.")
  }
}

extension ChangesJSON {
  /// The members that are not among the known ones, as a field; nil if there are none.
  static func unknown(_ object: Object, known: Set<String>) throws(CNCinematicError) -> ChangesField? {
    let rest = object.filter { !known.contains($0.key) }
    guard !rest.isEmpty else { return nil }
    do {
      let data = try JSONSerialization.data(withJSONObject: rest, options: [.sortedKeys])
      return ChangesField(tag: ChangesSchema.Tag.members, payload: data)
    } catch {
      throw wrong(rest.keys.min() ?? "", "plain JSON")
    }
  }

  /// Adds what is not understood to an object: kept members as they were, other fields as base64.
  ///
  /// Members with names that are known here would change what the object says; they stay base64.
  static func add(_ fields: [ChangesField], to object: inout Object, known: Set<String>) {
    var others: [Object] = []
    for field in fields {
      let members = try? JSONSerialization.jsonObject(with: field.payload) as? Object
      let reserved = known.union(["unknownFields"])
      if field.tag == ChangesSchema.Tag.members, let members, reserved.isDisjoint(with: members.keys) {
        object.merge(members) { first, _ in first }
      } else {
        others.append(["tag": field.tag, "data": field.payload.base64EncodedString()])
      }
    }
    if !others.isEmpty { object["unknownFields"] = others }
  }

  /// The inverse of `add`: fields first, then the kept members.
  static func unknownFields(_ object: Object, known: Set<String>, _ place: String) throws(CNCinematicError)
    -> [ChangesField]
  {
    var fields: [ChangesField] = []
    if let others = object["unknownFields"] {
      for other in try objects(others, "\(place)unknownFields") {
        // Tags use all 64 bits, which `integer` does not.
        guard !isBoolean(other["tag"]), let tag = other["tag"] as? UInt64, let text = other["data"] as? String,
          let data = Data(base64Encoded: text)
        else { throw wrong("\(place)unknownFields", "a list of tags and base64 data") }
        fields.append(ChangesField(tag: tag, payload: data))
      }
    }
    if let members = try unknown(object, known: known.union(["unknownFields"])) { fields.append(members) }
    return fields
  }
}
