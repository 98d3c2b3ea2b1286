import CoreMedia
import Foundation
import Testing

/// Configuration records as FFmpeg wrote them for test pictures of known sizes (libx264 and libx265; messages left
/// out, and sets marked as complete).
private enum Recorded {
  static let progressive =
    "01640028ffe1001b67640028acd940780227e5c044000003000400000300083c60c65801000668ebe3cb22c0fdf8f800"
  static let interlaced422 =
    "017a0015ffe1001a677a0015bcd942cafc4e022000000300200000030043e28532c001000668fba3cb22c0fef8f800"
  static let main10 =
    "0102200000009000000000003cf000fcfdfafa00000f03a00001001840010c01ffff02200000030090000003000003003c959809a10001"
    + "002c42010102200000030090000003000003003ca00a480b9c94d96566924caf0168080000030008000003000840a2000100074401c172"
    + "b46240"
  static let monochrome10 =
    "0104080000009dc8000000003ff000fcfcfafa00000f03a00001001740010c01ffff0408000003009dc800000300003f959809a1000100"
    + "2a4201010408000003009dc800000300003fc010080484d96566924caf016c080000030008000003000840a2000100074401c172b46240"

  static func bytes(_ text: String) -> Data {
    let digits = Array(text)
    return Data(stride(from: 0, to: digits.count, by: 2).map { UInt8(String(digits[$0...$0 + 1]), radix: 16)! })
  }
}

@Suite struct ParameterSetTests {
  private func sets(of atom: String, _ record: Data) throws -> [Data] {
    let key = kCMFormatDescriptionExtension_SampleDescriptionExtensionAtoms
    var out: CMFormatDescription?
    _ = CMVideoFormatDescriptionCreate(
      allocator: nil, codecType: 1, width: 1, height: 1, extensions: [key: [atom: record]], formatDescriptionOut: &out)
    let sets = Array(try #require(out).parameterSets)
    try #require(!sets.isEmpty)
    return sets
  }

  @Test(arguments: [(Recorded.progressive, 1920, 1080), (Recorded.interlaced422, 176, 144)])
  func h264RecordsAreMadeAsRecorded(_ text: String, _ width: Int32, _ height: Int32) throws {
    let record = Recorded.bytes(text)
    let description = try CMFormatDescription(h264ParameterSets: sets(of: "avcC", record))
    #expect(
      description.mediaSubType == .h264 && description.dimensions == CMVideoDimensions(width: width, height: height))
    #expect(description.configurationAtom("avcC") == record)
  }

  @Test(arguments: [(Recorded.main10, 322, 182), (Recorded.monochrome10, 512, 288)])
  func hevcRecordsAreMadeAsRecorded(_ text: String, _ width: Int32, _ height: Int32) throws {
    let record = Recorded.bytes(text)
    let sets = try sets(of: "hvcC", record)
    let description = try CMFormatDescription(hevcParameterSets: sets, extensions: [.depth: 30])
    #expect(
      description.mediaSubType == .hevc && description.dimensions == CMVideoDimensions(width: width, height: height))
    #expect(description.configurationAtom("hvcC") == record && description.extensions[.depth] == 30)
    // Any order of the sets will do.
    #expect(try CMFormatDescription(hevcParameterSets: sets.reversed()).configurationAtom("hvcC") == record)
  }

  @Test func theCInterfaceTakesPointers() throws {
    let sets = try sets(of: "avcC", Recorded.bytes(Recorded.progressive)).map { [UInt8]($0) }
    var out: CMFormatDescription?
    let status = sets[0].withUnsafeBufferPointer { sequence in
      sets[1].withUnsafeBufferPointer { picture in
        CMVideoFormatDescriptionCreateFromH264ParameterSets(
          allocator: nil, parameterSetCount: 2, parameterSetPointers: [sequence.baseAddress!, picture.baseAddress!],
          parameterSetSizes: [sequence.count, picture.count], nalUnitHeaderLength: 2, formatDescriptionOut: &out)
      }
    }
    #expect(status == noErr && out?.dimensions.width == 1920 && out?.nalUnitHeaderLength == 2)
  }

  @Test func setsCutOffAnywhereAreRefusedOrRead() throws {
    let invalid = CMFormatDescription.Error.invalidParameter
    let h264 = try sets(of: "avcC", Recorded.bytes(Recorded.progressive))
    let hevc = try sets(of: "hvcC", Recorded.bytes(Recorded.main10))
    // The size lies in the first half of the set; what follows does not matter to a description.
    for length in 0..<9 {
      #expect(throws: invalid) { try CMFormatDescription(h264ParameterSets: [h264[0].prefix(length), h264[1]]) }
    }
    for length in 0..<20 {
      #expect(throws: invalid) {
        try CMFormatDescription(hevcParameterSets: [hevc[0], hevc[1].prefix(length), hevc[2]])
      }
    }
    for missing in 0..<3 {
      let rest = hevc.enumerated().filter { $0.offset != missing }.map(\.element)
      #expect(throws: invalid) { try CMFormatDescription(hevcParameterSets: rest) }
    }
    #expect(throws: invalid) { try CMFormatDescription(h264ParameterSets: [h264[0]]) }
    #expect(throws: invalid) { try CMFormatDescription(h264ParameterSets: h264, nalUnitHeaderLength: 3) }
    #expect(throws: invalid) { try CMFormatDescription(h264ParameterSets: []) }
  }

  /// Every byte of the sequence parameter sets set to each of a few values: an answer or an error, never a trap.
  @Test func damagedSetsDoNotTrap() throws {
    for (atom, text) in [("avcC", Recorded.interlaced422), ("hvcC", Recorded.main10)] {
      let sets = try sets(of: atom, Recorded.bytes(text))
      let isH264 = atom == "avcC"
      let index = isH264 ? 0 : 1
      for position in sets[index].indices {
        for value in [0, 1, 0x80, 0x7F, 0xFF] as [UInt8] {
          var damaged = sets
          damaged[index][position] = value
          let description =
            try? isH264
            ? CMFormatDescription(h264ParameterSets: damaged) : CMFormatDescription(hevcParameterSets: damaged)
          if let description { #expect((1...65536).contains(Int(description.dimensions.width))) }
        }
      }
    }
  }
}
