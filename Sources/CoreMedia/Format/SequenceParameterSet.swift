/// What a format description needs of a sequence parameter set: the size of the picture and what a configuration record
/// repeats. (ITU-T H.264 7.3.2.1.1, H.265 7.3.2.2.)
struct SequenceParameterSet {
  var width: Int
  var height: Int
  var chromaFormat: Int
  var lumaDepth: Int
  var chromaDepth: Int
  /// Of HEVC: profile, tier, compatibility, constraints and level as the twelve bytes that the record repeats.
  var profile: [UInt8] = []
  /// Of HEVC: how many temporal layers there are, and whether they nest.
  var temporalLayers = 1
  var temporalLayersNest = true
}

// MARK: - H.264

extension SequenceParameterSet {
  /// Profiles whose sets say the chroma format and depth.
  static let highProfiles: Set<UInt8> = [100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135]

  init?(h264 unit: some Sequence<UInt8>) {
    var bits = BitReader(unit: Array(unit), skipping: 1)
    self.init(width: 0, height: 0, chromaFormat: 1, lumaDepth: 8, chromaDepth: 8)
    let profile = UInt8(bits.read(8))
    bits.skip(16)
    bits.skipGolomb(1)
    if Self.highProfiles.contains(profile) { readHighProfile(&bits) }
    bits.skipGolomb(1)
    skipPictureOrder(&bits)
    bits.skipGolomb(1)
    bits.skip(1)
    readH264Size(&bits)
    guard bits.isWithin, isSensible else { return nil }
  }

  private mutating func readHighProfile(_ bits: inout BitReader) {
    chromaFormat = bits.golomb()
    if chromaFormat == 3 { bits.skip(1) }
    lumaDepth = 8 + bits.golomb()
    chromaDepth = 8 + bits.golomb()
    bits.skip(1)
    guard bits.flag() else { return }
    for list in 0..<(chromaFormat == 3 ? 12 : 8) where bits.flag() { skipScalingList(&bits, list < 6 ? 16 : 64) }
  }

  private func skipScalingList(_ bits: inout BitReader, _ count: Int) {
    var (last, next) = (8, 8)
    for _ in 0..<count where next != 0 {
      next = (last + bits.signedGolomb()) & 0xff
      if next != 0 { last = next }
    }
  }

  private func skipPictureOrder(_ bits: inout BitReader) {
    switch bits.golomb() {
    case 0: bits.skipGolomb(1)
    case 1:
      bits.skip(1)
      bits.skipGolomb(2)
      // The standard allows 255 of them.
      bits.skipGolomb(min(bits.golomb(), 255))
    default: break
    }
  }

  private mutating func readH264Size(_ bits: inout BitReader) {
    width = (bits.golomb() + 1) * 16
    let heightUnits = bits.golomb() + 1
    let isProgressive = bits.flag()
    if !isProgressive { bits.skip(1) }
    height = heightUnits * 16 * (isProgressive ? 1 : 2)
    bits.skip(1)
    guard bits.flag() else { return }
    let crop = (0..<4).map { _ in bits.golomb() }
    let unitX = chromaFormat == 1 || chromaFormat == 2 ? 2 : 1
    let unitY = (chromaFormat == 1 ? 2 : 1) * (isProgressive ? 1 : 2)
    width -= (crop[0] + crop[1]) * unitX
    height -= (crop[2] + crop[3]) * unitY
  }

  private var isSensible: Bool {
    (1...65536).contains(width) && (1...65536).contains(height) && (0...3).contains(chromaFormat)
      && (8...16).contains(lumaDepth) && (8...16).contains(chromaDepth)
  }
}

// MARK: - HEVC

extension SequenceParameterSet {
  init?(hevc unit: some Sequence<UInt8>) {
    var bits = BitReader(unit: Array(unit), skipping: 2)
    self.init(width: 0, height: 0, chromaFormat: 1, lumaDepth: 8, chromaDepth: 8)
    bits.skip(4)
    temporalLayers = bits.read(3) + 1
    temporalLayersNest = bits.flag()
    profile = (0..<12).map { _ in UInt8(bits.read(8)) }
    skipSubLayers(&bits)
    bits.skipGolomb(1)
    chromaFormat = bits.golomb()
    if chromaFormat == 3 { bits.skip(1) }
    (width, height) = (bits.golomb(), bits.golomb())
    if bits.flag() {
      let crop = (0..<4).map { _ in bits.golomb() }
      width -= (crop[0] + crop[1]) * (chromaFormat == 1 || chromaFormat == 2 ? 2 : 1)
      height -= (crop[2] + crop[3]) * (chromaFormat == 1 ? 2 : 1)
    }
    lumaDepth = 8 + bits.golomb()
    chromaDepth = 8 + bits.golomb()
    guard bits.isWithin, isSensible else { return nil }
  }

  /// Each layer below the highest may have a profile of 88 bits and a level of 8; a flag for each says so.
  private func skipSubLayers(_ bits: inout BitReader) {
    guard temporalLayers > 1 else { return }
    let flags = (1..<temporalLayers).map { _ in (bits.flag(), bits.flag()) }
    bits.skip(2 * (9 - temporalLayers))
    for (hasProfile, hasLevel) in flags { bits.skip((hasProfile ? 88 : 0) + (hasLevel ? 8 : 0)) }
  }
}

// MARK: - Bits

/// Reads bits of a unit from the highest down; beyond the end it reads zeros and says so.
struct BitReader {
  private let bytes: [UInt8]
  private var position = 0
  private(set) var isWithin = true

  /// The unit without its header and without the bytes 3 that keep start codes out of it.
  init(unit: [UInt8], skipping headerLength: Int) {
    var bytes: [UInt8] = []
    var zeros = 0
    for byte in unit.dropFirst(headerLength) {
      let isGuard = zeros >= 2 && byte == 3
      zeros = byte == 0 ? zeros + 1 : 0
      if !isGuard { bytes.append(byte) }
    }
    self.bytes = bytes
  }

  mutating func flag() -> Bool {
    guard position < bytes.count * 8 else {
      isWithin = false
      return false
    }
    defer { position += 1 }
    return bytes[position / 8] >> (7 - position % 8) & 1 == 1
  }

  mutating func read(_ count: Int) -> Int { (0..<count).reduce(0) { value, _ in value << 1 | (flag() ? 1 : 0) } }

  mutating func skip(_ count: Int) {
    position += count
    if position > bytes.count * 8 { isWithin = false }
  }

  /// An unsigned Exp-Golomb number of up to 32 bits; a longer one counts as beyond the end.
  mutating func golomb() -> Int {
    var zeros = 0
    while isWithin, !flag() { zeros += 1 }
    guard isWithin, zeros <= 32 else {
      isWithin = false
      return 0
    }
    return 1 << zeros - 1 + read(zeros)
  }

  mutating func signedGolomb() -> Int {
    let code = golomb()
    return code & 1 == 1 ? (code + 1) / 2 : -(code / 2)
  }

  mutating func skipGolomb(_ count: Int) { for _ in 0..<count { _ = golomb() } }
}
