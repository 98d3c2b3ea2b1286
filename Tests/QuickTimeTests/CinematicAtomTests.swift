import Foundation
import QuickTime
import Testing

@Suite struct CinematicAtomTests {
  /// The first frame of a movie made by an independent program.
  static let cupFrame = bytes(
    """
    0000008c66726d65 00000000 0000004066726d68 00000000 0000000000000001 0000000000000001 ffffffffffffffff
    40333333 3f27c944 3f27c944 3f800000 00000000 00000000 00000001
    0000004064746373 00000000 0000003464746374 00000000 0000000000000001 000000000000000b 00000064
    3f27c944 3f333333 3f266666 3e6147ae 3e800000
    """)

  static func item() -> CinematicFrameItem {
    var header = CinematicFrameHeader()
    header.focusTrackID = 7
    header.baseFocusTrackID = 8
    header.userFocusTrackID = -1
    header.aperture = 2.5
    header.flags = [.detectorRan, .userFocusIsStrong]
    let detections = (0..<3).map {
      CinematicDetection(
        trackID: Int64($0), groupID: Int64($0) - 1, type: UInt32($0) * 50, focusDisparity: Float($0),
        x: 0.1, y: 0.2, width: 0.3, height: 0.4)
    }
    return CinematicFrameItem(header: header, detections: detections)
  }

  @Test func readsTheFieldsOfAFrame() throws {
    let item = try CinematicFrameItem(payload: Self.cupFrame)
    let header = try #require(item.header)
    #expect(header.focusTrackID == 1 && header.baseFocusTrackID == 1 && header.userFocusTrackID == -1)
    #expect(header.aperture == 2.8 && header.focusDisparity == 0.6554148197174072)
    #expect(header.transitionCoefficient == 1 && header.transitionDuration == 0)
    #expect(header.flags == .detectorRan)
    let detection = try #require(item.detections.first)
    #expect(item.detections.count == 1)
    #expect(detection.trackID == 1 && detection.groupID == 11 && detection.type == 100)
    #expect(detection.x == 0.7 && detection.y == 0.65 && detection.width == 0.22 && detection.height == 0.25)
    #expect(item.payload == Self.cupFrame)
  }

  @Test func writesWhatItReads() throws {
    let item = Self.item()
    let payload = item.payload
    #expect(payload.count == 12 + 64 + 12 + 3 * 52)
    #expect(try CinematicFrameItem(payload: payload) == item)
  }

  @Test func keepsWhatItDoesNotUnderstand() throws {
    let unknown = bytes("00000010 61626364 01020304 05060708")
    let version1 = bytes("0000000e 64746374 01000000 0909")
    let detection = bytes("00000035 64746374 00000000") + Data(repeating: 1, count: 41)
    let list = atom("dtcs", bytes("00000005") + detection + unknown + version1 + bytes("000000"))
    let header = atom("frmh", bytes("00000000") + Data(repeating: 2, count: 52) + bytes("aabb"))
    let frame = atom("frme", bytes("00000001") + unknown + header + list + bytes("00000000 00000000 77"))
    let payload = unknown + frame + bytes("010203")
    let item = try CinematicFrameItem(payload: payload)
    #expect(item.detections.count == 1)
    #expect(item.header?.focusTrackID == 0x0202_0202_0202_0202)
    #expect(item.payload == payload)
  }

  @Test func replacesHeaderAndDetections() throws {
    var item = try CinematicFrameItem(payload: Self.cupFrame)
    item.header?.aperture = 16
    item.detections = []
    let read = try CinematicFrameItem(payload: item.payload)
    #expect(read.header?.aperture == 16)
    #expect(read.detections.isEmpty)
  }

  /// Each of the four lengths, set to every value up to beyond the end, is read or refused, and what is read is written back.
  @Test func refusesEveryWrongLength() throws {
    let payload = Self.item().payload
    for place in [0, 12, 76, 88] {
      let right = payload[place + 3]
      for size in UInt8.min...UInt8.max where size != right {
        var broken = payload
        broken[place + 3] = size
        let read = Result { try CinematicFrameItem(payload: broken) }
        if case .success(let item) = read { #expect(item.payload == broken) }
        if size > 0 && size < 8 { #expect(throws: QuickTimeError.self) { try read.get() } }
      }
      var huge = payload
      huge[place] = 0xFF
      #expect(throws: QuickTimeError.self) { try CinematicFrameItem(payload: huge) }
    }
    for count in 0..<payload.count {
      #expect(throws: QuickTimeError.self) { try CinematicFrameItem(payload: payload.prefix(count)) }
    }
  }

  @Test func namesTheMissingAtom() {
    let error = #expect(throws: QuickTimeError.self) { try CinematicFrameItem(payload: Data()) }
    #expect(error?.kind == .unsupported)
    #expect(error?.message.contains("frme") == true)
  }
}

@Suite struct CinematicPairTests {
  @Test func rendering() throws {
    let stored = bytes(
      "00000030 72656e64 0001 0001 3f27c944 0002 0001 40333333 0003 0002 00000100 0004 0001 3e800000 0005 0002 000003e8"
    )
    let item = try CinematicRenderingItem(payload: stored)
    #expect(item.focusDisparity == 0.6554148197174072 && item.fNumber == 2.8)
    #expect(item.version(movieMajor: nil) == 1 && item.version(movieMajor: 2) == 2)
    #expect(item.lowLightAlpha(movieMajor: 1) == 0.25)
    #expect(item.payload == stored)
    let written = CinematicRenderingItem(
      focusDisparity: item.focusDisparity!, fNumber: 2.8, analogueGain: 256, lowLightAlpha: 0.25, frameID: 1000)
    #expect(written.payload == stored)
  }

  @Test func thirteenPairsMeanVersion2() throws {
    let pairs = (UInt16(1)...13).map { CinematicPair.float($0, Float($0)) }
    var item = CinematicRenderingItem(focusDisparity: 0, fNumber: 0, frameID: 0)
    item.pairs = CinematicPairs(pairs)
    let read = try CinematicRenderingItem(payload: item.payload)
    #expect(read.version(movieMajor: nil) == 2)
    #expect(read.focalLength35mm(movieMajor: nil) == 3 && read.lowLightAlpha(movieMajor: nil) == 13)
  }

  @Test func theStoredTypeDecides() throws {
    let item = try CinematicRenderingItem(payload: bytes("00000018 72656e64 0001 0002 00000003 0002 0009 40000000"))
    #expect(item.focusDisparity == 3)
    #expect(item.fNumber == nil)
  }

  @Test func unknownPairsAndTrailingBytesSurvive() throws {
    let stored = bytes("00000008 7a7a7a7a 00000015 72656e64 ffff 0007 01020304 0001 0001 aa bbcc")
    var item = try CinematicRenderingItem(payload: stored)
    #expect(item.payload == stored)
    item.fNumber = 2
    #expect(try CinematicRenderingItem(payload: item.payload).pairs.list.count == 2)
  }

  @Test func stabilization() throws {
    let item = CinematicStabilizationItem(motionBlurX: 3, motionBlurY: 4)
    let read = try CinematicStabilizationItem(payload: item.payload)
    #expect(read == item)
    #expect(read.homography == [1, 0, 0, 0, 1, 0, 0, 0, 1])
    #expect(item.payload.count == 8 + 11 * 8)
  }

  @Test(arguments: ["", "00000007 72656e64", "000000ff 72656e64 00010001", "00000008 73746162"])
  func refuses(_ payload: String) {
    #expect(throws: QuickTimeError.self) { try CinematicRenderingItem(payload: bytes(payload)) }
  }
}

@Suite struct CinematicMovieBlobTests {
  @Test func writtenBlobIsRead() throws {
    let blob = CinematicMovieBlob.written(fNumber: 2.8, focalLength35mm: 24)
    let read = try CinematicMovieBlob(payload: blob.payload)
    #expect(read == blob)
    #expect(read.renderingMajor == 1 && read.renderingVersion == 2)
    #expect(read.focalLength35mm == 24 && read.fNumbers.initial == 2.8)
    #expect(read.section("vhdr")?.pairs.list.isEmpty == true)
    #expect(read.section("cntg")?.pairs.number(4) == 30_000)
    #expect(blob.payload.prefix(32) == bytes("000000b0 63766964 00000018 76686472 00000010 76686472 00000001 00000000"))
  }

  @Test func anotherNumberingOfItemsIsReplacedAndTheRestStays() throws {
    let written = CinematicMovieBlob.written(fNumber: 2.8, focalLength35mm: 77)
    let stabilization = CinematicMovieBlob.Section("stab", [.integer(1, 3840), .integer(2, 2160)])
    let later = CinematicMovieBlob([.init("vhdr"), .init("rend", major: 2, [.integer(1, 7)]), stabilization])
    let renumbered = later.renumbered(as: written)
    #expect(renumbered.renderingMajor == 1 && renumbered.focalLength35mm == 77)
    #expect(renumbered.section("stab") == stabilization && renumbered.children.count == 3)
    // One of the same numbering stays to the byte, and so does one that says none.
    let other = CinematicMovieBlob.written(fNumber: 4)
    #expect(other.renumbered(as: written).payload == other.payload)
    #expect(CinematicMovieBlob([stabilization]).renumbered(as: written).children.count == 1)
  }

  @Test func theInnerTypeDecidesAndTheOuterOneSurvives() throws {
    let stored = bytes(
      """
      00000044 63766964 00000024 6f757472 00000018 72656e64 00000002 00000007 0001 0002 00000009 deadbeef
      0000000a 73686f72 0102 00000000 0000000000 aabbccdd01 ff
      """)
    let blob = try CinematicMovieBlob(payload: stored)
    #expect(blob.renderingMajor == 2 && blob.renderingVersion == 9)
    #expect(blob.payload == stored)
  }

  @Test func everyCorruptByteIsReadExactlyOrRefused() {
    let stored = CinematicMovieBlob.written(fNumber: 2).payload
    expectExactOrRefused(stored) { try CinematicMovieBlob(payload: $0).payload }
  }
}

@Suite struct DisparityCodingTests {
  @Test(
    arguments: [
      (0.1, 34), (0.25, 81), (0.5, 146), (0.75, 202), (1, 250), (2, 397), (4, 581), (8, 793), (16, 1023),
    ] as [(Float, UInt16)])
  func standardCodes(_ disparity: Float, _ code: UInt16) {
    #expect(DisparityCoding.standard.code(disparity: disparity) == code)
  }

  @Test func ends() {
    let coding = DisparityCoding(minimum: 1, maximum: 2)!
    #expect(coding.code(disparity: 0.5) == 0 && coding.code(disparity: -.infinity) == 0)
    #expect(coding.code(disparity: 2) == 1023 && coding.code(disparity: .infinity) == 1023)
    #expect(coding.code(disparity: .nan) == 1023)
    #expect(coding.disparity(code: 0) == 1 && coding.disparity(code: 1023) == 2 && coding.disparity(code: 9999) == 2)
  }

  @Test(arguments: [DisparityCoding.standard, DisparityCoding(minimum: 0.25, maximum: 300)!])
  func everyCodeComesBack(_ coding: DisparityCoding) {
    let table = coding.table
    #expect(table.count == 1024)
    for code in UInt16(0)...1023 { #expect(coding.code(disparity: table[Int(code)]) == code) }
    #expect(zip(table, table.dropFirst()).allSatisfy(<))
  }

  @Test func payload() throws {
    let coding = DisparityCoding(minimum: 0.5, maximum: 16)!
    #expect(coding.payload == bytes("00000000 01 00008000 00100000"))
    #expect(try DisparityCoding(payload: coding.payload) == coding)
  }

  @Test(
    arguments: [
      "", "00000000 01 00000000 001000", "00000000 01 00100000 00100000", "00000000 01 00100000 00080000",
      "00000000 01 00000000 80000001",
    ])
  func refuses(_ payload: String) {
    #expect(throws: QuickTimeError.self) { try DisparityCoding(payload: bytes(payload)) }
  }
}
