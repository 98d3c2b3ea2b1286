import CoreVideo
import Foundation
import ProRes
import ProResClips

/// Decodes a clip over and over into the same memory.
final class OurRun {
  private let samples: [[UInt8]]
  private let decoder: ProResDecoder
  private let options: ProResDecoder.Options
  private let destination: ProResDestination

  /// - Parameter layout: nil is planes of the profile's usual depth.
  init(
    _ clip: ProResClip, _ layout: ProResLayout? = nil, scale: ProResScale = .full, threads: Int = 1
  ) throws {
    samples = clip.samples
    decoder = try ProResDecoder(codec: ProResDecoder.codecs[clip.settings.profile.rawValue])
    var options = ProResDecoder.Options()
    options.threads = threads
    options.scale = scale
    self.options = options
    let header = try clip.samples[0].withUnsafeBytes { try ProResFrameHeader($0) }
    let size = scale.size(of: header)
    let chroma = header.chroma == .halved ? (size.width + 1) / 2 : size.width
    let pitches: [Int] =
      switch layout {
      case nil: [size.width * 2, chroma * 2, chroma * 2] + (header.hasAlpha ? [size.width * 2] : [])
      case .v216: [(size.width + 1) / 2 * 8]
      default: [size.width * 8]
      }
    destination = ProResDestination(
      layout: layout ?? .planar(depth: header.usualDepth), width: size.width, height: size.height,
      planes: pitches.map { pitch in
        let memory = UnsafeMutableRawPointer.allocate(byteCount: pitch * size.height, alignment: 64)
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: pitch * size.height)
        return ProResDestination.Plane(base: memory, bytesPerRow: pitch)
      })
  }

  deinit { for plane in destination.planes { plane.base.deallocate() } }

  func run() throws {
    for sample in samples {
      let report = try sample.withUnsafeBytes { try decoder.decode($0, into: destination, options: options) }
      guard report.isSound else { throw DamagedClip() }
    }
  }
}

/// Why a run does not count: what was measured is not decoding.
private struct DamagedClip: Error, CustomStringConvertible {
  var description: String { "a clip's slice was found damaged, so its time says nothing; check the encoder" }
}
