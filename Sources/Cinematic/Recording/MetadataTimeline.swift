package import QuickTime

/// The samples of a movie's Cinematic metadata tracks on one line of time, those of equal time together.
///
///     track 4    a   b   c       times   0   1   2   3
///     track 5    d       e  f    entries ad  b   ce  f
///
/// Only enabled tracks whose key table has a Cinematic key count. It knows where samples lie and reads them when asked.
package struct MetadataTimeline: Sendable {
  /// A place in one track.
  package struct Part: Hashable, Sendable {
    /// Index into `tracks`.
    package var track: Int
    /// Index into the track's sample table.
    package var sample: Int
    /// Position in the track's order of presentation, counted before edits.
    package var position: Int
  }

  /// All parts with one presentation time, in the order of the tracks; never empty.
  package struct Entry: Hashable, Sendable {
    package var time: RationalTime
    package var parts: [Part]
  }

  package let movie: Movie
  package let tracks: [MovieTrack]
  /// The first track that shows more samples than a script may have frames; then there are no entries.
  package let tooLong: MovieTrack?
  /// By rising time, no two equal.
  package let entries: [Entry]
  /// By track, by sample description; nil for descriptions without Cinematic keys.
  private let keys: [[CinematicLocalIDs?]]

  package init(_ movie: Movie) {
    self.movie = movie
    var keys: [[CinematicLocalIDs?]] = []
    tracks = movie.tracks.filter { track in
      guard track.isEnabled else { return false }
      let own = track.sampleDescriptions.map { CinematicLocalIDs($0) }
      guard own.contains(where: { $0 != nil }) else { return false }
      keys.append(own)
      return true
    }
    self.keys = keys
    tooLong = tracks.first { $0.timeline.shownCount > RecordedScript.maximumFrames }
    entries = tooLong == nil ? Self.entries(tracks) : []
  }

  private static func entries(_ tracks: [MovieTrack]) -> [Entry] {
    var entries: [Entry] = []
    for (index, track) in tracks.enumerated() {
      let positions = track.presentationPositions
      var own: [Entry] = []
      own.reserveCapacity(track.timeline.shownCount)
      for shown in track.timeline.shownSamples {
        let part = Part(track: index, sample: shown.sampleIndex, position: positions(shown.sampleIndex))
        own.append(Entry(time: shown.time, parts: [part]))
      }
      entries = entries.isEmpty ? unified(own) : unified(merged(entries, own))
    }
    return entries
  }

  /// Both lists in one, by rising time; of equal times the first list's comes first.
  private static func merged(_ first: [Entry], _ second: [Entry]) -> [Entry] {
    var result: [Entry] = [], i = 0, j = 0
    result.reserveCapacity(first.count + second.count)
    while i < first.count || j < second.count {
      if j == second.count || (i < first.count && first[i].time <= second[j].time) {
        result.append(first[i])
        i += 1
      } else {
        result.append(second[j])
        j += 1
      }
    }
    return result
  }

  private static func unified(_ sorted: [Entry]) -> [Entry] {
    var result: [Entry] = []
    result.reserveCapacity(sorted.count)
    for entry in sorted {
      if let last = result.last, last.time == entry.time {
        result[result.count - 1].parts += entry.parts
      } else {
        result.append(entry)
      }
    }
    return result
  }
}

extension MetadataTimeline {
  /// What the tracks hold at one time; `problems` names samples that cannot be read.
  package func metadata(_ entry: Entry) -> FrameMetadata {
    var whole = FrameMetadata()
    for part in entry.parts {
      let track = tracks[part.track], sample = track.samples[part.sample]
      guard keys[part.track].indices.contains(sample.descriptionIndex),
        let keys = keys[part.track][sample.descriptionIndex]
      else { continue }
      do throws(QuickTimeError) {
        let path = "mebx (sample \(part.sample + 1) of track \(track.number))"
        let data = try movie.data(of: sample, in: track)
        whole.merge(FrameMetadata(sample: data, keys: keys, offset: sample.offset, path: path))
      } catch {
        whole.problems.append(error)
        whole.isMissing = true
      }
    }
    return whole
  }
}

extension MovieTrack {
  /// The position in the order of presentation of each sample, by its index.
  package var presentationPositions: (Int) -> Int {
    guard samples.hasCompositionOffsets else { return { $0 } }
    var positions = [Int](repeating: 0, count: samples.count)
    for (position, sample) in samples.presentationOrder.enumerated() { positions[sample] = position }
    return { positions[$0] }
  }
}
