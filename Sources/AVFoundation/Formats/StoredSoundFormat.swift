internal import CoreMedia
internal import Foundation
internal import QuickTime

extension SampleDescription {
  /// A sound's format; the magic cookie is the `esds` payload where there is one.
  func sound(_ audio: AudioDescription, _ extensions: [String: Any]) -> CMFormatDescription {
    let stream = streamDescription(audio)
    let layout = (try? child("chan", as: ChannelLayoutAtom.self)).map(\.managedLayout)
    var extensions = extensions
    if let esds = child("esds") {
      var atoms =
        extensions[kCMFormatDescriptionExtension_SampleDescriptionExtensionAtoms] as? [String: Any] ?? [:]
      atoms["esds"] = esds
      extensions[kCMFormatDescriptionExtension_SampleDescriptionExtensionAtoms] = atoms
    }
    let typed = CMFormatDescription.Extensions(
      base: Dictionary(
        uniqueKeysWithValues: extensions.map {
          (CMFormatDescription.Extensions.Key(rawValue: $0.key), .init(propertyListRepresentation: $0.value))
        }))
    do {
      return try CMFormatDescription(
        audioStreamBasicDescription: stream, layout: layout, magicCookie: child("esds") ?? child("alac"),
        extensions: typed)
    } catch {
      return CMFormatDescription(
        mediaType: kCMMediaType_Audio, codecType: type.rawValue, dimensions: nil, extensions: extensions)
    }
  }

  private func streamDescription(_ audio: AudioDescription) -> AudioStreamBasicDescription {
    var stream = AudioStreamBasicDescription()
    stream.mSampleRate = audio.sampleRate
    stream.mChannelsPerFrame = UInt32(clamping: audio.channels)
    if let pcm = PCMEntry(type: type, audio: audio, isLittleEndian: child("enda").map { $0.last == 1 } ?? false) {
      let frame = UInt32(clamping: audio.channels.multipliedReportingOverflow(by: pcm.bits / 8).partialValue)
      stream.mFormatID = kAudioFormatLinearPCM
      stream.mFormatFlags = pcm.flags
      stream.mBitsPerChannel = UInt32(clamping: pcm.bits)
      stream.mBytesPerFrame = frame
      stream.mBytesPerPacket = frame
      stream.mFramesPerPacket = 1
    } else {
      let esds = try? child("esds", as: ElementaryStreamAtom.self)
      stream.mFormatID = Self.formatID(type, objectType: esds?.objectType)
      stream.mFramesPerPacket =
        stream.mFormatID == kAudioFormatMPEG4AAC ? 1024 : UInt32(clamping: audio.framesPerPacket)
    }
    return stream
  }

  private static func formatID(_ type: FourCC, objectType: UInt8?) -> AudioFormatID {
    guard type == "mp4a" else { return type.rawValue }
    switch objectType {
    case 0x69, 0x6B: return kAudioFormatMPEGLayer3
    case 0xA5: return kAudioFormatAC3
    default: return kAudioFormatMPEG4AAC
    }
  }
}

/// How a sample entry of uncompressed sound stores its samples.
private struct PCMEntry {
  var bits: Int
  var flags: AudioFormatFlags

  /// Nil for compressed sound. `isLittleEndian` is what an `enda` atom says.
  init?(type: FourCC, audio: AudioDescription, isLittleEndian: Bool) {
    let packed = kAudioFormatFlagIsPacked
    let signed = packed | kAudioFormatFlagIsSignedInteger
    let order = isLittleEndian ? 0 : kAudioFormatFlagIsBigEndian
    switch type {
    case "lpcm": self.init(audio.bitsPerChannel, audio.formatFlags)
    case "sowt": self.init(audio.bitsPerChannel, signed)
    case "twos": self.init(audio.bitsPerChannel, signed | kAudioFormatFlagIsBigEndian)
    case "raw ": self.init(8, packed)
    case "in24": self.init(24, signed | order)
    case "in32": self.init(32, signed | order)
    case "fl32": self.init(32, packed | kAudioFormatFlagIsFloat | order)
    case "fl64": self.init(64, packed | kAudioFormatFlagIsFloat | order)
    default: return nil
    }
  }

  private init?(_ bits: Int, _ flags: AudioFormatFlags) {
    guard [8, 16, 24, 32, 64].contains(bits) else { return nil }
    self.bits = bits
    self.flags = flags
  }
}

extension ChannelLayoutAtom {
  fileprivate var managedLayout: ManagedAudioChannelLayout {
    ManagedAudioChannelLayout(
      tag: tag, bitmap: bitmap,
      channelDescriptions: descriptions.map {
        AudioChannelDescription(
          mChannelLabel: $0.label, mChannelFlags: $0.flags,
          mCoordinates: .init($0.coordinates[0], $0.coordinates[1], $0.coordinates[2]))
      })
  }
}
