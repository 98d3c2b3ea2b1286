import Codecs
import CoreMedia
import CoreVideo
import Foundation
import Testing

/// H.264 whose parameter set does not say how far it reorders: decoders that guess lose frames at first.
@Suite struct ReorderingTests {
  @Test(arguments: [VideoDecoder.Threading.automatic, .frames, .slices])
  func silentStreamsKeepEveryFrame(threading: VideoDecoder.Threading) throws {
    let format = kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange
    var settings = VideoEncoderSettings(codec: .h264, width: 96, height: 64, pixelFormat: format)
    settings.maximumBFrames = 4
    settings.preset = "medium"
    let frames = try (0..<40).map {
      (try TestPicture.make(96, 64, format, frame: $0), CMTime(value: Int64($0), timescale: 30))
    }
    let samples = try encodeAll(settings, frames)
    let told = try #require(samples[0].formatDescription)
    let key = kCMFormatDescriptionExtension_SampleDescriptionExtensionAtoms
    let atoms = CMFormatDescriptionGetExtension(told, extensionKey: key) as? [String: Any]
    let box = try #require(atoms?["avcC"] as? Data)
    var silent: CMFormatDescription?
    _ = CMVideoFormatDescriptionCreate(
      allocator: nil, codecType: fourCharacterCode("avc1"), width: 96, height: 64,
      extensions: [key: ["avcC": withoutUsabilityInformation(box)]], formatDescriptionOut: &silent)
    var options = VideoDecoder.Options(threads: 2)
    options.threading = threading
    let decoder = try VideoDecoder(formatDescription: try #require(silent), options: options)
    let decoded = try samples.flatMap { try decoder.decode($0) } + decoder.finish()
    #expect(decoded.map(\.presentationTime) == frames.map(\.1))
  }

  /// The configuration with a sequence parameter set that ends before its VUI.
  private func withoutUsabilityInformation(_ box: Data) -> Data {
    let bytes = [UInt8](box)
    let length = Int(bytes[6]) << 8 | Int(bytes[7])
    let set = shortened(Array(bytes[8..<8 + length]))
    return Data(bytes[0..<6] + [UInt8(set.count >> 8), UInt8(set.count & 255)] + set + bytes[(8 + length)...])
  }

  /// ITU-T H.264, 7.3.2.1.1, for the High profile without scaling matrices and with picture order type 0 or 2.
  private func shortened(_ unit: [UInt8]) -> [UInt8] {
    var reader = Bits(unit)
    reader.position = 8 + 24
    _ = reader.golomb()
    for _ in 0..<3 { _ = reader.golomb() }
    reader.position += 2
    _ = reader.golomb()
    if reader.golomb() == 0 { _ = reader.golomb() }
    _ = reader.golomb()
    reader.position += 1
    for _ in 0..<2 { _ = reader.golomb() }
    reader.position += reader.bit() == 0 ? 2 : 1
    if reader.bit() == 1 { for _ in 0..<4 { _ = reader.golomb() } }
    return reader.prefix + [0, 1]
  }

  private struct Bits {
    private let bits: [UInt8]
    var position = 0

    init(_ unit: [UInt8]) {
      bits = unit.flatMap { byte in (0..<8).map { byte >> (7 - $0) & 1 } }
    }

    mutating func bit() -> UInt8 {
      defer { position += 1 }
      return bits[position]
    }

    mutating func golomb() -> Int {
      var zeros = 0
      while bit() == 0 { zeros += 1 }
      return (0..<zeros).reduce(1) { value, _ in value << 1 | Int(bit()) } - 1
    }

    /// The bits read so far; further ones are appended and padded to bytes.
    var prefix: Written { Written(bits: Array(bits[0..<position])) }

    struct Written {
      let bits: [UInt8]

      static func + (written: Written, more: [UInt8]) -> [UInt8] {
        var all = written.bits + more
        while all.count % 8 != 0 { all.append(0) }
        return stride(from: 0, to: all.count, by: 8).map { start in
          all[start..<start + 8].reduce(0) { $0 << 1 | $1 }
        }
      }
    }
  }
}
