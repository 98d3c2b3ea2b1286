import CoreMedia
import Foundation
import Testing

@Suite struct CMSampleBufferAudioTests {
  private func format(apart: Bool) throws -> CMFormatDescription {
    var description = CMAudioFormatTests.pcm
    if apart {
      description.mFormatFlags |= kAudioFormatFlagIsNonInterleaved
      (description.mBytesPerFrame, description.mBytesPerPacket) = (2, 2)
    }
    return try CMFormatDescription(audioStreamBasicDescription: description)
  }

  /// Four frames of two channels of 16 bits, in blocks of odd sizes.
  private func sound(apart: Bool, blocks: [Int] = [3, 6, 7]) throws -> CMSampleBuffer {
    let data = try CMBlockBuffer()
    for block in blocks { try data.append(length: block, flags: .assureMemoryNow) }
    try (0..<16).map { UInt8($0) }.withUnsafeBytes { try data.replaceDataBytes(with: $0) }
    return try CMSampleBuffer(
      dataBuffer: data, formatDescription: format(apart: apart), numSamples: 4,
      sampleTimings: [
        CMSampleTimingInfo(
          duration: CMTime(value: 1, timescale: 48000), presentationTimeStamp: .zero, decodeTimeStamp: .invalid)
      ], sampleSizes: apart ? [] : [4])
  }

  private func bytes(_ buffer: AudioBuffer) -> [UInt8] {
    Array(UnsafeRawBufferPointer(start: buffer.mData, count: Int(buffer.mDataByteSize)))
  }

  @Test func theListHasABufferForEachChannelApart() throws {
    for blocks in [[16], [3, 6, 7]] {
      for flags in [CMSampleBuffer.Flags(), .audioBufferListAssure16ByteAlignment] {
        try sound(apart: false, blocks: blocks).withAudioBufferList(flags: flags) { list, memory in
          #expect(list.count == 1 && list[0].mNumberChannels == 2 && bytes(list[0]) == Array(0..<16))
          #expect(memory.dataLength == 16)
        }
        try sound(apart: true, blocks: blocks).withAudioBufferList(flags: flags) { list, memory in
          #expect(list.map(bytes) == [Array(0..<8), Array(8..<16)] && list.allSatisfy { $0.mNumberChannels == 1 })
          let all = try memory.dataBytes()
          #expect(all == Data(0..<16))
          if !flags.isEmpty { #expect(list.allSatisfy { UInt(bitPattern: $0.mData) % 16 == 0 }) }
        }
      }
    }
  }

  @Test func theListNeedsRoom() throws {
    let sound = try sound(apart: true)
    var needed = 0
    var memory: CMBlockBuffer?
    let list = AudioBufferList.allocate(maximumBuffers: 2)
    defer { list.unsafeMutablePointer.deallocate() }
    func get(_ list: UnsafeMutablePointer<AudioBufferList>?, _ size: Int) -> OSStatus {
      CMSampleBufferGetAudioBufferListWithRetainedBlockBuffer(
        sound, bufferListSizeNeededOut: &needed, bufferListOut: list, bufferListSize: size, blockBufferAllocator: nil,
        blockBufferMemoryAllocator: nil, flags: 0, blockBufferOut: &memory)
    }
    #expect(get(nil, 0) == noErr && needed == AudioBufferList.sizeInBytes(maximumBuffers: 2))
    #expect(get(list.unsafeMutablePointer, needed - 1) == kCMSampleBufferError_ArrayTooSmall && memory == nil)
    #expect(get(list.unsafeMutablePointer, needed) == noErr)
    #expect(list.map(bytes) == [Array(0..<8), Array(8..<16)] && memory != nil)
  }

  @Test func dataComesFromAList() throws {
    let (left, right): ([UInt8], [UInt8]) = ([1, 2, 3, 4], [5, 6, 7, 8])
    let target = try CMSampleBuffer(
      dataBuffer: nil, dataReady: false, formatDescription: format(apart: true), numSamples: 2, sampleTimings: [],
      sampleSizes: [], makeDataReadyHandler: { _ in })
    let list = AudioBufferList.allocate(maximumBuffers: 2)
    defer { list.unsafeMutablePointer.deallocate() }
    try left.withUnsafeBytes { left in
      try right.withUnsafeBytes { right in
        for (index, side) in [left, right].enumerated() {
          list[index] = AudioBuffer(
            mNumberChannels: 1, mDataByteSize: 4, mData: UnsafeMutableRawPointer(mutating: side.baseAddress))
        }
        try target.setDataBuffer(fromAudioBufferList: list.unsafePointer)
      }
    }
    #expect(try target.dataBuffer?.dataBytes() == Data([1, 2, 3, 4, 5, 6, 7, 8]))
    #expect(throws: CMSampleBuffer.Error.alreadyHasDataBuffer) {
      try sound(apart: false).withAudioBufferList { list, _ in
        try target.setDataBuffer(fromAudioBufferList: list.unsafePointer)
      }
    }
  }

  @Test func everyRangeOfFramesIsCopied() throws {
    for isApart in [false, true] {
      let sound = try sound(apart: isApart)
      for start in 0..<4 {
        for count in 1...4 - start {
          let expected: [[UInt8]] =
            isApart
            ? [0, 8].map { side in (start * 2..<(start + count) * 2).map { UInt8($0 + side) } }
            : [(start * 4..<(start + count) * 4).map { UInt8($0) }]
          #expect(try copied(sound, start, count, expected[0].count, lists: expected.count) == expected)
        }
      }
    }
  }

  private func copied(_ sound: CMSampleBuffer, _ start: Int, _ count: Int, _ size: Int, lists: Int) throws -> [[UInt8]]
  {
    let list = AudioBufferList.allocate(maximumBuffers: lists)
    defer { list.unsafeMutablePointer.deallocate() }
    for index in 0..<lists {
      list[index] = AudioBuffer(
        mNumberChannels: 1, mDataByteSize: UInt32(size), mData: .allocate(byteCount: max(size, 1), alignment: 1))
    }
    defer { for buffer in list { buffer.mData?.deallocate() } }
    try sound.copyPCMData(fromRange: start..<start + count, into: list.unsafeMutablePointer)
    return list.map(bytes)
  }

  @Test func whatCannotBeCopied() throws {
    let sound = try sound(apart: false)
    typealias Failure = CMSampleBuffer.Error
    #expect(throws: Failure.sampleIndexOutOfRange) { try copied(sound, 2, 3, 12, lists: 1) }
    #expect(throws: Failure.arrayTooSmall) { try copied(sound, 0, 2, 7, lists: 1) }
    #expect(throws: Failure.invalidSampleData) { try copied(sound, 0, 1, 4, lists: 2) }
    let silent = try buffer([timing(0)], sizes: [1], count: 1)
    #expect(throws: Failure.invalidMediaTypeForOperation) { try silent.withAudioBufferList { _, _ in } }
    #expect(throws: Failure.invalidMediaTypeForOperation) { try silent.audioStreamPacketDescriptions() }
  }

  // MARK: - Packets

  private var aac: CMFormatDescription {
    get throws {
      try CMFormatDescription(
        audioStreamBasicDescription: AudioStreamBasicDescription(
          mSampleRate: 44100, mFormatID: kAudioFormatMPEG4AAC, mFormatFlags: 0, mBytesPerPacket: 0,
          mFramesPerPacket: 1024,
          mBytesPerFrame: 0, mChannelsPerFrame: 2, mBitsPerChannel: 0, mReserved: 0))
    }
  }

  @Test func packetsGoInAndComeOut() throws {
    let packets = [(0, 3), (3, 5), (8, 2)].map {
      AudioStreamPacketDescription(mStartOffset: Int64($0), mVariableFramesInPacket: 0, mDataByteSize: UInt32($1))
    }
    var out: CMSampleBuffer?
    let status = CMAudioSampleBufferCreateReadyWithPacketDescriptions(
      allocator: nil, dataBuffer: try CMBlockBuffer(copying: Data(count: 10)), formatDescription: try aac,
      sampleCount: 3,
      presentationTimeStamp: CMTime(value: 2048, timescale: 44100), packetDescriptions: packets, sampleBufferOut: &out)
    #expect(status == noErr)
    let sound = try #require(out)
    #expect(try sound.audioStreamPacketDescriptions() == packets && sound.sampleSizes() == [3, 5, 2])
    #expect(sound.duration == CMTime(value: 3072, timescale: 44100))
    #expect(try sound.sampleTimingInfo(at: 2).presentationTimeStamp == CMTime(value: 4096, timescale: 44100))
    var size = 0
    var pointer: UnsafePointer<AudioStreamPacketDescription>?
    for _ in 0..<2 {
      #expect(
        CMSampleBufferGetAudioStreamPacketDescriptionsPtr(sound, packetDescriptionsPointerOut: &pointer, sizeOut: &size)
          == noErr)
      #expect(Array(UnsafeBufferPointer(start: pointer, count: 3)) == packets && size == 48)
    }
  }

  @Test func packetsAlikeNeedNoDescriptions() throws {
    #expect(try sound(apart: false).audioStreamPacketDescriptions().isEmpty)
    var out: CMSampleBuffer?
    let data = try CMBlockBuffer(copying: Data(count: 16))
    let made = CMAudioSampleBufferCreateReadyWithPacketDescriptions(
      allocator: nil, dataBuffer: data, formatDescription: try format(apart: false), sampleCount: 4,
      presentationTimeStamp: .zero, packetDescriptions: nil, sampleBufferOut: &out)
    #expect(made == noErr && out?.totalSampleSize == 16 && out?.duration == CMTime(value: 4, timescale: 48000))
    let missing = CMAudioSampleBufferCreateReadyWithPacketDescriptions(
      allocator: nil, dataBuffer: data, formatDescription: try aac, sampleCount: 4, presentationTimeStamp: .zero,
      packetDescriptions: nil, sampleBufferOut: &out)
    #expect(missing == kCMSampleBufferError_RequiredParameterMissing)
  }

  @Test func packetsOfVariableDuration() throws {
    var packets = [4, 4].map {
      AudioStreamPacketDescription(mStartOffset: 0, mVariableFramesInPacket: 0, mDataByteSize: $0)
    }
    (packets[0].mVariableFramesInPacket, packets[1].mVariableFramesInPacket) = (960, 480)
    var out: CMSampleBuffer?
    _ = CMAudioSampleBufferCreateReadyWithPacketDescriptions(
      allocator: nil, dataBuffer: try CMBlockBuffer(copying: Data(count: 8)), formatDescription: try aac,
      sampleCount: 2,
      presentationTimeStamp: .zero, packetDescriptions: packets, sampleBufferOut: &out)
    let sound = try #require(out)
    #expect(sound.duration == CMTime(value: 1440, timescale: 44100))
    #expect(try sound.sampleTimingInfo(at: 1).presentationTimeStamp == CMTime(value: 960, timescale: 44100))
  }
}
