extension Movie {
  /// What of a track is taken in another way than the file may have meant it.
  static func oddities(_ track: MovieTrack) -> [MovieWarning] {
    let place = "moov/trak[\(track.number)]"
    var warnings: [MovieWarning] = []
    let count = track.samples.count
    if let offsets = track.samples.compositionOffsets, offsets.count != count {
      let message =
        "Track \(track.number) has composition offsets for \(offsets.count) of its \(count) samples; the others are shown when they are decoded."
      warnings.append(MovieWarning(message, path: "\(place)/mdia/minf/stbl/ctts"))
    }
    if track.edits.contains(where: { $0.rawRate < 0 }) {
      let message = "Track \(track.number) has an edit that plays backwards; it is shown forwards."
      warnings.append(MovieWarning(message, path: "\(place)/edts/elst"))
    }
    if track.samples.syncSamples?.isEmpty == true && count > 0 {
      let message =
        "Track \(track.number) has no sample from which decoding can start; decoding starts at its first one."
      warnings.append(MovieWarning(message, path: "\(place)/mdia/minf/stbl/stss"))
    }
    if let sound = track.sampleDescriptions.first?.audio, sound.framesPerPacket > 1,
      case .uniform(1, _) = track.samples.sizes.storage
    {
      let message =
        "Track \(track.number) stores sound packets in QuickTime's oldest way, which is not understood; it may not play."
      warnings.append(MovieWarning(message, path: "\(place)/mdia/minf/stbl/stsz"))
    }
    return warnings
  }
}
