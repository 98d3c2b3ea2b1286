internal import Foundation

/// The configuration records that a movie keeps of parameter sets, `avcC` and `hvcC` (ISO/IEC 14496-15).
enum ConfigurationRecord {
  /// The record and the picture of H.264 parameter sets; nil where a sequence or picture parameter set is missing, a
  /// set is too long or the sequence parameter set cannot be read.
  static func avcC(_ sets: [[UInt8]], lengthSize: Int) -> (record: Data, picture: SequenceParameterSet)? {
    let groups = grouped(sets) { $0.first.map { $0 & 0x1f } }
    guard let sequence = groups[7], let pictures = groups[8], sequence.count < 32, pictures.count < 256,
      sequence[0].count > 3, let picture = SequenceParameterSet(h264: sequence[0])
    else { return nil }
    var record: [UInt8] = [1] + sequence[0][1...3] + [0xfc | UInt8(lengthSize - 1), 0xe0 | UInt8(sequence.count)]
    record += lengthPrefixed(sequence) + [UInt8(pictures.count)] + lengthPrefixed(pictures)
    if SequenceParameterSet.highProfiles.contains(sequence[0][1]) {
      record += [0xfc | UInt8(picture.chromaFormat), 0xf8 | UInt8(picture.lumaDepth - 8)]
      let extensions = groups[13] ?? []
      guard extensions.count < 256 else { return nil }
      record += [0xf8 | UInt8(picture.chromaDepth - 8), UInt8(extensions.count)] + lengthPrefixed(extensions)
    }
    return (Data(record), picture)
  }

  /// The record and the picture of HEVC parameter sets; nil where one of the three kinds is missing.
  static func hvcC(_ sets: [[UInt8]], lengthSize: Int) -> (record: Data, picture: SequenceParameterSet)? {
    let groups = grouped(sets) { $0.first.map { $0 >> 1 & 0x3f } }
    guard groups[32] != nil, groups[34] != nil, let first = groups[33]?.first,
      let picture = SequenceParameterSet(hevc: first)
    else { return nil }
    var record: [UInt8] = [1] + picture.profile + [0xf0, 0, 0xfc, 0xfc | UInt8(picture.chromaFormat)]
    record += [0xf8 | UInt8(picture.lumaDepth - 8), 0xf8 | UInt8(picture.chromaDepth - 8), 0, 0]
    record += [UInt8(picture.temporalLayers) << 3 | (picture.temporalLayersNest ? 4 : 0) | UInt8(lengthSize - 1)]
    // Video, sequence and picture parameter sets, then messages.
    let kinds = [32, 33, 34, 39, 40].filter { groups[$0] != nil } as [UInt8]
    record += [UInt8(kinds.count)]
    for kind in kinds {
      let group = groups[kind] ?? []
      // The highest bit: there are no others in the samples.
      record +=
        [kind < 39 ? 0x80 | kind : kind, UInt8(group.count >> 8), UInt8(group.count & 0xff)] + lengthPrefixed(group)
    }
    return (Data(record), picture)
  }

  /// The sets by their kind; empty where one is too long for a record or has no header.
  private static func grouped(_ sets: [[UInt8]], by kind: ([UInt8]) -> UInt8?) -> [UInt8: [[UInt8]]] {
    guard sets.count < 0x10000, sets.allSatisfy({ (2...0xffff).contains($0.count) }) else { return [:] }
    return Dictionary(grouping: sets) { kind($0) ?? 0 }
  }

  private static func lengthPrefixed(_ sets: [[UInt8]]) -> [UInt8] {
    sets.flatMap { [UInt8($0.count >> 8), UInt8($0.count & 0xff)] + $0 }
  }
}
