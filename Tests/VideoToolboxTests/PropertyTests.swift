import CoreMedia
import CoreVideo
import Foundation
import ProResClips
import Testing
import VideoToolbox

/// Every property of a decompression session, and what it does.
@Suite struct PropertyTests {
  private func decode(_ session: VTDecompressionSession, _ clip: Clip, _ index: Int = 0) throws -> CVPixelBuffer? {
    let answers = Answers()
    session.decode(try clip.sample(index), answers)
    #expect(answers.statuses == [noErr])
    return answers.all[0].image
  }

  @Test func `properties are known, read-only or refused`() throws {
    let session = try makeSession(Clip.format("apch", 64, 64))
    #expect(session.set("Weather", 1) == kVTPropertyNotSupportedErr)
    var any: CFTypeRef?
    #expect(
      VTSessionCopyProperty(session, key: "Weather", allocator: nil, valueOut: &any) == kVTPropertyNotSupportedErr)
    #expect(VTSessionSetProperty("no session", key: "RealTime", value: true) == kVTParameterErr)
    var supported: CFDictionary?
    #expect(VTSessionCopySupportedPropertyDictionary(session, supportedPropertyDictionaryOut: &supported) == noErr)
    for (key, entry) in try #require(supported) {
      let status = try #require((entry as? CFDictionary)?[kVTPropertyReadWriteStatusKey] as? String)
      #expect(VTSessionCopyProperty(session, key: key, allocator: nil, valueOut: &any) == noErr, "\(key)")
      let isReadOnly = status == kVTPropertyReadWriteStatus_ReadOnly
      #expect(session.set(key, nil) == (isReadOnly ? kVTPropertyReadOnlyErr : noErr), "\(key)")
      if !isReadOnly { #expect(session.set(key, Data()) == kVTParameterErr, "\(key)") }
    }
    var wrong: Data?
    #expect(VTSessionCopyProperty(session, key: "RealTime", allocator: nil, valueOut: &wrong) == kVTParameterErr)
  }

  @Test func `properties are set together and handed to another session`() throws {
    let session = try makeSession(Clip.format("apch", 64, 64))
    let wishes: CFDictionary = [
      kVTDecompressionPropertyKey_ThreadCount: 3, kVTDecompressionPropertyKey_RealTime: false, "Weather": 1,
      kVTDecompressionPropertyKey_ReducedFrameDelivery: 0.5,
    ]
    #expect(VTSessionSetProperties(session, propertyDictionary: wishes) == kVTPropertyNotSupportedErr)
    #expect(try session.property(kVTDecompressionPropertyKey_ThreadCount) == 3)
    #expect(try session.property(kVTDecompressionPropertyKey_RealTime) == false)
    var kept: CFDictionary?
    #expect(VTSessionCopySerializableProperties(session, allocator: nil, dictionaryOut: &kept) == noErr)
    let other = try makeSession(Clip.format("apch", 64, 64))
    #expect(VTSessionSetProperties(other, propertyDictionary: try #require(kept)) == noErr)
    #expect(try other.property(kVTDecompressionPropertyKey_ReducedFrameDelivery) == 0.5)
  }

  @Test func `properties of other content are not supported`() throws {
    let session = try makeSession(Clip.format("vp09", 64, 64))
    for key in [
      kVTDecompressionPropertyKey_ReducedResolutionDecode, kVTDecompressionPropertyKey_ReducedFrameDelivery,
      kVTDecompressionPropertyKey_DamageConcealment,
    ] {
      #expect(session.set(key, 0.5) == kVTPropertyNotSupportedErr)
    }
  }

  @Test func `pictures come from the pool that is shown, and nothing leaks`() throws {
    let clip = try Clip(.hq, frames: 4)
    let session = try makeSession(clip.format)
    let pool = try #require(
      try session.property(kVTDecompressionPropertyKey_PixelBufferPool, as: CVPixelBufferPool.self))
    #expect(try session.property(kVTDecompressionPropertyKey_PixelBufferPoolIsShared) == true)
    let answers = Answers()
    for sample in try clip.samples() { session.decode(sample, ._EnableAsynchronousDecompression, answers) }
    VTDecompressionSessionWaitForAsynchronousFrames(session)
    #expect(pool.counts.inUse == 4)
    answers.removeAll()
    #expect(pool.counts.inUse == 0)
  }

  @Test func `a pool lies behind the conversion where there is one`() throws {
    let clip = try Clip(.hq)
    let session = try makeSession(clip.format, [kCVPixelBufferPixelFormatTypeKey: fourCharacterCode("420v")])
    #expect(try session.property(kVTDecompressionPropertyKey_PixelBufferPoolIsShared) == false)
    let picture = try decode(session, clip)
    let pool = try #require(
      try session.property(kVTDecompressionPropertyKey_PixelBufferPool, as: CVPixelBufferPool.self))
    #expect(pool.counts.inUse == 1)
    #expect(CVPixelBufferPoolGetPixelBufferAttributes(pool)?["PixelFormatType"] as? OSType == fourCharacterCode("420v"))
    withExtendedLifetime(picture) {}
  }

  @Test func `another minimum count asks for another pool`() throws {
    let clip = try Clip(.hq)
    let session = try makeSession(clip.format)
    let key = kVTDecompressionPropertyKey_PixelBufferPool
    let first = try session.property(key, as: CVPixelBufferPool.self)
    #expect(session.set(kVTDecompressionPropertyKey_OutputPoolRequestedMinimumBufferCount, 5) == noErr)
    let second = try #require(try session.property(key, as: CVPixelBufferPool.self))
    #expect(first !== second)
    #expect(CVPixelBufferPoolGetAttributes(second)?["MinimumBufferCount"] as? Int == 5)
    _ = try decode(session, clip)
    #expect(second.counts.total == 1)
    #expect(session.set(kVTDecompressionPropertyKey_OutputPoolRequestedMinimumBufferCount, 0) == noErr)
    let third = try #require(try session.property(key, as: CVPixelBufferPool.self))
    #expect(CVPixelBufferPoolGetAttributes(third)?.isEmpty == true)
    #expect(session.set(kVTDecompressionPropertyKey_OutputPoolRequestedMinimumBufferCount, -1) == kVTParameterErr)
  }

  @Test func `a threshold bounds the pictures that exist`() throws {
    let clip = try Clip(.lt, 64, 48, frames: 1)
    let session = try makeSession(clip.format, [kCVPixelBufferPoolAllocationThresholdKey: 2])
    let samples = try (0..<12).map { try Clip.sample(clip.bytes[0], clip.format, at: $0) }
    let answers = Answers()
    for sample in samples[..<3] { session.decode(sample, answers) }
    #expect(answers.statuses == [noErr, noErr, kVTAllocationFailedErr])
    answers.removeAll()
    for sample in samples { session.decode(sample, ._EnableAsynchronousDecompression, answers) }
    var most = 0
    var seen: [Int] = []
    while seen.count < 12 {
      #expect(answers.wait(for: 1))
      if answers.count == 0 { break }
      let now = answers.all
      let pool = try session.property(kVTDecompressionPropertyKey_PixelBufferPool, as: CVPixelBufferPool.self)
      most = max(most, pool?.counts.total ?? 0)
      seen += now.map(\.frame)
      #expect(now.allSatisfy { $0.status == noErr && $0.image != nil })
      answers.remove(now.count)
    }
    #expect(seen == Array(0..<12) && most <= 2)
  }

  @Test func `invalidating ends the wait for a picture`() throws {
    let clip = try Clip(.lt, 64, 48, frames: 1)
    let session = try makeSession(clip.format, [kCVPixelBufferPoolAllocationThresholdKey: 1])
    let answers = Answers()
    for index in 0..<4 {
      session.decode(
        try Clip.sample(clip.bytes[0], clip.format, at: index), ._EnableAsynchronousDecompression, answers)
    }
    VTDecompressionSessionInvalidate(session)
    #expect(answers.count == 4)
    #expect(answers.statuses.dropFirst().allSatisfy { $0 == kVTInvalidSessionErr || $0 == kVTAllocationFailedErr })
  }

  @Test func `threads change nothing but speed`() throws {
    let clip = try Clip(.hq, 400, 200)
    let session = try makeSession(clip.format)
    let sums = try [0, 1, 2, 7].map { count in
      #expect(session.set(kVTDecompressionPropertyKey_ThreadCount, count) == noErr)
      return try decode(session, clip)?.checksum
    }
    #expect(Set(sums).count == 1)
    #expect(session.set(kVTDecompressionPropertyKey_ThreadCount, 100_000) == kVTParameterErr)
  }

  @Test(arguments: [
    (150, 90, 1), (76, 46, 1), (75, 45, 2), (40, 20, 2), (38, 23, 4), (20, 12, 4), (19, 12, 8), (1, 1, 8),
    (9999, 9999, 1),
  ])
  func `reduced resolution snaps to a part that is not smaller`(width: Int, height: Int, part: Int) throws {
    let clip = try Clip(.hq, 150, 90)
    let session = try makeSession(clip.format)
    let wish: CFDictionary = [
      kVTDecompressionResolutionKey_Width: width, kVTDecompressionResolutionKey_Height: height,
    ]
    #expect(session.set(kVTDecompressionPropertyKey_ReducedResolutionDecode, wish) == noErr)
    let picture = try #require(try decode(session, clip))
    #expect(CVPixelBufferGetWidth(picture) == (150 + part - 1) / part)
    #expect(CVPixelBufferGetHeight(picture) == (90 + part - 1) / part)
    #expect(session.set(kVTDecompressionPropertyKey_ReducedResolutionDecode, nil) == noErr)
    #expect(try decode(session, clip).map(CVPixelBufferGetWidth) == 150)
    let wrong: CFDictionary = [kVTDecompressionResolutionKey_Width: width]
    #expect(session.set(kVTDecompressionPropertyKey_ReducedResolutionDecode, wrong) == kVTParameterErr)
  }

  @Test func `a device that is required decodes whole pictures`() throws {
    let clip = try Clip(.hq)
    let factory = PictureDecoderFactory(devices: [SlowDevice(name: "Quill 9", takesParts: false)])
    let key = kVTDecompressionPropertyKey_ReducedResolutionDecode
    let half: CFDictionary = [kVTDecompressionResolutionKey_Width: 80, kVTDecompressionResolutionKey_Height: 48]
    var made: VTDecompressionSession?
    let require = kVTVideoDecoderSpecification_RequireHardwareAcceleratedVideoDecoder
    #expect(createSession(clip.format, [require: true], nil, nil, &made, factory: factory) == noErr)
    #expect(try #require(made).set(key, half) == kVTPropertyNotSupportedErr)
    #expect(createSession(clip.format, nil, nil, nil, &made, factory: factory) == noErr)
    let session = try #require(made)
    let isHardware = kVTDecompressionPropertyKey_UsingHardwareAcceleratedVideoDecoder
    #expect(try session.property(isHardware) == true)
    // The processor takes over.
    #expect(session.set(key, half) == noErr)
    #expect(try decode(session, clip).map(CVPixelBufferGetWidth) == 80)
    #expect(try session.property(isHardware) == false)
  }

  @Test func `fields of scaled pictures come from a pool each`() throws {
    let clip = try Clip(.hq, 96, 64, fields: .bottomFirst)
    let session = try makeSession(clip.format, [kCVPixelBufferWidthKey: 48, kCVPixelBufferHeightKey: 64])
    #expect(
      session.set(kVTDecompressionPropertyKey_FieldMode, kVTDecompressionProperty_FieldMode_SingleField) == noErr)
    let key = kVTDecompressionPropertyKey_PixelBufferPool
    let pool = try #require(try session.property(key, as: CVPixelBufferPool.self))
    let answers = Answers(keepsPictures: false)
    for index in 0..<4 { session.decode(try Clip.sample(clip.bytes[0], clip.format, at: index), answers) }
    #expect(answers.statuses == [noErr, noErr, noErr, noErr])
    #expect(try session.property(key, as: CVPixelBufferPool.self) === pool && pool.counts == (1, 0))
  }

  @Test(arguments: [(0.5, [1, 3, 5, 7, 9]), (0.4, [2, 4, 7, 9]), (1.0, Array(0..<10)), (0.0, [])])
  func `reduced delivery drops frames evenly`(share: Double, kept: [Int]) throws {
    let clip = try Clip(.lt, 64, 48)
    let session = try makeSession(clip.format)
    #expect(session.set(kVTDecompressionPropertyKey_ReducedFrameDelivery, share) == noErr)
    #expect(session.set(kVTDecompressionPropertyKey_ReducedFrameDelivery, 1.5) == kVTParameterErr)
    let answers = Answers()
    for index in 0..<10 { session.decode(try Clip.sample(clip.bytes[0], clip.format, at: index), answers) }
    #expect(answers.all.filter { $0.image != nil }.map(\.frame) == kept)
    #expect(answers.all.allSatisfy { ($0.image == nil) == $0.flags.contains(.frameDropped) && $0.status == noErr })
  }

  @Test func `only these frames are decoded`() throws {
    let clip = try Clip(.lt, 64, 48)
    let session = try makeSession(clip.format)
    func marked(_ index: Int, _ marks: [CMSampleBuffer.PerSampleAttachmentsDictionary.Key: Bool]) throws
      -> CMSampleBuffer
    {
      let sample = try Clip.sample(clip.bytes[0], clip.format, at: index)
      for (key, value) in marks { sample.sampleAttachments[0][key] = value }
      return sample
    }
    let samples = try [
      marked(0, [:]), marked(1, [.notSync: true]), marked(2, [.notSync: true, .isDependedOnByOthers: false]),
      marked(3, [.notSync: true, .dependsOnOthers: false]), marked(4, [.dependsOnOthers: true]),
    ]
    for (mode, kept) in [
      (kVTDecompressionProperty_OnlyTheseFrames_AllFrames, [0, 1, 2, 3, 4]),
      (kVTDecompressionProperty_OnlyTheseFrames_NonDroppableFrames, [0, 1, 3, 4]),
      (kVTDecompressionProperty_OnlyTheseFrames_IFrames, [0, 3]),
      (kVTDecompressionProperty_OnlyTheseFrames_KeyFrames, [0, 4]),
    ] {
      #expect(session.set(kVTDecompressionPropertyKey_OnlyTheseFrames, mode) == noErr)
      let answers = Answers()
      for sample in samples { session.decode(sample, answers) }
      #expect(answers.all.filter { $0.image != nil }.map(\.frame) == kept, "\(mode)")
    }
  }

  @Test(arguments: ["v216", "420v", "v210", "b64a", "x422", "RGhA"])
  func `fields are taken apart or smoothed`(format: String) throws {
    let clip = try Clip(.hq, 96, 64, fields: .bottomFirst)
    let session = try makeSession(clip.format, [kCVPixelBufferPixelFormatTypeKey: fourCharacterCode(format)])
    let key = kVTDecompressionPropertyKey_FieldMode
    let woven = try #require(try decode(session, clip))
    let rows = woven.rows(0)
    for (mode, first) in [
      (kVTDecompressionProperty_FieldMode_TopFieldOnly, 0), (kVTDecompressionProperty_FieldMode_BottomFieldOnly, 1),
      (kVTDecompressionProperty_FieldMode_SingleField, 1),
    ] {
      #expect(session.set(key, mode) == noErr)
      let field = try #require(try decode(session, clip))
      #expect(field.rows(0) == stride(from: first, to: 64, by: 2).map { rows[$0] }, "\(mode)")
      #expect(field.attachment(kCVImageBufferFieldCountKey) == 1)
      let aspect: [String: Any]? = field.attachment(kCVImageBufferPixelAspectRatioKey)
      #expect(aspect?[kCVImageBufferPixelAspectRatioVerticalSpacingKey] as? Int == 2)
    }
    #expect(session.set(key, kVTDecompressionProperty_FieldMode_DeinterlaceFields) == noErr)
    let smooth = try #require(try decode(session, clip))
    #expect(CVPixelBufferGetHeight(smooth) == 64 && !CVBufferHasAttachment(smooth, kCVImageBufferFieldDetailKey))
    if format == "v216" {
      let words = woven.words()
      for (index, word) in smooth.words().enumerated() {
        let (row, column) = (index / 192, index % 192)
        func code(_ row: Int) -> Int { Int(words[max(0, min(63, row)) * 192 + column]) }
        try #require(Int(word) == (code(row - 1) + 2 * code(row) + code(row + 1) + 2) / 4)
      }
    }
    #expect(session.set(key, "Sideways") == kVTParameterErr)
    let temporal = kVTDecompressionProperty_DeinterlaceMode_Temporal
    #expect(session.set(kVTDecompressionPropertyKey_DeinterlaceMode, temporal) == kVTParameterErr)
  }

  @Test func `damage is concealed as the session wishes`() throws {
    let clip = try Clip(.p4444, frames: 2)
    let session = try makeSession(clip.format)
    let key = kVTDecompressionPropertyKey_DamageConcealment
    #expect(session.set(key, kVTDecompressionProperty_DamageConcealment_PreviousPicture) == noErr)
    let answers = Answers()
    session.decode(try clip.sample(0), answers)
    session.decode(try Clip.sample(clip.damaged(1), clip.format, at: 1), answers)
    #expect(answers.all.allSatisfy { !$0.flags.contains(.imageBufferModifiable) })
    let (first, second) = try (#require(answers.all[0].image), #require(answers.all[1].image))
    let places: [[String: Any]] = try #require(second.attachment(kCVImageBufferDamagedSlicesKey))
    let x = try #require(places[0][kCVImageBufferDamagedSliceXKey] as? Int)
    let y = try #require(places[0][kCVImageBufferDamagedSliceYKey] as? Int)
    let place = (y * 160 + x) * 4..<(y * 160 + x) * 4 + 64
    #expect(first.words()[place] == second.words()[place])
  }

  @Test func `supported formats begin with the native one, and all can be made`() throws {
    let clip = try Clip(.hq, 64, 48)
    let session = try makeSession(clip.format)
    let speed = try #require(
      try session.property(kVTDecompressionPropertyKey_SupportedPixelFormatsOrderedByPerformance, as: [Int].self))
    let quality = try #require(
      try session.property(kVTDecompressionPropertyKey_SupportedPixelFormatsOrderedByQuality, as: [Int].self))
    #expect(speed.first == Int(fourCharacterCode("v216")) && quality.first == speed.first)
    #expect(Set(speed) == Set(quality) && Set(speed).count == speed.count)
    func place(_ name: String) throws -> Int { try #require(quality.firstIndex(of: Int(fourCharacterCode(name)))) }
    #expect(try place("sv22") < place("x422") && place("x422") < place("422v") && place("422v") < place("L008"))
    for code in speed {
      let made = try makeSession(clip.format, [kCVPixelBufferPixelFormatTypeKey: code])
      let answers = Answers()
      made.decode(try clip.sample(0), answers)
      let name = fourCharacterString(OSType(code))
      #expect(answers.statuses == [noErr], "\(name)")
      #expect(answers.all.first?.image.map { Int(CVPixelBufferGetPixelFormatType($0)) } == code, "\(name)")
    }
  }

  @Test func `pictures are scaled to the size that is asked for`() throws {
    let aperture: [String: Any] = ["Width": 120, "Height": 96, "HorizontalOffset": 0, "VerticalOffset": 0]
    let clip = try Clip(.hq, extensions: [kCMFormatDescriptionExtension_CleanAperture: aperture])
    let attributes = [kCVPixelBufferWidthKey: 80, kCVPixelBufferHeightKey: 96]
    let session = try makeSession(clip.format, attributes)
    let picture = try #require(try decode(session, clip))
    #expect(CVPixelBufferGetWidth(picture) == 80 && CVPixelBufferGetHeight(picture) == 96)
    #expect((picture.attachment(kCVImageBufferCleanApertureKey) as [String: Any]?)?["Width"] as? Double == 60)
    let aspect: [String: Any]? = picture.attachment(kCVImageBufferPixelAspectRatioKey)
    #expect(aspect?["HorizontalSpacing"] as? Int == 2 && aspect?["VerticalSpacing"] as? Int == 1)
    let key = kVTDecompressionPropertyKey_PixelTransferProperties
    let letterbox = [kVTPixelTransferPropertyKey_ScalingMode: kVTScalingMode_Letterbox]
    #expect(session.set(key, letterbox) == noErr)
    #expect(session.set(key, [kVTPixelTransferPropertyKey_ScalingMode: "Sideways"]) == kVTParameterErr)
    let boxed = try #require(try decode(session, clip))
    // 120:96 in 80x96: 80x64, with 16 rows of black above and below.
    let words = boxed.words()
    #expect(words[1] == 4096 && words[15 * 160 + 1] == 4096 && words[81 * 160 + 1] == 4096)
    #expect(words[17 * 160..<18 * 160].contains { $0 != 4096 && $0 != 32768 })
  }

  @Test(arguments: ["v216", "420v", "xf22", "y416", "BGRA", "b64a", "RGhA", "v210"])
  func `black is black and opaque`(format: String) throws {
    let session = try makeSession(
      Clip.format("ap4h", 48, 32), [kCVPixelBufferPixelFormatTypeKey: fourCharacterCode(format)])
    var black: CVPixelBuffer?
    #expect(VTDecompressionSessionCopyBlackPixelBuffer(session, pixelBufferOut: &black) == noErr)
    let picture = try #require(black)
    #expect(CVPixelBufferGetPixelFormatType(picture) == fourCharacterCode(format))
    #expect(CVPixelBufferGetWidth(picture) == 48 && CVPixelBufferGetHeight(picture) == 32)
    let colors = try CVBuffer.make(width: 48, height: 32, format: fourCharacterCode("BGRA"))
    var session2: VTPixelTransferSession?
    #expect(VTPixelTransferSessionCreate(allocator: nil, pixelTransferSessionOut: &session2) == noErr)
    #expect(VTPixelTransferSessionTransferImage(try #require(session2), from: picture, to: colors) == noErr)
    let bytes = colors.rows(0).flatMap { $0 }
    #expect(bytes.enumerated().allSatisfy { $0.offset % 4 == 3 ? $0.element == 255 : $0.element <= 1 })
  }
}
