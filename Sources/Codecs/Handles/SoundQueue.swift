internal import CFFmpeg

/// Owns one AVAudioFifo: planar sample frames waiting to fill a packet.
final class SoundQueue {
  private let raw: OpaquePointer
  private let channels: Int

  init(format: AVSampleFormat, channels: Int) throws {
    guard let raw = av_audio_fifo_alloc(format, Int32(channels), 4096) else {
      throw CodecError(.outOfMemory, "There is no memory for sound; free some and try again.")
    }
    self.raw = raw
    self.channels = channels
  }

  deinit { av_audio_fifo_free(raw) }

  /// Sample frames that wait.
  var count: Int { Int(av_audio_fifo_size(raw)) }

  /// Appends interleaved 32-bit floats as planes.
  func append(interleaved: UnsafeBufferPointer<Float>) throws {
    let frames = interleaved.count / channels
    var storage = [Float](repeating: 0, count: frames * channels)
    for channel in 0..<channels {
      for index in 0..<frames { storage[channel * frames + index] = interleaved[index * channels + channel] }
    }
    let written = storage.withUnsafeMutableBufferPointer { buffer in
      var planes = (0..<channels).map { channel in
        buffer.baseAddress.map { UnsafeMutableRawPointer($0 + channel * frames) }
      }
      return av_audio_fifo_write(raw, &planes, Int32(frames))
    }
    try checked(written, "queueing sound")
  }

  /// Moves the first `frames` sample frames into a frame whose planes have room for them.
  func take(_ frames: Int, into frame: Frame) throws {
    let read = frame.with { target in
      var planes = (0..<channels).map { UnsafeMutableRawPointer(target.pointee.extended_data[$0]) }
      return av_audio_fifo_read(raw, &planes, Int32(frames))
    }
    try checked(read, "queueing sound")
  }
}
