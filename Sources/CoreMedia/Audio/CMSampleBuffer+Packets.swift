public import CoreVideo

extension CMSampleBuffer {
  /// Where each packet of a variable size lies; none where all packets are alike.
  public func audioStreamPacketDescriptions() throws -> [AudioStreamPacketDescription] { try packets() }

  func packets() throws(Error) -> [AudioStreamPacketDescription] {
    let description = try audioDescription()
    guard description.mBytesPerPacket == 0 || description.mFramesPerPacket == 0 else { return [] }
    guard !sizes.isEmpty else { throw .bufferHasNoSampleSizes }
    var offset = 0
    var packets: [AudioStreamPacketDescription] = []
    for index in 0..<sampleCount {
      let size = sampleSize(at: index)
      let (end, overflow) = offset.addingReportingOverflow(size)
      guard let byteSize = UInt32(exactly: size), !overflow else { throw .invalidSampleData }
      let frames = description.mFramesPerPacket == 0 ? frameCount(at: index, description) : 0
      packets.append(
        AudioStreamPacketDescription(
          mStartOffset: Int64(offset), mVariableFramesInPacket: frames, mDataByteSize: byteSize))
      offset = end
    }
    return packets
  }

  private func frameCount(at index: Int, _ description: AudioStreamBasicDescription) -> UInt32 {
    guard !timings.isEmpty else { return 0 }
    let frames = (timings[index].duration.seconds * description.mSampleRate).rounded()
    return frames.isFinite ? UInt32(exactly: frames) ?? 0 : 0
  }

  /// Calls `body` with where each packet of a variable size lies.
  public func withUnsafeAudioStreamPacketDescriptions<R>(
    _ body: (UnsafeBufferPointer<AudioStreamPacketDescription>) throws -> R
  ) throws -> R {
    try packets().withUnsafeBufferPointer(body)
  }

  /// The packet descriptions in memory that lives as long as the buffer.
  func lastingPackets() throws(Error) -> UnsafeBufferPointer<AudioStreamPacketDescription> {
    let packets = try packets()
    return withState { state in
      if state.packetDescriptions == nil {
        let memory = UnsafeMutableBufferPointer<AudioStreamPacketDescription>.allocate(capacity: packets.count)
        _ = memory.initialize(from: packets)
        state.packetDescriptions = memory
      }
      return UnsafeBufferPointer(state.packetDescriptions!)
    }
  }
}

/// Copies the packet descriptions into an array of the caller's; sizes are in bytes. Nothing where all packets are
/// alike. -12737 where the array is too small, -12741 for what is no audio.
@discardableResult
public func CMSampleBufferGetAudioStreamPacketDescriptions(
  _ sbuf: CMSampleBuffer, packetDescriptionsSize: Int,
  packetDescriptionsOut: UnsafeMutablePointer<AudioStreamPacketDescription>?,
  packetDescriptionsSizeNeededOut: UnsafeMutablePointer<Int>?
) -> OSStatus {
  sampleStatus { () throws(CMSampleBuffer.Error) in
    let packets = try sbuf.packets()
    let needed = packets.count * MemoryLayout<AudioStreamPacketDescription>.stride
    packetDescriptionsSizeNeededOut?.pointee = needed
    guard let packetDescriptionsOut else { return }
    guard packetDescriptionsSize >= needed else { throw .arrayTooSmall }
    packetDescriptionsOut.update(from: packets, count: packets.count)
  }
}

/// Gives the address of the packet descriptions, valid as long as the buffer, and their size in bytes.
@discardableResult
public func CMSampleBufferGetAudioStreamPacketDescriptionsPtr(
  _ sbuf: CMSampleBuffer,
  packetDescriptionsPointerOut: UnsafeMutablePointer<UnsafePointer<AudioStreamPacketDescription>?>?,
  sizeOut: UnsafeMutablePointer<Int>?
) -> OSStatus {
  sampleStatus { () throws(CMSampleBuffer.Error) in
    let packets = try sbuf.lastingPackets()
    packetDescriptionsPointerOut?.pointee = packets.isEmpty ? nil : packets.baseAddress
    sizeOut?.pointee = packets.count * MemoryLayout<AudioStreamPacketDescription>.stride
  }
}

// MARK: - Making

/// Makes a buffer of sound from packets: sizes from their descriptions or from the format, durations from the format.
///
/// -12731 without a format of audio, or for packets of a variable size without descriptions; -12743 for a sample rate
/// that is no time scale.
@discardableResult
public func CMAudioSampleBufferCreateReadyWithPacketDescriptions(
  allocator: CFAllocator?, dataBuffer: CMBlockBuffer, formatDescription: CMFormatDescription,
  sampleCount numSamples: CMItemCount,
  presentationTimeStamp: CMTime, packetDescriptions: UnsafePointer<AudioStreamPacketDescription>?,
  sampleBufferOut: UnsafeMutablePointer<CMSampleBuffer?>
) -> OSStatus {
  sampleStatus { () throws(CMSampleBuffer.Error) in
    guard let description = formatDescription.audioStreamBasicDescription, numSamples > 0 else {
      throw .requiredParameterMissing
    }
    let packets = packetDescriptions.map { Array(UnsafeBufferPointer(start: $0, count: numSamples)) } ?? []
    let parts = CMSampleBuffer.Parts(
      dataBuffer: dataBuffer, format: formatDescription, count: numSamples,
      timings: try packetTimings(description, packets, from: presentationTimeStamp),
      sizes: try packetSizes(description, packets))
    sampleBufferOut.pointee = CMSampleBuffer(try parts.checked())
  }
}

private func packetSizes(
  _ description: AudioStreamBasicDescription, _ packets: [AudioStreamPacketDescription]
) throws(CMSampleBuffer.Error) -> [Int] {
  if description.isApart { return [] }
  if !packets.isEmpty { return packets.map { Int($0.mDataByteSize) } }
  guard description.mBytesPerPacket > 0 else { throw .requiredParameterMissing }
  return [Int(description.mBytesPerPacket)]
}

private func packetTimings(
  _ description: AudioStreamBasicDescription, _ packets: [AudioStreamPacketDescription], from start: CMTime
) throws(CMSampleBuffer.Error) -> [CMSampleTimingInfo] {
  guard let rate = CMTimeScale(exactly: description.mSampleRate), rate > 0 else { throw .invalidMediaFormat }
  let frames = packets.map {
    $0.mVariableFramesInPacket == 0 ? description.mFramesPerPacket : $0.mVariableFramesInPacket
  }
  let isRegular = frames.allSatisfy { $0 == frames[0] }
  var time = start
  return (isRegular ? [frames.first ?? description.mFramesPerPacket] : frames).map { frames in
    let duration = CMTime(value: Int64(frames), timescale: rate)
    defer { time += duration }
    return CMSampleTimingInfo(duration: duration, presentationTimeStamp: time, decodeTimeStamp: .invalid)
  }
}
