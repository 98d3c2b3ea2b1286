import CoreMedia
import Foundation
import QuickTime

/// A block of stored disparity samples that `--blocks` asks for.
struct DisparityBlock: Equatable {
  static let size = 32
  /// The most blocks of one call.
  static let maximumCount = 100_000

  /// The shown frame, counted from 0.
  var frame: Int
  /// The top left sample as stored.
  var x: Int
  var y: Int

  /// Reads `FRAME:X,Y;X,Y;FRAME:X,Y;…`. Throws `UsageError`.
  static func list(_ text: String, path: [String]) throws -> [DisparityBlock] {
    var blocks: [DisparityBlock] = []
    for part in text.split(separator: ";") {
      let sides = part.split(separator: ":", omittingEmptySubsequences: false)
      let place = sides.last.map { $0.split(separator: ",").map { number($0) } } ?? []
      let frame = sides.count == 2 ? number(sides[0]) : blocks.last?.frame
      guard sides.count <= 2, let frame, place.count == 2, let x = place[0], let y = place[1],
        blocks.count < maximumCount
      else {
        throw UsageError("'--blocks' takes FRAME:X,Y;FRAME:X,Y;…, not '\(part)'", path: path)
      }
      blocks.append(DisparityBlock(frame: frame, x: x, y: y))
    }
    return blocks
  }

  private static func number(_ text: Substring) -> Int? {
    Int(text.trimmingCharacters(in: .whitespaces)).flatMap { (0...Int(Int32.max)).contains($0) ? $0 : nil }
  }
}

extension DisparityBlock {
  /// What the samples of a block say.
  struct Values {
    /// When the disparity frame is shown.
    var time: CMTime
    var width: Int
    var height: Int
    var meanCode: Double
    var minimumCode: Int
    var maximumCode: Int
    /// The mean of the disparities, which is not the disparity of the mean code.
    var meanDisparity: Double
  }

  struct Result {
    var block: DisparityBlock
    var time: RationalTime
    /// Nil where the frame cannot be decoded.
    var values: Values?
  }

  /// Throws `Failure` for a frame or a place that is not there, and what the decoder says of a frame that it cannot decode.
  func values(among times: [RationalTime], in frames: DisparityFrames) throws -> Values {
    let picture = try frames.codes(at: times[frame].time(preferredScale: 600))
    let width = min(Self.size, picture.width - x), height = min(Self.size, picture.height - y)
    guard width > 0, height > 0 else {
      throw Failure("the block at \(x),\(y) lies outside the disparity picture of \(picture.width)x\(picture.height)")
    }
    let codes = picture.codes(columns: x..<x + width, rows: y..<y + height)
    let sum = codes.reduce(0) { $0 + Int($1) }
    let disparities = codes.reduce(0.0) { $0 + frames.exactDisparity($1) }
    return Values(
      time: picture.time, width: width, height: height, meanCode: Double(sum) / Double(codes.count),
      minimumCode: Int(codes.min() ?? 0), maximumCode: Int(codes.max() ?? 0),
      meanDisparity: disparities / Double(codes.count))
  }
}

extension DisparityBlock.Result {
  var json: JSON {
    .object([
      ("index", .integer(block.frame)), ("time", .time(time)), ("disparity_time", .optional(values) { .time($0.time) }),
      ("x", .integer(block.x)), ("y", .integer(block.y)), ("width", .optional(values) { .integer($0.width) }),
      ("height", .optional(values) { .integer($0.height) }), ("mean_code", .optional(values) { .number($0.meanCode) }),
      ("min_code", .optional(values) { .integer($0.minimumCode) }),
      ("max_code", .optional(values) { .integer($0.maximumCode) }),
      ("mean_disparity", .optional(values) { .number($0.meanDisparity) }),
    ])
  }

  /// One line of the table for people.
  var row: [String] {
    let place = ["#\(block.frame)", "\(block.x),\(block.y)"]
    guard let values else { return place + ["not decodable"] }
    return place + [
      "codes \(values.minimumCode)–\(values.maximumCode)", String(format: "mean %.1f", values.meanCode),
      String(format: "disparity %.3f", values.meanDisparity),
    ]
  }
}
