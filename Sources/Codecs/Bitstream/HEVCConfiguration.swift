internal import Foundation

/// The `hvcC` of a movie (ISO/IEC 14496-15, 8.3.3.1) made from the parameter sets that an encoder gives.
enum HEVCConfiguration {
  enum UnitType {
    static let videoParameterSet = 32
    static let sequenceParameterSet = 33
    static let pictureParameterSet = 34
    static let prefixSEI = 39
  }

  static func type(of unit: Data) -> Int {
    guard let first = unit.first else { return -1 }
    return Int(first >> 1 & 0x3F)
  }

  static func isParameterSet(_ unit: Data) -> Bool {
    (UnitType.videoParameterSet...UnitType.pictureParameterSet).contains(type(of: unit))
  }

  /// The payload of the box. `header` is Annex B (start codes) or, if it begins with 1, already a `hvcC`.
  static func box(header: Data) throws(CodecError) -> Data {
    if header.first == 1 { return header }
    let units = AnnexB.units(in: header)
    guard let sequence = units.first(where: { type(of: $0) == UnitType.sequenceParameterSet }) else {
      throw CodecError(.library, "The HEVC encoder gave no sequence parameter set; choose another encoder or preset.")
    }
    var out = try fixedPart(SequenceParameterSet(sequence))
    // HDR metadata for the whole stream comes as an SEI beside the parameter sets.
    let kinds = [
      UnitType.videoParameterSet, UnitType.sequenceParameterSet, UnitType.pictureParameterSet, UnitType.prefixSEI,
    ]
    let arrays =
      kinds
      .map { wanted in (wanted, units.filter { type(of: $0) == wanted }) }
      .filter { !$0.1.isEmpty }
    out.append(UInt8(arrays.count))
    for (type, members) in arrays { append(members, type: type, to: &out) }
    return out
  }

  private static func fixedPart(_ set: SequenceParameterSet) -> Data {
    var out = Data([1])
    out.append(set.profileTierLevel)
    out.append(bigEndian: UInt16(0xF000))  // no minimum spatial segmentation
    out.append(0xFC)  // kind of parallelism unknown
    out.append(0xFC | UInt8(truncatingIfNeeded: set.chromaFormat & 3))
    out.append(0xF8 | UInt8(truncatingIfNeeded: (set.lumaDepth - 8) & 7))
    out.append(0xF8 | UInt8(truncatingIfNeeded: (set.chromaDepth - 8) & 7))
    out.append(bigEndian: UInt16(0))  // average frame rate not given
    out.append(UInt8(truncatingIfNeeded: (set.temporalLayers & 7) << 3 | (set.isNested ? 4 : 0) | 3))
    return out
  }

  private static func append(_ members: [Data], type: Int, to out: inout Data) {
    out.append(0x80 | UInt8(truncatingIfNeeded: type))  // all of this type are here
    out.append(bigEndian: UInt16(truncatingIfNeeded: members.count))
    for unit in members {
      out.append(bigEndian: UInt16(truncatingIfNeeded: unit.count))
      out.append(unit)
    }
  }
}

extension HEVCConfiguration {
  /// What `hvcC` repeats of a sequence parameter set (ITU-T H.265, 7.3.2.2).
  struct SequenceParameterSet {
    /// 12 bytes as stored: profile space, tier and profile, compatibility, constraints, level.
    let profileTierLevel: Data
    let temporalLayers: Int
    let isNested: Bool
    let chromaFormat: Int
    let lumaDepth: Int
    let chromaDepth: Int

    init(_ unit: Data) throws(CodecError) {
      var reader = BitReader(nalUnit: unit)
      reader.skip(16 + 4)
      let subLayers = try reader.bits(3)
      temporalLayers = subLayers + 1
      isNested = try reader.bit() == 1
      var profile = Data()
      for _ in 0..<12 { profile.append(UInt8(truncatingIfNeeded: try reader.bits(8))) }
      profileTierLevel = profile
      try Self.skipSubLayers(subLayers, &reader)
      _ = try reader.unsignedGolomb()
      chromaFormat = try reader.unsignedGolomb()
      if chromaFormat == 3 { reader.skip(1) }
      _ = try reader.unsignedGolomb()
      _ = try reader.unsignedGolomb()
      if try reader.bit() == 1 { for _ in 0..<4 { _ = try reader.unsignedGolomb() } }
      lumaDepth = try reader.unsignedGolomb() + 8
      chromaDepth = try reader.unsignedGolomb() + 8
    }

    private static func skipSubLayers(_ count: Int, _ reader: inout BitReader) throws(CodecError) {
      guard count > 0 else { return }
      var present: [(profile: Int, level: Int)] = []
      for _ in 0..<count { present.append((try reader.bit(), try reader.bit())) }
      reader.skip(2 * (8 - count))
      for layer in present { reader.skip(88 * layer.profile + 8 * layer.level) }
    }
  }
}
