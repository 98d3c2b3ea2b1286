import CinematicFuzz
import Foundation
import ProResFuzz
import QuickTimeFuzz

/// `fuzz TARGET [SECONDS [SEED]]` damages sound inputs; `fuzz TARGET --input FILE…` feeds files, such as one that was found.
///
/// Each input is written to `fuzz-TARGET.input` in the temporary folder before it is fed, so that one that traps is there afterwards.
/// A limit of memory turns an input that asks for too much into a trap as well.
let targets: [FuzzTarget] = [
  .atoms, .timedMetadata, .cinematicItems, .changes, .adjustments, .script, .proResHeader, .proResSlices, .proResAlpha,
]
let arguments = Array(CommandLine.arguments.dropFirst())
guard let name = arguments.first, let target = targets.first(where: { $0.name == name }) else {
  FileHandle.standardError.write(
    Data("usage: fuzz \(targets.map(\.name).joined(separator: "|")) [SECONDS [SEED]] | --input FILE...\n".utf8))
  exit(2)
}

/// 2 GiB: a thousand times what the inputs here can justify.
var limit = rlimit(rlim_cur: 2 << 30, rlim_max: 2 << 30)
setrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &limit)

if arguments.dropFirst().first == "--input" {
  for path in arguments.dropFirst(2) { target.run(try Data(contentsOf: URL(fileURLWithPath: path))) }
  exit(0)
}

let seconds = arguments.count > 1 ? Double(arguments[1]) ?? 60 : 60
var mutator = Mutator(seed: arguments.count > 2 ? UInt64(arguments[2]) ?? 1 : 1, try target.seeds())
let current = FileManager.default.temporaryDirectory.appendingPathComponent("fuzz-\(target.name).input")
let start = Date()
var count = 0
var slowest = 0.0
while Date().timeIntervalSince(start) < seconds {
  let input = mutator.next()
  try input.write(to: current)
  let before = Date()
  target.run(input)
  let taken = Date().timeIntervalSince(before)
  if taken > slowest {
    slowest = taken
    try input.write(to: current.deletingPathExtension().appendingPathExtension("slowest"))
  }
  count += 1
}
print("\(target.name): \(count) inputs, the slowest took \(Int(slowest * 1000)) ms")
