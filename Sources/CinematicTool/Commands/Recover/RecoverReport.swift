import CoreMedia
import QuickTime

/// What a recovery found, and what it had to guess.
struct RecoverReport {
  struct Rate {
    enum Origin: String {
      case asked, frames, assumed
    }

    let rate: FrameRate
    let origin: Origin
  }

  struct Format {
    let width: Int
    let height: Int
    let profile: ProResProfile
    /// What the profile was told by; nil where it was asked for.
    let guess: String?
  }

  let rate: Rate
  var frameCount = 0
  var byteCount: Int64 = 0
  var fileByteCount: Int64 = 0
  var formats: [Format] = []
  var findings = FrameScanner.Findings()

  init(rate: Rate) { self.rate = rate }

  private var duration: CMTime {
    CMTimeMultiplyByRatio(rate.rate.frameDuration, multiplier: Int32(clamping: frameCount), divisor: 1)
  }

  // MARK: For people

  /// Sentences, the most important one first.
  var lines: [String] {
    var lines = [
      "\(frameCount) \(frameCount == 1 ? "frame" : "frames") with \(byteCount) bytes recovered from the \(fileByteCount) of the file"
    ]
    lines += formats.map { format in
      "\(format.width)x\(format.height), \(format.profile.name)" + (format.guess.map { " (guessed: \($0))" } ?? "")
    }
    lines.append(rateLine)
    if formats.count > 1 {
      lines.append("the frames are of \(formats.count) kinds: the movie has a sample description for each")
    }
    lines += losses
    lines.append("sound, if there was any, has no marks to be found by and is not in the result")
    return lines
  }

  private var rateLine: String {
    let rate = "\(rate.rate.text) frames a second"
    return switch self.rate.origin {
    case .asked: rate
    case .frames: "\(rate), as the frames say"
    case .assumed: "\(rate) is an assumption, for the frames name no rate: give --fps if they were shot at another"
    }
  }

  private var losses: [String] {
    var losses: [String] = []
    if findings.damagedCount > 0 {
      let places = findings.damaged.prefix(4).map(String.init).joined(separator: ", ")
      let more = findings.damagedCount > 4 ? " and further on" : ""
      let frames = findings.damagedCount == 1 ? "1 damaged frame is" : "\(findings.damagedCount) damaged frames are"
      losses.append("\(frames) left out, at byte \(places)\(more)")
    }
    if let cutOff = findings.cutOff {
      losses.append(
        "the last frame, at byte \(cutOff.offset), is cut off and left out: \(fileByteCount - cutOff.offset) of its "
          + "\(cutOff.byteCount) bytes are there")
    }
    if let place = findings.givenUpAt {
      losses.append("the search ended at byte \(place): the file holds too much that only looks like frames")
    }
    return losses
  }

  // MARK: For programs

  var json: [(String, JSON)] {
    [
      ("frames", .integer(frameCount)), ("bytes", .integer(Int(byteCount))), ("duration", .time(duration)),
      ("frame_rate", .string(rate.rate.text)), ("frame_rate_from", .string(rate.origin.rawValue)),
      ("formats", .array(formats.map(Self.json))), ("damaged_frames", .integer(findings.damagedCount)),
      ("damaged_at", .array(findings.damaged.map { .integer(Int($0)) })), ("cut_off", cutOffJSON),
      ("given_up_at", findings.givenUpAt.map { .integer(Int($0)) } ?? .null), ("sound", .bool(false)),
    ]
  }

  private static func json(_ format: Format) -> JSON {
    .object([
      ("width", .integer(format.width)), ("height", .integer(format.height)),
      ("codec", .string(format.profile.codec.description)), ("profile", .string(format.profile.rawValue)),
      ("guessed_from", format.guess.map(JSON.string) ?? .null),
    ])
  }

  private var cutOffJSON: JSON {
    guard let cutOff = findings.cutOff else { return .null }
    return .object([
      ("offset", .integer(Int(cutOff.offset))), ("bytes", .integer(cutOff.byteCount)),
      ("bytes_there", .integer(Int(fileByteCount - cutOff.offset))),
    ])
  }
}
