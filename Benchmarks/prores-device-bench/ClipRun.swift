import CoreVideo
import Foundation
import PictureCodes
import ProRes
import ProResCompute

enum Clip {
  /// The frames of a file: each begins with its own length.
  static func samples(_ path: String) throws -> [[UInt8]] {
    var rest = Array(try Data(contentsOf: URL(filePath: path)))[...]
    var samples: [[UInt8]] = []
    while rest.count > 8 {
      let byteCount = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
      guard byteCount >= 8, byteCount <= rest.count else { break }
      samples.append(Array(rest.prefix(byteCount)))
      rest = rest.dropFirst(byteCount)
    }
    guard !samples.isEmpty, rest.isEmpty else { throw BadClip(path: path) }
    return samples
  }
}

struct BadClip: Error, CustomStringConvertible {
  let path: String
  var description: String { "\(path) is not a run of whole ProRes frames; make it with prores-bench --write" }
}

/// Decodes a clip over and over, a batch at a time.
final class ClipRun {
  private let decoder: ProResDeviceDecoder
  private let frames: [BatchFrame]
  private let memory: UnsafeMutableRawBufferPointer
  private let pixelFormat: OSType
  /// Pixel buffers of as many batches as are in flight.
  private let buffers: [[CVPixelBuffer]]

  /// Batches of a run as time passes.
  private static let batches = 24

  init(
    _ samples: [[UInt8]], _ header: ProResFrameHeader, _ format: String, batch: Int, _ decoder: ProResDeviceDecoder
  ) throws {
    self.decoder = decoder
    memory = .allocate(byteCount: samples.reduce(0) { $0 + $1.count }, alignment: 64)
    var frames: [BatchFrame] = []
    var place = 0
    for sample in samples {
      let bytes = UnsafeMutableRawBufferPointer(rebasing: memory[place..<place + sample.count])
      bytes.copyBytes(from: sample)
      frames.append(try BatchFrame(UnsafeRawBufferPointer(bytes)))
      place += sample.count
    }
    self.frames = (0..<batch).map { frames[$0 % frames.count] }
    pixelFormat = fourCharacterCode(format)
    buffers = try (0..<decoder.batchesInFlight).map { _ in
      try (0..<batch).map { _ in
        try CVBuffer.make(width: header.width, height: header.height, format: fourCharacterCode(format))
      }
    }
  }

  deinit { memory.deallocate() }

  /// Stages of a batch that has the device to itself.
  func onDevice() throws -> [(label: String, nanoseconds: Double)] {
    try decoder.submit(frames, pixelFormat: pixelFormat).wait().stages
  }

  func framesPerSecond(downloads: Bool) throws -> Double {
    func run(_ count: Int) throws {
      var pending: [PendingBatch] = []
      for index in 0..<count {
        pending.append(
          downloads
            ? try decoder.submit(frames, into: buffers[index % buffers.count])
            : try decoder.submit(frames, pixelFormat: pixelFormat))
        if pending.count == buffers.count { try pending.removeFirst().wait() }
      }
      for batch in pending { try batch.wait() }
    }
    try run(buffers.count)
    let start = ProcessInfo.processInfo.systemUptime
    try run(Self.batches)
    return Double(Self.batches * frames.count) / (ProcessInfo.processInfo.systemUptime - start)
  }

  /// Every frame is what the processor makes of it.
  func check() throws {
    let reports = try decoder.submit(frames, into: buffers[0]).wait().reports
    let processor = try ProResDecoder(codec: fourCharacterCode("apch"))
    for (index, frame) in frames.enumerated() {
      let (buffer, report) = try processor.decode(frame.sample, pixelFormat: pixelFormat)
      guard reports[index].damage == report.damage else {
        throw Difference(frame: index, what: "has other damage than the processor finds")
      }
      let difference = greatestDifference(buffers[0][index], buffer)
      guard let difference, difference <= allowedDifference(pixelFormat) else {
        throw Difference(frame: index, what: "differs from the processor's picture")
      }
    }
  }
}

/// Why figures would say nothing.
struct Difference: Error, CustomStringConvertible {
  let frame: Int
  let what: String
  var description: String { "frame \(frame) \(what); no figures are given of wrong pictures" }
}
