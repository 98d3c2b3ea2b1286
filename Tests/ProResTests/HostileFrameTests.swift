import CoreVideo
import ProRes
import ProResClips
import Testing

/// Frames that must be refused, and how.
@Suite struct HostileFrameTests {
  private static let sound: [UInt8] = {
    let texture = Texture()
    return try! ProResClip(ProResClip.Settings(.hq, 80, 48), texture.code).samples[0]
  }()

  private func refusal(
    _ bytes: [UInt8], budget: Int? = nil, format: OSType = kCVPixelFormatType_422YpCbCr16
  ) -> ProResError? {
    var options = ProResDecoder.Options.oneThread
    if let budget { options.pixelBudget = budget }
    do {
      let decoder = try ProResDecoder(codec: fourCharacterCode("apch"))
      _ = try bytes.withUnsafeBytes {
        try decoder.decode($0, pixelFormat: format, options: options)
      }
      return nil
    } catch { return error as? ProResError }
  }

  private func changed(_ place: Int, _ values: UInt8...) -> [UInt8] {
    var bytes = Self.sound
    bytes.replaceSubrange(place..<place + values.count, with: values)
    return bytes
  }

  @Test func theUnchangedFrameIsFine() { #expect(refusal(Self.sound) == nil) }

  @Test func everyShorterFrameIsRefused() {
    for count in 0..<Self.sound.count {
      let error = refusal(Array(Self.sound.prefix(count)))
      #expect(error?.kind == .truncated)
      #expect(error?.frame == 0)
      // Nor does a frame size that fits the bytes help: the picture is cut.
      guard count >= 8 else { continue }
      var bytes = Array(Self.sound.prefix(count))
      bytes.replaceSubrange(0..<4, with: [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) })
      #expect(refusal(bytes) != nil)
    }
  }

  @Test func otherBitstreamsAreNamed() {
    #expect(refusal(changed(11, 2))?.kind == .unsupported)
    #expect(refusal(changed(10, 1))?.description.contains("version 256") == true)
    #expect(refusal(changed(4, UInt8(ascii: "p"), UInt8(ascii: "r")))?.kind == .damaged)
    for name in ["aprn", "aprh", "hvc1"] {
      #expect { try ProResDecoder(codec: fourCharacterCode(name)) } throws: { error in
        (error as? ProResError)?.kind == .unsupported && "\(error)".contains(name)
      }
    }
  }

  @Test func reservedValuesAreRefused() {
    let form = Self.sound[20]
    for bad in [form & 0x3F, form & 0x3F | 0x40, form | 0x0C] { #expect(refusal(changed(20, bad))?.kind == .damaged) }
    #expect(refusal(changed(25, 3))?.kind == .damaged)
    #expect(refusal(changed(28, 0))?.description.contains("weight") == true)
    #expect(refusal(changed(16, 0, 0))?.kind == .damaged)
    #expect(refusal(changed(18, 0, 0))?.kind == .damaged)
    #expect(refusal(changed(8, 0, 10))?.kind == .damaged)
    #expect(refusal(changed(8, 0xFF, 0xFF))?.kind == .damaged)
  }

  /// 65535x65535 pixels are 24 GB of v216; a frame of some thousand bytes must not make anybody allocate them.
  @Test func absurdSizesAreRefusedBeforeThePicture() {
    #expect(refusal(changed(16, 0xFF, 0xFF, 0xFF, 0xFF))?.kind == .overLimit)
    let error = refusal(changed(16, 0xFF, 0xFF, 0xFF, 0xFF), budget: .max)
    #expect(error?.kind == .damaged && error?.description.contains("cannot hold") == true)
    #expect(refusal(Self.sound, budget: 80 * 48 - 1)?.kind == .overLimit)
    #expect(refusal(Self.sound, budget: 80 * 48) == nil)
  }

  /// 65535x32768 pixels in y416 are 17 GB, more than a pixel buffer may have; the frame holds each of its slices.
  @Test func aPictureBeyondMemoryIsRefused() {
    func number(_ value: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }
    let sliceCount = 512 * 2048
    var bytes = Array(changed(16, 0xFF, 0xFF, 0x80, 0x00).prefix(8 + Int(Self.sound[9]) + Int(Self.sound[8]) << 8))
    bytes += [8 << 3] + number(8 + sliceCount * 8) + [0, 0, 3 << 4]
    for _ in 0..<sliceCount { bytes += [0, 6] }
    bytes += [UInt8](repeating: 0, count: sliceCount * 6)
    bytes.replaceSubrange(0..<4, with: number(bytes.count))
    let error = refusal(bytes, budget: .max, format: fourCharacterCode("y416"))
    #expect(error?.kind == .outOfMemory && error?.frame == 0)
  }

  @Test func wrongSliceTablesNameTheSlice() {
    let picture = 8 + Int(Self.sound[9]) + Int(Self.sound[8]) << 8
    let table = picture + 8
    // 80x48: a row has slices of 4 and 1 macroblocks.
    for slice in 0..<6 {
      #expect(refusal(changed(table + 2 * slice, 0, 5))?.slice == slice)
      let long = refusal(changed(table + 2 * slice, 0xFF, 0xFF))
      #expect(long?.kind == .damaged)
      #expect(long?.slice == slice)
      #expect(long?.description.contains("slice \(slice)") == true)
    }
    #expect(refusal(changed(picture, 7 << 3))?.kind == .damaged)
    #expect(refusal(changed(picture + 1, 0, 0, 0, 40))?.kind == .damaged)
    #expect(refusal(changed(picture + 1, 0xFF, 0xFF, 0xFF, 0xFF))?.kind == .truncated)
    // The count of slices is derived, whatever the header says.
    #expect(refusal(changed(picture + 5, 0xFF, 0xFF)) == nil)
  }

  @Test func anErrorIsNotSticky() throws {
    let decoder = try ProResDecoder(codec: fourCharacterCode("apch"))
    let frames = [Self.sound, Array(Self.sound.prefix(100)), Self.sound, changed(11, 9), Self.sound]
    var refused: [Int?] = []
    for frame in frames {
      do {
        let (_, report) = try frame.withUnsafeBytes {
          try decoder.decode($0, pixelFormat: kCVPixelFormatType_422YpCbCr10)
        }
        #expect(report.isSound)
      } catch { refused.append((error as? ProResError)?.frame) }
    }
    #expect(refused == [1, 3])
  }

  @Test func wrongMemoryIsRefused() throws {
    let decoder = try ProResDecoder(codec: fourCharacterCode("apch"))
    let small = try CVBuffer.make(width: 79, height: 48, format: kCVPixelFormatType_422YpCbCr16)
    #expect {
      try Self.sound.withUnsafeBytes { try decoder.decode($0, into: small) }
    } throws: { ($0 as? ProResError)?.kind == .wrongDestination }
    let plane = ProResDestination.Plane(base: UnsafeMutableRawPointer(bitPattern: 64)!, bytesPerRow: 159)
    for planes in [[plane, plane, plane], [plane]] {
      let destination = ProResDestination(layout: .planar(depth: 10), width: 80, height: 48, planes: planes)
      #expect {
        try Self.sound.withUnsafeBytes { try decoder.decode($0, into: destination) }
      } throws: { ($0 as? ProResError)?.kind == .wrongDestination }
    }
  }
}
