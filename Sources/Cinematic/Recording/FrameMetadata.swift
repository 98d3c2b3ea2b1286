package import QuickTime

/// What the metadata tracks hold about one frame, as stored.
package struct FrameMetadata: Hashable, Sendable {
  package var frame: CinematicFrameItem?
  package var rendering: CinematicRenderingItem?
  package var stabilization: CinematicStabilizationItem?
  /// The float items: f-number and focus disparity, as stored, whatever they are.
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

  /// The disparity to focus on: rendering item, else the float, else the frame's header, else 1. What is no valid disparity is passed
  /// over.
  package var effectiveFocusDisparity: Sourced {
    Self.first(storedFocusDisparities, CNDetection.isValidDisparity, RecordedFrame.standardFocusDisparity)
  }

  /// The f-number, found in the same way, else 4. What is not positive and finite is passed over.
  package var effectiveFNumber: Sourced {
    Self.first(storedFNumbers, RecordedFrame.isValidFNumber, RecordedFrame.standardFNumber)
  }

  /// A value as stored, where it comes from, and what a sentence calls it.
  private typealias Stored = (value: Float?, source: Source, name: String)

  private var storedFocusDisparities: [Stored] {
    [
      (rendering?.focusDisparity, .rendering, "focus disparity of the rendering item"),
      (focusDisparity, .floats, "focus disparity item"),
      (frame?.header?.focusDisparity, .frame, "focus disparity of the cinematography item"),
    ]
  }

  private var storedFNumbers: [Stored] {
    [
      (rendering?.fNumber, .rendering, "f-number of the rendering item"), (fNumber, .floats, "aperture item"),
      (frame?.header?.aperture, .frame, "aperture of the cinematography item"),
    ]
  }

  private static func first(_ stored: [Stored], _ isValid: (Float) -> Bool, _ standard: Float) -> Sourced {
    for case (let value?, let source, _) in stored where isValid(value) { return Sourced(value: value, source: source) }
    return Sourced(value: standard, source: .standard)
  }

  /// Names of stored values that cannot be meant (NaN, infinite, negative, beyond all use), best source first.
  package var invalidValues: [String] {
    func invalid(_ stored: [Stored], _ isValid: (Float) -> Bool) -> [String] {
      stored.compactMap { value, _, name in value.map(isValid) == false ? name : nil }
    }
    return invalid(storedFocusDisparities, CNDetection.isValidDisparity)
      + invalid(storedFNumbers, RecordedFrame.isValidFNumber)
      + ((frame?.detections ?? []).contains { !$0.isFinite } ? ["rectangle or disparity of a detection"] : [])
  }
}

extension CinematicDetection {
  fileprivate var isFinite: Bool { [x, y, width, height, focusDisparity].allSatisfy(\.isFinite) }
}
