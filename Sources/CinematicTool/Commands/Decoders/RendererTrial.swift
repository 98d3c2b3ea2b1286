import AVFoundation
import Bokeh
import BokehCompute
import CoreMedia
import CoreVideo
import Foundation

/// Renders a picture of a movie's size with a made-up disparity: how fast that goes beside decoding.
struct RendererTrial {
  struct Row {
    let quality: String
    let device: String
    /// Frames a second.
    let outcome: Result<Double, Failure>
  }

  private let track: PictureTrack
  private let device: BokehDevice

  /// Frames of a run: enough for a device to have several on their way.
  private static let frames = 4
  private static let runs = 3

  init(_ track: PictureTrack, _ device: BokehDevice) { (self.track, self.device) = (track, device) }

  func rows() -> [Row] {
    [("preview", BokehQuality.preview), ("export", .export)].map { name, quality in
      let outcome = Result { try speed(quality) }.mapError(Failure.init(describing:))
      return Row(quality: name, device: device.name, outcome: outcome)
    }
  }

  /// The median of the runs.
  private func speed(_ quality: BokehQuality) throws -> Double {
    let renderer = try device.makeRenderer(quality: quality)
    let requests = try (0..<max(1, renderer.framesInFlight)).map { _ in try request() }
    var speeds: [Double] = []
    for run in 0...Self.runs {
      let start = ProcessInfo.processInfo.systemUptime
      var underway: [PendingFrame] = []
      for frame in 0..<Self.frames {
        if underway.count == requests.count { try underway.removeFirst().wait() }
        underway.append(try renderer.submit(requests[frame % requests.count]))
      }
      for frame in underway { try frame.wait() }
      let seconds = max(ProcessInfo.processInfo.systemUptime - start, 1e-6)
      if run > 0 { speeds.append(Double(Self.frames) / seconds) }
    }
    return speeds.sorted()[Self.runs / 2]
  }

  /// Waves of light over a floor that comes nearer downwards, with the focus in the middle.
  private func request() throws -> RenderRequest {
    let description = track.track.formatDescriptions[0]
    let format = PictureFormat.source(of: description)
    let (width, height) = (Int(description.dimensions.width), Int(description.dimensions.height))
    let source = try CVBuffer.make(width: width, height: height, format: format)
    for plane in 0..<2 { Self.fillWaves(source, plane) }
    let disparity = try CVBuffer.make(
      width: max(2, width / 4), height: max(2, height / 4), format: kCVPixelFormatType_DisparityFloat16)
    disparity.withPlane(0, readOnly: false) { base, pitch, width, height in
      for y in 0..<height {
        let row = (base + y * pitch).assumingMemoryBound(to: Float16.self)
        for x in 0..<width { row[x] = Float16(0.2 + 1.6 * Float(y) / Float(height)) }
      }
    }
    let destination = try CVBuffer.make(width: width, height: height, format: format)
    return RenderRequest(
      source: source, disparity: disparity, destination: destination, focusDisparity: 1, fNumber: 2.8)
  }

  private static func fillWaves(_ picture: CVPixelBuffer, _ plane: Int) {
    let isDeep = PixelFormat.description(of: CVPixelBufferGetPixelFormatType(picture))?.sample != .uint8
    picture.withPlane(plane, readOnly: false) { base, pitch, width, height in
      let count = plane == 0 ? width : 2 * width
      for y in 0..<height {
        for x in 0..<count {
          let code = plane == 0 ? 48 + (x * 3 + y * 5) % 160 : 112 + (x + y) / 16 % 32
          if isDeep {
            (base + y * pitch).storeBytes(of: UInt16(code << 8), toByteOffset: 2 * x, as: UInt16.self)
          } else {
            (base + y * pitch).storeBytes(of: UInt8(code), toByteOffset: x, as: UInt8.self)
          }
        }
      }
    }
  }
}

extension RendererTrial.Row {
  /// Why there is no figure.
  var remark: String? { if case .failure(let failure) = outcome { failure.sentence } else { nil } }
}
