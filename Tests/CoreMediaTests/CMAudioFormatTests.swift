import CoreMedia
import Foundation
import Testing

@Suite struct CMAudioFormatTests {
  static let pcm = AudioStreamBasicDescription(
    mSampleRate: 48000, mFormatID: kAudioFormatLinearPCM,
    mFormatFlags: kAudioFormatFlagIsSignedInteger | kAudioFormatFlagIsPacked, mBytesPerPacket: 4, mFramesPerPacket: 1,
    mBytesPerFrame: 4, mChannelsPerFrame: 2, mBitsPerChannel: 16, mReserved: 0)

  private let ambisonic = ManagedAudioChannelLayout(tag: kAudioChannelLayoutTag_HOA_ACN_SN3D | 4)
  private let discrete = ManagedAudioChannelLayout(
    tag: kAudioChannelLayoutTag_UseChannelDescriptions,
    channelDescriptions: [
      AudioChannelDescription(mChannelLabel: kAudioChannelLabel_Left),
      AudioChannelDescription(mChannelLabel: 100, mChannelFlags: 2, mCoordinates: .init(30, -5, 1)),
    ])

  @Test func whatGoesInComesOut() throws {
    for layout in [nil, ambisonic, discrete] {
      for cookie in [nil, Data([1, 2, 3])] {
        let description = try CMFormatDescription(
          audioStreamBasicDescription: Self.pcm, layout: layout, magicCookie: cookie, extensions: [.formatName: "PCM"])
        #expect(description.mediaType == .audio && description.mediaSubType == .linearPCM)
        #expect(description.audioStreamBasicDescription == Self.pcm && description.audioChannelLayout == layout)
        #expect(description.magicCookie == cookie && description.extensions.count == 1)
        #expect(description.withMagicCookie { $0.map { Data($0) } } == cookie)
        try checkPointers(description, layout, cookie)
      }
    }
  }

  private func checkPointers(_ description: CMFormatDescription, _ layout: ManagedAudioChannelLayout?, _ cookie: Data?)
    throws
  {
    var (layoutSize, cookieSize) = (-1, -1)
    let layoutPointer = CMAudioFormatDescriptionGetChannelLayout(description, sizeOut: &layoutSize)
    let cookiePointer = CMAudioFormatDescriptionGetMagicCookie(description, sizeOut: &cookieSize)
    #expect((layoutPointer == nil) == (layout == nil) && (cookiePointer == nil) == (cookie == nil))
    #expect(cookieSize == cookie?.count ?? 0 && layoutPointer?.pointee.mChannelLayoutTag == layout?.tag)
    var streamDescription = try #require(CMAudioFormatDescriptionGetStreamBasicDescription(description)).pointee
    var copy: CMFormatDescription?
    let status = CMAudioFormatDescriptionCreate(
      allocator: nil, asbd: &streamDescription, layoutSize: layoutSize, layout: layoutPointer,
      magicCookieSize: cookieSize,
      magicCookie: cookiePointer, extensions: CMFormatDescriptionGetExtensions(description), formatDescriptionOut: &copy
    )
    #expect(status == noErr && copy == description)
  }

  @Test func layouts() {
    #expect(ambisonic.channelCount == 4 && discrete.channelCount == 2)
    #expect(ManagedAudioChannelLayout(tag: kAudioChannelLayoutTag_UseChannelBitmap, bitmap: 0b1011).channelCount == 3)
    #expect(AudioChannelLayoutTag_GetNumberOfChannels(kAudioChannelLayoutTag_MPEG_5_1_A) == 6)
    #expect(kAudioChannelLayoutTag_HOA_ACN_SN3D | 4 == (190 << 16) | 4)
  }

  @Test func sizesThatDoNotFit() {
    var streamDescription = Self.pcm
    var layout = AudioChannelLayout(mChannelLayoutTag: 0, mNumberChannelDescriptions: 2)
    var out: CMFormatDescription?
    func create(_ layoutSize: Int, _ cookieSize: Int) -> OSStatus {
      CMAudioFormatDescriptionCreate(
        allocator: nil, asbd: &streamDescription, layoutSize: layoutSize, layout: &layout, magicCookieSize: cookieSize,
        magicCookie: nil, extensions: nil, formatDescriptionOut: &out)
    }
    // Two descriptions are announced, one is there.
    #expect(create(MemoryLayout<AudioChannelLayout>.size, 0) == kCMFormatDescriptionError_InvalidParameter)
    #expect(create(8, 0) == kCMFormatDescriptionError_InvalidParameter)
    #expect(
      create(0, 4) == kCMFormatDescriptionError_InvalidParameter
        && create(-1, 0) == kCMFormatDescriptionError_InvalidParameter)
    #expect(out == nil)
    layout.mNumberChannelDescriptions = .max
    #expect(create(MemoryLayout<AudioChannelLayout>.size, 0) == kCMFormatDescriptionError_InvalidParameter)
  }

  @Test func partsAreComparedByMask() throws {
    let a = try CMFormatDescription(audioStreamBasicDescription: Self.pcm, layout: ambisonic, magicCookie: Data([1]))
    let b = try CMFormatDescription(audioStreamBasicDescription: Self.pcm, layout: discrete, magicCookie: Data([1]))
    var equal: CMAudioFormatDescriptionMask = []
    #expect(!CMAudioFormatDescriptionEqual(a, otherFormatDescription: b, equalityMask: .all, equalityMaskOut: &equal))
    #expect(equal == [.streamBasicDescription, .magicCookie, .extensions] && a != b)
    #expect(
      CMAudioFormatDescriptionEqual(a, otherFormatDescription: b, equalityMask: .magicCookie, equalityMaskOut: nil))
  }
}
