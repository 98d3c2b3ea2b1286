import AVFoundation

/// The sound beside a composed picture: copied as it is stored, not mixed.
struct OverSound {
  let copies: [SoundCopy]
  /// Whose sound it is: "foreground", "background".
  let sources: [String]
  /// What the user should know.
  private(set) var notes: [String] = []

  init(
    _ options: OverOptions, _ foreground: ComposedMovie, _ background: ComposedMovie?, end: CMTime
  ) async throws {
    let front = try await foreground.soundAsset(), back = try await background?.soundAsset()
    var wanted: [(name: String, asset: AVURLAsset?)] =
      switch options.sound {
      case .foreground: [("foreground", front)]
      case .background: [("background", back)]
      case .both: [("foreground", front), ("background", back)]
      case nil: front == nil ? [("background", back)] : [("foreground", front)]
      case .nobody: []
      }
    if options.sound != nil {
      for (name, asset) in wanted where asset == nil { notes.append("the \(name) has no sound that can be copied") }
    }
    wanted.removeAll { $0.asset == nil }
    let range = CMTimeRange(start: .zero, end: end)
    var copies: [SoundCopy] = []
    for (_, asset) in wanted { if let asset { copies.append(try await SoundCopy(asset, range: range)) } }
    self.copies = copies
    sources = wanted.map(\.name)
    if options.loops, !sources.isEmpty { notes.append("sound is not repeated by --loop") }
    if sources.count > 1 {
      notes.append(
        "the sound of both is kept as tracks of their own, and not mixed: not every player plays both at once")
    }
  }
}
