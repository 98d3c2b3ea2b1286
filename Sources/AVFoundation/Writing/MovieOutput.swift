internal import Foundation
internal import QuickTime

/// The movie that a writer makes: its file, its container, and its inputs' tracks.
final class MovieOutput: @unchecked Sendable {
  // Unchecked: immutable but for what guards itself; a track is used by one thread at a time.
  private let file: WholeFile
  private let movie: MovieWriter
  private let inputs: [AVAssetWriterInput]
  private let tracks: [WrittenTrack]
  private let movieTimeScale: Int32
  private let mayRefineTimeScale: Bool
  private let discarding = DispatchGroup()
  /// Held while the file is finished or removed.
  private let ending = NSLock()

  /// Makes the file. Throws `AVError`, `QuickTimeError`.
  init(
    _ file: WholeFile, options: MovieWriter.Options, fileType: AVFileType, mayRefineTimeScale: Bool,
    inputs: [AVAssetWriterInput]
  ) throws {
    self.file = file
    self.inputs = inputs
    self.mayRefineTimeScale = mayRefineTimeScale
    movieTimeScale = options.timescale
    let movie = try MovieWriter(url: file.temporary, options: options)
    self.movie = movie
    tracks = inputs.map { input in
      WrittenTrack(
        movie: movie, handler: FourCC(input.mediaType.rawValue) ?? "data",
        preferredScale: input.mediaTimeScale > 0 ? input.mediaTimeScale : nil, isStored: input.outputSettings == nil)
    }
    do {
      for (input, track) in zip(inputs, tracks) { try input.begin(writing: track, fileType: fileType) }
    } catch {
      movie.cancel()
      throw error
    }
  }

  /// Writes what is left, the edits and the index, and moves the file to its place. Throws if writing has ended meanwhile.
  func finish(metadata: [AVMetadataItem], state: WritingState) throws {
    for input in inputs { input.complete() }
    try ending.withLock {
      guard state.status == .writing else {
        throw state.error ?? AVError(.operationCancelled, "Writing was cancelled.")
      }
      try describeTracks()
      try setEdits(state.session ?? WrittenTrack.Session(start: .zero))
      movie.setMetadata(try metadata.map { try $0.movieItem() })
      try movie.finish()
      try file.publish()
      state.complete()
    }
  }

  /// Ends all work and removes the file, on another thread: the caller may be part of that work.
  func discardLater() {
    DispatchQueue.global(qos: .userInitiated).async(group: discarding) { [self] in
      for input in inputs { input.abandon() }
      ending.withLock {
        movie.cancel()
        file.discard()
      }
    }
  }

  /// Ends all work and removes the file; harmless where that has begun, or is about to.
  func discard() {
    discardLater()
    discarding.wait()
  }

  private func setEdits(_ session: WrittenTrack.Session) throws {
    var scale = movieTimeScale
    if mayRefineTimeScale {
      for track in tracks { scale = try track.movieScale(for: session, from: scale) ?? scale }
      movie.setTimescale(scale)
    }
    for track in tracks { try track.setEdits(for: session, movieScale: scale) }
  }

  private func describeTracks() throws {
    for (input, track) in zip(inputs, tracks) {
      let description = try input.trackDescription
      let references = input.associations.compactMap { association in
        inputs.firstIndex { $0 === association.input }.map { (association.type, UInt32(tracks[$0].index + 1)) }
      }
      movie.updateTrack(track.index) { specification in
        description.apply(to: &specification, presentedSize: track.presentedSize)
        for (type, id) in references { specification.refer(to: id, by: type) }
      }
    }
  }
}

/// What an input says about its track.
struct TrackDescription {
  var transform: CGAffineTransform
  var naturalSize: CGSize
  var isEnabled: Bool
  var languageCode: String?
  var volume: Float
  var metadata: [MovieMetadataItem]
  var holdsPictures: Bool

  func apply(to specification: inout TrackSpecification, presentedSize: CGSize?) {
    let size = naturalSize == .zero ? presentedSize ?? .zero : naturalSize
    if holdsPictures {
      specification.width = size.width
      specification.height = size.height
    }
    specification.matrix = MovieMatrix(transform)
    specification.isEnabled = isEnabled
    specification.volume = specification.handler == "soun" ? Double(volume) : 0
    specification.metadata = metadata
    if let languageCode { specification.languageCode = LanguageCode.code(languageCode) }
  }
}

extension TrackSpecification {
  fileprivate mutating func refer(to id: UInt32, by type: String) {
    guard let code = FourCC(type) else { return }
    if let place = references.firstIndex(where: { $0.type == code }) {
      references[place].trackIDs.append(id)
    } else {
      references.append(TrackReferenceAtom.Reference(code, [id]))
    }
  }
}
