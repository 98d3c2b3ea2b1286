import CoreMedia
import CoreVideo
import Foundation
import ProResClips
import Testing

/// Frames of ProRes made on the spot, as samples of 1/25 s made by hand.
struct Clip {
  let settings: ProResClip.Settings
  let bytes: [[UInt8]]
  let format: CMFormatDescription

  static let codecs = ["apco", "apcs", "apcn", "apch", "ap4h", "ap4x"]

  init(
    _ profile: ProResClip.Profile, _ width: Int = 160, _ height: Int = 96, frames: Int = 1, alphaBits: Int = 0,
    fields: ProResClip.Fields = .progressive, extensions: [String: Any] = [:]
  ) throws {
    var settings = ProResClip.Settings(profile, width, height)
    settings.frames = frames
    settings.alphaBits = alphaBits
    settings.fields = fields
    settings.sliceWidth = 4
    let texture = Self.texture
    bytes = try ProResClip(settings) { texture.code($0, $1, $2, $3) }.samples
    self.settings = settings
    format = try Self.format(Self.codecs[profile.rawValue], width, height, extensions)
  }

  private static let texture = Texture()

  static func format(
    _ codec: String, _ width: Int, _ height: Int, _ extensions: [String: Any] = [:]
  ) throws -> CMFormatDescription {
    var format: CMFormatDescription?
    let status = CMVideoFormatDescriptionCreate(
      allocator: kCFAllocatorDefault, codecType: fourCharacterCode(codec), width: Int32(width), height: Int32(height),
      extensions: extensions, formatDescriptionOut: &format)
    #expect(status == noErr)
    return try #require(format)
  }

  func sample(_ index: Int) throws -> CMSampleBuffer { try Self.sample(bytes[index], format, at: index) }
  func samples() throws -> [CMSampleBuffer] { try bytes.indices.map(sample) }

  static func sample(_ bytes: [UInt8], _ format: CMFormatDescription, at index: Int) throws -> CMSampleBuffer {
    try buffer([bytes], format, from: index)
  }

  /// One sample buffer of several samples.
  static func buffer(_ samples: [[UInt8]], _ format: CMFormatDescription, from index: Int) throws -> CMSampleBuffer {
    let data = try CMBlockBuffer(copying: Data(samples.flatMap { $0 }))
    let timing = CMSampleTimingInfo(
      duration: CMTime(value: 1, timescale: 25), presentationTimeStamp: CMTime(value: Int64(index), timescale: 25),
      decodeTimeStamp: .invalid)
    return try CMSampleBuffer(
      dataBuffer: data, formatDescription: format, numSamples: samples.count, sampleTimings: [timing],
      sampleSizes: samples.map(\.count))
  }

  /// The frame with noise in place of the bytes of its last third.
  func damaged(_ index: Int) -> [UInt8] {
    var bytes = bytes[index]
    var state: UInt32 = 12345
    for place in bytes.count * 2 / 3..<bytes.count {
      state = state &* 1_664_525 &+ 1_013_904_223
      bytes[place] = UInt8(state >> 24)
    }
    return bytes
  }
}

extension CVBuffer {
  /// The visible words of 16 bits of a plane, row after row.
  func words(_ plane: Int = 0) -> [UInt16] {
    let layout = PixelFormat.description(of: CVPixelBufferGetPixelFormatType(self))!.planes[plane]
    return withPlane(plane, readOnly: true) { base, pitch, width, height in
      let count = (width + layout.blockWidth - 1) / layout.blockWidth * layout.bytesPerBlock / 2
      return (0..<height).flatMap { row in
        Array(UnsafeBufferPointer(start: (base + row * pitch).assumingMemoryBound(to: UInt16.self), count: count))
      }
    }
  }

  /// FNV-1a of all visible bytes.
  var checksum: UInt64 {
    let format = PixelFormat.description(of: CVPixelBufferGetPixelFormatType(self))!
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for (index, layout) in format.planes.enumerated() {
      withPlane(index, readOnly: true) { base, pitch, width, height in
        let count = (width + layout.blockWidth - 1) / layout.blockWidth * layout.bytesPerBlock
        for row in 0..<height {
          for byte in UnsafeRawBufferPointer(start: base + row * pitch, count: count) {
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
          }
        }
      }
    }
    return hash
  }

  func attachment<Value>(_ key: String) -> Value? { CVBufferCopyAttachment(self, key, nil) as? Value }
}
