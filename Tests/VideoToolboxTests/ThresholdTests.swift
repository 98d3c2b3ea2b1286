import Codecs
import CoreMedia
import CoreVideo
import Foundation
import ProResClips
import Testing
import VideoToolbox

/// Sessions that may have few pictures at a time neither hang nor lose frames that could be decoded.
@Suite struct ThresholdTests {
  private let clip: Clip

  init() throws { clip = try Clip(.lt, 64, 48, frames: 1) }

  private func session(_ threshold: Int) throws -> VTDecompressionSession {
    try makeSession(clip.format, [kCVPixelBufferPoolAllocationThresholdKey: threshold])
  }

  private func sample(_ index: Int) throws -> CMSampleBuffer { try Clip.sample(clip.bytes[0], clip.format, at: index) }

  @Test(arguments: [VTDecodeFrameFlags(), ._EnableAsynchronousDecompression])
  func `a buffer may have more samples than there are pictures`(flags: VTDecodeFrameFlags) throws {
    let session = try session(1)
    let buffer = try Clip.buffer(Array(repeating: clip.bytes[0], count: 5), clip.format, from: 0)
    let answers = Answers(keepsPictures: false)
    #expect(ends { session.decode(buffer, flags, answers) })
    #expect(answers.wait(for: 5))
    #expect(answers.frames == [0, 1, 2, 3, 4] && answers.statuses.allSatisfy { $0 == noErr })
  }

  @Test func `the picture that damage is concealed with is not counted`() throws {
    let clip = try Clip(.p4444)
    let session = try makeSession(clip.format, [kCVPixelBufferPoolAllocationThresholdKey: 1])
    let previous = kVTDecompressionProperty_DamageConcealment_PreviousPicture
    #expect(session.set(kVTDecompressionPropertyKey_DamageConcealment, previous) == noErr)
    let answers = Answers(keepsPictures: false)
    for index in 0..<4 {
      session.decode(
        try Clip.sample(clip.bytes[0], clip.format, at: index), ._EnableAsynchronousDecompression, answers)
    }
    #expect(answers.wait(for: 4))
    #expect(answers.statuses == [noErr, noErr, noErr, noErr])
  }

  @Test(arguments: [false, true])
  func `a callback may wait or decode while others wait for its picture`(decodes: Bool) throws {
    let session = try session(1)
    let answers = Answers(keepsPictures: false)
    let last = try sample(3)
    VTDecompressionSessionDecodeFrame(
      session, sampleBuffer: try sample(0), flags: ._EnableAsynchronousDecompression, infoFlagsOut: nil
    ) { status, flags, image, time, duration in
      answers.take(Answer(status: status, flags: flags, image: image, time: time, duration: duration))
      if decodes {
        session.decode(last, answers)
      } else {
        VTDecompressionSessionWaitForAsynchronousFrames(session)
      }
      withExtendedLifetime(image) {}
    }
    for index in 1..<3 { session.decode(try sample(index), ._EnableAsynchronousDecompression, answers) }
    #expect(answers.wait(for: decodes ? 4 : 3))
    #expect(answers.statuses.first == noErr)
    #expect(answers.statuses.allSatisfy { $0 == noErr || $0 == kVTAllocationFailedErr })
  }

  @Test func `a synchronous frame does not wait for pictures that its caller may hold`() throws {
    let session = try session(1)
    let answers = Answers()
    session.decode(try sample(0), answers)
    session.decode(try sample(1), ._EnableAsynchronousDecompression, answers)
    let last = try sample(2)
    #expect(ends { session.decode(last, answers) })
    #expect(answers.statuses == [noErr, kVTAllocationFailedErr, kVTAllocationFailedErr])
  }

  @Test func `a waiting frame takes its picture from a new pool`() throws {
    let session = try session(1)
    let answers = Answers()
    session.decode(try sample(0), answers)
    session.decode(try sample(1), ._EnableAsynchronousDecompression, answers)
    #expect(session.set(kVTDecompressionPropertyKey_OutputPoolRequestedMinimumBufferCount, 1) == noErr)
    #expect(answers.wait(for: 2))
    #expect(answers.statuses == [noErr, noErr])
  }

  @Test func `a buffer comes back when the use of its surface ends`() throws {
    let pool = PicturePool(threshold: 1)
    pool.waitsForBuffers = true
    let format = fourCharacterCode("420v")
    var buffer: CVPixelBuffer? = try pool.makeBuffer(width: 16, height: 16, format: format)
    pool.handedOn()
    let surface = try #require(CVPixelBufferGetIOSurface(buffer)).takeUnretainedValue()
    surface.incrementUseCount()
    buffer = nil
    let answers = Answers()
    Thread.detachNewThread {
      let image = try? pool.makeBuffer(width: 16, height: 16, format: format)
      answers.take(Answer(status: noErr, flags: [], image: image, time: .zero, duration: .zero))
    }
    #expect(answers.count == 0)
    surface.decrementUseCount()
    #expect(answers.wait(for: 1) && answers.all[0].image != nil)
  }

  @Test func `nobody waits for buffers that have not been put out`() throws {
    let pool = PicturePool(threshold: 1)
    pool.waitsForBuffers = true
    let buffer = try pool.makeBuffer(width: 16, height: 16, format: fourCharacterCode("420v"))
    #expect(throws: CVError(code: kCVReturnWouldExceedAllocationThreshold)) {
      try pool.makeBuffer(width: 16, height: 16, format: fourCharacterCode("420v"))
    }
    withExtendedLifetime(buffer) {}
  }
}
