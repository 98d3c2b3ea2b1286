import Codecs
import Compute
import CoreMedia
import CoreVideo
import Foundation
import ProRes
import ProResClips
import ProResCompute
import Testing
import VideoToolbox

private let hasDevice = !PictureDecoderFactory.standard.devices.isEmpty

/// A Vulkan device as a decoder of samples, beside the processor.
@Suite(.enabled(if: hasDevice, "There is no Vulkan device, so nothing is decoded on one."))
struct DeviceDecoderTests {
  private func decoder(
    _ format: CMFormatDescription, _ choice: PictureDecoderOptions.Choice, _ pixelFormat: String? = nil,
    _ change: (inout PictureDecoderOptions) -> Void = { _ in }
  ) throws -> any PictureDecoder {
    var options = PictureDecoderOptions(pixelFormat: pixelFormat.map(fourCharacterCode), choice: choice)
    change(&options)
    return try PictureDecoderFactory.standard.makeDecoder(for: format, options: options)
  }

  /// Pictures of all samples; those that are refused are left out.
  private func pictures(_ decoder: any PictureDecoder, _ samples: [CMSampleBuffer]) throws -> [DecodedPicture] {
    var all: [DecodedPicture] = []
    for sample in samples { all += (try? decoder.decode(sample)) ?? [] }
    return all + (try decoder.finish())
  }

  private func areAlike(_ one: CVPixelBuffer, _ other: CVPixelBuffer) -> Bool {
    let (ours, theirs) = (one.words(), other.words())
    return ours.count == theirs.count && zip(ours, theirs).allSatisfy { abs(Int($0) - Int($1)) <= 1 }
  }

  private func expectAlike(_ clip: Clip, _ samples: [CMSampleBuffer], _ pixelFormat: String? = nil) throws {
    let device = try decoder(clip.format, .device(nil), pixelFormat)
    let ours = try pictures(device, samples)
    let theirs = try pictures(try decoder(clip.format, .processor, pixelFormat), samples)
    #expect(ours.map(\.presentationTime) == theirs.map(\.presentationTime))
    #expect(ours.map(\.sample) == theirs.map(\.sample))
    #expect(ours.map(\.damage) == theirs.map(\.damage))
    for (one, other) in zip(ours, theirs) {
      #expect(areAlike(one.pixelBuffer, other.pixelBuffer))
      let keys = (CVBufferCopyAttachments(one.pixelBuffer, .shouldPropagate) ?? [:]).keys.sorted()
      #expect(keys == (CVBufferCopyAttachments(other.pixelBuffer, .shouldPropagate) ?? [:]).keys.sorted())
    }
  }

  @Test(arguments: [ProResClip.Profile.hq, .p4444], [nil, "sv44", "RGhA"])
  func `pictures come in order and are the processor's`(profile: ProResClip.Profile, format: String?) throws {
    let clip = try Clip(profile, frames: 40, alphaBits: profile.is4444 ? 16 : 0)
    try expectAlike(clip, try clip.samples(), format)
  }

  @Test func `damage is reported and the frames beside it are whole`() throws {
    let clip = try Clip(.hq, frames: 6)
    var samples = try clip.samples()
    samples[2] = try Clip.sample(clip.damaged(2), clip.format, at: 2)
    try expectAlike(clip, samples)
  }

  @Test func `a refused frame costs no other`() throws {
    let clip = try Clip(.standard, frames: 5)
    var samples = try clip.samples()
    samples[1] = try Clip.sample(Array(clip.bytes[1].prefix(100)), clip.format, at: 1)
    let device = try decoder(clip.format, .device(nil))
    var refused: [Int?] = []
    var made: [DecodedPicture] = []
    for sample in samples {
      do { made += try device.decode(sample) } catch let error as CodecError { refused.append(error.sample) }
    }
    made += try device.finish()
    #expect(refused == [1] && made.map(\.sample) == [0, 2, 3, 4])
  }

  @Test func `the last picture stands in for damage`() throws {
    let clip = try Clip(.hq, frames: 2)
    let samples = [try clip.sample(0), try Clip.sample(clip.damaged(1), clip.format, at: 1)]
    func made(_ choice: PictureDecoderOptions.Choice) throws -> [DecodedPicture] {
      try pictures(try decoder(clip.format, choice) { $0.concealment = .previousPicture }, samples)
    }
    let (ours, theirs) = (try made(.device(nil)), try made(.processor))
    #expect(ours.count == 2 && !ours[1].damage.isEmpty)
    #expect(areAlike(ours[1].pixelBuffer, theirs[1].pixelBuffer))
  }

  @Test func `sizes and descriptions may change from sample to sample`() throws {
    let (wide, tall) = (try Clip(.hq, 160, 64, frames: 3), try Clip(.p4444, 48, 96, frames: 3, alphaBits: 16))
    var samples: [CMSampleBuffer] = []
    for index in 0..<3 {
      samples.append(try Clip.sample(wide.bytes[index], wide.format, at: 2 * index))
      samples.append(try Clip.sample(tall.bytes[index], tall.format, at: 2 * index + 1))
    }
    try expectAlike(wide, samples, "y416")
  }

  @Test func `who may have few buffers gets each picture at once`() throws {
    let clip = try Clip(.hq, frames: 8)
    let device = try decoder(clip.format, .device(nil)) { $0.pool = PicturePool(threshold: 2) }
    for index in 0..<8 {
      let made = try device.decode(try clip.sample(index))
      #expect(made.map(\.sample) == [index])
    }
  }

  @Test func `what a device cannot do is said`() throws {
    let clip = try Clip(.hq)
    #expect(throws: CodecError.self) { try decoder(clip.format, .device(nil)) { $0.scale = .half } }
    #expect(throws: CodecError.self) { try decoder(clip.format, .device("no such device")) }
    // Left to choose, a smaller picture is made by the processor.
    #expect(try decoder(clip.format, .any) { $0.scale = .half }.isHardware == false)
  }

  // MARK: - Devices that fail

  /// A decoder of its own device, which is lost after three of ten samples; what it made, and the samples it refused.
  private func decodeOnLostDevice(
    _ clip: Clip, _ choice: PictureDecoderOptions.Choice
  ) throws -> (made: [DecodedPicture], refused: [CodecError], warnings: [String]) {
    let index = try #require(ComputeDevice.all().firstIndex { $0.lacking == nil })
    let device = try ComputeDevice(index: index)
    let decoder = try DeviceProResPictureDecoder(
      clip.format, PictureDecoderOptions(choice: choice), try ProResDeviceDecoder(device: device), isHardware: false)
    var (made, refused): ([DecodedPicture], [CodecError]) = ([], [])
    for index in 0..<10 {
      if index == 3 { device.simulateLoss() }
      do { made += try decoder.decode(try clip.sample(index)) } catch let error as CodecError { refused.append(error) }
    }
    while true {
      do {
        made += try decoder.finish()
        break
      } catch let error as CodecError {
        refused.append(error)
      }
    }
    return (made, refused, decoder.warnings)
  }

  @Test func `the processor goes on where a device is lost`() throws {
    let clip = try Clip(.hq, frames: 10)
    let (made, refused, warnings) = try decodeOnLostDevice(clip, .any)
    let theirs = try pictures(try decoder(clip.format, .processor), try clip.samples())
    #expect(refused.isEmpty && made.map(\.sample) == Array(0..<10) && warnings.count == 1)
    for (one, other) in zip(made, theirs) { #expect(areAlike(one.pixelBuffer, other.pixelBuffer)) }
  }

  @Test func `whoever asked for a device that is lost learns of each sample`() throws {
    let (made, refused, warnings) = try decodeOnLostDevice(try Clip(.hq, frames: 10), .device(nil))
    #expect(made.isEmpty && warnings.isEmpty)
    #expect(refused.map(\.kind) == Array(repeating: .deviceLost, count: 10))
    #expect(refused.compactMap(\.sample) == Array(0..<10))
  }
}
