import CoreMedia
import Foundation
import Testing

@Suite struct CMSampleBufferCopyTests {
  @Test(arguments: [[1, 2, 3, 4, 5, 6], [2]]) func everyRangeOfSamplesIsCut(_ sizes: [Int]) throws {
    let whole = try buffer(reordered, sizes: sizes, count: 6)
    let bytes = Array(try #require(whole.dataBuffer).dataBytes())
    let starts = (0...6).map { (0..<$0).map(whole.sampleSize(at:)).reduce(0, +) }
    for start in 0...6 {
      for end in start...6 {
        let part = try CMSampleBuffer(copying: whole, forRange: start..<end)
        #expect(part.numSamples == end - start)
        guard start < end else { continue }
        #expect(Array(try #require(part.dataBuffer).dataBytes()) == Array(bytes[starts[start]..<starts[end]]))
        for index in start..<end {
          #expect(try part.sampleTimingInfo(at: index - start) == reordered[index])
          #expect(part.sampleSize(at: index - start) == whole.sampleSize(at: index))
        }
        #expect(part.presentationTimeStamp == reordered[start..<end].map(\.presentationTimeStamp).min())
      }
    }
  }

  @Test func oneTimingIsMovedToTheFirstSampleOfThePart() throws {
    let whole = try buffer([timing(10, 2)], sizes: [1], count: 5)
    for start in 0..<5 {
      let part = try CMSampleBuffer(copying: whole, forRange: start..<5)
      #expect(
        part.presentationTimeStamp == frames(10 + 2 * Int64(start)) && part.duration == frames(2 * (5 - Int64(start))))
      #expect(try part.sampleTimingInfos().count == 1)
    }
  }

  @Test func singleSamples() throws {
    let whole = try buffer(reordered, sizes: [1, 2, 3, 4, 5, 6], count: 6)
    whole.sampleAttachments[1][.notSync] = true
    whole.attachments[.resetDecoderBeforeDecoding] = .shouldPropagate(true)
    whole.attachments[.drainAfterDecoding] = .shouldPropagate(true)
    whole.attachments[.speedMultiplier] = .shouldPropagate(2)
    let singles = try whole.singleSampleBuffers()
    #expect(singles.map(\.presentationTimeStamp) == reordered.map(\.presentationTimeStamp))
    #expect(singles.map(\.totalSampleSize) == [1, 2, 3, 4, 5, 6])
    #expect(singles.map { $0.isSync(at: 0) } == [true, false, true, true, true, true])
    #expect(
      singles.map { $0.attachments[.resetDecoderBeforeDecoding] != nil } == [true] + Array(repeating: false, count: 5))
    #expect(singles.map { $0.attachments[.drainAfterDecoding] != nil } == Array(repeating: false, count: 5) + [true])
    #expect(singles.allSatisfy { $0.attachments[.speedMultiplier] != nil })
  }

  @Test func samplesAreVisitedUntilOneSaysStop() throws {
    let whole = try buffer([timing(0)], sizes: [1], count: 4)
    var seen: [Int] = []
    let status = CMSampleBufferCallBlockForEachSample(whole) { sample, index in
      #expect(sample.numSamples == 1 && sample.presentationTimeStamp == frames(Int64(index)))
      seen.append(index)
      return index == 2 ? -7 : noErr
    }
    #expect(status == -7 && seen == [0, 1, 2])
  }

  @Test func whatCannotBeCut() throws {
    let data = try CMBlockBuffer(copying: Data(count: 4))
    let unsized = try CMSampleBuffer(
      dataBuffer: data, formatDescription: nil, numSamples: 2, sampleTimings: [timing(0)], sampleSizes: [])
    #expect(throws: CMSampleBuffer.Error.cannotSubdivide) { try unsized.singleSampleBuffers() }
    #expect(try CMSampleBuffer(copying: unsized, forRange: 0..<2).numSamples == 2)
    let short = try CMSampleBuffer(
      dataBuffer: data, formatDescription: nil, numSamples: 2, sampleTimings: [timing(0)], sampleSizes: [3])
    #expect(throws: CMSampleBuffer.Error.invalidSampleData) { try short.singleSampleBuffers() }
    let huge = try CMSampleBuffer(
      dataBuffer: data, formatDescription: nil, numSamples: 3, sampleTimings: [timing(0)], sampleSizes: [.max])
    #expect(throws: CMSampleBuffer.Error.invalidSampleData) { try CMSampleBuffer(copying: huge, forRange: 2..<3) }
    #expect(huge.totalSampleSize == .max)
    var out: CMSampleBuffer?
    for range in [CFRangeMake(-1, 1), CFRangeMake(0, 3), CFRangeMake(1, .max), CFRangeMake(0, -1)] {
      let status = CMSampleBufferCopySampleBufferForRange(
        allocator: nil, sampleBuffer: short, sampleRange: range, sampleBufferOut: &out)
      #expect(status == kCMSampleBufferError_SampleIndexOutOfRange && out == nil)
    }
  }

  @Test func copiesShareTheDataAndKeepTheRest() throws {
    let original = try buffer(reordered, sizes: [1, 2, 3, 4, 5, 6], count: 6)
    original.attachments[.emptyMedia] = .shouldPropagate(true)
    original.attachments[.resumeOutput] = .shouldNotPropagate(3)
    original.sampleAttachments[2][.dependsOnOthers] = false
    try original.setOutputPresentationTimeStamp(frames(100))
    let copy = try CMSampleBuffer(copying: original)
    #expect(copy.dataBuffer === original.dataBuffer && copy != original)
    #expect(try copy.sampleTimingInfos() == reordered && copy.sampleSizes() == original.sampleSizes())
    #expect(copy.attachments.propagated.count == 1 && copy.attachments.nonPropagated.isEmpty)
    #expect(copy.sampleAttachments[2][.dependsOnOthers] as? Bool == false)
    #expect(copy.outputPresentationTimeStamp == frames(100))
    copy.sampleAttachments[2][.dependsOnOthers] = true
    #expect(original.sampleAttachments[2][.dependsOnOthers] as? Bool == false)
  }

  @Test func copiesWithNewTiming() throws {
    let original = try buffer(reordered, sizes: [1, 2, 3, 4, 5, 6], count: 6)
    let moved = try CMSampleBuffer(copying: original, withNewTiming: [timing(50, 2)])
    #expect(
      moved.presentationTimeStamp == frames(50) && moved.duration == frames(12)
        && moved.dataBuffer === original.dataBuffer)
    #expect(try !CMSampleBuffer(copying: original, withNewTiming: []).presentationTimeStamp.isValid)
    for count in [2, 5, 7] {
      #expect(throws: CMSampleBuffer.Error.invalidEntryCount) {
        try CMSampleBuffer(copying: original, withNewTiming: Array(repeating: timing(0), count: count))
      }
    }
    var out: CMSampleBuffer?
    var new = timing(9)
    let status = CMSampleBufferCreateCopyWithNewTiming(
      allocator: nil, sampleBuffer: original, sampleTimingEntryCount: 1, sampleTimingArray: &new, sampleBufferOut: &out)
    #expect(status == noErr && out?.presentationTimeStamp == frames(9))
  }

  // MARK: - Output

  @Test func outputTimesFollowTheAttachments() throws {
    let sample = try buffer([timing(10, 2)], sizes: [1], count: 5)
    #expect(sample.outputPresentationTimeStamp == frames(10) && sample.outputDuration == frames(10))
    #expect(try sample.outputSampleTimingInfos() == [timing(10, 2)])
    let trim = { (count: Int64) in CMTimeCopyAsDictionary(frames(count), allocator: nil)! }
    sample.attachments[.trimDurationAtStart] = .shouldPropagate(trim(3))
    sample.attachments[.trimDurationAtEnd] = .shouldPropagate(trim(1))
    #expect(sample.outputPresentationTimeStamp == frames(13) && sample.outputDuration == frames(6))
    sample.attachments[.speedMultiplier] = .shouldPropagate(2.0)
    #expect(sample.outputDuration == frames(3))
    sample.attachments[.reverse] = .shouldPropagate(true)
    #expect(sample.outputPresentationTimeStamp == frames(19))
    try sample.setOutputPresentationTimeStamp(frames(100))
    #expect(sample.outputPresentationTimeStamp == frames(100))
    try sample.setOutputPresentationTimeStamp(.invalid)
    #expect(sample.outputPresentationTimeStamp == frames(19))
  }

  @Test func outputTimesOfSingleSamples() throws {
    let sample = try buffer(reordered, sizes: [1], count: 6)
    sample.attachments[.speedMultiplier] = .shouldPropagate(2)
    try sample.setOutputPresentationTimeStamp(frames(100))
    let output = try sample.outputSampleTimingInfos()
    for (new, old) in zip(output, reordered) {
      let half = CMTimeMultiplyByRatio(old.presentationTimeStamp - frames(1), multiplier: 1, divisor: 2)
      #expect(new.presentationTimeStamp == frames(100) + half)
      #expect(new.duration == CMTime(value: 1, timescale: 60))
      let delay = CMTimeMultiplyByRatio(old.presentationTimeStamp - old.decodeTimeStamp, multiplier: 1, divisor: 2)
      #expect(new.decodeTimeStamp == new.presentationTimeStamp - delay)
    }
    sample.attachments[.speedMultiplier] = nil
    sample.attachments[.reverse] = .shouldPropagate(true)
    try sample.setOutputPresentationTimeStamp(.invalid)
    let reversed = try sample.outputSampleTimingInfos().map(\.presentationTimeStamp)
    #expect(
      zip(reversed, reordered).allSatisfy { $0 == frames(7) + frames(7) - ($1.presentationTimeStamp + frames(1)) })
  }
}
