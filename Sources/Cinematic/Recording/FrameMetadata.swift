package import QuickTime

/// What the metadata tracks hold about one frame, as stored.
package struct FrameMetadata: Hashable, Sendable {
  package var frame: CinematicFrameItem?
  package var rendering: CinematicRenderingItem?
  package var stabilization: CinematicStabilizationItem?
  /// The float items: f-number and focus disparity. They may be NaN or infinite.
  package var fNumber: Float?
  package var focusDisparity: Float?
  /// Why an item could not be decoded or a sample not be read.
  package var problems: [QuickTimeError] = []
  /// Whether a sample is not in the file, as where that was cut off.
  package var isMissing = false

  package init() {}

  /// Whether nothing is known about the frame.
  package var isEmpty: Bool {
    frame == nil && rendering == nil && stabilization == nil && fNumber == nil && focusDisparity == nil
  }

  /// Adds what another track holds about the same frame; what is there stays.
  package mutating func merge(_ other: FrameMetadata) {
    frame = frame ?? other.frame
    rendering = rendering ?? other.rendering
    stabilization = stabilization ?? other.stabilization
    fNumber = fNumber ?? other.fNumber
    focusDisparity = focusDisparity ?? other.focusDisparity
    problems += other.problems
    isMissing = isMissing || other.isMissing
  }
}

extension FrameMetadata {
  /// Where a frame's focus or f-number was found, best first.
  package enum Source: String, Sendable {
    case rendering, floats, frame
    /// Nothing usable was stored.
    case standard = "default"
  }

  /// A value with its origin.
  package struct Sourced: Hashable, Sendable {
    package var value: Float
    package var source: Source

    package init(value: Float, source: Source) {
      self.value = value
      self.source = source
    }
  }

  /// The disparity to focus on: rendering item, else the float, else the frame's header, else 1. NaN and infinity are passed
  /// over.
  package var effectiveFocusDisparity: Sourced {
    Self.first(
      rendering?.focusDisparity, focusDisparity, frame?.header?.focusDisparity, RecordedFrame.standardFocusDisparity)
  }

  /// The f-number, found in the same way, else 4.
  package var effectiveFNumber: Sourced {
    Self.first(rendering?.fNumber, fNumber, frame?.header?.aperture, RecordedFrame.standardFNumber)
  }

  private static func first(_ rendering: Float?, _ float: Float?, _ header: Float?, _ standard: Float) -> Sourced {
    let candidates: [(Float?, Source)] = [(rendering, .rendering), (float, .floats), (header, .frame)]
    for case (let value?, let source) in candidates where value.isFinite {
      return Sourced(value: value, source: source)
    }
    return Sourced(value: standard, source: .standard)
  }

  /// Names of stored values that are NaN or infinite, those first that something else stands in for.
  package var invalidValues: [String] {
    let values: [(Float?, String)] = [
      (rendering?.focusDisparity, "focus disparity of the rendering item"),
      (rendering?.fNumber, "f-number of the rendering item"), (focusDisparity, "focus disparity item"),
      (fNumber, "aperture item"), (frame?.header?.focusDisparity, "focus disparity of the cinematography item"),
      (frame?.header?.aperture, "aperture of the cinematography item"),
    ]
    let names = values.compactMap { value, name in value.map { !$0.isFinite } == true ? name : nil }
    return names
      + ((frame?.detections ?? []).contains { !$0.isFinite } ? ["rectangle or disparity of a detection"] : [])
  }
}

extension CinematicDetection {
  fileprivate var isFinite: Bool { [x, y, width, height, focusDisparity].allSatisfy(\.isFinite) }
}
