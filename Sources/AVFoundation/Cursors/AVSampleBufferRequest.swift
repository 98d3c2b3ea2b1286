public import CoreMedia
public import Foundation

/// Which samples a buffer of an `AVSampleBufferGenerator` shall hold, and when they are needed.
public final class AVSampleBufferRequest: NSObject {
  /// Where further samples lie, seen from the first one, in decoding order.
  public enum Direction: Int, Sendable {
    case forward = 1
    /// There are none: the buffer holds one sample, and limits and counts do not matter.
    case none = 0
    case reverse = -1
  }

  /// When data is read by a generator with a timebase; one without reads at once.
  public enum Mode: Int, Sendable {
    /// As soon as possible.
    case immediate = 0
    /// Shortly before the timebase reaches the time at which the samples are needed; at once while it stands still.
    case scheduled = 1
    /// When nothing more urgent is to be read.
    case opportunistic = 2
  }

  /// The sample that the buffer holds in any case. It is the caller's own cursor: where it stands when a buffer is made counts.
  public let startCursor: AVSampleCursor
  /// `.none` unless set.
  public var direction = Direction.none
  /// The last sample, in the direction, that the buffer may hold; nil, unless set, for no limit. Of no account where it lies on
  /// the other side.
  public var limitCursor: AVSampleCursor?
  /// How many samples the buffer should hold; 0, unless set, for those that are stored together with the first one.
  ///
  /// It holds fewer where the format changes, at the limits, and at the ends of the track.
  public var preferredMinSampleCount = 0
  /// How many samples the buffer may hold; 0, unless set, for no limit.
  public var maxSampleCount = 0
  /// `.immediate` unless set.
  public var mode = Mode.immediate
  /// When, by the generator's timebase, the samples are needed, and the buffer's output presentation time; invalid, unless set, for
  /// the samples' own.
  public var overrideTime = CMTime.invalid

  /// A request for the sample at a cursor.
  public init(start startCursor: AVSampleCursor) { self.startCursor = startCursor }
}
