import AVFoundation
import Cinematic
import Codecs
import CoreVideo
import Foundation
import ImageFiles
import QuickTime

/// Disparity pictures from anything that FFmpeg reads, or from numbered EXR files.
final class DepthSource {
  struct Frame {
    /// Nil for numbered pictures: they go with the movie's pictures one by one.
    var time: CMTime?
    /// Disparity in 1 / metres, rows from the top.
    var plane: EXRFile.Plane
  }

  private enum Input {
    case movie(ForeignMovie)
    case numberedEXR(pattern: String, next: Int)
  }

  let name: String
  let coding: DepthCoding
  private let levels: DepthCoding.Levels?
  private var input: Input
  private var table: (bits: Int, levels: DepthCoding.Levels, disparities: [Float])?

  /// - Parameter levels: nil goes by what the file says.
  init(_ path: String, coding: DepthCoding, levels: DepthCoding.Levels?) throws {
    name = path
    self.coding = coding
    self.levels = levels
    if path.lowercased().hasSuffix(".exr") {
      let first = [0, 1].first { FileManager.default.fileExists(atPath: Self.path(path, $0)) }
      guard let first else { throw Failure("no picture '\(path)' is there: numbered ones begin with 0 or 1") }
      input = .numberedEXR(pattern: path, next: first)
    } else {
      input = .movie(try ForeignMovie.open(URL(fileURLWithPath: path), options: .init(output: .luma)))
    }
  }

  private var isNumbered: Bool { name.contains("%") }

  /// The next picture, or nil at the end.
  func next() throws -> Frame? {
    switch input {
    case .movie(let movie):
      guard let frame = try movie.nextVideoFrame() else { return nil }
      return Frame(time: isNumbered ? nil : frame.presentationTime, plane: plane(frame))
    case .numberedEXR(let pattern, let number):
      let path = Self.path(pattern, number)
      guard FileManager.default.fileExists(atPath: path) else { return nil }
      // Without a number in its name it is one picture.
      input = .numberedEXR(pattern: pattern.contains("%") ? pattern : "", next: number + 1)
      return Frame(time: nil, plane: try Self.read(URL(fileURLWithPath: path)))
    }
  }

  /// The path of a numbered picture: the first `%d` or `%0Nd` of the pattern becomes the number, all else stays as it is.
  private static func path(_ pattern: String, _ number: Int) -> String {
    guard let place = pattern.range(of: "%(0[0-9])?d", options: .regularExpression) else { return pattern }
    let digits = String(number)
    let width = Int(pattern[place].dropFirst().dropLast()) ?? 0
    let zeros = String(repeating: "0", count: max(0, width - digits.count))
    return pattern.replacingCharacters(in: place, with: zeros + digits)
  }

  /// The channel `disparity`, else the reciprocal of `Z`.
  private static func read(_ url: URL) throws -> EXRFile.Plane {
    if let plane = try? EXRFile.read("disparity", from: url) { return plane }
    var plane = try EXRFile.read("Z", from: url)
    plane.samples = plane.samples.map { $0 > 0 ? 1 / $0 : 0 }
    return plane
  }

  private func plane(_ frame: DecodedFrame) -> EXRFile.Plane {
    let buffer = frame.pixelBuffer
    let format = buffer.format!
    var samples: [Float] = []
    samples.reserveCapacity(buffer.width * buffer.height)
    if format.isFloat {
      buffer.forEachRow(of: Float.self) { row in samples += row.map(coding.disparity(number:)) }
    } else {
      let disparities = disparities(bits: format.bitsPerComponent, isFullRange: frame.color.isFullRange ?? false)
      let shift = format.bitsPerComponent > 8 ? 16 - format.bitsPerComponent : 0
      if format.bitsPerComponent == 8 {
        buffer.forEachRow(of: UInt8.self) { row in samples += row.map { disparities[Int($0)] } }
      } else {
        buffer.forEachRow(of: UInt16.self) { row in samples += row.map { disparities[Int($0) >> shift] } }
      }
    }
    return EXRFile.Plane(width: buffer.width, height: buffer.height, samples: samples)
  }

  /// The disparity of every code, worked out once.
  private func disparities(bits: Int, isFullRange: Bool) -> [Float] {
    let levels = self.levels ?? (isFullRange ? .full : .video)
    if let table, table.bits == bits, table.levels == levels { return table.disparities }
    let disparities = (0..<1 << bits).map { coding.disparity(code: $0, bits: bits, levels: levels) }
    table = (bits, levels, disparities)
    return disparities
  }
}

extension CVBuffer {
  /// Calls `body` with the samples of each row of a packed buffer, from the top.
  func forEachRow<Sample: BitwiseCopyable>(of _: Sample.Type, _ body: (UnsafeBufferPointer<Sample>) -> Void) {
    withPlane(0, readOnly: true) { base, pitch, width, height in
      for y in 0..<height {
        body(UnsafeBufferPointer(start: (base + y * pitch).assumingMemoryBound(to: Sample.self), count: width))
      }
    }
  }
}

extension EXRFile.Plane {
  /// As a pixel buffer of single floats.
  func disparityBuffer() throws -> CVPixelBuffer {
    let buffer = try CVBuffer.make(width: width, height: height, format: kCVPixelFormatType_DisparityFloat32)
    buffer.withPlane(0, readOnly: false) { base, pitch, width, height in
      samples.withUnsafeBytes { source in
        for y in 0..<height { memcpy(base + y * pitch, source.baseAddress! + y * width * 4, width * 4) }
      }
    }
    return buffer
  }

  /// Stores the nearest sample of each pixel as a 10-bit code.
  func store(into buffer: CVPixelBuffer, coding: DisparityCoding) {
    buffer.withPlane(0, readOnly: false) { base, pitch, columns, rows in
      for y in 0..<rows {
        let row = (base + y * pitch).assumingMemoryBound(to: UInt16.self)
        let source = (2 * y + 1) * height / (2 * rows) * width
        for x in 0..<columns {
          row[x] = coding.code(disparity: samples[source + (2 * x + 1) * width / (2 * columns)]) << 6
        }
      }
    }
  }
}
