import Cinematic
import CoreMedia
import Foundation
import Testing

@Suite struct AdjustmentTests {
  /// A file `.AAE` around the data.
  static func file(
    _ data: Data, _ identifier: String = "com.apple.photo", format: PropertyListSerialization.PropertyListFormat = .xml
  ) throws -> Data {
    let list: [String: Any] = [
      "adjustmentBaseVersion": 0, "adjustmentData": data, "adjustmentFormatIdentifier": identifier,
      "adjustmentFormatVersion": "1.9", "adjustmentEditorBundleID": "com.apple.mobileslideshow",
    ]
    return try PropertyListSerialization.data(fromPropertyList: list, format: format, options: 0)
  }

  static let json = """
    {"adjustments": [{"identifier": "x", "settings": {"aperture": 2, "enabled": true,
      "focus": [{"time": 1.5, "disparity": 0.75}, {"time": {"value": 300, "timescale": 600}, "focusDisparity": 2}]}}]}
    """

  @Test(arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary])
  func apertureAndFocusAreTaken(_ format: PropertyListSerialization.PropertyListFormat) throws {
    let file = try AdjustmentFile(Self.file(Data(Self.json.utf8), format: format))
    #expect(file.formatIdentifier == "com.apple.photo" && file.formatVersion == "1.9")
    #expect(file.editor == "com.apple.mobileslideshow" && file.fNumber == 2)
    #expect(file.focus.map(\.disparity) == [2, 0.75])
    #expect(file.focus.map(\.time) == [CMTime(value: 1, timescale: 2), CMTime(value: 3, timescale: 2)])
    #expect(file.ignored == ["/adjustments/0/identifier", "/adjustments/0/settings/enabled"])
  }

  /// `{"adjustments":[{"identifier":"x","settings":{"aperture":2.0}}]}`, deflated bare and stored in zlib's wrapper.
  @Test(
    arguments: [
      "q1ZKTMkqLS7JTc0rKVayiq5WykwBMjPTMlOLlKyUKpR0lIpTS0oy89KBstVKiQWpRSWlRalKVkZ6BrW1sbUA",
      "eAEBQAC//3siYWRqdXN0bWVudHMiOlt7ImlkZW50aWZpZXIiOiJ4Iiwic2V0dGluZ3MiOnsiYXBlcnR1cmUiOjIuMH19XX3wsxa/",
    ])
  func compressedDataIsUnpacked(_ base64: String) throws {
    let data = try #require(Data(base64Encoded: base64))
    let file = try AdjustmentFile(Self.file(data))
    #expect(file.fNumber == 2 && file.focus.isEmpty)
    for count in 0..<data.count where Inflate.data(data.prefix(count)) != nil {
      // Only the checksum of the wrapper may be missing.
      #expect(data[0] == 0x78 && count >= data.count - 4)
    }
  }

  /// A block with tables of its own: the numbers i² mod 97 with commas.
  static let dynamic =
    "7ZDbjcUgDAUbmo/YBgP9N7YDJez3lSKUhPP+CAaHaHJSzTj0YAdFDsZiJUkFnRwRxfqIZBZHtFwFfB/Mj01PcrE3c5DJVk2pSQS7aRmbSkIkp9iTdVie9Z736U"
    + "+v+oKESpAmOZ6QcooqrYE2mmm5r7kRbpB4ofoGNKZhjWzwfiXy1rGU1eqWtKqF65V3guMWwffb5LfJ/zf5Aw=="

  @Test func blocksWithTheirOwnTables() throws {
    let data = try #require(Data(base64Encoded: Self.dynamic))
    let text = (0..<300).map { "\($0 * $0 % 97)," }.joined()
    #expect(Inflate.data(data) == Data(text.utf8))
    for index in data.indices {
      for bit in 0..<8 {
        var broken = data
        broken[index] ^= 1 << bit
        #expect((Inflate.data(broken)?.count ?? 0) <= Inflate.maximumBytes)
      }
    }
  }

  @Test func whatUnfoldsWithoutEndIsRefused() throws {
    let block = Data([0, 0xFF, 0xFF, 0, 0]) + Data(count: 0xFFFF)
    var bomb = Data()
    for _ in 0..<(Inflate.maximumBytes / 0xFFFF + 1) { bomb += block }
    #expect(Inflate.data(bomb + Data([1, 0, 0, 0xFF, 0xFF])) == nil)
    // Forty arrays, each naming the next one twice: 2^40 values.
    var list = Data("bplist00".utf8)
    for level in UInt8(1)...40 { list += [0xA2, level, level] }
    list += [0x08]
    let table = list.count
    list += Data((0...40).map { 8 + 3 * UInt8($0) })
    // The trailer: sizes of offsets and references, then number of objects, top object and place of the table in 8 bytes each.
    list += [0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 41]
    list += Data(count: 15)
    list += [UInt8(table)]
    #expect(throws: CNCinematicError.self) { try AdjustmentFile(list) }
    #expect(throws: CNCinematicError.self) { try AdjustmentFile(Self.file(list)) }
  }

  /// A set that names an object, at which Foundation's reader traps.
  @Test func aSetInABinaryList() {
    var list = Data("bplist00".utf8) + Data([0xC1, 0x01, 0x33, 0, 0, 0, 0, 0, 0, 0, 0, 8, 10])
    list += [0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 2]
    list += Data(count: 15) + Data([19])
    #expect(throws: CNCinematicError.self) { try AdjustmentFile(list) }
  }

  /// The published example of a slow-motion movie: a binary property list inside.
  static let slowMotion =
    "YnBsaXN0MDDRAQJac2xvd01vdGlvbtIDBAUXV3JlZ2lvbnNUcmF0ZaEG0QcIWXRpbWVSYW5nZdIJCgsUVXN0YXJ0WGR1cmF0aW9u1AwNDg8QERITVWZsYWdz"
    + "VXZhbHVlWXRpbWVzY2FsZVVlcG9jaBABEQEMEQJYEADUDA0ODxUWEhMQAxEC4SI+AAAACAsWGyMoKi03PEJLVFpganBydXh6g4WIAAAAAAAAAQEAAAAAAAAA"
    + "GAAAAAAAAAAAAAAAAAAAAI0="

  @Test func editsOfAnotherKindAreNamedAndRefused() throws {
    let data = try #require(Data(base64Encoded: Self.slowMotion))
    let error = try #require(
      #expect(throws: CNCinematicError.self) { try AdjustmentFile(Self.file(data, "com.apple.video.slomo")) })
    #expect(error.code == .unsupported)
    for word in ["com.apple.video.slomo", "1.9", "com.apple.mobileslideshow", "aperture"] {
      #expect(error.localizedDescription.contains(word))
    }
    let packed = #expect(throws: CNCinematicError.self) { try AdjustmentFile(Self.file(Data([9, 9, 9]))) }
    #expect(packed?.localizedDescription.contains("unpacked") == true)
  }

  @Test(arguments: [
    "", "{}", "<plist", "bplist00", "<?xml version=\"1.0\"?><plist version=\"1.0\"><dict></dict></plist>",
  ])
  func otherFilesAreRefused(_ text: String) {
    let error = #expect(throws: CNCinematicError.self) { try AdjustmentFile(Data(text.utf8)) }
    #expect(error?.code == .malformed)
  }

  @Test func everyCorruptByteIsReadOrRefused() throws {
    let data = try Self.file(Data(Self.json.utf8), format: .binary)
    for index in data.indices {
      for bit in [0, 3, 7] {
        var broken = data
        broken[index] ^= 1 << bit
        do throws(CNCinematicError) {
          #expect(try !AdjustmentFile(broken).formatIdentifier.isEmpty)
        } catch {
          #expect([.malformed, .unsupported].contains(error.code))
        }
      }
    }
  }

  @Test func chainsOfFocusThatAreTooLongAreRefused() throws {
    let focus = (0..<3000).map { "{\"time\": \($0), \"disparity\": 1}" }.joined(separator: ",")
    let error = #expect(throws: CNCinematicError.self) {
      try AdjustmentFile(Self.file(Data("[\(focus)]".utf8)))
    }
    #expect(error?.code == .unsupported)
  }

  @Test func appliedToAScript() throws {
    let script = try World(frameCount: 90, subjects: [Subject(1, 0...89, at: 1)]).script(base: [(0, 1)])
    try AdjustmentFile(Self.file(Data(Self.json.utf8))).apply(to: script)
    #expect(script.fNumber == 2)
    #expect(abs(script.focus[15] - 2) < 1e-6 && abs(script.focus[89] - 0.75) < 1e-6)
    let short = try World(frameCount: 30, subjects: [Subject(1, 0...29, at: 1)]).script(base: [(0, 1)])
    let error = #expect(throws: CNCinematicError.self) {
      try AdjustmentFile(Self.file(Data(Self.json.utf8))).apply(to: short)
    }
    #expect(error?.code == .incompatible && short.fNumber == 2.8)
  }
}
