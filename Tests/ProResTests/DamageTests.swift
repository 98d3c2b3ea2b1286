import CoreVideo
import PictureCodes
import ProRes
import ProResClips
import Testing

/// Slices that cannot be read, and what is shown and told of them.
@Suite struct DamageTests {
  private static let texture = Texture()

  private func sample(
    _ profile: ProResClip.Profile = .hq, fields: ProResClip.Fields = .progressive, alphaBits: Int = 0, frame: Int = 0
  ) throws -> [UInt8] {
    var settings = ProResClip.Settings(profile, 416, 96)
    settings.fields = fields
    settings.alphaBits = alphaBits
    return try ProResClip(settings) { DamageTests.texture.code(frame, $1, $2, $3) }.samples[0]
  }

  /// Where the slices of the first picture lie.
  private func slices(_ sample: [UInt8]) -> [Range<Int>] {
    func number(_ place: Int) -> Int { Int(sample[place]) << 8 | Int(sample[place + 1]) }
    let picture = 8 + number(8)
    let count = number(picture + 5)
    let table = picture + Int(sample[picture] >> 3)
    var next = table + 2 * count
    return (0..<count).map { index in
      defer { next += number(table + 2 * index) }
      return next..<next + number(table + 2 * index)
    }
  }

  /// The short slices of the proxy profile are another matter: noise may end where it must by chance.
  @Test(arguments: [ProResClip.Profile.standard, .hq, .p4444])
  func everySliceOfNoiseIsFound(profile: ProResClip.Profile) throws {
    let sound = try sample(profile)
    let expected = try decodePlanes(sound, depth: 10).planes
    var random = SplitMix(state: 7)
    for (index, range) in slices(sound).enumerated() {
      var bytes = sound
      for place in range.dropFirst(6) { bytes[place] = UInt8(truncatingIfNeeded: random.next()) }
      let (planes, report) = try decodePlanes(bytes, depth: 10)
      #expect(report.damage.map(\.slice) == [index])
      let damage = try #require(report.damage.first)
      for y in 0..<96 {
        for x in 0..<416 {
          let isInside = damage.columns.contains(x) && damage.rows.contains(y)
          #expect(planes[0][y * 416 + x] == (isInside ? 512 : expected[0][y * 416 + x]))
        }
      }
    }
  }

  @Test func fieldsAreConcealedInTheirOwnRows() throws {
    var bytes = try sample(fields: .topFirst)
    let expected = try decodePlanes(bytes, depth: 10).planes
    let range = slices(bytes)[1]
    bytes[range.lowerBound + 1] = 0
    let (planes, report) = try decodePlanes(bytes, depth: 10)
    let damage = try #require(report.damage.first)
    #expect(report.damage.count == 1 && damage.slice == 1 && damage.rowStep == 2 && damage.rows == 0..<31)
    for y in 0..<96 {
      let isInside = damage.rows.contains(y) && y % 2 == 0
      #expect(planes[0][y * 416 + 130] == (isInside ? 512 : expected[0][y * 416 + 130]))
    }
  }

  @Test(arguments: ["y416", "v216", "v210", "x422", "s4as", "BGRA"])
  func anotherPictureConceals(format: String) throws {
    let (first, second) = (try sample(.hq, frame: 0), try sample(.hq, frame: 1))
    var bytes = second
    for place in slices(second)[2].dropFirst(8) { bytes[place] = 0x5A }
    let decoder = try ProResDecoder(codec: fourCharacterCode("apch"))
    func decode(_ sample: [UInt8], _ options: ProResDecoder.Options = .oneThread) throws -> (
      CVPixelBuffer, ProResReport
    ) {
      try sample.withUnsafeBytes { try decoder.decode($0, pixelFormat: fourCharacterCode(format), options: options) }
    }
    let (previous, _) = try decode(first)
    _ = CVPixelBufferLockBaseAddress(previous, .readOnly)
    defer { _ = CVPixelBufferUnlockBaseAddress(previous, .readOnly) }
    var options = ProResDecoder.Options.oneThread
    options.concealment = .picture(try ProResDestination(locked: previous))
    let (concealed, report) = try decode(bytes, options)
    #expect(report.damage.map(\.slice) == [2])
    let (intact, _) = try decode(second)
    let columns = try #require(report.damage.first).columns
    let layout = try #require(PixelFormat.description(of: fourCharacterCode(format))).planes[0]
    for y in 0..<96 {
      let isBelow = y >= 16
      for x in stride(from: 0, to: 416, by: layout.blockWidth) {
        let block = x..<x + layout.blockWidth
        let isInside = !isBelow && columns.lowerBound <= block.lowerBound && block.upperBound <= columns.upperBound
        let isOutside = isBelow || !columns.overlaps(block.lowerBound - 1..<block.upperBound + 1)
        if isInside { #expect(bytesOf(concealed, layout, x, y) == bytesOf(previous, layout, x, y)) }
        if isOutside { #expect(bytesOf(concealed, layout, x, y) == bytesOf(intact, layout, x, y)) }
      }
    }
  }

  private func bytesOf(_ buffer: CVPixelBuffer, _ layout: PixelFormat.Plane, _ x: Int, _ y: Int) -> [UInt8] {
    buffer.withPlane(0, readOnly: true) { base, pitch, _, _ in
      let count = layout.bytesPerBlock
      return Array(UnsafeRawBufferPointer(start: base + y * pitch + x / layout.blockWidth * count, count: count))
    }
  }

  @Test func aPictureOfAnotherKindIsRefused() throws {
    let bytes = try sample()
    let decoder = try ProResDecoder(codec: fourCharacterCode("apch"))
    let other = try CVBuffer.make(width: 416, height: 96, format: kCVPixelFormatType_422YpCbCr16)
    _ = CVPixelBufferLockBaseAddress(other, .readOnly)
    defer { _ = CVPixelBufferUnlockBaseAddress(other, .readOnly) }
    var options = ProResDecoder.Options.oneThread
    options.concealment = .picture(try ProResDestination(locked: other))
    #expect {
      try bytes.withUnsafeBytes {
        try decoder.decode($0, pixelFormat: kCVPixelFormatType_422YpCbCr10, options: options)
      }
    } throws: { ($0 as? ProResError)?.kind == .wrongDestination }
  }

  @Test func aPictureOfShortRowsIsRefused() throws {
    let bytes = try sample()
    let decoder = try ProResDecoder(codec: fourCharacterCode("apch"))
    let picture = try bytes.withUnsafeBytes { PlanarPicture(try ProResFrameHeader($0), depth: 10) }
    let whole = picture.destination
    for index in 0..<3 {
      var planes = whole.planes
      planes[index] = .init(base: planes[index].base, bytesPerRow: planes[index].bytesPerRow - 2)
      var options = ProResDecoder.Options.oneThread
      options.concealment = .picture(
        ProResDestination(layout: whole.layout, width: whole.width, height: whole.height, planes: planes))
      #expect {
        try bytes.withUnsafeBytes { try decoder.decode($0, into: whole, options: options) }
      } throws: { error in
        (error as? ProResError)?.kind == .wrongDestination && "\(error)".contains("conceal")
      }
    }
  }

  /// Whatever is damaged, threads and earlier frames change nothing, and every sample is written.
  @Test(arguments: [ProResClip.Profile.proxy, .p4444])
  func damageIsDecodedAlikeEverywhere(profile: ProResClip.Profile) throws {
    let sound = try sample(profile, alphaBits: profile == .p4444 ? 16 : 0)
    var random = SplitMix(state: 3)
    var threaded = ProResDecoder.Options.oneThread
    threaded.threads = 3
    var decodedCount = 0
    for _ in 0..<60 {
      var bytes = sound
      for _ in 0..<20 {
        bytes[200 + Int(random.next() % UInt64(bytes.count - 200))] = UInt8(truncatingIfNeeded: random.next())
      }
      // The end of the slice table may be hit, which refuses the frame.
      guard let one = try? decodePlanes(bytes, depth: 12) else { continue }
      decodedCount += 1
      let other = try decodePlanes(bytes, depth: 12, threaded)
      #expect(one.planes == other.planes)
      #expect(one.report == other.report)
      // No picture keeps the code that its memory had before: it is none of 12 bits.
      #expect(one.planes.allSatisfy { !$0.contains(0xDEAD) })
    }
    #expect(decodedCount > 45)
  }
}
