import Cinematic
import CoreGeometry
import QuickTime

extension CinematicTracks {
  /// What is unusual about the tracks, a sentence each, though the movie can be used.
  var oddities: [String] {
    [unusualMatrix, uprightDisparity, missingCoding].compactMap { $0 } + disabledTracks + unusualRates
  }

  private var unusualMatrix: String? {
    guard let picture, picture.matrix.transform.quarterTurns == nil else { return nil }
    return "The matrix of track \(picture.number) is no rotation by quarter turns; the nearest one is used."
  }

  private var uprightDisparity: String? {
    guard let disparity, UprightDisparity(self) != nil else { return nil }
    return
      "The disparity (track \(disparity.number)) is stored upright, unlike the picture, as its shape shows; it is turned back."
  }

  private var missingCoding: String? {
    guard let disparity, disparity.sampleDescriptions.first?.child("disc") == nil else { return nil }
    return "The disparity (track \(disparity.number)) does not say its range (disc); 0 to 16 is taken."
  }

  /// Tracks that would count if they were enabled.
  private var disabledTracks: [String] {
    movie.tracks.compactMap { track in
      let isCinematic =
        track.sampleDescriptions.first?.type == "dish"
        || track.sampleDescriptions.contains { CinematicLocalIDs($0) != nil }
      guard !track.isEnabled, isCinematic else { return nil }
      return "Track \(track.number) (\(track.handler)) is switched off and left out."
    }
  }

  private var unusualRates: [String] {
    all.compactMap { track in
      guard track.edits.contains(where: { !$0.isEmpty && $0.rate != 1 }) else { return nil }
      return "An edit of track \(track.number) has a rate other than 1."
    }
  }
}
