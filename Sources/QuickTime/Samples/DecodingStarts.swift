/// Where decoding can start beside the sync samples, and what it needs before: `stps`, and sample groups `roll` and `prol`.
///
/// A damaged atom counts as absent: a movie can be read without it.
package struct DecodingStarts: Sendable {
  private struct Rolls {
    var groups: RunTable<UInt32>
    /// Of each group, in samples.
    var distances: [Int]
  }

  /// Sample numbers from 1, ascending.
  private var partialSyncSamples: [UInt32] = []
  private var rolls: [Rolls] = []

  init(_ atoms: [StoredAtom]) {
    var descriptions: [FourCC: SampleGroupDescriptionAtom] = [:]
    var groups: [SampleToGroupAtom] = []
    for atom in atoms {
      switch atom.type {
      case "stps": partialSyncSamples = (try? Self.read(atom, as: SyncSampleAtom.self))?.numbers ?? []
      case "sgpd":
        guard let description = try? Self.read(atom, as: SampleGroupDescriptionAtom.self) else { continue }
        descriptions[description.grouping] = description
      case "sbgp": groups += [try? Self.read(atom, as: SampleToGroupAtom.self)].compactMap(\.self)
      default: break
      }
    }
    for group in groups where group.grouping == "roll" || group.grouping == "prol" {
      guard let description = descriptions[group.grouping] else { continue }
      rolls.append(Rolls(groups: group.groups, distances: description.entries.map(Self.distance)))
    }
  }

  private static func read<Kind: Atom>(_ atom: StoredAtom, as kind: Kind.Type) throws(QuickTimeError) -> Kind {
    var reader = ByteReader(atom.payload, path: atom.type.description)
    return try Kind(reading: &reader)
  }

  private static func distance(_ entry: some Collection<UInt8>) -> Int {
    guard entry.count >= 2 else { return 0 }
    return Int(Int16(truncatingIfNeeded: entry.prefix(2).reduce(0) { $0 << 8 | Int($1) }))
  }

  /// Whether decoding can start at the sample although some samples behind it, shown before it, will be wrong.
  package func isPartialSync(_ index: Int) -> Bool {
    let number = UInt32(clamping: index + 1)
    let position = partialSyncSamples.firstIndex(atOrAbove: number)
    return position < partialSyncSamples.count && partialSyncSamples[position] == number
  }

  /// How many samples from one where decoding starts to the first that is right: negative where they lie before it, 0 where
  /// the file does not say.
  package func rollDistance(at index: Int) -> Int {
    for roll in rolls where index < roll.groups.count {
      let group = Int(roll.groups.run(at: index).value)
      if roll.distances.indices.contains(group - 1) { return roll.distances[group - 1] }
    }
    return 0
  }
}
