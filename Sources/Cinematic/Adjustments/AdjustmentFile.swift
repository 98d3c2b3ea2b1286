import CoreMedia
import Foundation

/// The edits that Photos keeps beside a movie, in a file `.AAE`: a property list around data of a format that it names.
///
/// What Photos writes there for Cinematic movies is not publicly documented. So the data is unpacked (a property list or JSON, bare or
/// deflated), and only what cannot be misread is taken: an f-number under a name that says so, and disparities with their times.
/// Everything else is named, never guessed.
package struct AdjustmentFile: Sendable {
  /// A disparity to focus on from a time on.
  package struct Focus: Hashable, Sendable {
    package var time: CMTime
    package var disparity: Float
  }

  package private(set) var formatIdentifier: String
  package private(set) var formatVersion: String
  /// The program that made the edits, where it is named.
  package private(set) var editor: String?
  package private(set) var fNumber: Float?
  /// In order of time.
  package private(set) var focus: [Focus] = []
  /// Paths of the values that were not understood.
  package private(set) var ignored: [String] = []

  /// Throws `.unsupported`, naming the format, where nothing is understood, and `.malformed` where the file is no such list.
  package init(_ data: Data) throws(CNCinematicError) {
    guard let list = PropertyList.value(data) as? [String: Any],
      let identifier = list["adjustmentFormatIdentifier"] as? String
    else {
      throw CNCinematicError(
        .malformed, "The file is no list of Photos' adjustments (.AAE); choose the one beside the original movie.")
    }
    formatIdentifier = identifier
    formatVersion = list["adjustmentFormatVersion"] as? String ?? "?"
    editor = list["adjustmentEditorBundleID"] as? String
    guard let stored = list["adjustmentData"] as? Data, let content = Self.unpacked(stored) else {
      throw unsupported("their data cannot be unpacked")
    }
    take(content, path: "", depth: 0)
    focus.sort { $0.time < $1.time }
    guard focus.count <= Self.maximumFocus else {
      throw unsupported("they change the focus \(focus.count) times, and \(Self.maximumFocus) is the most")
    }
    guard fNumber != nil || !focus.isEmpty else {
      throw unsupported("no aperture or focus is among them")
    }
  }

  private func unsupported(_ reason: String) -> CNCinematicError {
    let maker = editor.map { " by \($0)" } ?? ""
    return CNCinematicError(
      .unsupported,
      """
      The file (.AAE) holds edits in the format \(formatIdentifier) \(formatVersion)\(maker), which is not publicly documented: \
      \(reason); make the edits again here.
      """)
  }

  private static func unpacked(_ data: Data) -> Any? {
    for data in [data, Inflate.data(data)].compactMap({ $0 }) {
      if let list = PropertyList.value(data), list is [String: Any] || list is [Any] { return list }
      if let json = try? JSONSerialization.jsonObject(with: data) { return json }
    }
    return nil
  }
}

extension AdjustmentFile {
  private static let fNumberKeys: Set<String> = ["aperture", "fNumber", "simulatedAperture"]
  private static let disparityKeys = ["focusDisparity", "disparity"]
  /// The most changes of focus that are taken: one a second for more than half an hour. Each costs time in proportion to all.
  private static let maximumFocus = 2048
  /// The most values that are named as not understood.
  private static let maximumIgnored = 64

  private mutating func take(_ value: Any, path: String, depth: Int) {
    guard depth < PropertyList.maximumDepth else { return ignore(path) }
    if let object = value as? [String: Any] {
      if let focus = Self.focus(object) { return self.focus.append(focus) }
      for key in object.keys.sorted() { take(object[key]!, key: key, path: "\(path)/\(key)", depth: depth) }
    } else if let list = value as? [Any] {
      for (index, value) in list.enumerated() { take(value, path: "\(path)/\(index)", depth: depth + 1) }
    } else {
      ignore(path)
    }
  }

  private mutating func take(_ value: Any, key: String, path: String, depth: Int) {
    if Self.fNumberKeys.contains(key), let number = ChangesJSON.number(value), 0.5...64 ~= number, fNumber == nil {
      fNumber = Float(number)
    } else {
      take(value, path: path, depth: depth + 1)
    }
  }

  private mutating func ignore(_ path: String) {
    if ignored.count < Self.maximumIgnored { ignored.append(path) }
  }

  /// An object with a time and a disparity; nil for anything else.
  private static func focus(_ object: [String: Any]) -> Focus? {
    guard let time = object["time"].flatMap(Self.time),
      let number = disparityKeys.lazy.compactMap({ ChangesJSON.number(object[$0]) }).first
    else { return nil }
    let disparity = Float(number)
    return CNDetection.isValidDisparity(disparity) ? Focus(time: time, disparity: disparity) : nil
  }

  /// Seconds, or a dictionary with the members of a time: value and time scale.
  private static func time(_ value: Any) -> CMTime? {
    if let seconds = ChangesJSON.number(value), abs(seconds) < 1e9 {
      return CMTime(seconds: seconds, preferredTimescale: 90_000)
    }
    guard let object = value as? [String: Any], let value = ChangesJSON.number(object["value"]),
      let scale = ChangesJSON.number(object["timescale"]), let exact = Int64(exactly: value),
      let timescale = Int32(exactly: scale), timescale > 0
    else { return nil }
    return CMTime(value: exact, timescale: timescale)
  }
}

extension AdjustmentFile {
  /// The edits for a script: its aperture, and a strong decision on a fixed disparity for each focus. What the script holds otherwise stays.
  ///
  /// Throws `.incompatible` with the reason where a time lies outside the movie.
  package func apply(to script: CNScript) throws(CNCinematicError) {
    for focus in focus where !script.timeRange.containsTime(focus.time) {
      throw CNCinematicError(
        .incompatible,
        "The file (.AAE) focuses at \(focus.time.seconds) s, outside the movie; choose the one that belongs to the movie."
      )
    }
    if let fNumber { script.fNumber = fNumber }
    var tracks: [Float: CNDetectionID] = [:]
    for focus in focus {
      let id =
        tracks[focus.disparity] ?? script.addDetectionTrack(CNFixedDetectionTrack(focusDisparity: focus.disparity))
      tracks[focus.disparity] = id
      script.addUserDecision(CNDecision(time: focus.time, detectionID: id, strong: true))
    }
  }
}
