import AVFoundation
import CoreMedia
import CoreVideo
import Foundation
import Testing
import VideoToolbox

/// Codecs of FFmpeg's library behind the same session.
@Suite(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/ffmpeg"), "ffmpeg is not installed."))
struct OtherCodecTests {
  /// A movie of 24 frames that the program `ffmpeg` makes; removed by the caller.
  private func movie(_ encoder: [String]) throws -> URL {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("videotoolbox-\(UUID().uuidString).mp4")
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/ffmpeg")
    process.arguments =
      ["-v", "error", "-f", "lavfi", "-i", "testsrc2=size=160x96:rate=25", "-frames:v", "24", "-pix_fmt", "yuv420p"]
      + encoder + [url.path]
    process.standardInput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return url
  }

  @Test(arguments: [
    ["-c:v", "libx264", "-bf", "3", "-g", "12"], ["-c:v", "libx265", "-x265-params", "log-level=none"],
    ["-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8"],
  ])
  func `every frame comes once, in order of presentation, as a reader decodes it`(encoder: [String]) throws {
    let url = try movie(encoder)
    defer { try? FileManager.default.removeItem(at: url) }
    let samples = try SharedMedia.samples(at: url)
    let wanted = try SharedMedia.pictures(at: url, fourCharacterCode("420v"))
    #expect(wanted.count == 24)
    for flags in [[], [._EnableAsynchronousDecompression, ._EnableTemporalProcessing]] as [VTDecodeFrameFlags] {
      let session = try makeSession(
        try #require(samples[0].formatDescription), [kCVPixelBufferPixelFormatTypeKey: fourCharacterCode("420v")])
      #expect(try session.property(kVTDecompressionPropertyKey_ContentHasInterframeDependencies) == true)
      let answers = Answers()
      for sample in samples { #expect(session.decode(sample, flags, answers) == noErr) }
      VTDecompressionSessionFinishDelayedFrames(session)
      VTDecompressionSessionWaitForAsynchronousFrames(session)
      let pictures = answers.all.filter { $0.image != nil }
      #expect(pictures.map(\.time) == pictures.map(\.time).sorted())
      #expect(pictures.map { $0.image?.checksum } == wanted.map { $0.imageBuffer?.checksum })
      // Frames that are only there for others have no picture.
      #expect(answers.count == samples.count && answers.statuses.allSatisfy { $0 == noErr })
    }
  }

  /// The picture that a changed property, or the first asynchronous frame, finds in the decoder is still needed.
  @Test func `changes in the middle of a group of pictures lose nothing`() throws {
    let url = try movie(["-c:v", "libx264", "-bf", "0", "-g", "24"])
    defer { try? FileManager.default.removeItem(at: url) }
    let samples = try SharedMedia.samples(at: url)
    let wanted = try SharedMedia.pictures(at: url, fourCharacterCode("420v"))
    let session = try makeSession(
      try #require(samples[0].formatDescription), [kCVPixelBufferPixelFormatTypeKey: fourCharacterCode("420v")])
    let answers = Answers()
    for (index, sample) in samples.enumerated() {
      switch index {
      case 4: #expect(session.set(kVTDecompressionPropertyKey_ThreadCount, 1) == noErr)
      case 8:
        let mode = kVTDecompressionProperty_FieldMode_DeinterlaceFields
        #expect(session.set(kVTDecompressionPropertyKey_FieldMode, mode) == noErr)
      case 12:
        #expect(session.set(kVTDecompressionPropertyKey_OutputPoolRequestedMinimumBufferCount, 2) == noErr)
      default: break
      }
      session.decode(sample, index < 16 ? [] : ._EnableAsynchronousDecompression, answers)
    }
    VTDecompressionSessionWaitForAsynchronousFrames(session)
    #expect(answers.statuses.allSatisfy { $0 == noErr })
    #expect(answers.all.map { $0.image?.checksum } == wanted.map { $0.imageBuffer?.checksum })
  }

  @Test(arguments: [1, 16])
  func `delayed pictures come though there may be few`(threshold: Int) throws {
    let url = try movie(["-c:v", "libx264", "-bf", "3", "-g", "12"])
    defer { try? FileManager.default.removeItem(at: url) }
    let samples = try SharedMedia.samples(at: url)
    let session = try makeSession(
      try #require(samples[0].formatDescription), [kCVPixelBufferPoolAllocationThresholdKey: threshold])
    let answers = Answers(keepsPictures: false)
    for sample in samples { session.decode(sample, ._EnableAsynchronousDecompression, answers) }
    VTDecompressionSessionFinishDelayedFrames(session)
    #expect(answers.wait(for: 24))
    #expect(ends { VTDecompressionSessionWaitForAsynchronousFrames(session) })
    if threshold > 1 { #expect(answers.statuses.allSatisfy { $0 == noErr }) }
  }

  @Test func `a picture comes with its sample where nothing is reordered`() throws {
    let url = try movie(["-c:v", "libx264", "-bf", "0", "-tune", "zerolatency"])
    defer { try? FileManager.default.removeItem(at: url) }
    let samples = try SharedMedia.samples(at: url)
    let session = try makeSession(try #require(samples[0].formatDescription))
    let answers = Answers()
    for (index, sample) in samples.enumerated() {
      var info: VTDecodeInfoFlags = []
      session.decode(sample, answers, info: &info)
      #expect(answers.count == index + 1 && info == [])
    }
  }
}
