import CoreMedia
package import Foundation
package import QuickTime

/// A folder of its own for a test, removed when the last reference goes.
package final class TemporaryFolder {
  package let url: URL

  package init() throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent("quicktime-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(at: url)
  }

  package func file(_ name: String) -> URL { url.appendingPathComponent(name) }
}

/// A small movie with everything a Cinematic one has: picture with B-frames and an edit list, disparity, sound, timed metadata.
package enum SmallMovie {
  package static let frameCount = 12
  package static let frameDuration: Int64 = 20

  package static let videoDescription = SampleDescription(
    type: "hvc1", layout: .video(VideoDescription(width: 64, height: 36, compressorName: "HEVC")),
    children: [
      StoredAtom("hvcC", Data(1...23)),
      StoredAtom(ColourAtom.nclx(primaries: 9, transfer: 18, matrix: 9, isFullRange: false)),
      StoredAtom(PixelAspectAtom(horizontal: 1, vertical: 1)),
    ])

  package static let disparityDescription = SampleDescription(
    type: "dish", layout: .video(VideoDescription(width: 32, height: 18, compressorName: "HEVC")),
    children: [StoredAtom("hvcC", Data(1...9)), StoredAtom("disc", Data([0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 16, 0, 0]))])

  package static let soundDescription = SampleDescription(
    type: "mp4a", layout: .audio(AudioDescription(channels: 2, bitsPerChannel: 16, sampleRate: 44_100)),
    children: [
      StoredAtom(ElementaryStreamAtom(objectType: 0x40, streamType: 5, decoderConfiguration: Data([0x12, 0x10])))
    ])

  package static let metadataDescription = SampleDescription(
    CinematicKey.writtenKeyTable.sampleEntry(), handler: "meta")!

  /// The composition offsets of four pictures in decoding order: shown 0, 3, 1, 2.
  package static let offsets: [Int64] = [20, 60, 0, 0]

  package static let metadata = [
    MovieMetadataItem(key: "com.apple.quicktime.creationdate", "2024-05-01T12:00:00+0200"),
    MovieMetadataItem(
      key: "com.apple.quicktime.cinematic-video-intent", dataType: MovieMetadataItem.DataType.signedInteger,
      value: Data([1])),
    MovieMetadataItem(space: .userData, key: "©xyz", "+48.1+011.6/"),
  ]

  package static var videoTrack: TrackSpecification {
    var track = TrackSpecification(handler: "vide", timescale: 600, sampleDescriptions: [videoDescription])
    (track.width, track.height) = (64, 36)
    track.matrix = MovieMatrix(a: 0, b: 1, c: -1, d: 0, x: 36, y: 0)
    track.languageCode = LanguageCode.code("eng")
    track.edits = [Edit(segmentDuration: 240, mediaTime: 20)]
    track.otherAtoms = [StoredAtom(TrackApertureAtom(sizes: [.init("clef", width: 64, height: 36)]))]
    return track
  }

  package static var disparityTrack: TrackSpecification {
    var track = TrackSpecification(handler: "auxv", timescale: 600, sampleDescriptions: [disparityDescription])
    (track.width, track.height) = (32, 18)
    track.references = [.init("auxl", [1])]
    return track
  }

  package static var soundTrack: TrackSpecification {
    var track = TrackSpecification(handler: "soun", timescale: 44_100, sampleDescriptions: [soundDescription])
    track.edits = [Edit(segmentDuration: 240, mediaTime: 1024)]
    return track
  }

  package static var metadataTrack: TrackSpecification {
    var track = TrackSpecification(handler: "meta", timescale: 600, sampleDescriptions: [metadataDescription])
    track.references = [.init("cdsc", [1])]
    return track
  }

  /// The bytes of a sample, different for each.
  package static func bytes(track: Int, sample: Int) -> Data {
    Data((0..<(sample * 3 + track * 5 + 4)).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ sample &* 31 &+ track) })
  }

  package static func timing(track: Int, sample: Int) -> TimedSample {
    switch track {
    case 0:
      TimedSample(
        duration: frameDuration, compositionOffset: offsets[sample % 4], isSync: sample % 4 == 0,
        dependency: SampleDependency(rawValue: sample % 4 == 2 ? 0x18 : 0x14))
    case 1: TimedSample(duration: frameDuration, isSync: sample % 6 == 0)
    case 2: TimedSample(duration: 1024)
    default: TimedSample(duration: frameDuration)
    }
  }

  package static func sampleCount(track: Int) -> Int { track == 2 ? 19 : frameCount }

  /// Writes the movie; `change` may alter what is written before the end.
  package static func write(
    to url: URL, _ options: MovieWriter.Options = MovieWriter.Options(), change: (MovieWriter) -> Void = { _ in }
  ) throws {
    let writer = try MovieWriter(url: url, options: options)
    let tracks = [videoTrack, disparityTrack, soundTrack, metadataTrack].map { writer.addTrack($0) }
    writer.setMetadata(metadata)
    for sample in 0..<19 {
      for track in tracks where sample < sampleCount(track: track) {
        try writer.append(
          track: track, data: bytes(track: track, sample: sample), timing(track: track, sample: sample))
      }
    }
    change(writer)
    try writer.finish()
  }

  /// The bytes of the whole movie.
  package static func data(_ options: MovieWriter.Options = MovieWriter.Options()) throws -> Data {
    let folder = try TemporaryFolder()
    try write(to: folder.file("movie.mov"), options)
    return try Data(contentsOf: folder.file("movie.mov"))
  }
}

extension SmallMovie {
  /// A movie whose samples are in a `moof`.
  package static func fragmented() throws -> Data {
    let folder = try TemporaryFolder()
    let writer = try MovieWriter(url: folder.file("empty.mp4"), options: .init(brand: "isom"))
    _ = writer.addTrack(videoTrack)
    var extends = ByteWriter()
    extends.atom(TrackExtendsAtom(trackID: 1, duration: 20, size: 2))
    writer.setOtherAtoms([StoredAtom("mvex", extends.data)])
    try writer.finish()
    var fragment = ByteWriter()
    fragment.box("moof") { moof in
      moof.box("traf") { traf in
        var header = TrackFragmentHeaderAtom(trackID: 1)
        header.isBaseMovieFragment = true
        traf.atom(header)
        traf.atom(FragmentDecodeTimeAtom(time: 40))
        traf.atom(TrackRunAtom(count: 3, dataOffset: 16))
        let entry = TrackRunAtom.Entry(duration: 10, size: 3, flags: 0x1_0000, compositionOffset: -10)
        traf.atom(TrackRunAtom(count: 2, entries: [entry, entry]))
      }
    }
    fragment.box("mdat") { $0.zeros(60) }
    return try Data(contentsOf: folder.file("empty.mp4")) + fragment.data
  }
}
