import Foundation
import QuickTime
import Testing

@Suite struct MetadataSampleTests {
  @Test func items() throws {
    let stored = bytes("0000000c 00000004 40333333 00000009 00000007 61 00000008 00000009")
    let sample = try MetadataSampleCodec.sample(from: stored)
    #expect(sample.items.map(\.localID) == [4, 7, 9])
    #expect(sample[4] == bytes("40333333") && sample[7] == bytes("61") && sample[8] == nil)
    #expect(!sample.isEmpty)
    #expect(MetadataSampleCodec.data(of: sample) == stored)
  }

  @Test func emptySample() throws {
    #expect(MetadataSampleCodec.data(of: .empty) == bytes("00000008 00000000"))
    #expect(try MetadataSampleCodec.sample(from: bytes("00000008 00000000")) == .empty)
    #expect(MetadataSample.empty.isEmpty)
    #expect(try MetadataSampleCodec.sample(from: Data()).isEmpty)
  }

  @Test(arguments: ["0000000c 00000004 40333333 000000", "0000000c 00000004 40333333 00000000 00000001 02"])
  func trailingBytesSurvive(_ text: String) throws {
    let sample = try MetadataSampleCodec.sample(from: bytes(text))
    #expect(sample.items.count == 1)
    #expect(MetadataSampleCodec.data(of: sample) == bytes(text))
  }

  @Test(arguments: ["00000007 00000001", "00000009 00000001", "ffffffff 00000001 00"])
  func refusesSizesThatDoNotFit(_ text: String) {
    let error = #expect(throws: QuickTimeError.self) { try MetadataSampleCodec.sample(from: bytes(text)) }
    #expect(error?.kind == .malformed)
  }
}

@Suite struct MetadataKeyTableTests {
  @Test func theWrittenTable() throws {
    let table = CinematicKey.writtenKeyTable
    let read = try MetadataKeyTable(payload: table.payload)
    #expect(read.entries.map(\.localID) == [1, 2, 3, 4, 5])
    #expect(read.entries.map(\.dataType) == [0, 0, 0, 23, 23])
    #expect(read.localID(of: "com.apple.quicktime.aperture-float") == 4)
    #expect(read.entry(localID: 2)?.key == CinematicKey.rendering.rawValue)
    #expect(read.payload == table.payload)
    let entry = table.sampleEntry()
    #expect(entry.prefix(24) == bytes("000001a1 6d656278 000000000000 0001 00000191 6b657973"))
    #expect(entry.count == 0x1A1)
  }

  @Test func unknownBoxesOfAKeySurvive() throws {
    let key = atom("keyd", Data("mdtaa.b".utf8)) + atom("dtyp", bytes("00000001") + Data("com.x".utf8))
    let setup = atom("setu", bytes("010203")) + bytes("0000")
    let payload = atom("\0\0\0\u{9}", key + setup) + bytes("000001")
    let table = try MetadataKeyTable(payload: payload)
    #expect(table.entries.count == 1)
    #expect(table.localID(of: "a.b") == 9)
    #expect(table.entries[0].dataTypeNamespace == 1 && table.entries[0].dataType == 0)
    #expect(table.payload == payload)
  }

  @Test func everyCorruptByteIsReadExactlyOrRefused() {
    expectExactOrRefused(CinematicKey.writtenKeyTable.payload) { try MetadataKeyTable(payload: $0).payload }
    expectExactOrRefused(CinematicAtomTests.cupFrame) { try CinematicFrameItem(payload: $0).payload }
  }
}

/// The bytes of hexadecimal digits; white space does not count.
func bytes(_ text: String) -> Data {
  let digits = text.filter(\.isHexDigit).map { UInt8($0.hexDigitValue!) }
  return Data(stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] })
}

func atom(_ type: String, _ body: Data) -> Data {
  var writer = ByteWriter()
  writer.box(FourCC(type)!) { $0.data(body) }
  return writer.data
}

/// Changes every byte in eight ways, and cuts at every length: each result is either written back exactly or refused by a typed error.
func expectExactOrRefused(_ data: Data, _ roundTrip: (Data) throws -> Data) {
  func check(_ broken: Data) {
    do {
      #expect(try roundTrip(broken) == broken)
    } catch {
      #expect(error is QuickTimeError)
    }
  }
  for index in data.indices {
    check(data.prefix(index))
    for bit in 0..<8 {
      var broken = data
      broken[index] ^= 1 << bit
      check(broken)
    }
  }
}
