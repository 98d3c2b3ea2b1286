import Compute
import CoreVideo
import Foundation
import ProRes
import ProResClips
import ProResCompute
import Testing

/// Devices against the decoder on the processor, which is held to the standard elsewhere.
@Suite(.enabled(if: !Decoders.devices.isEmpty, "There is no Vulkan device, so ProRes is not decoded on one."))
struct DeviceDecoderTests {
  static let clips = [
    ClipFrames(profile: .hq, size: (304, 40), count: 3), ClipFrames(profile: .proxy, size: (640, 90)),
    ClipFrames(profile: .hq, size: (251, 20), fields: .topFirst, sliceWidth: 4, count: 2),
    ClipFrames(profile: .standard, size: (1, 1)), ClipFrames(profile: .p4444, size: (304, 24), sliceWidth: 2),
    ClipFrames(profile: .p4444, size: (247, 17), alphaBits: 16, fields: .bottomFirst, count: 2),
    ClipFrames(profile: .p4444XQ, size: (70, 33), alphaBits: 8, sliceWidth: 1),
    ClipFrames(profile: .p4444, size: (1, 1), alphaBits: 8),
  ]
  static let formats = ["y416", "v216", "v210", "x422", "x444", "sv22", "sv44", "s4as", "b64a", "BGRA", "RGhA"]

  /// What rounding leaves open.
  private static let mostDifference = 1

  @Test(arguments: clips, formats)
  func everyFormatIsTheProcessors(_ clip: ClipFrames, format: String) throws {
    let samples = try clip.samples
    let processor = try ProResDecoder(codec: fourCharacterCode("apch"))
    let expected = try samples.map { sample in
      try sample.withUnsafeBytes { try processor.decode($0, pixelFormat: fourCharacterCode(format)).buffer }
    }
    for device in Decoders.devices {
      let (buffers, reports) = try Decoders.decoder(device).pictures(samples, format)
      let areSound = reports.allSatisfy { $0.isSound }
      #expect(areSound)
      for (buffer, wanted) in zip(buffers, expected) {
        let (ours, theirs) = (codes(buffer), codes(wanted))
        #expect(ours.count == theirs.count)
        let areAlike = zip(ours, theirs).allSatisfy { abs($0 - $1) <= Self.mostDifference }
        #expect(areAlike)
      }
    }
  }
}
