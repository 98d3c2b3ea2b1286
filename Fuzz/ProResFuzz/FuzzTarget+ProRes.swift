import CoreVideo
import Foundation
import ProRes
public import QuickTimeFuzz

extension FuzzTarget {
  /// Headers and slice tables: what is found sound has its slices in order within the bytes.
  public static let proResHeader = FuzzTarget(
    name: "prores-header", seeds: { SmallFrame.all },
    run: { data in
      data.withUnsafeBytes { bytes in
        guard let frame = try? ProResFrame(bytes) else { return }
        expect(frame.sliceCount * 8 <= data.count, "each slice has its bytes")
        expect(frame.header.width > 0 && frame.header.height > 0, "a picture has pixels")
      }
    })

  /// Whole frames, at every size, each into another layout, on one thread and on three.
  public static let proResSlices = FuzzTarget(
    name: "prores-slices", seeds: { SmallFrame.all },
    run: { data in
      for (format, scale) in [("v216", ProResScale.full), ("v210", .half), ("BGRA", .quarter), ("y416", .eighth)] {
        decode(data, format, scale)
      }
    })

  /// Frames of the alpha's code alone: the input is the alpha of one slice.
  public static let proResAlpha = FuzzTarget(
    name: "prores-alpha",
    seeds: {
      [
        SmallFrame.opaque, Data(repeating: 0, count: 40), Data([0x80, 0x12, 0x34, 0x5F, 0xFF, 0x00, 0x11]),
        Data([0xC0, 0, 0x7F]),
      ]
    },
    run: { data in
      for isSixteenBits in [true, false] {
        decode(SmallFrame.withAlpha(data.prefix(4096), isSixteenBits: isSixteenBits), "s4as", .full)
      }
    })

  /// Pictures of more pixels say nothing that smaller ones do not, and take the time of a thousand others.
  private static let pixelBudget = 1 << 18

  private static func decode(_ data: Data, _ format: String, _ scale: ProResScale) {
    data.withUnsafeBytes { bytes in
      var results: [(CVPixelBuffer, ProResReport)] = []
      for threads in [1, 3] {
        var options = ProResDecoder.Options()
        options.threads = threads
        options.scale = scale
        options.pixelBudget = pixelBudget
        guard let decoder = try? ProResDecoder(codec: ProResDecoder.codecs[0]),
          let result = try? decoder.decode(bytes, pixelFormat: fourCharacterCode(format), options: options)
        else { continue }
        expect(result.report.damage.count <= result.report.sliceCount, "only slices are damaged")
        results.append(result)
      }
      guard results.count == 2 else { return expect(results.isEmpty, "threads do not decide what is refused") }
      expect(results[0].1 == results[1].1, "threads do not change the report")
      for plane in 0..<max(1, CVPixelBufferGetPlaneCount(results[0].0)) {
        expect(samples(results[0].0, plane) == samples(results[1].0, plane), "threads do not change a sample")
      }
    }
  }

  private static func samples(_ buffer: CVPixelBuffer, _ plane: Int) -> Data {
    buffer.withPlane(plane, readOnly: true) { base, pitch, _, height in Data(bytes: base, count: pitch * height) }
  }
}
