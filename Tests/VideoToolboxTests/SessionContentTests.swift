import CoreMedia
import CoreVideo
import Foundation
import ProResClips
import Testing
import VideoToolbox

/// What sessions make of damaged frames, of several descriptions, and of other codecs than ProRes.
@Suite struct SessionContentTests {
  @Test func `every wrong frame is answered with its reason, and the next decodes`() throws {
    let clip = try Clip(.hq, frames: 2)
    let session = try makeSession(clip.format)
    let whole = clip.bytes[0]
    var version = whole
    version[11] = 9
    let frames: [([UInt8], OSStatus)] = [
      (Array(whole.prefix(100)), kVTVideoDecoderBadDataErr), ([0], kVTVideoDecoderBadDataErr),
      ([UInt8](repeating: 0xFF, count: 500), kVTVideoDecoderBadDataErr),
      (version, kVTVideoDecoderUnsupportedDataFormatErr),
    ]
    for flags in [VTDecodeFrameFlags(), ._EnableAsynchronousDecompression] {
      for (bytes, status) in frames {
        let answers = Answers()
        #expect(session.decode(try Clip.sample(bytes, clip.format, at: 0), flags, answers) == noErr)
        #expect(session.decode(try clip.sample(1), flags, answers) == noErr)
        VTDecompressionSessionWaitForAsynchronousFrames(session)
        #expect(answers.statuses == [status, noErr])
        #expect(answers.all[0].image == nil && answers.all[1].image != nil)
      }
    }
  }

  @Test func `frames of every length are answered`() throws {
    let clip = try Clip(.proxy, 48, 32)
    let session = try makeSession(clip.format)
    let answers = Answers()
    for length in 1..<clip.bytes[0].count {
      session.decode(try Clip.sample(Array(clip.bytes[0].prefix(length)), clip.format, at: length), answers)
    }
    #expect(answers.count == clip.bytes[0].count - 1)
    #expect(answers.statuses.allSatisfy { $0 == kVTVideoDecoderBadDataErr })
  }

  @Test func `damaged slices are concealed, and told by the picture`() throws {
    let clip = try Clip(.p4444, frames: 2)
    let session = try makeSession(clip.format)
    let answers = Answers()
    session.decode(try Clip.sample(clip.damaged(0), clip.format, at: 0), answers)
    let image = try #require(answers.all.first?.image)
    #expect(answers.statuses == [noErr])
    #expect((image.attachment(kCVImageBufferDamagedSlicesKey) as [[String: Any]]?)?.isEmpty == false)
  }

  // MARK: Descriptions

  @Test func `any ProRes follows another, in the session's pixel format`() throws {
    let (hq, xq) = (try Clip(.hq), try Clip(.p4444XQ, 96, 64))
    let session = try makeSession(hq.format)
    #expect(VTDecompressionSessionCanAcceptFormatDescription(session, formatDescription: xq.format))
    #expect(
      !VTDecompressionSessionCanAcceptFormatDescription(session, formatDescription: try Clip.format("hvc1", 160, 96)))
    let answers = Answers()
    for clip in [hq, xq, hq, xq] { session.decode(try clip.sample(0), answers) }
    let images = try answers.all.map { try #require($0.image) }
    #expect(images.map(CVPixelBufferGetWidth) == [160, 96, 160, 96])
    #expect(Set(images.map(CVPixelBufferGetPixelFormatType)) == [fourCharacterCode("v216")])
    #expect(images[0].checksum == images[2].checksum && images[1].checksum == images[3].checksum)
  }

  @Test(
    .enabled(if: SharedMedia.has("bugs/multistsd.mov"), SharedMedia.missing),
    arguments: ["multistsd", "multistsd_rev"])
  func `a track of two descriptions loses no frame`(file: String) throws {
    let samples = try SharedMedia.samples("bugs/\(file).mov")
    let attributes = [kCVPixelBufferPixelFormatTypeKey: fourCharacterCode("y416")]
    let session = try makeSession(try #require(samples[0].formatDescription), attributes)
    let answers = Answers()
    for sample in samples { session.decode(sample, ._EnableAsynchronousDecompression, answers) }
    VTDecompressionSessionWaitForAsynchronousFrames(session)
    let expected = try SharedMedia.pictures("bugs/\(file).mov", fourCharacterCode("y416"))
    #expect(answers.count == 8 && answers.statuses.allSatisfy { $0 == noErr })
    #expect(answers.all.map { $0.image?.checksum } == expected.map { $0.imageBuffer?.checksum })
  }

  // MARK: Other codecs

  @Test(.enabled(if: SharedMedia.has("cinematic/cup.mov"), SharedMedia.missing))
  func `HEVC that reorders comes out in order of presentation, every frame once`() throws {
    let samples = try Array(SharedMedia.samples("cinematic/cup.mov").prefix(40))
    let times = samples.map(\.presentationTimeStamp)
    #expect(times != times.sorted(), "the sample reorders")
    for flags in [[], [._EnableAsynchronousDecompression, ._EnableTemporalProcessing]] as [VTDecodeFrameFlags] {
      let session = try makeSession(try #require(samples[0].formatDescription))
      #expect(try session.property(kVTDecompressionPropertyKey_ContentHasInterframeDependencies) == true)
      let answers = Answers()
      for sample in samples { #expect(session.decode(sample, flags, answers) == noErr) }
      VTDecompressionSessionFinishDelayedFrames(session)
      VTDecompressionSessionWaitForAsynchronousFrames(session)
      #expect(answers.all.map(\.time) == times.sorted())
      #expect(answers.all.allSatisfy { $0.status == noErr && $0.image != nil })
    }
  }

  @Test(.enabled(if: SharedMedia.has("cinematic/cup.mov"), SharedMedia.missing))
  func `a damaged sample of HEVC is answered, and later ones decode`() throws {
    let samples = try Array(SharedMedia.samples("cinematic/cup.mov").prefix(30))
    let session = try makeSession(try #require(samples[0].formatDescription))
    let answers = Answers()
    for (index, sample) in samples.enumerated() {
      guard index == 10 else {
        session.decode(sample, answers)
        continue
      }
      let noise = [UInt8]((0..<400).map { UInt8(truncatingIfNeeded: $0 * 37 + 1) })
      session.decode(
        try CMSampleBuffer(
          dataBuffer: CMBlockBuffer(copying: Data(noise)), formatDescription: sample.formatDescription, numSamples: 1,
          sampleTimings: [sample.sampleTimingInfo(at: 0)], sampleSizes: [400]), answers)
    }
    VTDecompressionSessionWaitForAsynchronousFrames(session)
    #expect(answers.count == 30)
    let bad = answers.all.filter { $0.status == kVTVideoDecoderBadDataErr }
    #expect(bad.contains { $0.time == samples[10].presentationTimeStamp })
    #expect(answers.all.count { $0.image != nil } >= 15)
  }
}
