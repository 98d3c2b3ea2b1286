import AVFoundation
import Foundation
import QuickTime

/// A movie of one track with any table of samples; what a sample holds tells which it is.
struct TableMovie {
  var samples: [TimedSample]
  var handler: FourCC = "vide"
  var timescale: Int32 = 600
  var descriptions = [TableMovie.description("apcn")]
  var edits: [Edit] = []
  /// Tables such as `stps` and `sgpd`.
  var otherSampleAtoms: [StoredAtom] = []

  /// The bytes of a sample: its number, and up to two zeros so that sizes differ.
  static func data(_ number: Int) -> Data {
    withUnsafeBytes(of: UInt32(number).bigEndian) { Data($0) } + Data(count: number % 3)
  }

  static func description(_ type: FourCC, width: Int = 64, height: Int = 48) -> SampleDescription {
    let video = VideoDescription(width: width, height: height, compressorName: "", depth: 24)
    return SampleDescription(type: type, layout: .video(video))
  }

  /// Twelve samples of unequal durations, some shown out of order and two at the same time.
  static var reordered: TableMovie {
    let offsets: [Int64] = [20, 60, 0, 0, 20, 70, 0, 10, 20, 20, 0, 0]
    let durations: [Int64] = [20, 20, 20, 20, 20, 30, 10, 20, 20, 0, 20, 20]
    return TableMovie(
      samples: zip(offsets, durations).enumerated().map { number, times in
        TimedSample(
          duration: times.1, compositionOffset: times.0, isSync: number % 4 == 0,
          dependency: number < 8 ? SampleDependency(rawValue: number % 4 == 0 ? 0x24 : 0x18 + UInt8(number % 3)) : nil)
      })
  }

  func write(to url: URL) throws -> AVURLAsset {
    let writer = try MovieWriter(url: url)
    var specification = TrackSpecification(handler: handler, timescale: timescale, sampleDescriptions: descriptions)
    specification.edits = edits
    specification.otherSampleAtoms = otherSampleAtoms
    let track = writer.addTrack(specification)
    for (number, sample) in samples.enumerated() {
      try writer.append(track: track, data: Self.data(number), sample)
    }
    try writer.finish()
    return AVURLAsset(url: url)
  }
}
