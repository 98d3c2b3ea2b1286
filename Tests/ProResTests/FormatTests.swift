import CoreVideo
import Foundation
import ProRes
import ProResClips
import Testing

/// Every pixel format against the formula that makes it from the stream's planes.
@Suite struct FormatTests {
  private static let texture = Texture()

  struct Clip: Sendable, CustomTestStringConvertible {
    var profile: ProResClip.Profile
    var size: (width: Int, height: Int)
    var alphaBits = 0
    var fields = ProResClip.Fields.progressive

    var testDescription: String { "\(profile) \(size) alpha \(alphaBits) \(fields)" }

    var sample: [UInt8] {
      get throws {
        var settings = ProResClip.Settings(profile, size.width, size.height)
        settings.alphaBits = alphaBits
        settings.fields = fields
        return try ProResClip(settings, FormatTests.texture.code).samples[0]
      }
    }
  }

  static let clips = [
    Clip(profile: .hq, size: (304, 40)), Clip(profile: .hq, size: (251, 20), fields: .topFirst),
    Clip(profile: .standard, size: (1, 1)), Clip(profile: .p4444, size: (304, 24)),
    Clip(profile: .p4444, size: (247, 17), alphaBits: 16, fields: .bottomFirst),
    Clip(profile: .p4444, size: (1, 1), alphaBits: 8),
  ]

  @Test(arguments: clips, ["y416", "v216", "v210", "x422", "x444", "sv22", "sv44", "s4as", "b64a", "BGRA", "RGhA"])
  func isTheFormulas(_ clip: Clip, format: String) throws {
    let sample = try clip.sample
    for scale in [ProResScale.full, .quarter, .eighth] {
      var options = ProResDecoder.Options.oneThread
      options.scale = scale
      let decoder = try ProResDecoder(codec: fourCharacterCode("apch"))
      let (buffer, report) = try sample.withUnsafeBytes {
        try decoder.decode($0, pixelFormat: fourCharacterCode(format), options: options)
      }
      #expect(report.isSound)
      let depth = ["v210", "x422", "x444"].contains(format) ? 10 : 16
      let planes = try decodePlanes(sample, depth: depth, hasAlpha: true, options).planes
      let size = scale.size(of: report.header)
      let picture = PackedPicture(
        planes: planes, width: size.width, height: size.height, isHalved: report.header.chroma == .halved,
        matrix: report.header.matrix)
      #expect(picture.matches(buffer, format))
    }
  }

  /// Pictures of more than 4 MiB are stored past the caches, in rows that begin anywhere.
  @Test func largePicturesAreTheFormulasToo() throws {
    var settings = ProResClip.Settings(.hq, 1366, 800)
    settings.fields = .topFirst
    let sample = try ProResClip(settings, Self.texture.code).samples[0]
    let library = try LibraryDecoder(settings)
    try library.decode(sample)
    let near = try decodePlanes(sample, depth: 10).planes
    for (ours, theirs) in zip(near, library.planes) {
      let isNear = zip(ours, theirs.samples).allSatisfy { one, other in
        let cut = Int(min(max(one, 4), 1019))
        return abs(cut - Int(other)) <= 1
      }
      #expect(isNear)
    }
    let decoder = try ProResDecoder(codec: fourCharacterCode("apch"))
    for (format, depth) in [("v216", 16), ("y416", 16), ("x422", 10), ("v210", 10)] {
      let planes = try decodePlanes(sample, depth: depth, hasAlpha: true).planes
      let (buffer, _) = try sample.withUnsafeBytes {
        try decoder.decode($0, pixelFormat: fourCharacterCode(format))
      }
      let picture = PackedPicture(planes: planes, width: 1366, height: 800, isHalved: true, matrix: 1)
      #expect(picture.matches(buffer, format))
    }
  }

  @Test func rangeAndMatrixAreTheCallers() throws {
    let sample = try Clip(profile: .p4444, size: (64, 16)).sample
    var options = ProResDecoder.Options.oneThread
    options.matrix = 9
    options.isFullRange = true
    let decoder = try ProResDecoder(codec: fourCharacterCode("ap4h"))
    let (buffer, _) = try sample.withUnsafeBytes {
      try decoder.decode($0, pixelFormat: kCVPixelFormatType_64ARGB, options: options)
    }
    let planes = try decodePlanes(sample, depth: 16, hasAlpha: true).planes
    let picture = PackedPicture(
      planes: planes, width: 64, height: 16, isHalved: false, matrix: 9, isFullRange: true)
    #expect(picture.matches(buffer, "b64a"))
  }

  @Test func anUnwrittenFormatIsRefused() throws {
    let sample = try Clip(profile: .hq, size: (16, 16)).sample
    let decoder = try ProResDecoder(codec: fourCharacterCode("apch"))
    #expect { try sample.withUnsafeBytes { try decoder.decode($0, pixelFormat: fourCharacterCode("420v")) } } throws: {
      ($0 as? ProResError)?.kind == .wrongDestination && "\($0)".contains("420v")
    }
  }
}
