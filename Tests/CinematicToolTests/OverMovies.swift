import CoreGeometry
import CoreMedia
import CoreVideo
import Foundation
import ProRes
import ProResClips
import QuickTime
import Testing

/// A ProRes movie whose codes are a formula's.
struct ClipMovie {
  var profile = ProResClip.Profile.p4444
  var width = 64
  var height = 48
  var frames = 3
  var frameDuration = CMTime(value: 1, timescale: 25)
  /// `nclc` code points.
  var color: (UInt16, UInt16, UInt16) = (1, 1, 1)
  /// The graphics mode of `vmhd`; nil is the usual one.
  var graphicsMode: UInt16?
  /// What `pasp` says.
  var pixelAspect: (UInt32, UInt32)?
  var edits: [Edit] = []
  /// Units a second of the edits.
  var movieTimescale: Int32 = 600
  /// Whether a track of the first picture alone, which is off, lies in front.
  var hasSpare = false
  /// How far the picture is turned clockwise for display.
  var quarterTurns = 0

  /// - Parameter picture: 10-bit codes of a component (Y', Cb, Cr, alpha).
  func write(
    _ folder: TestFolder, _ name: String,
    _ picture: (_ frame: Int, _ component: Int, _ x: Int, _ y: Int) -> UInt16
  ) throws -> String {
    var settings = ProResClip.Settings(profile, width, height)
    settings.frames = frames
    settings.alphaBits = profile.is4444 ? 16 : 0
    // As good as the encoder makes it.
    settings.bitsPerPixel = 24
    let clip = try ProResClip(settings, picture)
    let codecs: [FourCC] = ["apco", "apcs", "apcn", "apch", "ap4h", "ap4x"]
    let video = VideoDescription(
      width: width, height: height, compressorName: "clip", depth: profile.is4444 ? 32 : 24)
    var atoms = [StoredAtom(ColourAtom.nclc(primaries: color.0, transfer: color.1, matrix: color.2))]
    if let (horizontal, vertical) = pixelAspect {
      atoms.append(StoredAtom(PixelAspectAtom(horizontal: horizontal, vertical: vertical)))
    }
    let description = SampleDescription(type: codecs[profile.rawValue], layout: .video(video), children: atoms)
    let path = folder.path(name)
    let writer = try MovieWriter(url: URL(fileURLWithPath: path), options: .init(timescale: movieTimescale))
    var track = TrackSpecification(
      handler: "vide", timescale: frameDuration.timescale, sampleDescriptions: [description])
    (track.width, track.height) = (Double(width), Double(height))
    track.edits = edits
    track.matrix = MovieMatrix(
      CGAffineTransform(quarterTurns: quarterTurns, of: CGSize(width: width, height: height)))
    if let graphicsMode {
      track.informationHeader = StoredAtom(
        "vmhd", Data([0, 0, 0, 1, UInt8(graphicsMode >> 8), UInt8(graphicsMode & 255), 0, 0, 0, 0, 0, 0]))
    }
    if hasSpare {
      var spare = track
      spare.isEnabled = false
      let number = writer.addTrack(spare)
      try writer.append(track: number, data: Data(clip.samples[0]), TimedSample(duration: frameDuration.value))
    }
    let number = writer.addTrack(track)
    for sample in clip.samples {
      try writer.append(track: number, data: Data(sample), TimedSample(duration: frameDuration.value))
    }
    try writer.finish()
    return path
  }
}

/// 16-bit codes of a decoded picture, by the decoder of this package.
struct Decoded {
  let width: Int
  let height: Int
  private let codes: [UInt16]

  /// A frame of a ProRes movie.
  init(_ movie: MovieFile, frame: Int = 0) throws {
    let decoder = try ProResDecoder(codec: fourCharacterCode("ap4h"))
    let buffer = try Array(movie.samples("vide")[frame]).withUnsafeBytes {
      try decoder.decode($0, pixelFormat: kCVPixelFormatType_4444AYpCbCr16).buffer
    }
    (width, height) = (buffer.width, buffer.height)
    codes = buffer.withPlane(0, readOnly: true) { base, pitch, width, height in
      (0..<height).flatMap { y in
        (0..<4 * width).map { (base + y * pitch).load(fromByteOffset: 2 * $0, as: UInt16.self) }
      }
    }
  }

  /// Y', Cb, Cr in units of 10-bit codes, and alpha from 0 to 65535.
  subscript(x: Int, y: Int) -> (luma: Double, blue: Double, red: Double, alpha: Int) {
    let place = 4 * (y * width + x)
    return (
      Double(codes[place + 1]) / 64, Double(codes[place + 2]) / 64, Double(codes[place + 3]) / 64, Int(codes[place])
    )
  }
}

/// BT.709's Y'CbCr of R'G'B', as 10-bit codes in video range.
func codes709(_ red: Double, _ green: Double, _ blue: Double) -> (luma: Double, blue: Double, red: Double) {
  let luma = 0.2126 * red + 0.7152 * green + 0.0722 * blue
  return (64 + 876 * luma, 512 + 896 * (blue - luma) / 1.8556, 512 + 896 * (red - luma) / 1.5748)
}
