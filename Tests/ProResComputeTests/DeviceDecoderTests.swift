import Compute
import CoreVideo
import CoreVideoCompute
import Foundation
import PictureCodes
import ProRes
import ProResClips
import ProResCompute
import Testing

/// Devices against the decoder on the processor, which is held to the standard elsewhere.
@Suite(.enabled(if: !Decoders.devices.isEmpty, "There is no Vulkan device, so ProRes is not decoded on one."))
struct DeviceDecoderTests {
  static let clips = [
    ClipFrames(profile: .hq, size: (304, 40), count: 3), ClipFrames(profile: .proxy, size: (640, 90)),
    ClipFrames(profile: .hq, size: (251, 20), fields: .topFirst, sliceWidth: 4, count: 2),
    ClipFrames(profile: .standard, size: (1, 1)), ClipFrames(profile: .p4444, size: (304, 24), sliceWidth: 2),
    ClipFrames(profile: .p4444, size: (247, 17), alphaBits: 16, fields: .bottomFirst, count: 2),
    ClipFrames(profile: .p4444XQ, size: (70, 33), alphaBits: 8, sliceWidth: 1),
    ClipFrames(profile: .p4444, size: (1, 1), alphaBits: 8),
  ]
  static let formats = ["y416", "v216", "v210", "x422", "x444", "sv22", "sv44", "s4as", "b64a", "BGRA", "RGhA"]

  /// What rounding leaves open.
  private static let mostDifference = 1

  @Test(arguments: clips, formats)
  func everyFormatIsTheProcessors(_ clip: ClipFrames, format: String) throws {
    let samples = try clip.samples
    let processor = try ProResDecoder(codec: fourCharacterCode("apch"))
    let expected = try samples.map { sample in
      try sample.withUnsafeBytes { try processor.decode($0, pixelFormat: fourCharacterCode(format)).buffer }
    }
    for device in Decoders.devices {
      let (buffers, reports) = try Decoders.decoder(device).pictures(samples, format)
      let areSound = reports.allSatisfy { $0.isSound }
      #expect(areSound)
      for (buffer, wanted) in zip(buffers, expected) {
        let difference = try #require(greatestDifference(buffer, wanted))
        #expect(difference <= allowedDifference(fourCharacterCode(format)))
      }
    }
  }
}

// MARK: - Planes

/// A planar destination of a depth, with or without a plane of alpha.
private struct PlaneTest: Sendable, CustomTestStringConvertible {
  let clip: ClipFrames
  let depth: Int
  let hasAlpha: Bool

  var testDescription: String { "\(clip) at \(depth) bits\(hasAlpha ? " with alpha" : "")" }

  static let all: [PlaneTest] = [
    PlaneTest(clip: ClipFrames(profile: .hq, size: (251, 20), fields: .topFirst), depth: 10, hasAlpha: false),
    PlaneTest(clip: ClipFrames(profile: .hq, size: (64, 40)), depth: 16, hasAlpha: true),
    PlaneTest(clip: ClipFrames(profile: .p4444, size: (77, 35), alphaBits: 16), depth: 12, hasAlpha: true),
    PlaneTest(clip: ClipFrames(profile: .p4444, size: (77, 35), alphaBits: 8), depth: 16, hasAlpha: false),
    PlaneTest(clip: ClipFrames(profile: .lt, size: (17, 16)), depth: 8, hasAlpha: false),
  ]
}

extension DeviceDecoderTests {
  @Test(arguments: PlaneTest.all)
  fileprivate func planesAreTheProcessors(_ test: PlaneTest) throws {
    let samples = try test.clip.samples
    let expected = try HostPlanes(samples[0], depth: test.depth, hasAlpha: test.hasAlpha)
    let processor = try ProResDecoder(codec: fourCharacterCode("apch"))
    try samples[0].withUnsafeBytes { _ = try processor.decode($0, into: expected.destination) }
    for device in Decoders.devices {
      let made = try HostPlanes(samples[0], depth: test.depth, hasAlpha: test.hasAlpha)
      let reports = try Decoders.decoder(device).withFrames(Array(samples.prefix(1))) {
        try Decoders.decoder(device).submit($0, into: [made.destination]).wait().reports
      }
      #expect(reports.first?.damage == [])
      let areAlike = zip(made.codes, expected.codes).allSatisfy { abs($0 - $1) <= Self.mostDifference }
      #expect(areAlike && made.codes.count == expected.codes.count)
    }
  }

  // MARK: - Damage

  /// Bytes are changed anywhere behind the headers; whatever the processor finds and shows, a device does too.
  @Test(arguments: [
    ClipFrames(profile: .standard, size: (200, 48)), ClipFrames(profile: .p4444, size: (90, 33), alphaBits: 16),
    ClipFrames(profile: .hq, size: (130, 64), fields: .bottomFirst),
    ClipFrames(profile: .p4444, size: (130, 32), alphaBits: 8, sliceWidth: 2),
  ])
  func damageIsWhatTheProcessorFinds(_ clip: ClipFrames) throws {
    let sound = try clip.samples[0]
    var random = SplitMix(state: 11)
    var samples: [[UInt8]] = []
    while samples.count < 24 {
      var sample = sound
      for _ in 0...random.next() % 3 {
        let place = 200 + Int(random.next() % UInt64(sample.count - 200))
        let count = min(1 + Int(random.next() % 24), sample.count - place)
        for byte in place..<place + count { sample[byte] = UInt8(truncatingIfNeeded: random.next()) }
      }
      // Headers and tables that refuse a frame do so before a device sees it.
      if sample.withUnsafeBytes({ (try? BatchFrame($0)) != nil }) { samples.append(sample) }
    }
    let processor = try ProResDecoder(codec: fourCharacterCode("apch"))
    let expected = try samples.map { sample in
      try sample.withUnsafeBytes { try processor.decode($0, pixelFormat: fourCharacterCode("y416")) }
    }
    #expect(expected.contains { !$0.report.isSound })
    for device in Decoders.devices {
      let (buffers, reports) = try Decoders.decoder(device).pictures(samples, "y416")
      #expect(reports.map(\.damage) == expected.map(\.report.damage))
      for (buffer, wanted) in zip(buffers, expected) {
        let difference = try #require(greatestDifference(buffer, wanted.buffer))
        #expect(difference <= Self.mostDifference)
      }
    }
  }

  // MARK: - Memory and devices

  @Test func picturesOnTheDeviceKeepTheirMemory() throws {
    let samples = try ClipFrames(profile: .hq, size: (96, 32), count: 3).samples
    for index in Decoders.devices {
      let device = try ComputeDevice(index: index)
      let decoder = try ProResDeviceDecoder(device: device)
      func decode(_ sample: [UInt8]) throws -> DevicePicture {
        try decoder.withFrames([sample]) { frames in
          let batch = try decoder.submit(frames, pixelFormat: fourCharacterCode("v216"))
          try batch.wait()
          return batch.pictures[0]
        }
      }
      let kept = try decode(samples[0])
      let before = try bytes(of: kept, device)
      for round in 0..<8 { _ = try decode(samples[1 + round % 2]) }
      let live = device.liveBuffers.count
      for round in 0..<8 { _ = try decode(samples[1 + round % 2]) }
      #expect(device.liveBuffers.count == live)
      #expect(try bytes(of: kept, device) == before)
      let other = try decode(samples[1])
      #expect(other.buffer !== kept.buffer)
      #expect(try bytes(of: other, device) != before)
    }
  }

  private func bytes(of picture: DevicePicture, _ device: ComputeDevice) throws -> [UInt8] {
    let host = try device.makeBuffer(picture.memory.byteCount, .download)
    let list = try device.makeCommandList(for: device.download)
    let timeline = try device.makeTimeline()
    try list.record { recorder in
      recorder.copy(picture.buffer, to: host, byteCount: picture.memory.byteCount)
      recorder.barrier()
    }
    try device.download.submit(list, after: [picture.ready], reaching: timeline.point(1))
    try timeline.wait(for: 1)
    return host.withBytes { Array($0) }
  }

  @Test func aLostDeviceIsNamed() throws {
    let sample = try ClipFrames(profile: .hq, size: (32, 32)).samples
    for index in Decoders.devices {
      let device = try ComputeDevice(index: index)
      let decoder = try ProResDeviceDecoder(device: device)
      device.simulateLoss()
      #expect(throws: ComputeError.deviceLost(device: device.name)) { try decoder.pictures(sample, "v216") }
      #expect(decoder.isLost)
    }
  }
}
