internal import CoreMedia
internal import Foundation
internal import QuickTime

extension SampleDescription {
  /// The sample entry of a sound: `lpcm` or `sowt` for PCM, `mp4a` with `esds` for AAC, else the codec's own code.
  static func sound(_ format: CMFormatDescription) throws -> SampleDescription {
    guard let stream = format.audioStreamBasicDescription else {
      throw AVError(.unsupportedOutputSettings, "The format \(format) does not say how its sound is stored.")
    }
    var children = try ExtensionReader(format).atoms()
    if let layout = format.audioChannelLayout { children.append(StoredAtom(ChannelLayoutAtom(layout))) }
    if stream.mFormatID == kAudioFormatLinearPCM { return pcm(stream, children) }
    var audio = AudioDescription(
      channels: Int(stream.mChannelsPerFrame), bitsPerChannel: 16, sampleRate: stream.mSampleRate)
    let isAAC = stream.mFormatID == kAudioFormatMPEG4AAC
    if isAAC, !children.contains(where: { $0.type == "esds" }), let cookie = format.magicCookie {
      children.insert(StoredAtom("esds", elementaryStream(cookie)), at: 0)
    }
    audio.compressionID = isAAC ? -2 : 0
    return SampleDescription(
      type: isAAC ? "mp4a" : FourCC(stream.mFormatID), layout: .audio(audio), children: children)
  }

  /// A cookie is either the payload of an `esds` atom or the bare configuration of the decoder.
  private static func elementaryStream(_ cookie: Data) -> Data {
    if cookie.count > 5, cookie.prefix(4).allSatisfy({ $0 == 0 }), cookie[cookie.startIndex + 4] == 3 { return cookie }
    return StoredAtom(ElementaryStreamAtom(objectType: 0x40, streamType: 5, decoderConfiguration: cookie)).payload
  }

  /// Two bytes of little-endian integers fit the oldest entry; everything else takes the newest.
  private static func pcm(_ stream: AudioStreamBasicDescription, _ children: [StoredAtom]) -> SampleDescription {
    let plain = kAudioFormatFlagIsPacked | kAudioFormatFlagIsSignedInteger
    let isOld =
      stream.mFormatFlags == plain && stream.mBitsPerChannel == 16 && stream.mChannelsPerFrame <= 2
      && stream.mSampleRate < 65_536
    var audio = AudioDescription(
      channels: Int(stream.mChannelsPerFrame), bitsPerChannel: Int(stream.mBitsPerChannel),
      sampleRate: stream.mSampleRate, version: isOld ? 0 : 2)
    audio.formatFlags = stream.mFormatFlags
    audio.bytesPerPacket = Int(stream.mBytesPerPacket)
    audio.bytesPerFrame = Int(stream.mBytesPerFrame)
    audio.framesPerPacket = 1
    return SampleDescription(type: isOld ? "sowt" : "lpcm", layout: .audio(audio), children: children)
  }
}

extension ChannelLayoutAtom {
  fileprivate init(_ layout: ManagedAudioChannelLayout) {
    self.init(
      tag: layout.tag, bitmap: layout.bitmap,
      descriptions: layout.channelDescriptions.map {
        Description(
          label: $0.mChannelLabel, flags: $0.mChannelFlags,
          coordinates: [$0.mCoordinates.x, $0.mCoordinates.y, $0.mCoordinates.z])
      })
  }
}
