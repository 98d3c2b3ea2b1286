// Compiled by Scripts/fuzz only, together with the condition of one target: libFuzzer brings `main`.
import Foundation
import QuickTimeFuzz

#if CHANGES || ADJUSTMENTS || SCRIPT
  import CinematicFuzz
#endif

#if PRORES_HEADER || PRORES_SLICES || PRORES_ALPHA
  import ProResFuzz
#endif

#if ATOMS
  private let target = FuzzTarget.atoms
#elseif MEBX
  private let target = FuzzTarget.timedMetadata
#elseif ITEMS
  private let target = FuzzTarget.cinematicItems
#elseif ADJUSTMENTS
  private let target = FuzzTarget.adjustments
#elseif PRORES_HEADER
  private let target = FuzzTarget.proResHeader
#elseif PRORES_SLICES
  private let target = FuzzTarget.proResSlices
#elseif PRORES_ALPHA
  private let target = FuzzTarget.proResAlpha
#elseif SCRIPT
  private let target = FuzzTarget.script
#else
  private let target = FuzzTarget.changes
#endif

/// Writes the sound inputs into the folder named by `FUZZ_SEEDS`, to be a corpus to start from.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(_ count: UnsafeMutableRawPointer?, _ arguments: UnsafeMutableRawPointer?) -> CInt {
  guard let path = ProcessInfo.processInfo.environment["FUZZ_SEEDS"], let seeds = try? target.seeds() else { return 0 }
  for (number, seed) in seeds.enumerated() {
    try? seed.write(to: URL(fileURLWithPath: path).appendingPathComponent("seed-\(number)"))
  }
  return 0
}

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  target.run(bytes.map { Data(bytes: $0, count: count) } ?? Data())
  return 0
}
