import CoreMedia
import CoreVideo
import Dispatch
import Foundation
import ProResClips
import Testing
import VideoToolbox

/// Frames go into a decompression session and their answers come out.
@Suite struct SessionTests {
  // MARK: Creation

  @Test func `a session is not made where there is nothing to make it of`() throws {
    let format = try Clip.format("apch", 64, 64)
    let key = kCVPixelBufferPixelFormatTypeKey
    #expect(creationStatus(format, [key: fourCharacterCode("bp16")]) == kVTPixelTransferNotSupportedErr)
    #expect(creationStatus(format, [key: "v216"]) == kVTParameterErr)
    #expect(creationStatus(format, [kCVPixelBufferWidthKey: 64]) == kVTParameterErr)
    #expect(creationStatus(format, [kCVPixelBufferWidthKey: 0, kCVPixelBufferHeightKey: 1]) == kVTParameterErr)
    #expect(creationStatus(format, [kCVPixelBufferBytesPerRowAlignmentKey: 3]) == kVTParameterErr)
    #expect(creationStatus(try Clip.format("aprn", 64, 64)) == kVTCouldNotFindVideoDecoderErr)
    #expect(creationStatus(try Clip.format("Zzz9", 64, 64)) == kVTCouldNotFindVideoDecoderErr)
    #expect(creationStatus(try Clip.format("hvc1", 65535, 65535)) == kVTCouldNotCreateInstanceErr)
    #expect(creationStatus(format, [key: [fourCharacterCode("bp16"), fourCharacterCode("y416")]]) == noErr)
  }

  @Test func `the first pixel format without a conversion is chosen`() throws {
    let clip = try Clip(.hq)
    let wish = ["420v", "x422", "v216"].map(fourCharacterCode)
    let session = try makeSession(clip.format, [kCVPixelBufferPixelFormatTypeKey: wish])
    let answers = Answers()
    session.decode(try clip.sample(0), answers)
    #expect(answers.all.first?.image.map(CVPixelBufferGetPixelFormatType) == fourCharacterCode("x422"))
  }

  @Test func `no more decoders are made than it takes to find a pixel format`() throws {
    let clip = try Clip(.hq)
    let device = SlowDevice(name: "Quill 9")
    let wish = ["420v", "x422", "v216", "y416"].map(fourCharacterCode)
    var session: VTDecompressionSession?
    let factory = PictureDecoderFactory(devices: [device])
    #expect(
      createSession(clip.format, nil, [kCVPixelBufferPixelFormatTypeKey: wish], nil, &session, factory: factory)
        == noErr)
    // For the native format, and the first two that are asked for.
    #expect(device.made.count == 3)
  }

  @Test func `a device is required, allowed or forbidden`() throws {
    let format = try Clip.format("apch", 64, 64)
    let require = kVTVideoDecoderSpecification_RequireHardwareAcceleratedVideoDecoder
    let enable = kVTVideoDecoderSpecification_EnableHardwareAcceleratedVideoDecoder
    let isSupported = VTIsHardwareDecodeSupported(kCMVideoCodecType_AppleProRes422HQ)
    #expect(isSupported == PictureDecoderFactory.standard.devices.contains { $0.isHardware })
    #expect((creationStatus(format, specification: [require: true]) == noErr) == isSupported)
    #expect(!VTIsHardwareDecodeSupported(kCMVideoCodecType_Cinepak))
    for devices in [[], [SlowDevice(name: "Soft 1", isHardware: false)]] {
      var session: VTDecompressionSession?
      let factory = PictureDecoderFactory(devices: devices)
      let status = createSession(format, [require: true], nil, nil, &session, factory: factory)
      #expect(status == kVTCouldNotFindVideoDecoderErr)
    }
    #expect(creationStatus(format, specification: [require: "yes"]) == kVTParameterErr)
    let factory = PictureDecoderFactory(devices: [SlowDevice(name: "Quill 9")])
    for (specification, isHardware) in [
      ([require: true], true), ([enable: true], true), ([enable: false], false), ([:], true),
    ] {
      var session: VTDecompressionSession?
      #expect(createSession(format, specification, nil, nil, &session, factory: factory) == noErr)
      let used = try #require(session).property(
        kVTDecompressionPropertyKey_UsingHardwareAcceleratedVideoDecoder, as: Bool.self)
      #expect(used == isHardware, "\(specification)")
    }
    let name = kVTVideoDecoderSpecification_RequiredDeviceName
    for (device, status) in [("Quill 9", noErr), ("Quill 8", kVTCouldNotFindVideoDecoderErr)] {
      var session: VTDecompressionSession?
      #expect(createSession(format, [name: device], nil, nil, &session, factory: factory) == status)
    }
  }

  // MARK: Callback and handler

  @Test func `a callback is for frames without handlers, and the other way round`() throws {
    let clip = try Clip(.proxy)
    let answers = Answers()
    let reference = UnsafeMutableRawPointer(bitPattern: 77)
    var record = VTDecompressionOutputCallbackRecord(
      decompressionOutputCallback: { session, frame, status, flags, image, time, duration in
        #expect(session == UnsafeMutableRawPointer(bitPattern: 77))
        answers.take(
          Answer(
            status: status, flags: flags, image: image, time: time, duration: duration,
            reference: Int(bitPattern: frame)))
      }, decompressionOutputRefCon: reference)
    var session: VTDecompressionSession?
    #expect(
      VTDecompressionSessionCreate(
        allocator: nil, formatDescription: clip.format, decoderSpecification: nil, imageBufferAttributes: nil,
        outputCallback: &record, decompressionSessionOut: &session) == noErr)
    let made = try #require(session)
    let sample = try clip.sample(0)
    #expect(
      VTDecompressionSessionDecodeFrame(
        made, sampleBuffer: sample, flags: [], frameRefcon: UnsafeMutableRawPointer(bitPattern: 5), infoFlagsOut: nil)
        == noErr)
    #expect(answers.all.map(\.reference) == [5] && answers.all[0].image != nil)
    #expect(made.decode(sample, Answers()) == kVTParameterErr)
    let other = try makeSession(clip.format)
    #expect(
      VTDecompressionSessionDecodeFrame(other, sampleBuffer: sample, flags: [], frameRefcon: nil, infoFlagsOut: nil)
        == kVTParameterErr)
    var empty = VTDecompressionOutputCallbackRecord()
    #expect(
      VTDecompressionSessionCreate(
        allocator: nil, formatDescription: clip.format, decoderSpecification: nil, imageBufferAttributes: nil,
        outputCallback: &empty, decompressionSessionOut: &session) == kVTParameterErr)
  }

  @Test func `a call that fails makes no callback`() throws {
    let clip = try Clip(.proxy)
    let session = try makeSession(clip.format)
    let answers = Answers()
    let picture = try CVBuffer.make(width: 16, height: 16, format: fourCharacterCode("420v"))
    let image = try CMSampleBuffer(
      imageBuffer: picture, formatDescription: CMFormatDescription(imageBuffer: picture),
      sampleTiming: CMSampleTimingInfo(duration: .invalid, presentationTimeStamp: .zero, decodeTimeStamp: .invalid))
    #expect(session.decode(image, answers) == kVTParameterErr)
    let avc = try Clip.sample(clip.bytes[0], Clip.format("avc1", 160, 96), at: 0)
    #expect(session.decode(avc, answers) == kVTFormatDescriptionChangeNotSupportedErr)
    VTDecompressionSessionInvalidate(session)
    #expect(session.decode(try clip.sample(0), answers) == kVTInvalidSessionErr)
    #expect(answers.count == 0)
  }

  // MARK: Order

  @Test func `without flags the callback is made before the call returns`() throws {
    let clip = try Clip(.standard, frames: 3)
    let session = try makeSession(clip.format)
    let answers = Answers()
    for (index, sample) in try clip.samples().enumerated() {
      var info: VTDecodeInfoFlags = .frameInterrupted
      #expect(session.decode(sample, [], answers, info: &info) == noErr)
      #expect(answers.count == index + 1 && info == [])
    }
    #expect(answers.frames == [0, 1, 2])
    #expect(
      answers.all.allSatisfy { $0.flags == .imageBufferModifiable && $0.duration == CMTime(value: 1, timescale: 25) })
  }

  @Test func `asynchronous frames are answered in order, one at a time`() throws {
    let clip = try Clip(.lt, 64, 48, frames: 4)
    let session = try makeSession(clip.format)
    let answers = Answers()
    var info: VTDecodeInfoFlags = []
    for index in 0..<120 {
      let sample = try Clip.sample(clip.bytes[index % 4], clip.format, at: index)
      #expect(session.decode(sample, ._EnableAsynchronousDecompression, answers, info: &info) == noErr)
      #expect(info == .asynchronous)
    }
    #expect(VTDecompressionSessionWaitForAsynchronousFrames(session) == noErr)
    #expect(answers.frames == Array(0..<120))
    #expect(answers.overlap == 1)
    #expect(answers.all.allSatisfy { $0.flags.contains(.asynchronous) && $0.image != nil })
  }

  @Test func `frames of several threads each get their answer`() throws {
    let clip = try Clip(.lt, 64, 48, frames: 1)
    let session = try makeSession(clip.format)
    let answers = Answers()
    let samples = try (0..<80).map { try Clip.sample(clip.bytes[0], clip.format, at: $0) }
    DispatchQueue.concurrentPerform(iterations: 80) { index in
      session.decode(samples[index], index % 2 == 0 ? [] : ._EnableAsynchronousDecompression, answers)
    }
    VTDecompressionSessionWaitForAsynchronousFrames(session)
    #expect(answers.frames.sorted() == Array(0..<80) && answers.overlap == 1)
  }

  @Test func `a synchronous frame comes after the asynchronous ones before it`() throws {
    let clip = try Clip(.lt, frames: 4)
    let session = try makeSession(clip.format)
    let answers = Answers()
    for index in 0..<3 { session.decode(try clip.sample(index), ._EnableAsynchronousDecompression, answers) }
    session.decode(try clip.sample(3), answers)
    #expect(answers.frames == [0, 1, 2, 3])
  }

  @Test func `a callback may decode, wait and invalidate`() throws {
    let clip = try Clip(.lt, frames: 3)
    let session = try makeSession(clip.format)
    let answers = Answers()
    let (second, third) = (try clip.sample(1), try clip.sample(2))
    VTDecompressionSessionDecodeFrame(
      session, sampleBuffer: try clip.sample(0), flags: ._EnableAsynchronousDecompression, infoFlagsOut: nil
    ) { status, flags, image, time, duration in
      answers.take(Answer(status: status, flags: flags, image: image, time: time, duration: duration))
      session.decode(second, answers)
      session.decode(third, ._EnableAsynchronousDecompression, answers)
      VTDecompressionSessionWaitForAsynchronousFrames(session)
      VTDecompressionSessionInvalidate(session)
    }
    // The first answer is given on another thread.
    #expect(answers.wait(for: 3))
    #expect(answers.frames == [0, 1, 2] && answers.statuses == [0, 0, 0])
  }

  @Test func `several samples in a buffer are answered each`() throws {
    let clip = try Clip(.hq, frames: 3)
    let session = try makeSession(clip.format)
    let answers = Answers()
    let sample = try Clip.buffer(clip.bytes, clip.format, from: 5)
    CMSetAttachment(
      sample, key: kCMSampleBufferAttachmentKey_DrainAfterDecoding, value: true,
      attachmentMode: kCMAttachmentMode_ShouldPropagate)
    #expect(session.decode(sample, answers) == noErr)
    #expect(answers.frames == [5, 6, 7])
    let marker = try CMSampleBuffer(
      dataBuffer: nil, formatDescription: clip.format, numSamples: 0, sampleTimings: [], sampleSizes: [])
    #expect(session.decode(marker, answers) == noErr && answers.count == 3)
  }

  @Test func `a frame that is not to be put out has no picture`() throws {
    let clip = try Clip(.hq, frames: 2)
    let session = try makeSession(clip.format)
    let answers = Answers()
    var info: VTDecodeInfoFlags = []
    session.decode(try clip.sample(0), ._DoNotOutputFrame, answers, info: &info)
    #expect(info == .frameDropped)
    let hidden = try clip.sample(1)
    hidden.sampleAttachments[0][.doNotDisplay] = true
    session.decode(hidden, answers)
    #expect(answers.statuses == [0, 0] && answers.all.allSatisfy { $0.image == nil && $0.flags == .frameDropped })
  }

  /// Hands a frame over at once, and lets it be held.
  private let flags: VTDecodeFrameFlags = [._EnableAsynchronousDecompression, ._EnableTemporalProcessing]

  /// A clip, a session on a device that may hold some of its frames in flight, and what is answered.
  private func held(frames: Int) throws -> (clip: Clip, session: VTDecompressionSession, answers: Answers) {
    let clip = try Clip(.hq, 64, 48, frames: frames)
    var made: VTDecompressionSession?
    let factory = PictureDecoderFactory(devices: [SlowDevice(name: "Quill 9")])
    #expect(createSession(clip.format, nil, nil, nil, &made, factory: factory) == noErr)
    return (clip, try #require(made), Answers())
  }

  @Test func `an asynchronous frame is answered though no other comes`() throws {
    let (clip, session, answers) = try held(frames: 6)
    for sample in try clip.samples() { session.decode(sample, ._EnableAsynchronousDecompression, answers) }
    #expect(answers.wait(for: 6))
    #expect(answers.frames == Array(0..<6) && answers.all.allSatisfy { $0.image != nil })
    // One that may be held does not hold another.
    answers.removeAll()
    session.decode(try clip.sample(0), ._EnableAsynchronousDecompression, answers)
    session.decode(try clip.sample(1), [._EnableAsynchronousDecompression, ._EnableTemporalProcessing], answers)
    #expect(answers.wait(for: 1))
    VTDecompressionSessionWaitForAsynchronousFrames(session)
    #expect(answers.frames == [0, 1])
  }

  @Test func `what a decoder may hold in flight comes at the end, in order`() throws {
    let (clip, session, answers) = try held(frames: 6)
    for sample in try clip.samples() { session.decode(sample, flags, answers) }
    #expect(answers.wait(for: 3))
    #expect(try session.property(kVTDecompressionPropertyKey_NumberOfFramesBeingDecoded) == 3)
    let times = try [
      kVTDecompressionPropertyKey_MinOutputPresentationTimeStampOfFramesBeingDecoded,
      kVTDecompressionPropertyKey_MaxOutputPresentationTimeStampOfFramesBeingDecoded,
    ].map { CMTimeMakeFromDictionary(try session.property($0, as: CFDictionary.self)) }
    #expect(times == [CMTime(value: 3, timescale: 25), CMTime(value: 5, timescale: 25)])
    #expect(VTDecompressionSessionFinishDelayedFrames(session) == noErr)
    #expect(VTDecompressionSessionWaitForAsynchronousFrames(session) == noErr)
    #expect(answers.frames == Array(0..<6))
    #expect(try session.property(kVTDecompressionPropertyKey_NumberOfFramesBeingDecoded) == 0)
  }

  @Test func `a frame that fails in flight takes none with it`() throws {
    let clip = try Clip(.hq, 64, 48, frames: 5)
    var made: VTDecompressionSession?
    let factory = PictureDecoderFactory(devices: [SlowDevice(name: "Quill 9", inFlight: 8, failing: 2)])
    #expect(createSession(clip.format, nil, nil, nil, &made, factory: factory) == noErr)
    let session = try #require(made)
    let answers = Answers()
    for sample in try clip.samples() { session.decode(sample, flags, answers) }
    VTDecompressionSessionWaitForAsynchronousFrames(session)
    #expect(answers.frames == Array(0..<5))
    #expect(answers.statuses == [noErr, noErr, kVTVideoDecoderBadDataErr, noErr, noErr])
    #expect(answers.all.map { $0.image == nil } == [false, false, true, false, false])
  }

  @Test func `a synchronous frame does not wait for others to be in flight`() throws {
    let (clip, session, answers) = try held(frames: 3)
    session.decode(try clip.sample(0), ._EnableAsynchronousDecompression, answers)
    session.decode(try clip.sample(1), answers)
    #expect(answers.frames == [0, 1])
    session.decode(try clip.sample(2), ._EnableTemporalProcessing, answers)
    #expect(answers.count == 2)
    VTDecompressionSessionFinishDelayedFrames(session)
    VTDecompressionSessionWaitForAsynchronousFrames(session)
    #expect(answers.frames == [0, 1, 2])
  }

  @Test func `reset gives up what is in flight, drain puts it out`() throws {
    let (clip, session, answers) = try held(frames: 4)
    session.decode(try clip.sample(0), flags, answers)
    let reset = try clip.sample(1)
    CMSetAttachment(
      reset, key: kCMSampleBufferAttachmentKey_ResetDecoderBeforeDecoding, value: true, attachmentMode: 0)
    session.decode(reset, flags, answers)
    let last = try clip.sample(2)
    CMSetAttachment(last, key: kCMSampleBufferAttachmentKey_DrainAfterDecoding, value: true, attachmentMode: 0)
    session.decode(last, answers)
    #expect(answers.frames == [0, 1, 2])
    #expect(answers.all.map { $0.image == nil } == [true, false, false])
    #expect(answers.all[0].flags.contains(.frameDropped))
  }

  @Test func `invalidating answers what waits, once`() throws {
    let (clip, session, answers) = try held(frames: 2)
    for sample in try clip.samples() { session.decode(sample, flags, answers) }
    VTDecompressionSessionInvalidate(session)
    #expect(answers.statuses == [kVTInvalidSessionErr, kVTInvalidSessionErr])
    VTDecompressionSessionInvalidate(session)
    #expect(answers.count == 2)
    #expect(VTDecompressionSessionFinishDelayedFrames(session) == kVTInvalidSessionErr)
    #expect(VTDecompressionSessionWaitForAsynchronousFrames(session) == kVTInvalidSessionErr)
    #expect(!VTDecompressionSessionCanAcceptFormatDescription(session, formatDescription: clip.format))
    var black: CVPixelBuffer?
    #expect(VTDecompressionSessionCopyBlackPixelBuffer(session, pixelBufferOut: &black) == kVTInvalidSessionErr)
    #expect(session.set(kVTDecompressionPropertyKey_RealTime, true) == kVTInvalidSessionErr)
  }
}
