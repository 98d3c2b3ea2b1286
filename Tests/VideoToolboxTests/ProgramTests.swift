import AVFoundation
import CoreMedia
import CoreVideo
import Foundation
import Testing
import VideoToolbox

/// Whole programs as applications write them: who brings samples of their own, and who lets a reader fetch them.
@Suite(.enabled(if: SharedMedia.has("prores/apple-prores-422-hq.mov"), SharedMedia.missing))
struct ProgramTests {
  private static let files = ["422-proxy", "422-lt", "422", "422-hq"].map { "prores/apple-prores-\($0).mov" }

  private func sums(_ answers: Answers) -> [UInt64?] { answers.all.map { $0.image?.checksum } }

  private func wanted(_ file: String) throws -> [UInt64?] {
    try SharedMedia.pictures(file, fourCharacterCode("v216")).map { $0.imageBuffer?.checksum }
  }

  @Test(arguments: files)
  func `samples of a reader go through a session`(file: String) throws {
    let asset = AVURLAsset(url: SharedMedia.url(file))
    let track = try #require(asset.tracks.first { $0.mediaType == .video })
    let reader = try AVAssetReader(asset: asset)
    let output = AVAssetReaderTrackOutput(track: track, outputSettings: nil)
    output.alwaysCopiesSampleData = false
    reader.add(output)
    #expect(reader.startReading())
    let answers = Answers()
    var session: VTDecompressionSession?
    while let sample = output.copyNextSampleBuffer() {
      guard let format = CMSampleBufferGetFormatDescription(sample) else { continue }
      if session == nil {
        session = try makeSession(format, [kCVPixelBufferPixelFormatTypeKey: kCVPixelFormatType_422YpCbCr16])
      }
      session?.decode(sample, ._EnableAsynchronousDecompression, answers)
    }
    VTDecompressionSessionWaitForAsynchronousFrames(try #require(session))
    #expect(answers.count == 25 && answers.statuses.allSatisfy { $0 == noErr })
    #expect(try sums(answers) == wanted(file))
  }

  @Test(arguments: files)
  func `samples made by hand go through a session`(file: String) throws {
    let stored = try SharedMedia.samples(file)
    let colors: CFDictionary = [
      kCMFormatDescriptionExtension_ColorPrimaries: kCMFormatDescriptionColorPrimaries_ITU_R_2020,
      kCMFormatDescriptionExtension_TransferFunction: kCMFormatDescriptionTransferFunction_ITU_R_2100_HLG,
      kCMFormatDescriptionExtension_YCbCrMatrix: kCMFormatDescriptionYCbCrMatrix_ITU_R_2020,
    ]
    var format: CMVideoFormatDescription?
    let codec = CMFormatDescriptionGetMediaSubType(try #require(stored[0].formatDescription))
    #expect(
      CMVideoFormatDescriptionCreate(
        allocator: kCFAllocatorDefault, codecType: codec, width: 320, height: 240, extensions: colors,
        formatDescriptionOut: &format) == noErr)
    let described = try #require(format)
    let session = try makeSession(described, [kCVPixelBufferPixelFormatTypeKey: kCVPixelFormatType_422YpCbCr16])
    let answers = Answers()
    for (number, sample) in stored.enumerated() {
      let made = try Self.sample(of: try #require(sample.dataBuffer).dataBytes(), described, number)
      session.decode(made, ._EnableAsynchronousDecompression, answers)
    }
    VTDecompressionSessionWaitForAsynchronousFrames(session)
    #expect(try sums(answers) == wanted(file))
    #expect(answers.all.map(\.time) == stored.indices.map { CMTime(value: Int64($0) * 10, timescale: 600) })
    let first = try #require(answers.all.first?.image)
    #expect(first.attachment(kCVImageBufferTransferFunctionKey) == kCVImageBufferTransferFunction_ITU_R_2100_HLG)
  }

  /// A block that frees its memory, a timing and a size make a sample.
  private static func sample(
    of bytes: Data, _ format: CMVideoFormatDescription, _ number: Int
  ) throws -> CMSampleBuffer {
    let memory = try #require(malloc(bytes.count))
    bytes.copyBytes(to: memory.assumingMemoryBound(to: UInt8.self), count: bytes.count)
    var block: CMBlockBuffer?
    #expect(
      CMBlockBufferCreateWithMemoryBlock(
        allocator: kCFAllocatorDefault, memoryBlock: memory, blockLength: bytes.count,
        blockAllocator: kCFAllocatorMalloc, customBlockSource: nil, offsetToData: 0, dataLength: bytes.count, flags: 0,
        blockBufferOut: &block) == noErr)
    var timing = CMSampleTimingInfo(
      duration: CMTimeMake(value: 10, timescale: 600),
      presentationTimeStamp: CMTimeMake(value: Int64(number) * 10, timescale: 600), decodeTimeStamp: .invalid)
    var size = bytes.count
    var sample: CMSampleBuffer?
    #expect(
      CMSampleBufferCreateReady(
        allocator: kCFAllocatorDefault, dataBuffer: block, formatDescription: format, sampleCount: 1,
        sampleTimingEntryCount: 1, sampleTimingArray: &timing, sampleSizeEntryCount: 1, sampleSizeArray: &size,
        sampleBufferOut: &sample) == noErr)
    return try #require(sample)
  }
}
