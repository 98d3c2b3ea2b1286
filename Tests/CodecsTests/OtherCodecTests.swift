import Codecs
import CoreMedia
import CoreVideo
import Foundation
import QuickTime
import Testing

/// Codecs without an encoder here, from movies that the `ffmpeg` command line makes.
@Suite(.enabled(if: CommandLineFFmpeg.isThere, "the ffmpeg command is absent"))
struct OtherCodecTests {
  @Test(arguments: [
    ("libvpx-vp9", "vp09", "yuv420p", "420v"), ("libaom-av1", "av01", "yuv420p10le", "x420"),
    ("mjpeg", "mp4v", "yuvj420p", "420f"), ("mpeg4", "mp4v", "yuv420p", "420v"),
  ])
  func decodesLikeTheCommandLine(encoder: String, entry: String, pixels: String, name: String) throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(encoder)-\(UUID().uuidString).mp4")
    defer { try? FileManager.default.removeItem(at: url) }
    var arguments = ["-f", "lavfi", "-i", "testsrc=size=128x96:rate=25", "-frames:v", "6", "-pix_fmt", pixels]
    arguments += ["-c:v", encoder, "-b:v", "500k"] + (encoder == "libaom-av1" ? ["-cpu-used", "8"] : [])
    _ = try CommandLineFFmpeg.output(arguments + [url.path])
    let track = try StoredTrack(url)
    #expect(track.track.sampleDescriptions.map(\.type.description) == [entry])
    let samples = try track.samples()
    let frames = try decodeAll(samples)
    #expect(frames.map(\.presentationTime) == samples.map(\.presentationTimeStamp).sorted())
    #expect(frames.allSatisfy { $0.pixelBuffer.formatName == name })
    let semiPlanar = name == "x420" ? "p010le" : "nv12"
    let range = name == "420f" ? "pc" : "tv"
    let reference = try CommandLineFFmpeg.output([
      "-i", url.path, "-vf", "scale=in_range=\(range):out_range=\(range)", "-pix_fmt", semiPlanar, "-f", "rawvideo",
      "-",
    ])
    let data = frames.reduce(into: Data()) { data, frame in
      frame.pixelBuffer.allBytes.forEach { data.append(contentsOf: $0) }
    }
    let isEqual = data == reference
    #expect(isEqual)
  }
}
