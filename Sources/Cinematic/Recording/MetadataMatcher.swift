package import QuickTime

/// Gives every frame that a picture track shows its metadata: that of the same time, else the nearest that says anything.
///
///     pictures   0   1   2   3   4
///     metadata   a  (e)  c       f      (e): an empty sample, or one that cannot be decoded
///     matched    a   a   c   c   f
///
/// Reads each sample once and keeps two at a time, so that memory does not grow with the movie.
package struct MetadataMatcher {
  package struct Frame: Sendable {
    /// Counts the shown frames from 0.
    package var index: Int
    /// When the picture is shown, after edit lists.
    package var time: RationalTime
    /// The picture's position in its track's order of presentation, counted before edits.
    package var mediaFrame: Int
    /// Nil if nothing in the movie says anything.
    package var entry: Entry?
  }

  /// A metadata sample, or several of one time, that says something.
  package struct Entry: Sendable {
    package var time: RationalTime
    /// The first sample's position in its track's order of presentation, counted before edits.
    package var mediaFrame: Int
    package var metadata: FrameMetadata
  }

  private let timeline: MetadataTimeline
  private var position = 0
  private var last: Entry?
  private var next: Entry?
  private var undecodable = OddSamples()
  /// How many of them are not in the file at all.
  private var missingCount = 0
  private var invalid = OddSamples()
  private var empty = OddSamples()
  private var inexact = OddSamples()
  /// Samples that lack an item which others have.
  private var withoutFrame = OddSamples()
  private var withoutRendering = OddSamples()
  /// How many metadata times say something; complete when all frames have been matched.
  package private(set) var entryCount = 0

  package init(_ timeline: MetadataTimeline) { self.timeline = timeline }

  /// Calls `body` for every frame that `picture` shows, in order. Call it once.
  package mutating func match(_ picture: MovieTrack, _ body: (Frame) throws -> Void) rethrows {
    let positions = picture.presentationPositions
    next = readNext()
    for shown in picture.timeline.shownSamples {
      while let entry = next, entry.time <= shown.time {
        last = entry
        next = readNext()
      }
      let entry = nearest(shown.time)
      if let entry, entry.time != shown.time { inexact.add("", at: shown.time) }
      try body(
        Frame(
          index: shown.position, time: shown.time, mediaFrame: positions(shown.sampleIndex), entry: entry))
    }
    while next != nil { next = readNext() }
  }

  /// Of two equally near entries the earlier counts.
  private func nearest(_ time: RationalTime) -> Entry? {
    guard let last, let next else { return last ?? next }
    return next.time - time < time - last.time ? next : last
  }

  private mutating func readNext() -> Entry? {
    while position < timeline.entries.count {
      let entry = timeline.entries[position]
      position += 1
      let metadata = timeline.metadata(entry)
      note(metadata, entry.time)
      guard !metadata.isEmpty else { continue }
      entryCount += 1
      return Entry(time: entry.time, mediaFrame: entry.parts[0].position, metadata: metadata)
    }
    return nil
  }

  private mutating func note(_ metadata: FrameMetadata, _ time: RationalTime) {
    if let problem = metadata.problems.first {
      undecodable.add(problem.cause, at: time)
      if metadata.isMissing { missingCount += 1 }
    } else if metadata.isEmpty {
      empty.add("", at: time)
    }
    if let value = metadata.invalidValues.first { invalid.add(value, at: time) }
    guard !metadata.isEmpty else { return }
    if metadata.frame == nil { withoutFrame.add("", at: time) }
    if metadata.rendering == nil { withoutRendering.add("", at: time) }
  }
}

extension MetadataMatcher {
  /// Why nothing could be decoded: the samples are not there, or they hold something else. Nil where something could be, or nothing
  /// was there.
  package var objection: CNCinematicError? {
    guard entryCount == 0, let (reason, _) = undecodable.first else { return nil }
    guard missingCount < undecodable.count else {
      return CNCinematicError(
        .unreadable, "None of the Cinematic metadata can be read: \(reason); copy the whole file again.")
    }
    return CNCinematicError(
      .malformed, "The Cinematic metadata cannot be decoded in any frame: \(reason); get the original again.")
  }

  /// What was missing or odd, a sentence each; complete when all frames have been matched.
  package var warnings: [String] {
    var warnings: [String] = []
    if let (text, place) = undecodable.first {
      warnings.append("\(undecodable.samples) cannot be decoded, the first at \(place): \(text).")
    }
    if let (text, place) = invalid.first {
      warnings.append(
        "The \(text) is impossible in \(invalid.samples), the first at \(place); what is stored beside it is used."
      )
    }
    if let (_, place) = empty.first {
      warnings.append(
        "Nothing is in \(empty.samples), the first at \(place); the nearest that holds something is used.")
    }
    if let (_, place) = withoutFrame.first {
      warnings.append(
        "The cinematography item is missing in \(withoutFrame.samples), the first at \(place); nothing is known of decisions and "
          + "detections there.")
    }
    // The rendering item may be absent, but then from all of them.
    if let (_, place) = withoutRendering.first, withoutRendering.count < entryCount {
      warnings.append(
        "The rendering item is missing in \(withoutRendering.samples), the first at \(place); what is stored beside it is used."
      )
    }
    if let (_, place) = inexact.first {
      warnings.append(
        "No metadata is there for the very time of \(inexact.count) frame\(inexact.count == 1 ? "" : "s"), the first at \(place); the nearest is used."
      )
    }
    return warnings
  }
}

/// The first of many odd samples, and how many there are.
private struct OddSamples {
  private(set) var first: (text: String, place: String)?
  private(set) var count = 0

  var samples: String { "\(count) metadata sample\(count == 1 ? "" : "s")" }

  mutating func add(_ text: String, at time: RationalTime) {
    if count == 0 { first = (text, "\((time.seconds * 1000).rounded() / 1000) s") }
    count += 1
  }
}

extension QuickTimeError {
  /// The sentence without its remedy, for use inside another one.
  package var cause: String {
    guard let end = message.lastIndex(of: ";") else {
      return message.hasSuffix(".") ? String(message.dropLast()) : message
    }
    return String(message[..<end])
  }
}
