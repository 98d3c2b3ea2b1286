import CoreMedia
import Foundation
import QuickTime
import QuickTimeFuzz
import Testing

/// Movies whose samples are described in `moof` atoms.
@Suite struct FragmentTests {
  /// One fragment of a track: its runs, of which the data follows.
  private struct Fragment {
    var header: TrackFragmentHeaderAtom
    var time: Int64?
    var runs: [TrackRunAtom]
    var data: Data
  }

  private static func header(_ change: (inout TrackFragmentHeaderAtom) -> Void = { _ in }) -> TrackFragmentHeaderAtom {
    var header = TrackFragmentHeaderAtom(trackID: 1)
    header.isBaseMovieFragment = true
    change(&header)
    return header
  }

  /// `ftyp`, a `moov` with an empty track, then the fragments, whose data offsets are put right where they are 0.
  private func movie(_ fragments: [Fragment], edits: [Edit] = [], defaults: TrackExtendsAtom = .init(trackID: 1)) throws
    -> Data
  {
    let folder = try TemporaryFolder()
    let writer = try MovieWriter(url: folder.file("empty.mp4"), options: .init(brand: "isom"))
    var track = SmallMovie.videoTrack
    track.edits = edits
    _ = writer.addTrack(track)
    var extends = ByteWriter()
    extends.atom(defaults)
    writer.setOtherAtoms([StoredAtom("mvex", extends.data)])
    try writer.finish()
    var data = try Data(contentsOf: folder.file("empty.mp4"))
    for fragment in fragments { append(fragment, to: &data) }
    return data
  }

  private func append(_ fragment: Fragment, to data: inout Data) {
    var fragment = fragment
    let size = moof(fragment).count
    for index in fragment.runs.indices where fragment.runs[index].dataOffset == 0 {
      fragment.runs[index].dataOffset = Int32(size + 8)
    }
    if fragment.header.baseDataOffset == 0 { fragment.header.baseDataOffset = UInt64(data.count + size + 8) }
    data.append(moof(fragment))
    var writer = ByteWriter()
    writer.box("mdat") { $0.data(fragment.data) }
    data.append(writer.data)
  }

  private func moof(_ fragment: Fragment) -> Data {
    var writer = ByteWriter()
    writer.box("moof") { moof in
      moof.fullBox("mfhd") { $0.u32(1) }
      moof.box("traf") { traf in
        traf.atom(fragment.header)
        if let time = fragment.time { traf.atom(FragmentDecodeTimeAtom(time: time)) }
        for run in fragment.runs { traf.atom(run) }
      }
    }
    return writer.data
  }

  private func bytes(_ movie: Movie) throws -> [Data] {
    let track = movie.tracks[0]
    return try (0..<track.samples.count).map { try movie.data(of: track.samples[$0], in: track) }
  }

  @Test func readsSamplesOfAllFragments() throws {
    let entries = [
      TrackRunAtom.Entry(duration: 20, size: 2, flags: 0x200_0000, compositionOffset: 20),
      TrackRunAtom.Entry(duration: 20, size: 3, flags: 0x101_0000, compositionOffset: -20),
    ]
    let data = try movie([
      Fragment(
        header: Self.header(), time: 0, runs: [TrackRunAtom(count: 2, dataOffset: 0, entries: entries)],
        data: Data([1, 2, 3, 4, 5])),
      Fragment(
        header: Self.header { ($0.duration, $0.size, $0.flags) = (30, 1, 0x1_0000) }, time: 40,
        runs: [TrackRunAtom(count: 3, dataOffset: 0, firstSampleFlags: 0), TrackRunAtom(count: 1)],
        data: Data([6, 7, 8, 9])),
    ])
    let movie = try Movie.open(DataSource(data))
    #expect(movie.warnings == [] && movie.isFragmented)
    #expect(try bytes(movie) == [[1, 2], [3, 4, 5], [6], [7], [8], [9]].map { Data($0) })
    let samples = movie.tracks[0].samples
    #expect((0..<6).map { samples.decodeTime($0) } == [0, 20, 40, 70, 100, 130])
    #expect((0..<6).map { samples.presentationTime($0) } == [20, 0, 40, 70, 100, 130])
    #expect((0..<6).map { samples.isSync($0) } == [true, false, true, false, false, false])
    #expect(samples[0].dependency?.dependsOnOthers == false && samples[1].dependency?.dependsOnOthers == true)
    #expect(movie.tracks[0].mediaDuration == 160 && movie.duration == 160)
  }

  @Test func usesTheBaseThatIsStated() throws {
    let data = try movie(
      [
        Fragment(
          header: Self.header { ($0.baseDataOffset, $0.isBaseMovieFragment) = (0, false) }, time: nil,
          runs: [TrackRunAtom(count: 2)], data: Data([1, 2, 3, 4]))
      ], defaults: TrackExtendsAtom(trackID: 1, duration: 5, size: 2))
    let movie = try Movie.open(DataSource(data))
    #expect(try bytes(movie) == [Data([1, 2]), Data([3, 4])])
    #expect(movie.tracks[0].samples.totalDuration == 10)
  }

  @Test func gapsMakeTheLastSampleLonger() throws {
    func fragment(_ time: Int64) -> Fragment {
      Fragment(header: Self.header(), time: time, runs: [TrackRunAtom(count: 2, dataOffset: 0)], data: Data([1, 2]))
    }
    let defaults = TrackExtendsAtom(trackID: 1, duration: 10, size: 1)
    let movie = try Movie.open(DataSource(movie([fragment(100), fragment(150), fragment(160)], defaults: defaults)))
    let samples = movie.tracks[0].samples
    #expect((0..<6).map { samples.decodeTime($0) } == [100, 110, 150, 160, 170, 180])
    #expect(samples[1].duration == 40 && samples.start == 100)
    #expect(samples.index(atDecodeTime: 99) == nil && samples.index(atDecodeTime: 149) == 1)
    // The third starts 10 units before the second ends.
    #expect(movie.warnings.count == 1)
    #expect(
      movie.tracks[0].timeline.presentationTime(movie.tracks[0].timeline.shownSamples[0])
        == CMTime(value: 100, timescale: 600))
  }

  @Test func anEditWithoutDurationShowsAll() throws {
    let fragment = Fragment(
      header: Self.header { ($0.duration, $0.size) = (10, 1) }, time: 0, runs: [TrackRunAtom(count: 4, dataOffset: 0)],
      data: Data([1, 2, 3, 4]))
    let movie = try Movie.open(DataSource(movie([fragment], edits: [Edit(segmentDuration: 0, mediaTime: 20)])))
    #expect(movie.tracks[0].timeline.shownSamples.map(\.sampleIndex) == [2, 3])
  }

  @Test func aCutOffFragmentIsReported() throws {
    let fragment = Fragment(
      header: Self.header { ($0.duration, $0.size) = (10, 1) }, time: nil,
      runs: [TrackRunAtom(count: 4, dataOffset: 0)],
      data: Data([1, 2, 3, 4]))
    let whole = try movie([fragment, fragment])
    let last = try #require(whole.range(of: Data("moof".utf8), options: .backwards)).lowerBound
    let movie = try Movie.open(DataSource(whole.prefix(last + 20)))
    #expect(movie.tracks[0].samples.count == 4 && movie.warnings.count == 1)
    let inData = try Movie.open(DataSource(whole.dropLast(1)))
    #expect(inData.tracks[0].samples.count == 8)
    #expect(inData.warnings.map(\.message).contains { $0.contains("1 of 8 samples") })
    #expect(throws: QuickTimeError.self) { try inData.data(of: inData.tracks[0].samples[7], in: inData.tracks[0]) }
  }

  @Test(arguments: [
    TrackRunAtom(count: .max, dataOffset: 0), TrackRunAtom(count: 4, dataOffset: -10_000),
  ])
  func refusesImpossibleRuns(_ run: TrackRunAtom) throws {
    let fragment = Fragment(
      header: Self.header { ($0.duration, $0.size) = (10, 1) }, time: nil, runs: [run], data: Data([1, 2, 3, 4]))
    let data = try movie([fragment])
    #expect(throws: QuickTimeError.self) { try Movie.open(DataSource(data)) }
  }

  @Test(arguments: [2, 0] as [UInt32]) func refusesImpossibleDescriptions(_ number: UInt32) throws {
    let fragment = Fragment(
      header: Self.header { $0.descriptionIndex = number }, time: nil, runs: [TrackRunAtom(count: 1, dataOffset: 0)],
      data: Data([1]))
    #expect(throws: QuickTimeError.self) { try Movie.open(DataSource(movie([fragment]))) }
  }

  /// As after the removal of a track: found by fuzzing.
  @Test func fragmentsOfAbsentTracksAreLeftOut() throws {
    var absent = Self.header { ($0.duration, $0.size) = (10, 1) }
    absent.trackID = 9
    let present = Self.header { ($0.duration, $0.size) = (10, 1) }
    let fragments = [absent, present, absent].map {
      Fragment(header: $0, time: nil, runs: [TrackRunAtom(count: 2, dataOffset: 0)], data: Data([1, 2]))
    }
    let movie = try Movie.open(DataSource(movie(fragments)))
    #expect(movie.tracks[0].samples.count == 2 && movie.warnings.count == 1)
  }

  @Test func rewritingMovesPlacesInFragments() throws {
    let data = try movie(
      [
        Fragment(
          header: Self.header { ($0.baseDataOffset, $0.isBaseMovieFragment) = (0, false) }, time: nil,
          runs: [TrackRunAtom(count: 2)], data: Data([1, 2, 3, 4]))
      ], defaults: TrackExtendsAtom(trackID: 1, duration: 5, size: 2))
    let folder = try TemporaryFolder()
    var changes = MovieRewriter.Changes()
    changes.metadata = SmallMovie.metadata
    try MovieRewriter.rewrite(Movie.open(DataSource(data)), to: folder.file("new.mp4"), changes)
    let movie = try Movie.open(folder.file("new.mp4"))
    #expect(Set(movie.metadata) == Set(SmallMovie.metadata))
    #expect(try bytes(movie) == [Data([1, 2]), Data([3, 4])])
  }
}
