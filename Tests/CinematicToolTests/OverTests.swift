import AVFoundation
import CinematicTool
import CoreMedia
import Foundation
import ImageFiles
import ProResClips
import QuickTime
import Testing

/// A movie over others: what comes out is compared with the formula, within what the encoder loses.
@Suite struct OverTests {
  private let folder: TestFolder
  /// Codes of 10 bits that ProRes 4444 may lose at its usual rate; flat parts lose less.
  private static let tolerance = 3.0

  init() throws { folder = try TestFolder() }

  private typealias Codes = (luma: Double, blue: Double, red: Double)
  /// An orange.
  private static let orange = codes709(0.9, 0.5, 0.1)

  /// One colour, with an alpha of each pixel.
  private func flat(
    _ name: String = "fg.mov", _ color: (luma: Double, blue: Double, red: Double) = orange,
    _ movie: ClipMovie = .init(),
    alpha: @escaping (_ frame: Int, _ x: Int, _ y: Int) -> Int
  ) throws -> String {
    try movie.write(folder, name) { frame, component, x, y in
      switch component {
      case 0: UInt16(color.luma.rounded())
      case 1: UInt16(color.blue.rounded())
      case 2: UInt16(color.red.rounded())
      default: UInt16(alpha(frame, x, y))
      }
    }
  }

  private func over(
    _ foreground: String, _ background: String, _ options: String...
  ) async throws -> (movie: MovieFile, json: [String: Any]) {
    let path = folder.path("\(UUID().uuidString).mov")
    let result = await cinematic(["over", foreground, background, "-o", path, "--json"] + options)
    try #require(result.status == 0, "\(result.errors)")
    return (try MovieFile(path), result.json)
  }

  private func expect(
    _ pixel: (luma: Double, blue: Double, red: Double, alpha: Int), _ codes: (luma: Double, blue: Double, red: Double),
    within tolerance: Double = tolerance, _ place: SourceLocation = #_sourceLocation
  ) {
    let isNear =
      abs(pixel.luma - codes.luma) <= tolerance && abs(pixel.blue - codes.blue) <= tolerance
      && abs(pixel.red - codes.red) <= tolerance
    #expect(isNear, "\(pixel) is not \(codes)", sourceLocation: place)
  }

  private func mixed(
    _ a: (luma: Double, blue: Double, red: Double), _ b: (luma: Double, blue: Double, red: Double), _ share: Double
  )
    -> (luma: Double, blue: Double, red: Double)
  {
    (
      a.luma * share + b.luma * (1 - share), a.blue * share + b.blue * (1 - share), a.red * share + b.red * (1 - share)
    )
  }

  // MARK: Colours

  @Test func `alpha decides who is seen`() async throws {
    // Three bands: background, a half, foreground; as wide as the transform's blocks.
    let path = try flat { _, x, _ in x < 16 ? 0 : x < 32 ? 512 : 1023 }
    let (movie, json) = try await over(path, "#2040c0")
    let picture = try Decoded(movie)
    let blue = codes709(0x20 / 255.0, 0x40 / 255.0, 0xC0 / 255.0)
    for y in [3, 24, 44] {
      expect(picture[8, y], blue)
      expect(picture[24, y], mixed(Self.orange, blue, 512 / 1023.0))
      expect(picture[50, y], Self.orange)
      #expect(picture[24, y].alpha == 65_535)
    }
    #expect(json["alpha"] as? String == "straight" && json["keeps_alpha"] as? Bool == false)
    #expect(try movie.track("vide").sampleDescriptions[0].type == "ap4h")
    #expect(try movie.times("vide") == (0..<3).map { RationalTime(Int64($0), 25) })
  }

  @Test func `linear mixes light by BT.709's curve`() async throws {
    let white = try flat("white.mov", codes709(1, 1, 1)) { _, _, _ in 512 }
    let picture = try Decoded(try await over(white, "black", "--linear").movie)
    let light = 512 / 1023.0
    let signal = 1.099_296_8 * pow(light, 0.45) - 0.099_296_8
    expect(picture[30, 30], codes709(signal, signal, signal))
    expect(try Decoded(try await over(white, "black").movie)[30, 30], codes709(light, light, light))
  }

  @Test(arguments: [("premultiplied", 0.0), ("premultiplied-white", 1.0)])
  func `multiplied colours give what straight ones do`(mode: String, matte: Double) async throws {
    func alpha(_ x: Int) -> Double { Double(min(max(x - 8, 0), 48)) / 48 }
    let straight = try flat { _, x, _ in Int((alpha(x) * 1023).rounded()) }
    let ground = codes709(matte, matte, matte)
    let multiplied = try ClipMovie().write(folder, "pre.mov") { _, component, x, _ in
      let color = mixed(Self.orange, ground, alpha(x))
      let codes = [color.luma, color.blue, color.red, alpha(x) * 1023]
      return UInt16(codes[component].rounded())
    }
    let one = try Decoded(try await over(straight, "#2040c0").movie)
    let other = try Decoded(try await over(multiplied, "#2040c0", "--alpha", mode).movie)
    for x in 0..<64 { expect(other[x, 20], (one[x, 20].luma, one[x, 20].blue, one[x, 20].red), within: 4) }
  }

  @Test func `a soft edge over its own colour has no fringe`() async throws {
    let path = try flat { _, x, y in min(max((x + y) * 10, 0), 1023) }
    let ground = try flat("bg.mov", Self.orange, ClipMovie(profile: .hq)) { _, _, _ in 0 }
    let picture = try Decoded(try await over(path, ground).movie)
    for y in 0..<48 { for x in 0..<64 { expect(picture[x, y], Self.orange) } }
  }

  @Test func `the movie's graphics mode tells how colours are stored`() async throws {
    for (mode, name) in [
      (UInt16(256), "straight"), (257, "premultiplied-white"), (258, "premultiplied"), (64, "straight"),
    ] {
      let path = try flat("\(mode).mov", Self.orange, ClipMovie(graphicsMode: mode)) { _, _, _ in 1023 }
      #expect(try await over(path, "black").json["alpha"] as? String == name)
      #expect(try await over(path, "black", "--alpha", "straight").json["alpha"] as? String == "straight")
    }
  }

  @Test func `decode gives the same light of multiplied colours as of straight ones`() async throws {
    let straight = try flat { _, _, _ in 512 }
    let color = mixed(Self.orange, codes709(0, 0, 0), 512 / 1023.0)
    let multiplied = try flat("pre.mov", color, ClipMovie(graphicsMode: 258)) { _, _, _ in 512 }
    func light(_ path: String) async throws -> [Float] {
      let out = folder.path(UUID().uuidString)
      let result = await cinematic("decode", path, "-o", out, "--format", "exr")
      try #require(result.status == 0, "\(result.errors)")
      let url = URL(fileURLWithPath: out + "/frame-00000.exr")
      return try ["R", "G", "B", "A"].map { try EXRFile.read($0, from: url).samples[30 * 64 + 30] }
    }
    let (one, other) = (try await light(straight), try await light(multiplied))
    // The curve of BT.709 and alpha, within the codec's loss.
    let red = pow((0.9 + 0.099_296_8) / 1.099_296_8, 1 / 0.45) * 512 / 1023
    #expect(abs(Double(one[0]) - red) < 0.01 && abs(one[3] - 512 / 1023) < 0.001)
    for (a, b) in zip(one, other) { #expect(abs(a - b) < 0.01, "\(one) \(other)") }
  }

  @Test func `an EXR's own primaries are taken`() async throws {
    let front = try flat { _, _, _ in 0 }
    func picture(_ name: String, _ light: [Float], _ colors: EXRFile.Chromaticities?) throws -> String {
      let planes = light.map { EXRFile.Plane(width: 64, height: 48, samples: [Float](repeating: $0, count: 64 * 48)) }
      let path = folder.path(name)
      try EXRFile.write(
        ["R": planes[0], "G": planes[1], "B": planes[2]], to: URL(fileURLWithPath: path), part: "picture",
        chromaticities: colors)
      return path
    }
    // The same green in both primaries, by the matrix of ITU-R BT.2087.
    let narrow: [Float] = [0.1, 0.5, 0.2]
    let rows: [[Float]] = [[0.6274, 0.3293, 0.0433], [0.0691, 0.9195, 0.0114], [0.0164, 0.0880, 0.8956]]
    let wide = rows.map { row in zip(row, narrow).reduce(0) { $0 + $1.0 * $1.1 } }
    let plain = try Decoded(try await over(front, try picture("a.exr", narrow, nil)).movie)[30, 30]
    let named = try Decoded(try await over(front, try picture("b.exr", wide, .bt2020)).movie)[30, 30]
    expect(named, (plain.luma, plain.blue, plain.red))
    let odd = EXRFile.Chromaticities(red: [0.73, 0.27], green: [0, 1], blue: [0, -0.1], white: [0.32, 0.34])
    let refused = await cinematic(
      "over", front, try picture("c.exr", narrow, odd), "-o", folder.path("x.mov"), "--json")
    #expect(refused.status == ExitStatus.failed && refused.errorName == "unsupported")
  }

  @Test(.enabled(if: FFmpegTool.isHere, "needs ffmpeg"))
  func `what is behind another container's alpha stays open`() async throws {
    let front = try flat { _, _, _ in 0 }, back = folder.path("half.mkv")
    _ = try FFmpegTool.run(
      "ffmpeg",
      [
        "-f", "lavfi", "-i", "color=white:size=64x48:rate=25,format=yuva444p,geq=lum=235:cb=128:cr=128:a=128",
        "-frames:v", "3", "-c:v", "ffv1", back,
      ])
    let (movie, json) = try await over(front, back)
    #expect(json["keeps_alpha"] as? Bool == true)
    #expect(abs(try Decoded(movie)[30, 30].alpha - 128 * 257) <= 257)
  }

  @Test func `the background is brought to the foreground's colour`() async throws {
    // HLG of BT.2020 in front, of which nothing is seen, and BT.709's white behind: 75 % of HLG.
    let front = try flat("hlg.mov", Self.orange, ClipMovie(color: (9, 18, 9))) { _, _, _ in 0 }
    let white = try flat("white.mov", codes709(1, 1, 1), ClipMovie(profile: .hq)) { _, _, _ in 0 }
    let (movie, json) = try await over(front, white)
    #expect(json["background_converted"] as? Bool == true)
    expect(try Decoded(movie)[20, 20], (64 + 876 * 0.75, 512, 512))
    #expect(
      try movie.track("vide").sampleDescriptions[0].child("colr", as: ColourAtom.self)
        == .nclc(primaries: 9, transfer: 18, matrix: 9))
    let odd = try flat("odd.mov", Self.orange, ClipMovie(color: (5, 1, 6))) { _, _, _ in 0 }
    let refused = await cinematic("over", front, odd, "-o", folder.path("x.mov"), "--json")
    #expect(refused.status == ExitStatus.failed && refused.errorName == "unsupported")
  }

  // MARK: Alpha of the result

  @Test func `over nothing the alpha comes back, code for code`() async throws {
    let path = try flat { frame, x, y in (x * 13 + y * 29 + frame * 7) % 1024 }
    let (movie, json) = try await over(path, "transparent")
    #expect(json["keeps_alpha"] as? Bool == true)
    #expect(try movie.track("vide").sampleDescriptions[0].video?.depth == 32)
    for frame in 0..<3 {
      let (one, other) = (try Decoded(try MovieFile(path), frame: frame), try Decoded(movie, frame: frame))
      for y in 0..<48 {
        for x in 0..<64 {
          #expect(other[x, y].alpha == one[x, y].alpha)
          expect(other[x, y], Self.orange)
        }
      }
    }
  }

  @Test func `alphas are laid over each other`() async throws {
    let path = try flat { _, _, _ in 512 }
    let picture = try Decoded(try await over(path, "#0000ff80").movie)
    let (front, behind) = (512 / 1023.0, 0x80 / 255.0)
    let cover = front + behind * (1 - front)
    #expect(abs(Double(picture[9, 9].alpha) / 65_535 - cover) < 1 / 1023.0)
    expect(picture[9, 9], mixed(Self.orange, codes709(0, 0, 1), front / cover))
    let opaque = try await over(path, "black", "--keep-alpha")
    #expect(opaque.json["keeps_alpha"] as? Bool == true)
    #expect(try Decoded(opaque.movie)[9, 9].alpha == 65_535)
    let flattened = try await over(path, "transparent", "--codec", "prores-hq")
    expect(try Decoded(flattened.movie)[9, 9], mixed(Self.orange, codes709(0, 0, 0), front))
  }

  // MARK: Sizes

  @Test func `pictures lie behind in every kind of fit`() async throws {
    let front = try flat { _, _, _ in 0 }
    // Red above blue, as wide as high.
    let picture = try CVBuffer.make(width: 40, height: 40, format: kCVPixelFormatType_64RGBALE)
    picture.withPlane(0, readOnly: false) { base, pitch, width, height in
      for y in 0..<height {
        let row = (base + y * pitch).assumingMemoryBound(to: UInt16.self)
        for x in 0..<width {
          let pixel: [UInt16] = y < 20 ? [65_535, 0, 0, 65_535] : [0, 0, 65_535, 65_535]
          for component in 0..<4 { row[4 * x + component] = pixel[component] }
        }
      }
    }
    let path = folder.path("bg.png")
    try PNGFile.write(picture, to: URL(fileURLWithPath: path))
    let (red, blue, black) = (codes709(1, 0, 0), codes709(0, 0, 1), codes709(0, 0, 0))
    let fill = try Decoded(try await over(front, path).movie)
    let fit = try Decoded(try await over(front, path, "--fit", "fit").movie)
    let whole = try Decoded(try await over(front, path, "--size", "80x80", "--codec", "prores-4444xq").movie)
    // 48 of 64 rows are left of the picture that fills, 8 columns stay free beside the one that fits.
    for x in [2, 61] { expect(fill[x, 2], red) }
    for x in [2, 61] { expect(fit[x, 4], black) }
    expect(fill[30, 44], blue)
    expect(fit[30, 4], red)
    expect(fit[30, 44], blue)
    #expect(whole.width == 80 && whole.height == 80)
    expect(whole[70, 70], blue)
  }

  @Test func `a small foreground is put where it is wanted`() async throws {
    let front = try flat("small.mov", Self.orange, ClipMovie(width: 32, height: 16)) { _, _, _ in 1023 }
    let (movie, _) = try await over(
      front, "black", "--size", "96x64", "--foreground-fit", "none", "--position", "bottom-right")
    let picture = try Decoded(movie)
    expect(picture[80, 56], Self.orange)
    expect(picture[30, 20], codes709(0, 0, 0))
    let middle = try Decoded(try await over(front, "black", "--size", "96x64").movie)
    expect(middle[48, 32], Self.orange)
    expect(middle[48, 4], codes709(0, 0, 0))
  }

  static let shapes: [(UInt32, UInt32, UInt32, UInt32)] = [
    (.max, .max - 1, 1, 1), (3_000_000_000, 1_500_000_000, 2, 1), (0, 7, 1, 1), (1, 1 << 21, 1, 1),
  ]

  @Test(arguments: shapes)
  func `pixels of any shape are composed`(across: UInt32, down: UInt32, width: UInt32, height: UInt32) async throws {
    let movie = ClipMovie(pixelAspect: (across, down))
    let front = try flat("shape.mov", Self.orange, movie) { _, _, _ in 1023 }
    let result = try await over(front, front).movie
    let stored = try result.track("vide").sampleDescriptions[0].child("pasp", as: PixelAspectAtom.self)
    #expect(stored == (width == height ? nil : PixelAspectAtom(horizontal: width, vertical: height)))
    #expect(try Decoded(try await over(front, front, "--size", "96x64").movie).width == 96)
  }

  @Test func `odd sizes are kept, or made even for codecs that need it`() async throws {
    let front = try flat("odd.mov", Self.orange, ClipMovie(width: 45, height: 33)) { _, x, _ in x < 22 ? 0 : 1023 }
    let kept = try Decoded(try await over(front, "#2040c0").movie)
    #expect(kept.width == 45 && kept.height == 33)
    expect(kept[44, 32], Self.orange)
    for codec in ["hevc", "h264", "prores-422"] {
      let (movie, json) = try await over(front, "#2040c0", "--codec", codec)
      #expect(json["width"] as? Int == 46 && json["height"] as? Int == (codec == "prores-422" ? 33 : 34))
      #expect(try movie.samples("vide").count == 3)
    }
  }

  @Test func `turned movies are composed as they are shown`() async throws {
    // The left half is seen; turned clockwise, that is the upper one.
    var movie = ClipMovie(quarterTurns: 1)
    let front = try flat("turned.mov", Self.orange, movie) { _, x, _ in x < 32 ? 1023 : 0 }
    movie.profile = .hq
    let back = try movie.write(folder, "back.mov") { _, component, x, _ in component == 0 ? (x < 32 ? 200 : 800) : 512 }
    let (result, _) = try await over(front, back)
    let picture = try Decoded(result)
    #expect(picture.width == 48 && picture.height == 64)
    expect(picture[24, 10], Self.orange)
    expect(picture[24, 54], (800, 512, 512))
  }

  // MARK: Times and sound

  private func gray(_ name: String, frames: Int, _ duration: CMTime = CMTime(value: 1, timescale: 25)) throws -> String
  {
    let movie = ClipMovie(profile: .hq, frames: frames, frameDuration: duration)
    return try movie.write(folder, name) { frame, component, _, _ in component == 0 ? UInt16(100 + 100 * frame) : 512 }
  }

  /// The frames of the background that are seen, by their grey.
  private func seen(_ movie: MovieFile) throws -> [Int] {
    try (0..<movie.samples("vide").count).map { Int((try Decoded(movie, frame: $0)[30, 30].luma / 100).rounded()) - 1 }
  }

  @Test func `lengths, loops and rates`() async throws {
    let front = try flat("clear.mov", Self.orange, ClipMovie(frames: 5)) { _, _, _ in 0 }
    let back = try gray("back.mov", frames: 2)
    #expect(try seen(try await over(front, back).movie) == [0, 1, 1, 1, 1])
    #expect(try seen(try await over(front, back, "--loop").movie) == [0, 1, 0, 1, 0])
    #expect(try seen(try await over(front, back, "--length", "shortest").movie) == [0, 1])
    let slow = try gray("slow.mov", frames: 4, CMTime(value: 2, timescale: 25))
    #expect(try seen(try await over(front, slow).movie) == [0, 0, 1, 1, 2])
    let (longest, _) = try await over(front, slow, "--length", "longest", "--rate", "background")
    #expect(try seen(longest) == [0, 1, 2, 3])
    #expect(try longest.track("vide").timeline.end == RationalTime(8, 25))
    let (steady, _) = try await over(front, slow, "--rate", "50")
    #expect(try steady.times("vide") == (0..<10).map { RationalTime(Int64($0), 50) })
    #expect(try seen(steady) == [0, 0, 0, 0, 1, 1, 1, 1, 2, 2])
  }

  @Test func `the track that is on is composed`() async throws {
    let path = try flat("spare.mov", Self.orange, ClipMovie(hasSpare: true)) { _, _, _ in 1023 }
    let (movie, json) = try await over(path, path)
    #expect(json["frames"] as? Int == 3)
    #expect(try movie.samples("vide").count == 3)
  }

  @Test func `turns of a movie and what is left of them are exact`() throws {
    let durations: [(Int64, Int32)] = [(1, 25), (1001, 30_000), (7, 90_000), (1, .max), (.max, 1), (.max, .max)]
    let times: [(Int64, Int32)] = [(0, 1), (3, 25), (1001, 24_000), (123_456_789, 48_000), (.max, .max - 1), (.max, 1)]
    for (value, scale) in durations {
      for (units, rate) in times {
        let (count, rest) = CMTime(value: units, timescale: rate).turns(of: CMTime(value: value, timescale: scale))
        let most = Int128(units) * Int128(scale), turn = Int128(value) * Int128(rate)
        #expect(count == most / turn)
        let seconds = Double(most % turn) / (Double(scale) * Double(rate))
        #expect(abs(rest.seconds - seconds) <= max(1e-9, seconds * 1e-12) && rest >= .zero)
        if scale <= 90_000, rate <= 48_000 {
          #expect(Int128(rest.value) * Int128(scale) * Int128(rate) == most % turn * Int128(rest.timescale))
        }
      }
    }
  }

  @Test func `a movie that lasts no time is not repeated`() async throws {
    let front = try flat { _, _, _ in 0 }
    let back = try gray("moment.mov", frames: 1, CMTime(value: 0, timescale: 25))
    let result = await cinematic("over", front, back, "-o", folder.path("x.mov"), "--loop", "--json")
    #expect(result.status == ExitStatus.failed && result.errors.split(separator: "\n").count == 1)
    let short = try gray("short.mov", frames: 1, CMTime(value: 1, timescale: .max))
    #expect(try seen(try await over(front, short, "--loop").movie) == [0, 0, 0])
  }

  @Test func `a single picture lasts as long as it did`() async throws {
    var still = ClipMovie(frames: 1)
    still.frameDuration = CMTime(value: 5, timescale: 1)
    let front = try flat("still.mov", Self.orange, still) { _, _, _ in 512 }
    let (movie, _) = try await over(front, "black")
    #expect(try movie.times("vide") == [RationalTime(0, 1)])
    #expect(try movie.track("vide").timeline.end == RationalTime(5, 1))
  }

  @Test(.enabled(if: FFmpegTool.isHere, "needs ffmpeg"))
  func `what the result does not have is told`() async throws {
    let path = folder.path("fields.mov")
    try FFmpegTool.makeProRes(
      path, size: "64x48", frames: 2, filters: "setfield=tff",
      options: ["-flags", "+ildct", "-field_order", "tt", "-timecode", "01:00:00:00"])
    let notes = try await over(path, "black").json["notes"] as? [String] ?? []
    #expect(notes.contains { $0.contains("fields, top first") })
    #expect(notes.contains { $0.contains("time code") } && notes.contains { $0.contains("has no alpha") })
  }

  @Test(arguments: [UInt8(0), 255])
  func `pictures have their own size, whatever the sample entry says`(byte: UInt8) async throws {
    let front = try flat { _, _, _ in 512 }
    let back = try gray("back.mov", frames: 3)
    var bytes = try Data(contentsOf: URL(fileURLWithPath: back))
    let entry = try #require(bytes.range(of: Data("apch".utf8), options: .backwards)).lowerBound
    bytes.replaceSubrange(entry + 28..<entry + 32, with: Data(repeating: byte, count: 4))
    try bytes.write(to: URL(fileURLWithPath: back))
    let (_, json) = try await over(front, back)
    #expect(json["width"] as? Int == 64 && json["height"] as? Int == 48 && json["frames"] as? Int == 3)
  }

  @Test func `the movie that cannot be decoded is named`() async throws {
    let front = try flat { _, _, _ in 512 }
    let back = try gray("back.mov", frames: 3)
    var bytes = try Data(contentsOf: URL(fileURLWithPath: back))
    let sample = try #require(bytes.range(of: Data("icpf".utf8)))
    bytes.replaceSubrange(sample, with: Data("xxxx".utf8))
    try bytes.write(to: URL(fileURLWithPath: back))
    let result = await cinematic("over", front, back, "-o", folder.path("x.mov"))
    #expect(result.status == 1 && result.errors.contains("back.mov'"))
  }

  @Test func `a canvas that no machine holds is refused before any work`() async throws {
    let front = try flat(alpha: { _, _, _ in 512 })
    let path = folder.path("huge.mov")
    let result = await cinematic("over", front, "black", "-o", path, "--size", "16000x16000")
    #expect(result.status == 1 && result.errors.contains("choose a smaller '--size'"))
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func `a foreground that has ended is gone, or held, or begins again`() async throws {
    let front = try flat("short.mov", codes709(1, 1, 1), ClipMovie(frames: 2)) { frame, _, _ in frame == 0 ? 1023 : 512
    }
    let back = try gray("back.mov", frames: 4)
    func lumas(_ options: String...) async throws -> [Double] {
      let path = folder.path("\(UUID().uuidString).mov")
      let result = await cinematic(["over", front, back, "-o", path, "--length", "background"] + options)
      try #require(result.status == 0, "\(result.errors)")
      let movie = try MovieFile(path)
      return try (0..<4).map { try Decoded(movie, frame: $0)[30, 30].luma }
    }
    let half = 512 / 1023.0
    func mix(_ luma: Double) -> Double { 940 * half + luma * (1 - half) }
    for (options, expected) in [
      ([], [940, mix(200), 300, 400]), (["--hold"], [940, mix(200), mix(300), mix(400)]),
      (["--loop"], [940, mix(200), 940, mix(400)]),
    ] as [([String], [Double])] {
      let found = try await options.isEmpty ? lumas() : lumas(options[0])
      for (one, other) in zip(found, expected) { #expect(abs(one - other) < Self.tolerance, "\(options) \(found)") }
    }
  }

  @Test func `sound is that of whom it is wanted`() async throws {
    let front = try flat("front.mov", Self.orange, ClipMovie(frames: 12)) { _, _, _ in 512 }
    let back = try await synth(folder)
    for (sound, handlers, sources) in [
      (nil, ["soun", "vide"], ["background"]), ("none", ["vide"], []), ("foreground", ["vide"], []),
      ("both", ["soun", "vide"], ["background"]),
    ] as [(String?, [String], [String])] {
      let path = folder.path("\(UUID().uuidString).mov")
      let options = sound.map { ["--sound", $0] } ?? []
      let result = await cinematic(["over", front, back, "-o", path, "--json"] + options)
      try #require(result.status == 0, "\(result.errors)")
      #expect(try MovieFile(path).handlers.sorted() == handlers)
      #expect(result.json["sound"] as? [String] == sources)
    }
    let (movie, _) = try await over(back, back, "--sound", "both")
    #expect(movie.handlers.sorted() == ["soun", "soun", "vide"])
  }

  // MARK: Refusals

  @Test func `wrong usage is told before any work`() async throws {
    let front = try flat { _, _, _ in 0 }
    for options in [
      ["#12345g"], ["black", "--size", "0x0"], ["black", "--size", "20"], ["black", "--rate", "x"],
      ["black", "--keep-alpha", "--codec", "hevc"], ["black", "--loop", "--hold"], ["black", "--alpha", "odd"],
    ] {
      let result = await cinematic(["over", front] + options + ["-o", folder.path("x.mov")])
      #expect(result.status == ExitStatus.usage, "\(options): \(result.errors)")
    }
    // A movie without its index is told so, and not left to another reader's guesses.
    let lost = folder.path("lost.mov")
    try Data("\0\0\0\u{14}ftypqt  ".utf8 + [UInt8](repeating: 0, count: 8) + "\0\0\0\u{8}mdat".utf8)
      .write(to: URL(fileURLWithPath: lost))
    let untold = await cinematic("over", front, lost, "-o", folder.path("x.mov"))
    #expect(untold.status == ExitStatus.failed && untold.errors.contains("has no index (moov)"))
    try FileManager.default.removeItem(atPath: lost)
    for background in [folder.path("none.mov"), folder.path("none.png"), folder.path("none.exr")] {
      let result = await cinematic("over", front, background, "-o", folder.path("x.mov"), "--json")
      #expect(result.status == ExitStatus.failed && result.errors.split(separator: "\n").count == 1, "\(result.errors)")
    }
    #expect(await cinematic("over", front, "black", "-o", front, "-y").status == ExitStatus.failed)
    #expect(
      await cinematic("over", front, "black", "-o", folder.path("x.mov"), "--rate", "background").status
        == ExitStatus.failed)
    #expect(folder.names == ["fg.mov"])
  }
}
