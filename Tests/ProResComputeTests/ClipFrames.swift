import Compute
import CoreVideo
import Foundation
import ProRes
import ProResClips
import ProResCompute

/// A device's decoder, one for all tests: compiling shaders takes longer than decoding small pictures.
enum Decoders {
  /// Every Vulkan device that can be used.
  static let devices: [Int] = ComputeDevice.all().indices.filter { ComputeDevice.all()[$0].lacking == nil }

  private static let lock = NSLock()
  nonisolated(unsafe) private static var made: [Int: ProResDeviceDecoder] = [:]

  static func decoder(_ device: Int) throws -> ProResDeviceDecoder {
    try lock.withLock {
      if let decoder = made[device] { return decoder }
      let decoder = try ProResDeviceDecoder(device: try ComputeDevice(index: device))
      made[device] = decoder
      return decoder
    }
  }
}

/// Frames that an encoder makes of a moving texture.
struct ClipFrames: Sendable, CustomStringConvertible {
  var profile: ProResClip.Profile
  var size: (width: Int, height: Int)
  var alphaBits = 0
  var fields = ProResClip.Fields.progressive
  var sliceWidth = 8
  var count = 1

  private static let texture = Texture()

  var description: String { "\(profile) \(size) alpha \(alphaBits) \(fields) slices of \(sliceWidth)" }

  var samples: [[UInt8]] {
    get throws {
      var settings = ProResClip.Settings(profile, size.width, size.height)
      settings.alphaBits = alphaBits
      settings.fields = fields
      settings.sliceWidth = sliceWidth
      settings.frames = count
      return try ProResClip(settings, Self.texture.code).samples
    }
  }
}

extension ProResDeviceDecoder {
  /// The samples' pictures in a pixel format, decoded in one batch.
  func pictures(_ samples: [[UInt8]], _ format: String) throws -> (buffers: [CVPixelBuffer], reports: [ProResReport]) {
    try withFrames(samples) { frames in
      let buffers = try frames.map {
        try CVBuffer.make(
          width: $0.frame.header.width, height: $0.frame.header.height, format: fourCharacterCode(format))
      }
      return (buffers, try submit(frames, into: buffers).wait().reports)
    }
  }

  /// Calls `body` with the samples' frames.
  func withFrames<R>(_ samples: [[UInt8]], _ body: ([BatchFrame]) throws -> R) throws -> R {
    var frames: [BatchFrame] = []
    func next(_ rest: ArraySlice<[UInt8]>) throws -> R {
      guard let sample = rest.first else { return try body(frames) }
      return try sample.withUnsafeBytes { bytes in
        frames.append(try BatchFrame(bytes))
        return try next(rest.dropFirst())
      }
    }
    return try next(samples[...])
  }
}

/// Planes of 16-bit words on the host.
final class HostPlanes {
  let destination: ProResDestination
  private let counts: [Int]

  init(_ sample: [UInt8], depth: Int, hasAlpha: Bool) throws {
    let header = try sample.withUnsafeBytes { try ProResFrameHeader($0) }
    let chroma = header.chroma == .halved ? (header.width + 1) / 2 : header.width
    let widths = [header.width, chroma, chroma] + (hasAlpha ? [header.width] : [])
    counts = widths.map { $0 * header.height }
    destination = ProResDestination(
      layout: .planar(depth: depth), width: header.width, height: header.height,
      planes: zip(widths, counts).map { width, count in
        let memory = UnsafeMutablePointer<UInt16>.allocate(capacity: count)
        memory.initialize(repeating: 0xDEAD, count: count)
        return ProResDestination.Plane(base: UnsafeMutableRawPointer(memory), bytesPerRow: width * 2)
      })
  }

  deinit { for plane in destination.planes { plane.base.deallocate() } }

  var codes: [Int] {
    zip(destination.planes, counts).flatMap { plane, count in
      UnsafeBufferPointer(start: plane.base.assumingMemoryBound(to: UInt16.self), count: count).map { Int($0) }
    }
  }
}
