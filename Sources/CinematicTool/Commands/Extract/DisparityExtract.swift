import AVFoundation
import Cinematic
import CoreVideo
import Foundation
import ImageFiles
import QuickTime

/// Writes the disparity of a shot's frames.
struct DisparityExtract {
  enum Kind: String {
    case exr, png, movie, none
  }

  let shot: Shot
  let kind: Kind
  let frames: Range<Int>
  let folder: URL

  func write(_ progress: ProgressReporter) async throws {
    switch kind {
    case .none: return
    case .movie: try await copyTrack()
    case .exr:
      try writePictures(kCVPixelFormatType_DisparityFloat16, "exr", progress) { buffer, url in
        try EXRFile.write(Self.channels(buffer), to: url)
      }
    case .png:
      try writePictures(kCVPixelFormatType_OneComponent10, "png", progress) { buffer, url in
        try PNGFile.write(try Self.fullScale(buffer), to: url, color: .untagged)
      }
    }
  }

  private func writePictures(
    _ format: OSType, _ ending: String, _ progress: ProgressReporter, _ write: (CVPixelBuffer, URL) throws -> Void
  ) throws {
    let recorded = shot.script.recorded
    var reader = try FrameReader(shot.info, range: range, pixelFormat: nil, disparityFormat: format)
    defer { reader.cancel() }
    for (count, index) in frames.enumerated() {
      let disparity = try reader.disparity(at: recorded.times[index])
      try write(disparity, folder.appendingPathComponent(String(format: "disparity-%05d.%@", index, ending)))
      progress.update(count + 1)
    }
  }

  /// From the first frame up to the one after the last.
  private var range: CMTimeRange {
    let recorded = shot.script.recorded
    let end = frames.upperBound < recorded.frameCount ? recorded.times[frames.upperBound] : recorded.timeRange.end
    return CMTimeRange(start: recorded.times[frames.lowerBound], end: end)
  }

  private static func channels(_ buffer: CVPixelBuffer) -> [String: EXRFile.Plane] {
    var samples: [Float] = []
    buffer.forEachRow(of: Float16.self) { row in samples += row.map(Float.init) }
    let disparity = EXRFile.Plane(width: buffer.width, height: buffer.height, samples: samples)
    var depth = disparity
    depth.samples = samples.map { $0 > 0 ? 1 / $0 : .infinity }
    return ["disparity": disparity, "Z": depth]
  }

  /// Codes 0…1023 spread over 16 bits, so that white is white for every reader.
  private static func fullScale(_ codes: CVPixelBuffer) throws -> CVPixelBuffer {
    let picture = try CVBuffer.make(width: codes.width, height: codes.height, format: kCVPixelFormatType_OneComponent16)
    picture.withPlane(0, readOnly: false) { base, pitch, width, _ in
      var y = 0
      codes.forEachRow(of: UInt16.self) { row in
        let target = (base + y * pitch).assumingMemoryBound(to: UInt16.self)
        for x in 0..<width { target[x] = UInt16((Int(row[x] >> 6) * 65_535 + 511) / 1023) }
        y += 1
      }
    }
    return picture
  }

  /// The track as it is stored, under the name of plain HEVC.
  private func copyTrack() async throws {
    guard let track = shot.info.cinematicDisparityTrack, let stored = track.formatDescriptions.first else {
      throw Failure("the disparity track has no description")
    }
    var extensions = CMFormatDescriptionGetExtensions(stored) ?? [:]
    extensions[kCMFormatDescriptionExtension_VerbatimSampleDescription] = nil
    var format: CMFormatDescription?
    let size = stored.dimensions
    guard
      CMVideoFormatDescriptionCreate(
        allocator: nil, codecType: kCMVideoCodecType_HEVC, width: size.width, height: size.height,
        extensions: extensions, formatDescriptionOut: &format) == noErr, let format
    else { throw Failure("the disparity track cannot be described as HEVC") }
    var copy = TrackCopy(shot.asset, [track])
    copy.relabelled[track.trackID] = (.video, format)
    if frames != 0..<shot.script.recorded.frameCount { copy.range = range }
    try await copy.write(to: folder.appendingPathComponent("disparity.mov"))
  }
}
