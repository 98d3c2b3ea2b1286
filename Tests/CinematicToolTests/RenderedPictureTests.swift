import CinematicTool
import CoreMedia
import CoreVideo
import Foundation
import ImageFiles
import QuickTime
import Testing

/// What a render shows: focus, edits, boxes, orientation.
@Suite struct RenderedPictureTests {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  /// The luma of a render of frame 0.
  private func render(_ source: String, _ options: String...) async throws -> Codes {
    let path = folder.path("rendered-\(UUID().uuidString).mov")
    let result = await cinematic(
      ["render", source, "-o", path, "--range", "-#1", "--crf", "4"] + options)
    try #require(result.status == 0, "\(result.errors)")
    return try #require(try await MovieFile(path).luma().first)
  }

  /// A sharp movie of one brightness scale, so that gradients compare.
  private func source(_ options: String...) async throws -> String {
    let path = folder.path("source-\(UUID().uuidString).mov")
    let result = await cinematic(
      ["synth", "-o", path, "--size", "320x180", "--frames", "12", "--sdr", "--silent"] + options)
    try #require(result.status == 0, "\(result.errors)")
    return path
  }

  /// Maria's torso in frame 0: in focus from the start.
  private func subject(_ source: String) async throws -> [Double] {
    let frames = try #require(await cinematic("info", source, "--json", "--frames").json["frames"] as? [[String: Any]])
    let detections = try #require(frames[0]["detections"] as? [[String: Any]])
    return try #require(detections.first { $0["id"] as? Int == 2 }?["rect"] as? [Double])
  }

  /// The middle half of a rectangle: nothing of what is behind.
  private func middle(_ rectangle: [Double]) -> [Double] {
    let (x, y, width, height) = (rectangle[0], rectangle[1], rectangle[2], rectangle[3])
    return [x + width / 4, y + height / 4, width / 2, height / 2]
  }

  /// The town at the top of the picture, far behind everyone.
  private static let background = [0.05, 0.05, 0.9, 0.15]

  private func edits(_ source: String, _ arguments: String...) async throws -> String {
    let path = folder.path("focus-\(UUID().uuidString).json")
    let result = await cinematic(["edit", source, path] + arguments)
    try #require(result.status == 0, "\(result.errors)")
    return path
  }

  @Test func `the subject in focus is sharp and what is behind it is not`() async throws {
    let source = try await source(), subject = middle(try await subject(source))
    let sharp = try #require(try await MovieFile(source).luma().first)
    let wide = try await render(source, "--aperture", "2"), narrow = try await render(source, "--aperture", "16")
    // Half of the detail that is blurred away is plenty to tell: what stays sharp keeps nine tenths and more.
    #expect(wide.gradientEnergy(subject) > 0.9 * sharp.gradientEnergy(subject))
    #expect(wide.gradientEnergy(Self.background) < 0.5 * sharp.gradientEnergy(Self.background))
    #expect(narrow.gradientEnergy(Self.background) > 1.5 * wide.gradientEnergy(Self.background))
  }

  /// Codes by which the luma of a still may differ from the movie's on average: both are rounded, and the movie is encoded at a
  /// constant rate factor of 4.
  private static let stillTolerance = 1.0

  @Test func `a still of an HDR movie looks like its render in SDR`() async throws {
    let source = try await synth(folder), still = folder.path("still.png")
    let movie = try await render(source, "--sdr")
    #expect(await cinematic("frame", source, "--at", "0", "-o", still).status == 0)
    #expect(try luma(ofStill: still).meanDifference(to: movie) <= Self.stillTolerance)
  }

  /// Codes by which a device's picture may differ from the processor's on average; a movie's is encoded too.
  private static let deviceTolerance = (still: 0.5, movie: 1.0)

  @Test(
    .enabled("needs a Vulkan device; lavapipe is one") {
      await cinematic("devices").text.split(separator: "\n").count > 1
    })
  func `movies and stills look alike from every device`() async throws {
    let source = try await source(), devices = await cinematic("devices", "--json").json["devices"]
    let names = try #require(devices as? [[String: String]]).compactMap { $0["name"] }
    let still = folder.path("still.png")
    var stills: [Codes] = [], movies: [[Codes]] = []
    for (number, name) in names.enumerated() {
      #expect(await cinematic("frame", source, "--at", "0", "-o", still, "-y", "--device", name).status == 0)
      stills.append(try luma(ofStill: still))
      let movie = folder.path("device-\(number).mov")
      // More frames than are on their way to a device at a time.
      let result = await cinematic("render", source, "-o", movie, "--range", "-#6", "--crf", "4", "--device", name)
      #expect(result.status == 0, "\(result.errors)")
      movies.append(try await MovieFile(movie).luma())
    }
    for still in stills { #expect(still.meanDifference(to: stills[0]) <= Self.deviceTolerance.still) }
    for movie in movies {
      #expect(movie.count == 6)
      for (frame, expected) in zip(movie, movies[0]) {
        #expect(frame.meanDifference(to: expected) <= Self.deviceTolerance.movie)
      }
    }
    #expect(movies[0][0].meanDifference(to: movies[0][5]) > 1.5 * Self.deviceTolerance.movie)
  }

  /// The luma of BT.709 in 8 bits, 16 to 235, of a picture of full range R'G'B'.
  private func luma(ofStill path: String) throws -> Codes {
    let picture = try PNGFile.read(URL(fileURLWithPath: path))
    return picture.withPlane(0, readOnly: true) { base, pitch, width, height in
      let samples = (0..<width * height).map { index in
        let pixel = (base + index / width * pitch + index % width * 4).assumingMemoryBound(to: UInt8.self)
        let (blue, green, red) = (Double(pixel[0]), Double(pixel[1]), Double(pixel[2]))
        return Int((16 + 219 / 255 * (0.2126 * red + 0.7152 * green + 0.0722 * blue)).rounded())
      }
      return Codes(width: width, height: height, samples: samples)
    }
  }

  @Test func `edits move the focus and the aperture`() async throws {
    let source = try await source(), subject = middle(try await subject(source))
    let edits = try await edits(source, "add", "--at", "0", "--disparity", "0.05", "--strong")
    let (before, after) = (try await render(source), try await render(source, "--edits", edits))
    #expect(after.gradientEnergy(subject) < 0.7 * before.gradientEnergy(subject))
    #expect(after.gradientEnergy(Self.background) > 1.5 * before.gradientEnergy(Self.background))
    // The aperture of the edits holds, and one on the command line holds over it.
    _ = await cinematic("edit", source, edits, "aperture", "32")
    let narrow = try await render(source, "--edits", edits)
    #expect(narrow.gradientEnergy(subject) > 1.2 * after.gradientEnergy(subject))
    #expect(try await render(source, "--edits", edits, "--aperture", "2") == after)
  }

  @Test func `edits of another movie are refused`() async throws {
    let source = try await source(), path = folder.path("other.mov")
    let edits = folder.path("focus.edits")
    _ = await cinematic("edit", source, edits, "add", "--at", "0", "--detection", "2")
    _ = await cinematic("synth", "-o", path, "--size", "320x180", "--frames", "5", "--sdr", "--silent")
    let result = await cinematic("render", path, "-o", folder.path("out.mov"), "--edits", edits, "--json")
    #expect(result.status == 1 && result.errorName == "incompatible")
    #expect(!folder.names.contains("out.mov"))
  }

  @Test func `boxes are drawn where the detections are`() async throws {
    let source = try await source(), subject = try await subject(source)
    let plain = try await render(source), boxed = try await render(source, "--boxes")
    #expect(plain.meanDifference(to: boxed) > 0.5)
    // The left side of the torso's box: white or yellow, far brighter than what was there.
    let x = Int((subject[0] * 320).rounded()), y = Int((subject[1] + subject[3] / 2) * 180)
    let brightest = (x - 1...x + 2).map { boxed[$0, y] }.max() ?? 0
    #expect(brightest > 180 && brightest > plain[x, y] + 40)
    // Above everyone nothing changes but for the encoder's noise.
    #expect((0..<320).allSatisfy { abs(plain[$0, 2] - boxed[$0, 2]) <= 12 })
  }

  @Test(arguments: ["90", "180", "270"])
  func `a turned movie is rendered upright`(rotation: String) async throws {
    let upright = try await render(source()), turned = try await render(source("--rotation", rotation))
    #expect((turned.width, turned.height) == (320, 180))
    // Chroma and blocks of the encoder lie otherwise in a turned picture; a picture turned wrongly differs by far more.
    #expect(upright.meanDifference(to: turned) < 2)
    let mirrored = Codes(width: 320, height: 180, samples: upright.samples.reversed())
    #expect(mirrored.meanDifference(to: turned) > 10)
  }
}
