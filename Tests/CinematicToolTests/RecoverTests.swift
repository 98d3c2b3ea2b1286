import AVFoundation
import CinematicTool
import Foundation
import ProRes
import ProResClips
import QuickTime
import Testing

/// Movies that lost their index, in the ways in which that happens; what is found is compared byte for byte.
@Suite struct RecoverTests {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  // MARK: Ways to break a movie

  enum Break: CaseIterable {
    case noIndex, cutInIndex, noise, sizeToTheEnd, sizeBeyondTheEnd, wideSize, severalMediaAtoms, junkInFront,
      interleaved
  }

  /// Frames in a file without an index, and the bytes of the file.
  private func broken(_ frames: [Data], _ way: Break) -> Data {
    let media = frames.reduce(Data(), +)
    let head = Data("\0\0\0\u{14}ftypqt  ".utf8) + Data(count: 8)
    func atom(_ size: Int, _ type: String) -> Data { be32(size) + Data(type.utf8) }
    return switch way {
    case .noIndex: head + atom(media.count + 8, "mdat") + media
    case .cutInIndex: head + atom(media.count + 8, "mdat") + media + atom(9000, "moov") + Data(count: 40)
    case .noise: head + atom(media.count + 8, "mdat") + media + atom(9000, "moov") + noise(8992)
    case .sizeToTheEnd: head + atom(0, "mdat") + media
    case .sizeBeyondTheEnd: head + atom(0x7FFF_FFFF, "mdat") + media
    case .wideSize: head + atom(1, "mdat") + be32(7) + be32(0) + media
    case .severalMediaAtoms:
      head + frames.reduce(Data()) { $0 + atom($1.count + 8, "mdat") + $1 + atom(12, "free") + Data(count: 4) }
    case .junkInFront: noise(10_007) + Data(repeating: 0x69, count: 99) + media
    case .interleaved:
      head + atom(0, "mdat") + frames.reduce(Data()) { $0 + noise(3001) + Data("icpf".utf8) + $1 } + noise(77)
    }
  }

  private func be32(_ number: Int) -> Data { withUnsafeBytes(of: UInt32(number).bigEndian) { Data($0) } }

  /// Numbers that look like sound, with marks of frames among them.
  private func noise(_ count: Int) -> Data {
    var state: UInt64 = 88_172_645_463_325_252
    var bytes = (0..<count).map { _ -> UInt8 in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8(truncatingIfNeeded: state >> 33)
    }
    for place in stride(from: 100, to: count - 8, by: 500) {
      bytes.replaceSubrange(place..<place + 4, with: "icpf".utf8)
    }
    return Data(bytes)
  }

  private func frames(
    _ count: Int = 5, _ profile: ProResClip.Profile = .hq, width: Int = 96, height: Int = 64,
    fields: ProResClip.Fields = .progressive
  ) throws -> [Data] {
    var settings = ProResClip.Settings(profile, width, height)
    settings.frames = count
    settings.fields = fields
    if profile.is4444 { settings.alphaBits = 16 }
    let clip = try ProResClip(settings) { frame, component, x, y in
      UInt16(truncatingIfNeeded: 200 + (x * 37 + y * 11 + frame * 53 + component * 97) % 500)
    }
    return clip.samples.map { Data($0) }
  }

  private func write(_ bytes: Data, _ name: String = "broken.mov") throws -> String {
    try bytes.write(to: folder.url.appendingPathComponent(name))
    return folder.path(name)
  }

  private func recover(_ bytes: Data, _ options: String...) async throws -> (movie: MovieFile, json: [String: Any]) {
    let name = UUID().uuidString
    let path = folder.path(name + ".mov")
    let result = await cinematic(["recover", try write(bytes, name), "-o", path, "--json"] + options)
    try #require(result.status == 0, "\(result.errors)")
    return (try MovieFile(path), result.json)
  }

  // MARK: What is found

  @Test(arguments: Break.allCases)
  func `every whole frame is found, byte for byte`(way: Break) async throws {
    let frames = try frames()
    let (movie, json) = try await recover(broken(frames, way))
    #expect(try movie.samples("vide") == frames)
    #expect(json["frames"] as? Int == 5)
    #expect(json["damaged_frames"] as? Int == 0)
    #expect(json["cut_off"] is NSNull)
  }

  @Test func `interlaced and 4444 frames are found, and described`() async throws {
    let interlaced = try frames(3, .standard, fields: .topFirst)
    let (movie, _) = try await recover(broken(interlaced, .interleaved))
    #expect(try movie.samples("vide") == interlaced)
    let entry = try movie.track("vide").sampleDescriptions[0]
    #expect(try entry.child("fiel", as: FieldAtom.self) == FieldAtom(count: 2, detail: 9))
    let alpha = try frames(3, .p4444)
    let (second, _) = try await recover(broken(alpha, .interleaved))
    #expect(try second.samples("vide") == alpha)
    #expect(try second.track("vide").sampleDescriptions[0].type == "ap4h")
    #expect(try second.track("vide").sampleDescriptions[0].video?.depth == 32)
  }

  @Test func `the frame that is cut off is reported and left out, at whatever byte the file ends`() async throws {
    let frames = try frames(3)
    let whole = broken(frames, .noIndex)
    for missing in [1, 5, 200, frames[2].count - 8, frames[2].count - 1] {
      let (movie, json) = try await recover(whole.dropLast(missing))
      #expect(try movie.samples("vide") == Array(frames.prefix(2)))
      // Without its first slices a frame is not told from what looks like one.
      if frames[2].count - missing > 1000 {
        let cutOff = try #require(json["cut_off"] as? [String: Any])
        #expect(cutOff["bytes"] as? Int == frames[2].count)
        #expect(cutOff["bytes_there"] as? Int == frames[2].count - missing)
      }
    }
  }

  @Test(arguments: [1, 3, 4, 7, 8, 40, 300])
  func `a frame that lost bytes does not swallow the next one`(lost: Int) async throws {
    let frames = try frames(5)
    for place in [600, frames[2].count - lost - 1] {
      var damaged = frames
      damaged[2].removeSubrange(place..<place + lost)
      let (movie, json) = try await recover(broken(damaged, .noIndex))
      let found = try movie.samples("vide")
      #expect(found == [frames[0], frames[1], frames[3], frames[4]])
      #expect(json["damaged_frames"] as? Int == 1)
    }
  }

  /// A damaged size is not the end of the recording, as frames behind it show.
  @Test(arguments: [1 << 24, 0x7FFF_FFFF])
  func `a frame that claims more than the file is told as damaged`(claim: Int) async throws {
    let frames = try frames(4)
    var damaged = frames
    damaged[1].replaceSubrange(0..<4, with: be32(claim))
    let (movie, json) = try await recover(broken(damaged, .noIndex))
    #expect(try movie.samples("vide") == [frames[0], frames[2], frames[3]])
    #expect(json["damaged_frames"] as? Int == 1 && json["cut_off"] is NSNull)
    let head = broken([], .noIndex).count
    #expect(json["damaged_at"] as? [Int] == [head + frames[0].count])
  }

  @Test func `frames that change get a description each`() async throws {
    let (first, second) = (try frames(2, .hq), try frames(2, .hq, width: 128))
    let wide = try frames(1, .p4444)
    let (movie, json) = try await recover(broken(first + second + wide + first, .noIndex))
    #expect(try movie.samples("vide") == first + second + wide + first)
    let track = try movie.track("vide")
    #expect(track.sampleDescriptions.map(\.type) == ["apch", "apch", "ap4h"])
    #expect(track.sampleDescriptions.map { $0.video?.width } == [96, 128, 96])
    #expect((0..<7).map { track.samples[$0].descriptionIndex } == [0, 0, 1, 1, 2, 0, 0])
    #expect((json["formats"] as? [Any])?.count == 3)
  }

  // MARK: What is told by the frames

  @Test(arguments: [
    (ProResClip.Profile.proxy, "apco"), (.lt, "apcs"), (.standard, "apcn"), (.hq, "apch"), (.p4444, "ap4h"),
  ])
  func `the profile is told by the quantisation matrix`(profile: ProResClip.Profile, codec: String) async throws {
    let (movie, json) = try await recover(broken(try frames(2, profile), .noIndex))
    #expect(try movie.track("vide").sampleDescriptions[0].type.description == codec)
    let format = try #require((json["formats"] as? [[String: Any]])?.first)
    #expect(format["guessed_from"] is String)
  }

  @Test func `what is asked for comes before what is guessed, unless it cannot be`() async throws {
    let bytes = broken(try frames(2), .noIndex)
    let (movie, json) = try await recover(bytes, "--profile", "lt", "--fps", "23.976")
    #expect(try movie.track("vide").sampleDescriptions[0].type == "apcs")
    #expect(try movie.times("vide") == [RationalTime(0, 1), RationalTime(1001, 24_000)])
    #expect(try movie.track("vide").timeline.end == RationalTime(2002, 24_000))
    #expect(json["frame_rate_from"] as? String == "asked")
    let refused = await cinematic(
      "recover", try write(bytes), "-o", folder.path("x.mov"), "--profile", "4444", "--json")
    #expect(refused.status == 1 && refused.errorName == "incompatible")
    #expect(!folder.names.contains { $0.contains("x.mov") })
  }

  /// Byte 21 of a frame holds the codes of aspect and rate, bytes 22 to 24 the colour.
  @Test func `rate, aspect and colour of the frames are kept`() async throws {
    var frames = try frames(2)
    for index in frames.indices {
      frames[index][21] = 3 << 4 | 4
      frames[index].replaceSubrange(22..<25, with: [9, 18, 9])
    }
    let (movie, json) = try await recover(broken(frames, .noIndex))
    #expect(try movie.samples("vide") == frames)
    #expect(json["frame_rate"] as? String == "30000/1001")
    #expect(json["frame_rate_from"] as? String == "frames")
    let entry = try movie.track("vide").sampleDescriptions[0]
    // 96x64 pixels that are shown as 16:9.
    #expect(try entry.child("pasp", as: PixelAspectAtom.self) == PixelAspectAtom(horizontal: 32, vertical: 27))
    #expect(try entry.child("colr", as: ColourAtom.self) == .nclc(primaries: 9, transfer: 18, matrix: 9))
    #expect(try entry.child("fiel", as: FieldAtom.self) == FieldAtom(count: 1, detail: 0))
  }

  @Test func `without any rate 24 is taken, and said`() async throws {
    let path = try write(broken(try frames(2), .noIndex))
    let result = await cinematic("recover", path, "-o", folder.path("out.mov"))
    #expect(result.status == 0)
    #expect(result.errors.contains("24 frames a second is an assumption"))
    #expect(result.errors.contains("sound"))
    #expect(try MovieFile(folder.path("out.mov")).times("vide") == [RationalTime(0, 1), RationalTime(1, 24)])
  }

  @Test func `rates are read exactly`() {
    let rates = [
      "25": (25, 1), "23.976": (24_000, 1001), "23.98": (24_000, 1001), "29.97": (30_000, 1001),
      "59.94": (60_000, 1001), "119.88": (120_000, 1001), "24000/1001": (24_000, 1001), "12.5": (25, 2),
      "50/2": (25, 1),
    ]
    for (text, rate) in rates {
      #expect(FrameRate(text).map { [$0.frames, $0.seconds] } == [Int32(rate.0), Int32(rate.1)], "\(text)")
    }
    for text in ["0", "-1", "1001", "x", "24/0", "1/2/3", "", "inf", "nan", "/", "9999999999999999999"] {
      #expect(FrameRate(text) == nil, "\(text)")
    }
    #expect(FrameRate(code: 1) == FrameRate(24_000, per: 1001) && FrameRate(code: 11) == FrameRate(120))
    #expect(FrameRate(code: 0) == nil && FrameRate(code: 12) == nil && FrameRate(code: 15) == nil)
    #expect(FrameRate(24)?.frameDuration == CMTime(value: 1, timescale: 24))
  }

  // MARK: What is refused

  @Test func `what holds no frame gets one sentence`() async throws {
    let raw = (0..<50).reduce(Data()) { data, _ in data + be32(1000) + Data("prrf".utf8) + Data(count: 992) }
    for (bytes, name, part) in [
      (Data(), "unreadable", "empty"), (noise(20_000), "unreadable", "no whole ProRes frame"),
      (raw, "unsupported", "ProRes RAW"), (Data(count: 7), "unreadable", "no whole ProRes frame"),
    ] {
      let result = await cinematic("recover", try write(bytes), "-o", folder.path("out.mov"), "--json")
      #expect(result.status == ExitStatus.failed && result.errorName == name)
      #expect(result.errors.split(separator: "\n").count == 1 && result.errors.contains(part), "\(result.errors)")
      #expect(folder.names == ["broken.mov"])
    }
  }

  @Test func `a movie that opens is searched only by force`() async throws {
    let (movie, _) = try await recover(broken(try frames(3), .noIndex))
    let refused = await cinematic("recover", movie.path, "-o", folder.path("again.mov"))
    #expect(refused.status == ExitStatus.failed && refused.errors.contains("is whole and leads to 3 pictures"))
    let forced = await cinematic("recover", movie.path, "-o", folder.path("again.mov"), "--force")
    #expect(forced.status == ExitStatus.done)
    #expect(try MovieFile(folder.path("again.mov")).samples("vide") == movie.samples("vide"))
  }

  @Test func `the input is never written to`() async throws {
    let bytes = broken(try frames(2), .noIndex)
    let path = try write(bytes)
    #expect(await cinematic("recover", path, "-o", path, "-y").status == ExitStatus.failed)
    #expect(await cinematic("recover", path, "-o", folder.path("x.mp4")).status == ExitStatus.usage)
    #expect(await cinematic("recover", path, "-o", folder.path("x.mov"), "--fps", "fast").status == ExitStatus.usage)
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes)
    #expect(folder.names == ["broken.mov"])
  }

  // MARK: Work

  /// A file in memory that counts what is read of it.
  private final class CountingSource: ByteSource, @unchecked Sendable {
    let byteCount: Int64
    let name = "a file"
    private let source: DataSource
    private(set) var bytesRead: Int64 = 0

    init(_ data: Data) {
      byteCount = Int64(data.count)
      source = DataSource(data)
    }

    func read(at offset: Int64, count: Int) throws(QuickTimeError) -> Data {
      bytesRead += Int64(count)
      return try source.read(at: offset, count: count)
    }
  }

  @Test func `false marks cost no more than looking at them`() throws {
    let frame = try frames(1)[0]
    // A header that promises far more than there is behind it, thousands of times, and marks alone.
    var header = frame.prefix(164)
    header.replaceSubrange(0..<4, with: be32(4_000_000))
    header.replaceSubrange(157..<161, with: be32(3_900_000))
    let junk = (0..<20_000).reduce(into: Data()) { data, _ in data += header }
    let marks = (0..<500_000).reduce(into: Data()) { data, _ in data += Data("icpf".utf8) }
    let source = CountingSource(junk + frame + marks + frame)
    var scanner = FrameScanner(source)
    #expect(try scanner.next()?.data == frame)
    #expect(try scanner.next()?.data == frame)
    #expect(try scanner.next() == nil)
    #expect(source.bytesRead < 3 * source.byteCount)
  }

  // MARK: Recordings

  private static let recordings = URL(fileURLWithPath: SharedMovie.path).deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("prores")

  @Test(
    .enabled(if: FileManager.default.fileExists(atPath: recordings.path), "../shared/media/prores is not there"),
    arguments: [("422-proxy", "apco"), ("422-lt", "apcs"), ("422", "apcn"), ("422-hq", "apch")])
  func `recordings by the standard's own encoder come back`(name: String, codec: String) async throws {
    let original = try MovieFile(Self.recordings.appendingPathComponent("apple-prores-\(name).mov").path)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: original.path))
    let index = try #require(original.movie.layout.first("moov"))
    let media = bytes[..<Int(index.offset)] + bytes[Int(index.end)...]
    let (movie, _) = try await recover(media)
    let frames = try original.samples("vide")
    #expect(try movie.samples("vide") == frames)
    #expect(try movie.track("vide").sampleDescriptions[0].type.description == codec)
    let (shorter, json) = try await recover(
      bytes.prefix(Int(original.track("vide").samples[frames.count - 1].offset) + 900))
    #expect(try shorter.samples("vide") == Array(frames.dropLast()))
    #expect(json["cut_off"] is [String: Any])
  }
}
