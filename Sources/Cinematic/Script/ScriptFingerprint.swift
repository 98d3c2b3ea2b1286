import CoreMedia

/// What tells one movie's script from another's: its length and a hash of its frames.
package struct ScriptFingerprint: Hashable, Sendable {
  package let frameCount: Int
  package let hash: UInt64

  package init(frameCount: Int, hash: UInt64) {
    self.frameCount = frameCount
    self.hash = hash
  }
}

extension RecordedScript {
  /// Covers the times since the start of the time range, the focus and the detections. A movie that is trimmed or moved in time without
  /// loss has the fingerprint of `trimmed(to:)`.
  package var fingerprint: ScriptFingerprint {
    var hash = WordHash()
    for frame in 0..<frameCount {
      hash.add((times[frame] - timeRange.start).seconds.bitPattern)
      hash.add(UInt64(bitPattern: baseFocusTrackIDs[frame]))
      hash.add(UInt64(bitPattern: userFocusTrackIDs[frame]))
      hash.add(UInt64(focusDisparities[frame].bitPattern) << 32 | UInt64(fNumber(frame).bitPattern))
      for row in rows(ofFrame: frame) {
        hash.add(UInt64(bitPattern: trackIDs[row]))
        hash.add(UInt64(disparities[row].bitPattern) << 32 | UInt64(types[row]))
      }
    }
    return ScriptFingerprint(frameCount: frameCount, hash: hash.value)
  }
}

/// FNV-1a over 64-bit words with a final mix. It tells files apart; it is no protection against forgery.
private struct WordHash {
  private var state: UInt64 = 0xCBF2_9CE4_8422_2325

  mutating func add(_ word: UInt64) {
    state = (state ^ word) &* 0x0000_0100_0000_01B3
    // Multiplication only carries upwards: without this the high bits of a word would never reach the low ones.
    state ^= state >> 29
  }

  var value: UInt64 {
    let mixed = (state ^ state >> 32) &* 0x9E37_79B9_7F4A_7C15
    return mixed ^ mixed >> 29
  }
}
