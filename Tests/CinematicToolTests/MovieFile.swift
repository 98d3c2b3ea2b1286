import AVFoundation
import CinematicTool
import CoreMedia
import CoreVideo
import Foundation
import QuickTime
import Testing

/// A movie that the tool has written, as tests look at it.
struct MovieFile {
  let path: String
  let movie: Movie

  init(_ path: String) throws {
    self.path = path
    movie = try Movie.open(URL(fileURLWithPath: path))
  }

  /// The first track that a handler names.
  func track(_ handler: FourCC) throws -> MovieTrack {
    try #require(movie.tracks.first { $0.handler == handler })
  }

  var handlers: [String] { movie.tracks.map(\.handler.description) }

  /// When the samples of a track are shown, exactly.
  func times(_ handler: FourCC) throws -> [RationalTime] { try track(handler).timeline.shownSamples.map(\.time) }

  /// The bytes of all samples of a track, as they are stored.
  func samples(_ handler: FourCC) throws -> [Data] {
    let track = try track(handler)
    return try (0..<track.samples.count).map { try movie.data(of: track.samples[$0], in: track) }
  }

  /// The keys of the movie's metadata.
  var metadataKeys: Set<String> { Set(movie.metadata.map(\.key)) }

  /// What is said about the picture's colour and depth.
  func pictureExtensions() async throws -> [String: Any] {
    let track = try await AVURLAsset(url: URL(fileURLWithPath: path)).loadTracks(withMediaType: .video).first
    return CMFormatDescriptionGetExtensions(try #require(track?.formatDescriptions.first)) ?? [:]
  }
}

/// The samples of one plane of a decoded picture, rows from the top.
struct Codes: Equatable {
  var width: Int
  var height: Int
  var samples: [Int]

  subscript(x: Int, y: Int) -> Int { samples[y * width + x] }

  /// The mean of the squared differences of neighbours inside a rectangle given in shares of the picture: greater for a sharper one.
  func gradientEnergy(_ rectangle: [Double]) -> Double {
    let columns = Int(rectangle[0] * Double(width))..<Int((rectangle[0] + rectangle[2]) * Double(width)) - 1
    let rows = Int(rectangle[1] * Double(height))..<Int((rectangle[1] + rectangle[3]) * Double(height)) - 1
    var sum = 0
    for y in rows {
      for x in columns {
        let (right, below) = (self[x + 1, y] - self[x, y], self[x, y + 1] - self[x, y])
        sum += right * right + below * below
      }
    }
    return Double(sum) / Double(columns.count * rows.count)
  }

  /// The mean of the absolute differences to another picture of the same size.
  func meanDifference(to other: Codes) -> Double {
    Double(zip(samples, other.samples).reduce(0) { $0 + abs($1.0 - $1.1) }) / Double(samples.count)
  }
}

extension MovieFile {
  /// The luma of all pictures as stored, in 8 bits.
  func luma() async throws -> [Codes] {
    try await decoded(.video, kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange) { row, width in
      (0..<width).map { Int(row.load(fromByteOffset: $0, as: UInt8.self)) }
    }
  }

  /// The 10-bit codes of all disparity pictures as stored.
  func disparityCodes() async throws -> [Codes] {
    try await decoded(.auxiliaryPicture, kCVPixelFormatType_OneComponent10) { row, width in
      (0..<width).map { Int(row.load(fromByteOffset: $0 * 2, as: UInt16.self) >> 6) }
    }
  }

  private func decoded(
    _ type: AVMediaType, _ format: OSType, _ samples: (UnsafeMutableRawPointer, Int) -> [Int]
  ) async throws -> [Codes] {
    let asset = AVURLAsset(url: URL(fileURLWithPath: path))
    let track = try #require(try await asset.loadTracks(withMediaType: type).first)
    let output = AVAssetReaderTrackOutput(track: track, outputSettings: [kCVPixelBufferPixelFormatTypeKey: format])
    let reader = try AVAssetReader(asset: asset)
    reader.add(output)
    #expect(reader.startReading())
    var pictures: [Codes] = []
    while let sample = output.copyNextSampleBuffer() {
      guard let buffer = sample.imageBuffer else { continue }
      pictures.append(
        buffer.withPlane(0, readOnly: true) { base, pitch, width, height in
          Codes(width: width, height: height, samples: (0..<height).flatMap { samples(base + $0 * pitch, width) })
        })
    }
    #expect(reader.status == .completed)
    return pictures
  }
}

/// Makes a sample movie of 12 frames in a folder and returns its path.
func synth(_ folder: TestFolder, _ name: String = "sample.mov", _ options: String...) async throws -> String {
  let path = folder.path(name)
  var arguments = ["synth", "-o", path, "--frames", "12"] + options
  if !options.contains("--size") { arguments += ["--size", "160x90"] }
  let result = await cinematic(arguments)
  try #require(result.status == 0, "\(result.errors)")
  return path
}
