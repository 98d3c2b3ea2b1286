import Codecs
import CoreVideo

/// Who decoded, and what happened on the way.
struct DecodingAccount: Sendable {
  /// Pixels that were turned into others.
  struct Conversion: Sendable, Hashable {
    let from: String
    let to: String
    let why: String
  }

  struct Entry: Sendable, Hashable {
    let decoder: String
    let isHardware: Bool
    let conversions: [Conversion]
  }

  /// How many frames each decoder made, in the order in which they began.
  private(set) var entries: [(entry: Entry, frames: Int)] = []
  private(set) var colorConflicts: [ColorConflict] = []
  private(set) var warnings: [String] = []

  mutating func add(_ decoder: any FrameDecoder, _ frames: Int, _ plan: DecodingPlan) {
    guard frames > 0 else { return }
    let entry = Entry(
      decoder: decoder.name, isHardware: decoder.isHardware, conversions: Self.conversions(of: decoder, plan))
    if let index = entries.firstIndex(where: { $0.entry == entry }) {
      entries[index].frames += frames
    } else {
      entries.append((entry, frames))
    }
    for conflict in decoder.colorConflicts where !colorConflicts.contains(conflict) { colorConflicts.append(conflict) }
    for warning in decoder.warnings where !warnings.contains(warning) { warnings.append(warning) }
  }

  static func conversions(of decoder: any FrameDecoder, _ plan: DecodingPlan) -> [Conversion] {
    var found: [Conversion] = []
    if let (from, to) = decoder.conversion {
      let name = fourCharacterString(to)
      found.append(
        Conversion(from: fourCharacterString(from), to: name, why: "the decoder does not write '\(name)' itself"))
    }
    if let format = plan.format, format.planarDepth != nil, let buffers = decoder.buffers {
      found.append(
        Conversion(
          from: fourCharacterString(buffers), to: format.name,
          why: "the decoder gives pixel buffers, which have no planes of Cb and Cr"))
    }
    return found
  }
}
