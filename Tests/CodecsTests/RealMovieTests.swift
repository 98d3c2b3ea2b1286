import Codecs
import CoreMedia
import CoreVideo
import Foundation
import QuickTime
import Testing

/// Real files against the `ffmpeg` command line, code for code.
@Suite(
  .enabled(if: SharedMedia.has("cinematic/cup.mov"), "the shared media folder is absent"),
  .enabled(if: CommandLineFFmpeg.isThere, "the ffmpeg command is absent"))
struct RealMovieTests {
  /// All planes of all frames, as raw video has them.
  private func raw(_ frames: [DecodedFrame]) -> Data {
    frames.reduce(into: Data()) { data, frame in frame.pixelBuffer.allBytes.forEach { data.append(contentsOf: $0) } }
  }

  private func ffmpeg(_ path: String, _ format: String, map: String = "0:v:0", frames: Int = 1000) throws -> Data {
    try CommandLineFFmpeg.output([
      "-ignore_editlist", "1", "-noautorotate", "-i", SharedMedia.url(path).path, "-map", map, "-fps_mode",
      "passthrough", "-frames:v",
      "\(frames)", "-pix_fmt", format, "-f", "rawvideo", "-",
    ])
  }

  @Test(arguments: ["apple-prores-422-proxy", "apple-prores-422-lt", "apple-prores-422", "apple-prores-422-hq"])
  func applesProRes(name: String) throws {
    let track = try StoredTrack("prores/\(name).mov")
    let frames = try decodeAll(track.samples())
    #expect(frames.count == 25)
    #expect(frames.allSatisfy { $0.pixelBuffer.formatName == "x422" })
    let isEqual = raw(frames) == (try ffmpeg("prores/\(name).mov", "p210le"))
    #expect(isEqual)
    #expect(frames.map(\.presentationTime) == (0..<25).map { CMTime(value: $0, timescale: 25) })
  }

  @Test(arguments: [VideoDecoder.Threading.frames, .slices])
  func theCupsPicture(threading: VideoDecoder.Threading) throws {
    let samples = try Array(StoredTrack("cinematic/cup.mov").samples().prefix(30))
    var options = VideoDecoder.Options(threads: 3)
    options.threading = threading
    let frames = try decodeAll(samples, options: options)
    #expect(frames.map(\.presentationTime) == samples.map(\.presentationTimeStamp).sorted())
    #expect(frames.allSatisfy { $0.pixelBuffer.formatName == "x420" })
    #expect(frames[0].color.transfer == 18 && frames[0].color.primaries == 9 && frames[0].color.matrix == 9)
    let reference = try ffmpeg("cinematic/cup.mov", "p010le", frames: 20)
    let isEqual = raw(Array(frames.prefix(20))) == reference
    #expect(isEqual)
  }

  @Test func theCupsDisparity() throws {
    let track = try StoredTrack("cinematic/cup.mov", 2)
    let samples = try track.samples()
    let frames = try decodeAll(samples)
    #expect(frames.map(\.presentationTime) == samples.map(\.presentationTimeStamp).sorted())
    #expect(frames.allSatisfy { $0.pixelBuffer.formatName == "L010" })
    // FFmpeg does not know `dish`: hand it the bare stream.
    let stream = try annexB(samples)
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("dish-\(UUID().uuidString).hevc")
    defer { try? FileManager.default.removeItem(at: file) }
    try stream.write(to: file)
    let reference = try CommandLineFFmpeg.output([
      "-f", "hevc", "-i", file.path, "-fps_mode", "passthrough", "-pix_fmt", "gray10le", "-f", "rawvideo", "-",
    ])
    let codes = frames.flatMap { $0.pixelBuffer.words(ofPlane: 0).map { $0 >> 6 } }
    let isEqual = codes.withUnsafeBytes { Data($0) } == reference
    #expect(isEqual)
  }

  /// Parameter sets and samples with start codes.
  private func annexB(_ samples: [CMSampleBuffer]) throws -> Data {
    let format = try #require(samples.first?.formatDescription)
    let atoms =
      CMFormatDescriptionGetExtension(
        format, extensionKey: kCMFormatDescriptionExtension_SampleDescriptionExtensionAtoms) as? [String: Any]
    let box = try #require(atoms?["hvcC"] as? Data).map { $0 }
    var stream = Data()
    var offset = 23
    for _ in 0..<box[22] {
      let count = Int(box[offset + 1]) << 8 | Int(box[offset + 2])
      offset += 3
      for _ in 0..<count {
        let length = Int(box[offset]) << 8 | Int(box[offset + 1])
        stream += [0, 0, 0, 1] + box[offset + 2..<offset + 2 + length]
        offset += 2 + length
      }
    }
    for sample in samples {
      let bytes = try Array(#require(sample.dataBuffer).dataBytes())
      var start = 0
      while start + 4 <= bytes.count {
        let length = bytes[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
        stream += [0, 0, 0, 1] + bytes[start + 4..<start + 4 + length]
        start += 4 + length
      }
    }
    return stream
  }

  @Test func theFullRampOfProRes4444() throws {
    let frames = try decodeAll(StoredTrack("bugs/full.mov").samples())
    #expect(frames.allSatisfy { $0.pixelBuffer.formatName == "y416" })
    let reference = try ffmpeg("bugs/full.mov", "yuv444p12le")
    let size = 2 * CVPixelBufferGetWidth(frames[0].pixelBuffer) * CVPixelBufferGetHeight(frames[0].pixelBuffer)
    let words = frames[0].pixelBuffer.words(ofPlane: 0)
    for component in 0..<3 {
      let codes = stride(from: component + 1, to: words.count, by: 4).map { words[$0] >> 4 }
      let isEqual = codes.withUnsafeBytes { Data($0) } == reference.dropFirst(component * size).prefix(size)
      #expect(isEqual)
    }
    #expect(stride(from: 0, to: words.count, by: 4).allSatisfy { words[$0] == 0xFFFF })
  }

  @Test func theContainersColourWins() throws {
    let rec709: [String: Any] = [
      kCMFormatDescriptionExtension_ColorPrimaries: kCMFormatDescriptionColorPrimaries_ITU_R_2020,
      kCMFormatDescriptionExtension_TransferFunction: kCMFormatDescriptionTransferFunction_ITU_R_2100_HLG,
      kCMFormatDescriptionExtension_YCbCrMatrix: kCMFormatDescriptionYCbCrMatrix_ITU_R_2020,
    ]
    for (path, conflicts) in [("bugs/conflict.mov", 3), ("bugs/hlg.mov", 0)] {
      let samples = try StoredTrack(path).samples(extensions: rec709)
      let decoder = try VideoDecoder(formatDescription: try #require(samples[0].formatDescription))
      let frames = try decoder.decode(samples[0]) + decoder.finish()
      #expect(frames.first?.color.transfer == 18)
      #expect(decoder.colorConflicts.count == conflicts)
    }
  }

  @Test func theCupsSound() throws {
    let track = try StoredTrack("cinematic/cup.mov", 3)
    let samples = try track.samples()
    let decoder = try AudioDecoder(formatDescription: try track.format())
    let decoded = try samples.flatMap { try decoder.decode($0) } + decoder.finish()
    let reference = try CommandLineFFmpeg.output([
      "-ignore_editlist", "1", "-i", SharedMedia.url("cinematic/cup.mov").path, "-map", "0:a:0", "-f", "f32le", "-",
    ])
    let sound = try decoded.reduce(into: Data()) { $0 += try #require($1.dataBuffer).dataBytes() }
    let isEqual = sound == reference
    #expect(isEqual)
    #expect(decoded.count == samples.count)
    #expect(decoded.map(\.presentationTimeStamp) == samples.map(\.presentationTimeStamp))
  }
}
