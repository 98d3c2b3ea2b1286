internal import Foundation

/// The `avcC` of a movie (ISO/IEC 14496-15, 5.3.3.1) made from the parameter sets that an encoder gives.
enum AVCConfiguration {
  enum UnitType {
    static let sequenceParameterSet = 7
    static let pictureParameterSet = 8
  }

  static func type(of unit: Data) -> Int {
    guard let first = unit.first else { return -1 }
    return Int(first & 0x1F)
  }

  static func isParameterSet(_ unit: Data) -> Bool {
    (UnitType.sequenceParameterSet...UnitType.pictureParameterSet).contains(type(of: unit))
  }

  /// The payload of the box. `header` is Annex B (start codes) or, if it begins with 1, already an `avcC`.
  static func box(header: Data) throws(CodecError) -> Data {
    if header.first == 1 { return header }
    let units = AnnexB.units(in: header)
    let sequences = units.filter { type(of: $0) == UnitType.sequenceParameterSet }
    let pictures = units.filter { type(of: $0) == UnitType.pictureParameterSet }
    guard let first = sequences.first, first.count >= 4, sequences.count < 32, pictures.count < 256 else {
      throw CodecError(.library, "The H.264 encoder gave no sequence parameter set; choose another encoder or preset.")
    }
    let set = try SequenceParameterSet(first)
    var out = Data([1])
    out.append(contentsOf: first.dropFirst().prefix(3))  // profile, constraints, level
    out.append(0xFF)  // lengths of four bytes
    append(sequences, counted: 0xE0 | UInt8(sequences.count), to: &out)
    append(pictures, counted: UInt8(pictures.count), to: &out)
    if set.isHigh {
      out.append(0xFC | UInt8(truncatingIfNeeded: set.chromaFormat & 3))
      out.append(0xF8 | UInt8(truncatingIfNeeded: (set.lumaDepth - 8) & 7))
      out.append(0xF8 | UInt8(truncatingIfNeeded: (set.chromaDepth - 8) & 7))
      out.append(0)  // no sequence parameter set extensions
    }
    return out
  }

  private static func append(_ units: [Data], counted count: UInt8, to out: inout Data) {
    out.append(count)
    for unit in units {
      out.append(bigEndian: UInt16(truncatingIfNeeded: unit.count))
      out.append(unit)
    }
  }
}

extension AVCConfiguration {
  /// What `avcC` repeats of a sequence parameter set (ITU-T H.264, 7.3.2.1.1).
  struct SequenceParameterSet {
    let isHigh: Bool
    var chromaFormat = 1
    var lumaDepth = 8
    var chromaDepth = 8

    /// The profiles whose sets say chroma format and depth.
    private static let highProfiles: Set<Int> = [100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135]

    init(_ unit: Data) throws(CodecError) {
      var reader = BitReader(nalUnit: unit)
      reader.skip(8)
      isHigh = Self.highProfiles.contains(try reader.bits(8))
      reader.skip(16)
      _ = try reader.unsignedGolomb()
      guard isHigh else { return }
      chromaFormat = try reader.unsignedGolomb()
      if chromaFormat == 3 { reader.skip(1) }
      lumaDepth = try reader.unsignedGolomb() + 8
      chromaDepth = try reader.unsignedGolomb() + 8
    }

    /// The first sequence parameter set of an `avcC`.
    init?(box: Data) {
      let bytes = [UInt8](box.prefix(8))
      guard bytes.count == 8, bytes[5] & 0x1F > 0 else { return nil }
      let length = Int(bytes[6]) << 8 | Int(bytes[7])
      let unit = box.dropFirst(8).prefix(length)
      guard unit.count == length, let set = try? SequenceParameterSet(unit) else { return nil }
      self = set
    }
  }
}
