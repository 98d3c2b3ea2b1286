import AVFoundation
import CoreMedia
import CoreVideo
import Foundation
import QuickTime
import Testing

/// The compressed pictures of a small movie in a container that is made by hand.
struct RemuxedMovie {
  /// In decoding order.
  var data: [Data]
  /// The samples' times, sync and descriptions, as a table stores them.
  var samples: [TimedSample]
  var specification: TrackSpecification
  var movieTimescale: Int32 = 600

  /// The pictures of a small movie, compressed. Its edits and composition offsets are kept.
  static func compressed(_ movie: SmallMovie, in folder: TemporaryFolder) async throws -> RemuxedMovie {
    let url = folder.file("compressed.mov")
    try await movie.write(to: url)
    defer { try? FileManager.default.removeItem(at: url) }
    return try RemuxedMovie(AVURLAsset(url: url))
  }

  /// Twelve ProRes pictures, which depend on nothing: samples in any order and of any time can be made of them.
  static func proRes(in folder: TemporaryFolder) async throws -> RemuxedMovie {
    var movie = SmallMovie()
    movie.codec = .proRes422
    movie.compression = [:]
    movie.format = kCVPixelFormatType_422YpCbCr10BiPlanarVideoRange
    var remuxed = try await compressed(movie, in: folder)
    remuxed.specification.edits = []
    return remuxed
  }

  /// The samples of the first track of a movie.
  init(_ asset: AVAsset) throws {
    let track = try #require(asset.tracks.first).movieTrack
    let movie = try asset.openedMovie()
    data = try (0..<track.samples.count).map { try movie.data(of: track.samples[$0], in: track) }
    samples = (0..<track.samples.count).map {
      let sample = track.samples[$0]
      return TimedSample(
        duration: sample.duration, compositionOffset: sample.compositionOffset, isSync: sample.isSync,
        descriptionIndex: sample.descriptionIndex)
    }
    specification = TrackSpecification(copying: track)
    specification.edits = track.edits
    movieTimescale = movie.timescale
  }

  var description: SampleDescription {
    get { specification.sampleDescriptions[0] }
    set { specification.sampleDescriptions[0] = newValue }
  }

  /// The description with more atoms.
  mutating func add(_ atoms: [StoredAtom]) {
    let kept = description.children.filter { child in !atoms.contains { $0.type == child.type } }
    description = SampleDescription(type: description.type, layout: description.layout, children: kept + atoms)
  }

  func write(to url: URL) throws -> AVURLAsset {
    let writer = try MovieWriter(url: url, options: .init(timescale: movieTimescale))
    let track = writer.addTrack(specification)
    for (data, sample) in zip(data, samples) { try writer.append(track: track, data: data, sample) }
    try writer.finish()
    return AVURLAsset(url: url)
  }
}
