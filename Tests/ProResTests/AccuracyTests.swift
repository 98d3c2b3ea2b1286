import ProRes
import ProResClips
import Testing

/// Against a transform in double precision, and against libavcodec.
@Suite struct AccuracyTests {
  static let texture = Texture()

  /// What is enough of a picture's samples to be equal; the others may be one code off. Of the worst clip 0.9997 are.
  private let leastEqual = 0.999

  struct Case: Sendable, CustomTestStringConvertible {
    var profile: ProResClip.Profile
    var fields = ProResClip.Fields.progressive
    var alphaBits = 0
    var size = (width: 208, height: 96)
    var sliceWidth = 8
    var matrices: String?

    var testDescription: String { "\(profile) \(size.width)x\(size.height) \(fields) alpha \(alphaBits) \(sliceWidth)" }

    func clip() throws -> ProResClip {
      var settings = ProResClip.Settings(profile, size.width, size.height)
      settings.fields = fields
      settings.alphaBits = alphaBits
      settings.sliceWidth = sliceWidth
      settings.matrices = matrices
      return try ProResClip(settings, AccuracyTests.texture.code)
    }
  }

  static let cases: [Case] =
    ProResClip.Profile.allCases.flatMap { profile in
      [
        Case(profile: profile), Case(profile: profile, fields: .topFirst),
        Case(profile: profile, fields: .bottomFirst, size: (112, 72), sliceWidth: 4),
      ]
    } + [
      Case(profile: .p4444, alphaBits: 16), Case(profile: .p4444XQ, alphaBits: 8),
      Case(profile: .p4444, fields: .topFirst, alphaBits: 16, size: (130, 66)),
      Case(profile: .hq, size: (1, 1)), Case(profile: .p4444, size: (1, 1)), Case(profile: .hq, size: (17, 33)),
      Case(profile: .hq, fields: .topFirst, size: (35, 33)), Case(profile: .p4444, alphaBits: 16, size: (251, 19)),
      Case(profile: .standard, sliceWidth: 1), Case(profile: .standard, sliceWidth: 2),
      Case(profile: .hq, matrices: "default"), Case(profile: .proxy, matrices: "hq"),
    ]

  @Test(arguments: cases, [10, 12, 16])
  func isEqualToDoublePrecision(_ each: Case, depth: Int) throws {
    try compare(each, depth: depth, scale: .full)
  }

  @Test(arguments: cases, [ProResScale.half, .quarter, .eighth])
  func reducedSizesAreToo(_ each: Case, scale: ProResScale) throws {
    for depth in [10, 16] { try compare(each, depth: depth, scale: scale) }
  }

  private func compare(_ each: Case, depth: Int, scale: ProResScale) throws {
    let sample = try each.clip().samples[0]
    let reference = ReferenceDecoder(sample, scale: scale.rawValue)
    var options = ProResDecoder.Options.oneThread
    options.scale = scale
    let (planes, report) = try decodePlanes(sample, depth: depth, options)
    #expect(report.isSound)
    #expect(planes.count == reference.planes.count)
    var (count, equal, worst) = (0, 0, 0)
    for (ours, truth) in zip(planes, reference.planes).prefix(3) {
      for (sample, share) in zip(ours, truth) {
        let top = Double(1 << depth)
        // Exact halves go up, whatever the last bits of a double say.
        let code = max(0, min(top - 1, (share * top + 0.5 + 1e-9).rounded(.down)))
        count += 1
        equal += Int(sample) == Int(code) ? 1 : 0
        worst = max(worst, abs(Int(sample) - Int(code)))
      }
    }
    #expect(worst <= 1)
    #expect(Double(equal) >= leastEqual * Double(count))
    if planes.count > 3 {
      #expect(zip(planes[3], reference.planes[3]).allSatisfy { Int($0) == Int($1) >> (16 - depth) })
    }
  }

  /// libavcodec cuts codes off at 4 and 2^depth - 5, which the standard does not ask for. Its own transform is up to a code
  /// away.
  @Test(arguments: cases)
  func isWithinACodeOfLibavcodec(_ each: Case) throws {
    let clip = try each.clip()
    let library = try LibraryDecoder(clip.settings)
    try library.decode(clip.samples[0])
    let (planes, _) = try decodePlanes(clip.samples[0], depth: library.depth)
    #expect(planes.count == library.planes.count)
    for (index, (ours, theirs)) in zip(planes, library.planes).enumerated() {
      #expect(ours.count == theirs.samples.count)
      let range = index == 3 ? 0...UInt16.max : 4...UInt16(1 << library.depth - 5)
      let worst = zip(ours, theirs.samples).reduce(0) {
        max($0, abs(Int(min(max($1.0, range.lowerBound), range.upperBound)) - Int($1.1)))
      }
      #expect(worst <= (index == 3 ? 0 : 1))
    }
  }

  /// Matrices whose every weight is another, both given or luma's alone, which then is chroma's as well.
  @Test(arguments: [true, false]) func matricesAreTheFrames(hasChroma: Bool) throws {
    let clip = try Case(profile: .hq, size: (96, 48)).clip()
    var sample = clip.samples[0]
    #expect(sample[27] & 3 == 3)
    for place in 0..<64 {
      sample[28 + place] = UInt8(4 + place % 8 + place / 8)
      sample[92 + place] = UInt8(30 - place % 8 - 2 * (place / 8))
    }
    if !hasChroma {
      sample.removeSubrange(92..<156)
      sample[27] = sample[27] & 0xFE
      sample[9] -= 64
      sample[2] = UInt8(truncatingIfNeeded: sample.count >> 8)
      sample[3] = UInt8(truncatingIfNeeded: sample.count)
      sample[1] = UInt8(truncatingIfNeeded: sample.count >> 16)
    }
    let library = try LibraryDecoder(clip.settings)
    try library.decode(sample)
    let (planes, report) = try decodePlanes(sample, depth: 10)
    #expect(report.isSound)
    for (ours, theirs) in zip(planes, library.planes) {
      let worst = zip(ours, theirs.samples).reduce(0) { max($0, abs(Int(min(max($1.0, 4), 1019)) - Int($1.1))) }
      #expect(worst <= 1)
    }
  }
}
