import CoreVideo
import Foundation
import PictureCodes
import ProRes
import ProResCompute

/// Compares a clip's pictures with the processor's in every pixel format, as they are and with bytes changed at random.
struct ClipCheck {
  private let path: String
  private let samples: [[UInt8]]
  private let header: ProResFrameHeader
  private let decoder: ProResDeviceDecoder

  private static let formats = [
    "y416", "v216", "v210", "x422", "x444", "sv22", "sv44", "s4as", "b64a", "BGRA", "RGhA",
  ]
  /// How often frames are damaged, and in how many bytes.
  private static let (rounds, bytes) = (4, 64)

  init(_ path: String, _ decoder: ProResDeviceDecoder) throws {
    self.path = path
    self.decoder = decoder
    samples = try Clip.samples(path)
    header = try samples[0].withUnsafeBytes { try ProResFrameHeader($0) }
  }

  /// Throws `Difference` at the first one.
  func run() throws {
    for format in Self.formats { try check(samples, format) }
    var random = SplitMix(state: 5)
    for _ in 0..<Self.rounds { try check(samples.map { damaged($0, &random) }, "y416") }
    print("\(path): \(samples.count) frames in \(Self.formats.count) formats are the processor's, damaged ones too.")
  }

  private func check(_ samples: [[UInt8]], _ format: String) throws {
    try ClipRun(samples, header, format, batch: samples.count, decoder).check()
  }

  /// The frame with bytes changed in its second half; headers and the slice table stay.
  private func damaged(_ sample: [UInt8], _ random: inout SplitMix) -> [UInt8] {
    var sample = sample
    let half = sample.count / 2
    for _ in 0..<Self.bytes {
      sample[half + Int(random.next() % UInt64(sample.count - half))] = UInt8(truncatingIfNeeded: random.next())
    }
    return sample
  }
}
