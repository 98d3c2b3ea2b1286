public import CoreVideo

/// The buffers handed out, or the ones copied to, start at addresses that 16 divides.
public let kCMSampleBufferFlag_AudioBufferList_Assure16ByteAlignment: UInt32 = 1 << 0

extension CMSampleBuffer {
  /// How to read the sound. Throws for what is no audio, or without a format.
  func audioDescription() throws(Error) -> AudioStreamBasicDescription {
    guard isValid else { throw .invalidated }
    guard let description = format?.audioStreamBasicDescription else { throw .invalidMediaTypeForOperation }
    return description
  }

  /// The data, once it is ready.
  private func readyData() throws(Error) -> CMBlockBuffer {
    guard dataReadiness == .ready, let data = dataBuffer else { throw .bufferNotReady }
    return data
  }

  /// In how many buffers the sound lies: one for each channel where they lie apart, else one.
  private func audioBufferCount(_ description: AudioStreamBasicDescription) -> Int {
    description.isApart ? Int(max(1, description.mChannelsPerFrame)) : 1
  }

  // MARK: - Lists from data

  /// The data as a list of buffers, each in a row, and the block buffer that holds what they point to.
  func audioBuffers(isAligned: Bool) throws(Error) -> (buffers: [AudioBuffer], memory: CMBlockBuffer) {
    let description = try audioDescription()
    let data = try readyData()
    let count = audioBufferCount(description)
    let length = data.length / count
    guard length > 0, data.length % count == 0, let size = UInt32(exactly: length) else { throw .invalidSampleData }
    let memory = CMBlockBuffer()
    var buffers: [AudioBuffer] = []
    for index in 0..<count {
      let (part, address) = try rowOfBytes(data, index * length..<(index + 1) * length, isAligned)
      memory.append(CMBlockBuffer.Segment(source: .buffer(part), offset: 0, length: length))
      let channels = count == 1 ? description.mChannelsPerFrame : 1
      buffers.append(AudioBuffer(mNumberChannels: channels, mDataByteSize: size, mData: address))
    }
    return (buffers, memory)
  }

  private func rowOfBytes(
    _ data: CMBlockBuffer, _ range: Range<Int>, _ isAligned: Bool
  ) throws(Error) -> (CMBlockBuffer, UnsafeMutableRawPointer) {
    do {
      let slice = data[range]
      var row = try slice.makeContiguous()
      var address = try row.row(at: 0, assure: false).baseAddress!
      if isAligned, UInt(bitPattern: address) % 16 != 0 {
        row = try slice.makeContiguous(flags: .alwaysCopyData)
        address = try row.row(at: 0, assure: false).baseAddress!
      }
      return (row, address)
    } catch { throw .invalidSampleData }
  }

  /// Calls `body` with the sound as a list of buffers, each in a row, and the block buffer that holds what they point
  /// to. The list is not valid after `body` returns.
  public func withAudioBufferList<R>(
    blockBufferMemoryAllocator: CFAllocator? = kCFAllocatorDefault, flags: Flags = [],
    body: (UnsafeMutableAudioBufferListPointer, CMBlockBuffer) throws -> R
  ) throws -> R {
    let (buffers, memory) = try audioBuffers(isAligned: flags.contains(.audioBufferListAssure16ByteAlignment))
    let list = AudioBufferList.allocate(maximumBuffers: buffers.count)
    defer { list.unsafeMutablePointer.deallocate() }
    for (index, buffer) in buffers.enumerated() { list[index] = buffer }
    return try withExtendedLifetime(memory) { try body(list, memory) }
  }

  public struct Flags: OptionSet, Hashable, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    public static let audioBufferListAssure16ByteAlignment = Flags(
      rawValue: kCMSampleBufferFlag_AudioBufferList_Assure16ByteAlignment)
  }

  // MARK: - Data from lists

  func setData(from list: UnsafeMutableAudioBufferListPointer) throws(Error) {
    _ = try audioDescription()
    let data = CMBlockBuffer()
    for buffer in list where buffer.mDataByteSize > 0 {
      guard let bytes = buffer.mData else { throw .requiredParameterMissing }
      // A block for each buffer: `malloc` starts them all at addresses that 16 divides.
      let memory = BlockMemory(system: nil, length: Int(buffer.mDataByteSize))
      guard let copy = memory.assured() else { throw .allocationFailed }
      copy.copyMemory(from: bytes, byteCount: memory.length)
      data.append(CMBlockBuffer.Segment(source: .memory(memory), offset: 0, length: memory.length))
    }
    guard data.length > 0 else { throw .invalidSampleData }
    try set(data)
  }

  /// Gives the buffer a copy of the sound in the list as its data.
  public func setDataBuffer(
    fromAudioBufferList bufferList: UnsafePointer<AudioBufferList>,
    blockBufferMemoryAllocator: CFAllocator? = kCFAllocatorDefault, flags: Flags = []
  ) throws {
    try setData(from: UnsafeMutableAudioBufferListPointer(UnsafeMutablePointer(mutating: bufferList)))
  }

  // MARK: - PCM

  func copyPCM(_ range: Range<Int>, into list: UnsafeMutableAudioBufferListPointer) throws(Error) {
    let description = try audioDescription()
    guard description.mFormatID == kAudioFormatLinearPCM, description.mBytesPerFrame > 0 else {
      throw .invalidMediaFormat
    }
    let data = try readyData()
    let count = audioBufferCount(description)
    guard list.count == count else { throw .invalidSampleData }
    let bytesPerFrame = Int(description.mBytesPerFrame)
    let channelLength = data.length / count
    guard range.lowerBound >= 0, range.upperBound <= channelLength / bytesPerFrame else { throw .sampleIndexOutOfRange }
    for index in 0..<count {
      let start = index * channelLength + range.lowerBound * bytesPerFrame
      let length = range.count * bytesPerFrame
      guard let target = list[index].mData, Int(list[index].mDataByteSize) >= length else { throw .arrayTooSmall }
      do { try data.copyBytes(in: start..<start + length, to: target) } catch { throw .invalidSampleData }
      list[index].mDataByteSize = UInt32(length)
    }
  }

  /// Copies frames of PCM into the buffers of a list, which must be as many as the sound has and large enough.
  public func copyPCMData(fromRange range: Range<Int>, into bufferList: UnsafeMutablePointer<AudioBufferList>) throws {
    try copyPCM(range, into: UnsafeMutableAudioBufferListPointer(bufferList))
  }
}

extension AudioStreamBasicDescription {
  /// Whether each channel of linear PCM lies in a buffer of its own.
  var isApart: Bool { mFormatID == kAudioFormatLinearPCM && mFormatFlags & kAudioFormatFlagIsNonInterleaved != 0 }
}

// MARK: - The C interface

/// Gives the buffer a copy of the sound in the list as its data. -12741 for what is no audio, -12732 where it has data.
@discardableResult
public func CMSampleBufferSetDataBufferFromAudioBufferList(
  _ sbuf: CMSampleBuffer, blockBufferAllocator: CFAllocator?, blockBufferMemoryAllocator: CFAllocator?, flags: UInt32,
  bufferList: UnsafePointer<AudioBufferList>
) -> OSStatus {
  sampleStatus { () throws(CMSampleBuffer.Error) in
    try sbuf.setData(from: UnsafeMutableAudioBufferListPointer(UnsafeMutablePointer(mutating: bufferList)))
  }
}

/// Fills a list with the sound, each buffer in a row, and gives the block buffer that holds what they point to.
///
/// -12737 where `bufferListSize` is too small; `bufferListSizeNeededOut` says what it takes.
@discardableResult
public func CMSampleBufferGetAudioBufferListWithRetainedBlockBuffer(
  _ sbuf: CMSampleBuffer, bufferListSizeNeededOut: UnsafeMutablePointer<Int>?,
  bufferListOut: UnsafeMutablePointer<AudioBufferList>?, bufferListSize: Int, blockBufferAllocator: CFAllocator?,
  blockBufferMemoryAllocator: CFAllocator?, flags: UInt32, blockBufferOut: UnsafeMutablePointer<CMBlockBuffer?>?
) -> OSStatus {
  sampleStatus { () throws(CMSampleBuffer.Error) in
    let isAligned = flags & kCMSampleBufferFlag_AudioBufferList_Assure16ByteAlignment != 0
    let (buffers, memory) = try sbuf.audioBuffers(isAligned: isAligned)
    let needed = AudioBufferList.sizeInBytes(maximumBuffers: buffers.count)
    bufferListSizeNeededOut?.pointee = needed
    guard let bufferListOut else { return }
    guard bufferListSize >= needed else { throw .arrayTooSmall }
    let list = UnsafeMutableAudioBufferListPointer(bufferListOut)
    list.count = buffers.count
    for (index, buffer) in buffers.enumerated() { list[index] = buffer }
    blockBufferOut?.pointee = memory
  }
}

/// Copies frames of PCM into the buffers of a list. -12741 for what is no audio, -12743 for what is no PCM.
@discardableResult
public func CMSampleBufferCopyPCMDataIntoAudioBufferList(
  _ sbuf: CMSampleBuffer, at frameOffset: Int32, frameCount numFrames: Int32,
  into bufferList: UnsafeMutablePointer<AudioBufferList>
) -> OSStatus {
  sampleStatus { () throws(CMSampleBuffer.Error) in
    guard frameOffset >= 0, numFrames >= 0 else { throw .sampleIndexOutOfRange }
    let range = Int(frameOffset)..<Int(frameOffset) + Int(numFrames)
    try sbuf.copyPCM(range, into: UnsafeMutableAudioBufferListPointer(bufferList))
  }
}
