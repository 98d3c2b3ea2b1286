import Foundation

/// Damages bytes in the ways that files are damaged by chance or on purpose.
struct Mutator {
  private var state: UInt64
  private let seeds: [Data]

  init(seed: UInt64, _ seeds: [Data]) {
    state = seed
    self.seeds = seeds
  }

  private static let interesting: [UInt32] = [
    0, 1, 2, 7, 8, 9, 12, 16, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, 0xFFFF_FFFE, 0x1_0000, 0x10_0000, 0x1000_0000,
  ]

  /// A sound input with some damage.
  mutating func next() -> Data {
    var bytes = [UInt8](seeds[below(seeds.count)])
    for _ in 0...below(6) { damage(&bytes) }
    return Data(bytes)
  }

  private mutating func damage(_ bytes: inout [UInt8]) {
    guard bytes.count >= 8 else { return bytes.append(UInt8(truncatingIfNeeded: random())) }
    let place = below(bytes.count - 4)
    switch below(10) {
    case 0: bytes[place] ^= 1 << UInt8(below(8))
    case 1: bytes[place] = UInt8(truncatingIfNeeded: random())
    case 2, 3: put(Self.interesting[below(Self.interesting.count)], at: place, &bytes)
    case 4: put(number(at: place, bytes) &+ UInt32(truncatingIfNeeded: below(17) - 8), at: place, &bytes)
    case 5: put(UInt32(truncatingIfNeeded: below(bytes.count)), at: place, &bytes)
    case 6: bytes.removeSubrange(place..<min(bytes.count, place + 1 + below(24)))
    case 7: bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + 1 + below(64))], at: below(bytes.count))
    case 8: bytes.removeLast(below(bytes.count))
    default:
      let other = [UInt8](seeds[below(seeds.count)])
      let start = below(other.count)
      let piece = other[start..<min(other.count, start + 1 + below(200))]
      bytes.replaceSubrange(place..<min(bytes.count, place + piece.count), with: piece)
    }
  }

  private func number(at place: Int, _ bytes: [UInt8]) -> UInt32 {
    bytes[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) }
  }

  private func put(_ number: UInt32, at place: Int, _ bytes: inout [UInt8]) {
    for index in 0..<4 { bytes[place + index] = UInt8(truncatingIfNeeded: number >> UInt32(24 - 8 * index)) }
  }

  private mutating func below(_ limit: Int) -> Int { limit <= 1 ? 0 : Int(random() % UInt64(limit)) }

  /// SplitMix64.
  private mutating func random() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}
