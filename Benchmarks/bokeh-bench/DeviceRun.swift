import Bokeh
import BokehCompute
import CoreVideo
import Foundation

/// Measures a Vulkan device: each stage on its own clock, and whole frames with upload, render and download overlapped.
struct DeviceRun {
  struct Row {
    let quality: BokehQuality
    let radiusPerDisparity: Float
    let measurement: DeviceMeasurement
    /// Bytes that every renderer would have to move at least: picture and disparity in, picture out.
    let leastBytes: Int
  }

  struct Report {
    let device: String
    /// Bytes a second, read and written, of a copy in the device's memory.
    let bandwidth: Double?
    let rows: [Row]
  }

  /// Frames that are measured after the first ones.
  private static let frameCount = 60
  private static let framesInFlight = 3

  let device: BokehDevice

  func run(_ load: SpeedLoad, levels: [Float], qualities: [BokehQuality]) throws -> Report {
    var rows: [Row] = []
    var bandwidth: Double?
    for quality in qualities {
      let renderer = try VulkanBokehRenderer(
        device: device, quality: quality, framesInFlight: DeviceRun.framesInFlight)
      bandwidth = try bandwidth ?? renderer.copyBandwidth()
      for level in levels {
        let requests = try (0..<DeviceRun.framesInFlight + 2).map { _ in try frame(load, level) }
        let measurement = try renderer.measure(requests, count: DeviceRun.frameCount)
        let bytes = [requests[0].source, requests[0].disparity, requests[0].destination].reduce(0) {
          $0 + CVPixelBufferGetDataSize($1)
        }
        rows.append(
          Row(quality: quality, radiusPerDisparity: level, measurement: measurement, leastBytes: bytes))
        FileHandle.standardError.write(Data("\(device.name) \(quality) K \(level)\n".utf8))
      }
    }
    return Report(device: device.name, bandwidth: bandwidth, rows: rows)
  }

  /// A frame with a destination of its own.
  private func frame(_ load: SpeedLoad, _ level: Float) throws -> RenderRequest {
    var request = load.request(radiusPerDisparity: level)
    request.destination = try CVPixelBuffer.make(
      width: load.width, height: load.height, format: fourCharacterCode("x420"))
    return request
  }
}

extension DeviceRun.Report {
  /// Of the time of a frame on the device, the part that its memory needs at least; nil where that is not known.
  func share(_ row: DeviceRun.Row) -> Double? {
    guard let bandwidth, row.measurement.deviceSeconds > 0 else { return nil }
    return Double(row.leastBytes) / bandwidth / row.measurement.deviceSeconds
  }

  func print() {
    Swift.print("\n\(device)" + (bandwidth.map { String(format: ", copies at %.0f GB/s", $0 / 1e9) } ?? ""))
    Swift.print("  quality       K  device ms  1/device ms  frames/s end to end  of the memory's limit")
    for row in rows {
      let share = share(row).map { String(format: "%.1f %%", $0 * 100) } ?? "unknown"
      Swift.print(
        "  " + "\(row.quality)".padding(toLength: 11, withPad: " ", startingAt: 0)
          + String(
            format: "%4g %10.3f %12.0f %20.1f  ", row.radiusPerDisparity, row.measurement.deviceSeconds * 1000,
            row.measurement.deviceSeconds > 0 ? 1 / row.measurement.deviceSeconds : 0, row.measurement.framesPerSecond)
          + share)
      let stages = row.measurement.stages.map { String(format: "%@ %.3f", $0.stage, $0.seconds * 1000) }
      Swift.print("    " + stages.joined(separator: ", "))
    }
  }

  var json: [String: Any] {
    [
      "device": device, "copy_bytes_per_second": bandwidth ?? NSNull(),
      "rows": rows.map { row -> [String: Any] in
        [
          "quality": "\(row.quality)", "level": Double(row.radiusPerDisparity),
          "device_ms": row.measurement.deviceSeconds * 1000, "frames_per_second": row.measurement.framesPerSecond,
          "least_bytes": row.leastBytes, "share_of_memory_limit": share(row) ?? NSNull(),
          "stages": row.measurement.stages.map { ["stage": $0.stage, "ms": $0.seconds * 1000] as [String: Any] },
        ]
      },
    ]
  }
}
