import Compute
import CoreVideo
import Foundation
import ProRes
import ProResCompute

/// One clip's figures on a device.
struct DeviceTable {
  let name: String
  let header: ProResFrameHeader
  let layout: String
  let batch: Int
  let bytesPerFrame: Double
  /// Of one frame on the device, its bytes already there and its picture staying: each stage, in the order of the stages.
  let stages: [(label: String, milliseconds: Double)]
  /// Frames a second as time passes: with the upload, and with the download too.
  let uploaded: Double
  let downloaded: Double

  var milliseconds: Double { stages.reduce(0) { $0 + $1.milliseconds } }

  /// Decodes to y416 of 4444, to v216 of 422; checks every frame against the processor first.
  init(_ path: String, _ decoder: ProResDeviceDecoder, _ options: Options) throws {
    let samples = try Clip.samples(path)
    name = URL(filePath: path).deletingPathExtension().lastPathComponent
    let header = try samples[0].withUnsafeBytes { try ProResFrameHeader($0) }
    self.header = header
    layout = header.chroma == .full ? "y416" : "v216"
    let size = options.batch ?? BatchShape(header).framesInBatch
    batch = size
    bytesPerFrame = Double(samples.reduce(0) { $0 + $1.count }) / Double(samples.count)
    let run = try ClipRun(samples, header, layout, batch: size, decoder)
    try run.check()
    downloaded = Self.median(try (0..<options.runs).map { _ in try run.framesPerSecond(downloads: true) })
    uploaded = Self.median(try (0..<options.runs).map { _ in try run.framesPerSecond(downloads: false) })
    // At once, while the device still runs at its full clock.
    let measured = try (0..<options.runs).map { _ in try run.onDevice() }
    stages = measured[0].indices.map { index in
      (measured[0][index].label, Self.median(measured.map { $0[index].nanoseconds }) / 1e6 / Double(size))
    }
  }

  private static func median(_ numbers: [Double]) -> Double { numbers.sorted()[numbers.count / 2] }
}

extension DeviceTable {
  var row: [String] {
    func number(_ value: Double, _ digits: Int) -> String { String(format: "%.\(digits)f", value) }
    let parts = stages.map { "\($0.label) \(number($0.milliseconds, 3))" }.joined(separator: ", ")
    return [
      name, "\(header.width)x\(header.height)", layout, "\(batch)", number(bytesPerFrame / 1e6, 2),
      number(milliseconds, 3), number(1000 / milliseconds, 0), number(uploaded, 0), number(downloaded, 0), parts,
    ]
  }

  static let head = [
    "clip", "size", "layout", "batch", "MB a frame", "ms on the device", "frames a second", "with upload",
    "and download", "stages, ms",
  ]

  var json: [String: Any] {
    [
      "clip": name, "width": header.width, "height": header.height, "layout": layout, "batch": batch,
      "bytesPerFrame": bytesPerFrame, "deviceMilliseconds": milliseconds, "uploadedPerSecond": uploaded,
      "downloadedPerSecond": downloaded,
      "stages": stages.map { ["stage": $0.label, "milliseconds": $0.milliseconds] },
    ]
  }
}
