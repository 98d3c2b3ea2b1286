import Foundation
import QuickTime
import QuickTimeFuzz
import Testing

/// Whatever is damaged, opening a movie gives a typed error or a movie that can be asked everything; see `FuzzTarget.atoms`.
@Suite struct DamageTests {
  static let movies: [@Sendable () throws -> Data] = [
    { try SmallMovie.data(.init(moovFirst: true)) }, { try SmallMovie.data(.init(brand: "mp42")) },
    { try SmallMovie.fragmented() },
  ]

  @Test(arguments: movies.indices) func everyCutIsTypedOrSound(_ number: Int) throws {
    let data = try Self.movies[number]()
    for count in 0..<data.count { FuzzTarget.atoms.run(data.prefix(count)) }
  }

  /// Sizes, counts, offsets, times: every four bytes of the index, at every place, become small, large and negative.
  @Test(arguments: movies.indices, [0, 9, 0x7FFF_FFFF, 0xFFFF_FFFF] as [UInt32])
  func everyNumberMayBeWrong(_ number: Int, _ value: UInt32) throws {
    let data = try Self.movies[number]()
    let digits = withUnsafeBytes(of: value.bigEndian) { Data($0) }
    let media = try #require(Movie.open(DataSource(data)).layout.first("mdat"))
    for place in 0..<data.count - 4 where Int64(place) < media.offset + 8 || Int64(place) >= media.end - 4 {
      var damaged = data
      damaged.replaceSubrange(place..<place + 4, with: digits)
      guard let movie = try? Movie.open(DataSource(damaged)) else { continue }
      for track in movie.tracks where !track.samples.isEmpty {
        let last = track.samples[track.samples.count - 1]
        _ = try? movie.data(of: last, in: track)
        _ = track.timeline.shownSamples.last
      }
    }
  }

  @Test(arguments: 0..<400 as Range<UInt64>) func randomDamageIsTypedOrSound(_ seed: UInt64) throws {
    var random = SeededNumbers(seed)
    var data = try Self.movies[Int(seed) % Self.movies.count]()
    for _ in 0...Int.random(in: 0...5, using: &random) {
      data[Int.random(in: 0..<data.count, using: &random)] = .random(in: 0...255, using: &random)
    }
    FuzzTarget.atoms.run(data)
  }

  /// The size of every atom, wherever it is nested.
  @Test(arguments: [-9, -1, 1, 8, 1 << 20] as [Int64]) func everySizeMayBeWrong(_ change: Int64) throws {
    let data = try SmallMovie.data(.init(moovFirst: true))
    var places: [Int] = []
    findSizes(ByteReader(data), &places)
    #expect(places.count > 80)
    for place in places {
      var damaged = data
      var reader = ByteReader(data[place..<place + 4])
      let size = Int64(try reader.u32()) + change
      damaged.replaceSubrange(
        place..<place + 4, with: withUnsafeBytes(of: UInt32(truncatingIfNeeded: size).bigEndian) { Data($0) })
      FuzzTarget.atoms.run(damaged)
    }
  }

  private func findSizes(_ reader: ByteReader, _ places: inout [Int]) {
    let containers: Set<FourCC> = [
      "moov", "trak", "mdia", "minf", "stbl", "edts", "dinf", "udta", "meta", "ilst", "tref", "tapt", "gmhd",
    ]
    var reader = reader
    while let box = try? reader.nextBox() {
      places.append(Int(box.offset))
      if containers.contains(box.type) { findSizes(box.payload, &places) }
      var entry = box.payload
      if box.type == "stsd", (try? entry.skip(8)) != nil { findSizes(entry, &places) }
    }
  }

  @Test func damageOfOtherInputsIsTypedOrSound() throws {
    for target in [FuzzTarget.timedMetadata, .cinematicItems] {
      for seed in try target.seeds() {
        for count in 0...seed.count { target.run(seed.prefix(count)) }
        for place in seed.indices {
          for value in [0, 1, 0x7F, 0xFF] as [UInt8] {
            var damaged = seed
            damaged[place] = value
            target.run(damaged)
          }
        }
      }
    }
  }

  // MARK: - Claims that a few bytes make

  private func box(_ type: FourCC, _ payload: Data) -> Data {
    var writer = ByteWriter()
    writer.atom(StoredAtom(type, payload))
    return writer.data
  }

  /// A movie of a few bytes whose table claims four thousand million samples: it takes no memory and no time to say so.
  @Test func hugeClaimsTakeNoMemory() throws {
    var data = try SmallMovie.data()
    let sound = try #require(Movie.open(DataSource(data)).tracks.last).samples.count
    for type in ["stsz", "stts", "stsc", "stco", "stss", "ctts", "elst", "stsd", "keys", "dref"] {
      var search = data.startIndex
      while let found = data.range(of: Data(type.utf8), in: search..<data.endIndex) {
        var damaged = data
        let count = found.upperBound + (type == "stsz" ? 8 : 4)
        damaged.replaceSubrange(count..<count + 4, with: [0xFF, 0xFF, 0xFF, 0xF0])
        let opened = Result { try Movie.open(DataSource(damaged)) }
        if type == "keys" {
          #expect((try? opened.get())?.tracks.count == 4)
        } else {
          #expect(throws: QuickTimeError.self) { try opened.get() }
        }
        search = found.upperBound
      }
    }
    // Equal sizes need no table: the count alone is in the file.
    let places = try #require(data.range(of: Data("stsz".utf8), options: .backwards))
    data.replaceSubrange(places.upperBound + 4..<places.upperBound + 8, with: [0, 0, 0, 1])
    data.replaceSubrange(places.upperBound + 8..<places.upperBound + 12, with: [0xFF, 0xFF, 0xFF, 0xFF])
    #expect(sound == 12)
    #expect(throws: QuickTimeError.self) { try Movie.open(DataSource(data)) }
  }

  /// Atoms nested a hundred thousand deep must not exhaust the stack.
  @Test func deepNestingIsHarmless() {
    for type in ["trak", "moov", "udta", "meta", "mdia", "stbl", "wave"] as [FourCC] {
      var writer = ByteWriter()
      writer.atom(FileTypeAtom(brand: "qt  ", compatibleBrands: []))
      let depth = 100_000
      writer.u32(UInt32(8 + 8 * depth))
      writer.fourCC("moov")
      for level in 0..<depth {
        writer.u32(UInt32(8 * (depth - level)))
        writer.fourCC(type)
      }
      #expect(throws: QuickTimeError.self) { try Movie.open(DataSource(writer.data)) }
    }
  }

  /// Many atoms of eight bytes each, at the top level and in the index.
  @Test func manySmallAtomsAreBounded() throws {
    let many = Data((0..<200_000).flatMap { _ in [0, 0, 0, 8, 0x66, 0x72, 0x65, 0x65] as [UInt8] })
    let data = try SmallMovie.data()
    #expect(try Movie.open(DataSource(data + many)).boxes.count == 200_004)
    var writer = ByteWriter()
    writer.box("moov") { $0.data(many) }
    #expect(throws: QuickTimeError.self) { try Movie.open(DataSource(writer.data)) }
  }

  /// Two runs of ctts that claim more samples than the file has bytes must not be sorted.
  @Test func reorderingOfAbsentSamplesIsRefused() throws {
    let folder = try TemporaryFolder()
    let writer = try MovieWriter(url: folder.file("movie.mov"))
    let track = writer.addTrack(SmallMovie.disparityTrack)
    for offset in [0, 5] as [Int64] {
      let sample = TimedSample(duration: 1, compositionOffset: offset, count: 400)
      try writer.append(track: track, data: Data(count: 400), sample)
    }
    try writer.finish()
    var data = try Data(contentsOf: folder.file("movie.mov"))
    let million = Data([0x3F, 0xFF, 0xFF, 0xFF])
    let ctts = try #require(data.range(of: Data("ctts".utf8))).upperBound
    data.replaceSubrange(ctts + 8..<ctts + 12, with: million)
    let stts = try #require(data.range(of: Data("stts".utf8))).upperBound
    data.replaceSubrange(stts + 8..<stts + 12, with: million)
    let stsz = try #require(data.range(of: Data("stsz".utf8))).upperBound
    data.replaceSubrange(stsz + 8..<stsz + 12, with: million)
    let stsc = try #require(data.range(of: Data("stsc".utf8))).upperBound
    data.replaceSubrange(stsc + 12..<stsc + 16, with: million)
    let error = #expect(throws: QuickTimeError.self) { try Movie.open(DataSource(data)) }
    #expect(error?.message.contains("bytes") == true)
  }
}
