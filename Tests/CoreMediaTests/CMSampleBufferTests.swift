import CoreMedia
import Foundation
import Testing

func timing(_ presentation: Int64, _ duration: Int64 = 1, decode: Int64? = nil) -> CMSampleTimingInfo {
  CMSampleTimingInfo(
    duration: CMTime(value: duration, timescale: 30), presentationTimeStamp: CMTime(value: presentation, timescale: 30),
    decodeTimeStamp: decode.map { CMTime(value: $0, timescale: 30) } ?? .invalid)
}

func frames(_ value: Int64) -> CMTime { CMTime(value: value, timescale: 30) }

func buffer(_ timings: [CMSampleTimingInfo], sizes: [Int], count: Int) throws -> CMSampleBuffer {
  let total = sizes.count == 1 ? sizes[0] * count : sizes.reduce(0, +)
  let data = try CMBlockBuffer(copying: Data((0..<total).map { UInt8(truncatingIfNeeded: $0) }))
  return try CMSampleBuffer(
    dataBuffer: data, formatDescription: nil, numSamples: count, sampleTimings: timings, sampleSizes: sizes)
}

/// Frames in decoding order whose times are not in order: P2 B0 B1 I5 B3 B4, with a gap before the last three.
let reordered = [(3, 0), (1, 1), (2, 2), (16, 3), (14, 4), (15, 5)].map { timing($0.0, decode: $0.1) }

@Suite struct CMSampleBufferTests {
  // MARK: - Timing

  @Test func oneEntryStandsForAllSamples() throws {
    let buffer = try buffer([timing(10, 2, decode: 5)], sizes: [3], count: 4)
    for index in 0..<4 {
      let step = Int64(index) * 2
      #expect(try buffer.sampleTimingInfo(at: index) == timing(10 + step, 2, decode: 5 + step))
      #expect(buffer.sampleSize(at: index) == 3)
    }
    #expect(
      buffer.duration == frames(8) && buffer.presentationTimeStamp == frames(10) && buffer.decodeTimeStamp == frames(5))
    #expect(buffer.totalSampleSize == 12)
    #expect(try buffer.sampleTimingInfos().count == 1 && buffer.sampleSizes() == [3])
  }

  @Test func samplesOutOfOrder() throws {
    let buffer = try buffer(reordered, sizes: [1, 2, 3, 4, 5, 6], count: 6)
    #expect(buffer.presentationTimeStamp == frames(1))
    #expect(buffer.decodeTimeStamp == frames(0))
    #expect(buffer.duration == frames(6), "the sum of durations, not the span")
    #expect(try buffer.sampleTimingInfo(at: 3) == timing(16, decode: 3))
    #expect(buffer.totalSampleSize == 21 && buffer.sampleSize(at: 5) == 6)
  }

  @Test func timingArraysAreFilledOrTheirSizeIsTold() throws {
    let buffer = try buffer(reordered, sizes: [1, 2, 3, 4, 5, 6], count: 6)
    var needed = -1
    #expect(
      CMSampleBufferGetSampleTimingInfoArray(buffer, entryCount: 0, arrayToFill: nil, entriesNeededOut: &needed)
        == noErr)
    #expect(needed == 6)
    var infos = [CMSampleTimingInfo](repeating: .invalid, count: 6)
    #expect(
      CMSampleBufferGetSampleTimingInfoArray(buffer, entryCount: 5, arrayToFill: &infos, entriesNeededOut: &needed)
        == kCMSampleBufferError_ArrayTooSmall)
    #expect(needed == 6 && infos.allSatisfy { $0 == .invalid })
    #expect(
      CMSampleBufferGetSampleTimingInfoArray(buffer, entryCount: 6, arrayToFill: &infos, entriesNeededOut: nil) == noErr
    )
    #expect(infos == reordered)
    var sizes = [Int](repeating: 0, count: 6)
    #expect(
      CMSampleBufferGetSampleSizeArray(buffer, entryCount: 6, arrayToFill: &sizes, entriesNeededOut: &needed) == noErr)
    #expect(sizes == [1, 2, 3, 4, 5, 6])
  }

  @Test func buffersWithoutTimingOrSizes() throws {
    let buffer = try buffer([], sizes: [], count: 2, data: [1, 2])
    #expect(throws: CMSampleBuffer.Error.bufferHasNoSampleTimingInfo) { try buffer.sampleTimingInfo(at: 0) }
    #expect(throws: CMSampleBuffer.Error.bufferHasNoSampleSizes) { try buffer.sampleSizes() }
    #expect(buffer.sampleSize(at: 0) == 0 && buffer.totalSampleSize == 0)
    #expect(!buffer.presentationTimeStamp.isValid && !buffer.duration.isValid && !buffer.decodeTimeStamp.isValid)
    var needed = 7
    #expect(
      CMSampleBufferGetSampleTimingInfoArray(buffer, entryCount: 0, arrayToFill: nil, entriesNeededOut: &needed)
        == kCMSampleBufferError_BufferHasNoSampleTimingInfo)
    #expect(needed == 0)
    let timed = try self.buffer([timing(0)], sizes: [1], count: 2, data: [1, 2])
    for index in [-1, 2] {
      #expect(throws: CMSampleBuffer.Error.sampleIndexOutOfRange) { try timed.sampleTimingInfo(at: index) }
      #expect(timed.sampleSize(at: index) == 0)
    }
  }

  private func buffer(_ timings: [CMSampleTimingInfo], sizes: [Int], count: Int, data: [UInt8]) throws -> CMSampleBuffer
  {
    try CMSampleBuffer(
      dataBuffer: CMBlockBuffer(copying: Data(data)), formatDescription: nil, numSamples: count, sampleTimings: timings,
      sampleSizes: sizes)
  }

  private func buffer(_ timings: [CMSampleTimingInfo], sizes: [Int], count: Int) throws -> CMSampleBuffer {
    try CoreMediaTests.buffer(timings, sizes: sizes, count: count)
  }

  // MARK: - Making

  @Test func countsOfEntriesAreZeroOneOrAll() throws {
    let data = try CMBlockBuffer(copying: Data(count: 12))
    for samples in 0...4 {
      for entries in 0...5 {
        let infos = (0..<entries).map { timing(Int64($0)) }
        let sizes = [Int](repeating: 1, count: entries)
        let fits = entries <= 1 || entries == samples
        var out: CMSampleBuffer?
        let timed = CMSampleBufferCreateReady(
          allocator: nil, dataBuffer: data, formatDescription: nil, sampleCount: samples,
          sampleTimingEntryCount: entries,
          sampleTimingArray: infos, sampleSizeEntryCount: 0, sampleSizeArray: nil, sampleBufferOut: &out)
        #expect(timed == (fits ? noErr : kCMSampleBufferError_InvalidEntryCount) && (out != nil) == fits)
        out = nil
        let sized = CMSampleBufferCreateReady(
          allocator: nil, dataBuffer: data, formatDescription: nil, sampleCount: samples, sampleTimingEntryCount: 0,
          sampleTimingArray: nil, sampleSizeEntryCount: entries, sampleSizeArray: sizes, sampleBufferOut: &out)
        #expect(sized == (fits ? noErr : kCMSampleBufferError_InvalidEntryCount))
      }
    }
  }

  @Test func whatIsMissing() throws {
    var out: CMSampleBuffer?
    func create(_ data: CMBlockBuffer?, ready: Bool, samples: Int, timings: Int) -> OSStatus {
      CMSampleBufferCreate(
        allocator: nil, dataBuffer: data, dataReady: ready, makeDataReadyCallback: nil, refcon: nil,
        formatDescription: nil,
        sampleCount: samples, sampleTimingEntryCount: timings, sampleTimingArray: nil, sampleSizeEntryCount: 0,
        sampleSizeArray: nil, sampleBufferOut: &out)
    }
    let missing = kCMSampleBufferError_RequiredParameterMissing
    #expect(create(nil, ready: true, samples: 1, timings: 0) == missing)
    #expect(create(nil, ready: false, samples: -1, timings: 0) == missing)
    #expect(create(nil, ready: false, samples: 1, timings: 1) == missing)
    #expect(create(nil, ready: false, samples: 1, timings: 0) == noErr)
    #expect(throws: CMSampleBuffer.Error.invalidSampleData) { try buffer([], sizes: [-1], count: 1, data: [1]) }
  }

  @Test func aMarkerHasNoSamples() throws {
    let marker = try CMSampleBuffer(
      dataBuffer: nil, formatDescription: nil, numSamples: 0, sampleTimings: [timing(7, 0)], sampleSizes: [])
    #expect(marker.numSamples == 0 && marker.dataReadiness == .ready && CMSampleBufferDataIsReady(marker))
    #expect(marker.presentationTimeStamp == frames(7) && marker.duration == .zero && marker.totalSampleSize == 0)
    #expect(try marker.singleSampleBuffers().isEmpty)
    marker.attachments[.endsPreviousSampleDuration] = .shouldPropagate(true)
    #expect(try CMSampleBuffer(copying: marker).attachments[.endsPreviousSampleDuration]?.value as? Bool == true)
    #expect(marker.sampleAttachments.isEmpty)
  }

  // MARK: - Readiness

  @Test func dataIsMadeReadyByTheCallback() throws {
    var calls = 0
    let buffer = try withUnsafeMutablePointer(to: &calls) { calls in
      var out: CMSampleBuffer?
      let status = CMSampleBufferCreate(
        allocator: nil, dataBuffer: nil, dataReady: false,
        makeDataReadyCallback: { buffer, calls in
          calls!.assumingMemoryBound(to: Int.self).pointee += 1
          return CMSampleBufferSetDataBuffer(buffer, newValue: try! CMBlockBuffer(copying: Data([1, 2])))
        }, refcon: calls, formatDescription: nil, sampleCount: 1, sampleTimingEntryCount: 0, sampleTimingArray: nil,
        sampleSizeEntryCount: 0, sampleSizeArray: nil, sampleBufferOut: &out)
      #expect(status == noErr)
      let buffer = try #require(out)
      #expect(!CMSampleBufferDataIsReady(buffer) && buffer.dataBuffer == nil)
      #expect(CMSampleBufferSetDataReady(buffer) == kCMSampleBufferError_BufferNotReady)
      #expect(CMSampleBufferMakeDataReady(buffer) == noErr && CMSampleBufferMakeDataReady(buffer) == noErr)
      return buffer
    }
    #expect(calls == 1 && CMSampleBufferDataIsReady(buffer) && buffer.dataBuffer?.dataLength == 2)
    #expect(
      CMSampleBufferSetDataBuffer(buffer, newValue: try CMBlockBuffer(copying: Data([1])))
        == kCMSampleBufferError_AlreadyHasDataBuffer)
  }

  private func unready(_ handler: @escaping (CMSampleBuffer) throws -> Void) throws -> CMSampleBuffer {
    try CMSampleBuffer(
      dataBuffer: CMBlockBuffer(copying: Data([1, 2])), dataReady: false, formatDescription: nil, numSamples: 2,
      sampleTimings: [timing(0)], sampleSizes: [1], makeDataReadyHandler: handler)
  }

  @Test func aFailingHandlerLeavesTheBufferUnready() throws {
    struct Failure: Error {}
    let buffer = try unready { _ in throw Failure() }
    #expect(CMSampleBufferMakeDataReady(buffer) == kCMSampleBufferError_BufferNotReady)
    #expect(buffer.dataReadiness == .notReady)
    try buffer.setDataReadiness(.failed(-5))
    var status: OSStatus = 0
    #expect(CMSampleBufferHasDataFailed(buffer, statusOut: &status) && status == -5)
    #expect(throws: CMSampleBuffer.Error.dataFailed) { try buffer.makeDataReady() }
  }

  @Test func partsBecomeReadyWithTheWhole() throws {
    let whole = try unready { _ in }
    let parts = try whole.singleSampleBuffers()
    #expect(parts.allSatisfy { $0.dataReadiness == .notReady })
    try parts[1].makeDataReady()
    #expect(whole.dataReadiness == .ready && parts.allSatisfy { $0.dataReadiness == .ready })
    #expect(throws: CMSampleBuffer.Error.invalidSampleData) { try whole.trackDataReadiness(parts[0]) }
  }

  @Test func anInvalidatedBufferAnswersNothing() throws {
    let buffer = try buffer([timing(0)], sizes: [1], count: 2)
    var calls = 0
    try buffer.setInvalidateHandler { _ in calls += 1 }
    #expect(CMSampleBufferInvalidate(buffer) == noErr && calls == 1 && !CMSampleBufferIsValid(buffer))
    #expect(CMSampleBufferInvalidate(buffer) == kCMSampleBufferError_Invalidated && calls == 1)
    #expect(buffer.numSamples == 0 && buffer.dataBuffer == nil && !buffer.presentationTimeStamp.isValid)
    #expect(!buffer.outputPresentationTimeStamp.isValid && buffer.totalSampleSize == 0)
    #expect(buffer.sampleAttachments.isEmpty && buffer.dataReadiness == .notReady)
    let invalidated = CMSampleBuffer.Error.invalidated
    #expect(throws: invalidated) { try buffer.sampleTimingInfo(at: 0) }
    #expect(throws: invalidated) { try CMSampleBuffer(copying: buffer) }
    #expect(throws: invalidated) { try buffer.singleSampleBuffers() }
    #expect(throws: invalidated) { try buffer.makeDataReady() }
    #expect(throws: invalidated) { try buffer.setOutputPresentationTimeStamp(.zero) }
  }
}
