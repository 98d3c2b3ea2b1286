internal import CoreMedia
internal import QuickTime

/// Gives decoded pictures their times where a track has lost composition offsets.
///
/// ```
/// stored   I0 P3 B1 B2     decode times   0 1 2 3     offsets: none
/// decoded  I0 B1 B2 P3     given times    0 1 2 3     each picture the earliest of those that wait
/// ```
///
/// Where the offsets end amid the track, times of samples behind may lie before those of pictures that were given already: such a
/// picture has the time of the one before it.
struct PictureTimes {
  /// Of samples that went into the decoder and have not come out, ascending.
  private var waiting: [Int64] = []
  /// The same samples in decoding order, by the decoder's numbers.
  private var inside: [(number: Int, isSync: Bool)] = []
  private var count = 0
  private var last = Int64.min

  /// Nil where the samples' own times are those of the pictures.
  init?(for track: AVAssetTrack) {
    let samples = track.movieTrack.samples
    let isComplete = samples.compositionOffsets.map { $0.count >= samples.count } ?? false
    let mayReorder = track.formatDescriptions.contains { Self.reordering.contains($0.mediaSubType.rawValue) }
    guard !isComplete, mayReorder, samples.syncSampleCount < samples.count else { return nil }
  }

  private static let reordering = Set(["avc1", "avc3", "hvc1", "hev1", "muxa", "dish"].map(fourCharacterCode))

  /// A sample of this time goes into the decoder; one without bytes does not.
  mutating func expect(_ time: Int64, isSync: Bool) {
    waiting.insert(time, at: waiting.firstIndex { $0 > time } ?? waiting.count)
    inside.append((count, isSync))
    count += 1
  }

  /// The time of the next picture that comes out, which is that of the sample of this number.
  mutating func next(sample number: Int) -> Int64? {
    if let place = inside.firstIndex(where: { $0.number == number }) {
      if inside[place].isSync { dropPictures(before: place) } else { inside.remove(at: place) }
    }
    guard !waiting.isEmpty else { return nil }
    last = max(last, waiting.removeFirst())
    return last
  }

  /// What is decoded before a sync sample is shown before it: pictures that have not come by then never will, and their times are
  /// nobody's.
  private mutating func dropPictures(before place: Int) {
    waiting.removeFirst(min(place, waiting.count))
    inside.removeFirst(place + 1)
  }

  /// A new decoder counts anew.
  mutating func beginDecoder() { count = 0 }

  /// The decoder has given all that it had: what still waits has no picture.
  mutating func clear() {
    waiting.removeAll()
    inside.removeAll()
    last = .min
  }
}
