public import CoreVideo

public let kCMMediaType_Video: CMMediaType = 0x7669_6465  // vide
public let kCMMediaType_Audio: CMMediaType = 0x736f_756e  // soun
public let kCMMediaType_Muxed: CMMediaType = 0x6d75_7878  // muxx
public let kCMMediaType_Text: CMMediaType = 0x7465_7874  // text
public let kCMMediaType_ClosedCaption: CMMediaType = 0x636c_6370  // clcp
public let kCMMediaType_Subtitle: CMMediaType = 0x7362_746c  // sbtl
public let kCMMediaType_TimeCode: CMMediaType = 0x746d_6364  // tmcd
public let kCMMediaType_Metadata: CMMediaType = 0x6d65_7461  // meta
public let kCMMediaType_TaggedBufferGroup: CMMediaType = 0x7462_6772  // tbgr
public let kCMMediaType_AuxiliaryPicture: CMMediaType = 0x6175_7876  // auxv

public typealias CMVideoCodecType = FourCharCode
public typealias CMAudioCodecType = FourCharCode
public typealias CMMetadataFormatType = FourCharCode
public typealias CMTextFormatType = FourCharCode
public typealias CMSubtitleFormatType = FourCharCode
public typealias CMTimeCodeFormatType = FourCharCode
public typealias CMMuxedStreamType = FourCharCode
public typealias CMClosedCaptionFormatType = FourCharCode

public let kCMVideoCodecType_422YpCbCr8: CMVideoCodecType = 0x3276_7579  // 2vuy
public let kCMVideoCodecType_Animation: CMVideoCodecType = 0x726c_6520  // 'rle '
public let kCMVideoCodecType_Cinepak: CMVideoCodecType = 0x6376_6964  // cvid
public let kCMVideoCodecType_JPEG: CMVideoCodecType = 0x6a70_6567  // jpeg
public let kCMVideoCodecType_JPEG_OpenDML: CMVideoCodecType = 0x646d_6231  // dmb1
public let kCMVideoCodecType_JPEG_XL: CMVideoCodecType = 0x6a78_6c63  // jxlc
public let kCMVideoCodecType_SorensonVideo: CMVideoCodecType = 0x5356_5131  // SVQ1
public let kCMVideoCodecType_SorensonVideo3: CMVideoCodecType = 0x5356_5133  // SVQ3
public let kCMVideoCodecType_H263: CMVideoCodecType = 0x6832_3633  // h263
public let kCMVideoCodecType_H264: CMVideoCodecType = 0x6176_6331  // avc1
public let kCMVideoCodecType_HEVC: CMVideoCodecType = 0x6876_6331  // hvc1
public let kCMVideoCodecType_HEVCWithAlpha: CMVideoCodecType = 0x6d75_7861  // muxa
public let kCMVideoCodecType_DolbyVisionHEVC: CMVideoCodecType = 0x6476_6831  // dvh1
public let kCMVideoCodecType_DisparityHEVC: CMVideoCodecType = 0x6469_7368  // dish
public let kCMVideoCodecType_DepthHEVC: CMVideoCodecType = 0x6465_7068  // deph
public let kCMVideoCodecType_MPEG4Video: CMVideoCodecType = 0x6d70_3476  // mp4v
public let kCMVideoCodecType_MPEG2Video: CMVideoCodecType = 0x6d70_3276  // mp2v
public let kCMVideoCodecType_MPEG1Video: CMVideoCodecType = 0x6d70_3176  // mp1v
public let kCMVideoCodecType_VP9: CMVideoCodecType = 0x7670_3039  // vp09
public let kCMVideoCodecType_AV1: CMVideoCodecType = 0x6176_3031  // av01
public let kCMVideoCodecType_DVCNTSC: CMVideoCodecType = 0x6476_6320  // 'dvc '
public let kCMVideoCodecType_DVCPAL: CMVideoCodecType = 0x6476_6370  // dvcp
public let kCMVideoCodecType_DVCProPAL: CMVideoCodecType = 0x6476_7070  // dvpp
public let kCMVideoCodecType_DVCPro50NTSC: CMVideoCodecType = 0x6476_356e  // dv5n
public let kCMVideoCodecType_DVCPro50PAL: CMVideoCodecType = 0x6476_3570  // dv5p
public let kCMVideoCodecType_DVCPROHD720p60: CMVideoCodecType = 0x6476_6870  // dvhp
public let kCMVideoCodecType_DVCPROHD720p50: CMVideoCodecType = 0x6476_6871  // dvhq
public let kCMVideoCodecType_DVCPROHD1080i60: CMVideoCodecType = 0x6476_6836  // dvh6
public let kCMVideoCodecType_DVCPROHD1080i50: CMVideoCodecType = 0x6476_6835  // dvh5
public let kCMVideoCodecType_DVCPROHD1080p30: CMVideoCodecType = 0x6476_6833  // dvh3
public let kCMVideoCodecType_DVCPROHD1080p25: CMVideoCodecType = 0x6476_6832  // dvh2
public let kCMVideoCodecType_AppleProRes4444XQ: CMVideoCodecType = 0x6170_3478  // ap4x
public let kCMVideoCodecType_AppleProRes4444: CMVideoCodecType = 0x6170_3468  // ap4h
public let kCMVideoCodecType_AppleProRes422HQ: CMVideoCodecType = 0x6170_6368  // apch
public let kCMVideoCodecType_AppleProRes422: CMVideoCodecType = 0x6170_636e  // apcn
public let kCMVideoCodecType_AppleProRes422LT: CMVideoCodecType = 0x6170_6373  // apcs
public let kCMVideoCodecType_AppleProRes422Proxy: CMVideoCodecType = 0x6170_636f  // apco
public let kCMVideoCodecType_AppleProResRAW: CMVideoCodecType = 0x6170_726e  // aprn
public let kCMVideoCodecType_AppleProResRAWHQ: CMVideoCodecType = 0x6170_7268  // aprh

public let kCMAudioCodecType_AAC_LCProtected: CMAudioCodecType = 0x7061_6163  // paac
public let kCMAudioCodecType_AAC_AudibleProtected: CMAudioCodecType = 0x6161_6163  // aaac

public let kCMMetadataFormatType_ICY: CMMetadataFormatType = 0x6963_7920  // 'icy '
public let kCMMetadataFormatType_ID3: CMMetadataFormatType = 0x6964_3320  // 'id3 '
public let kCMMetadataFormatType_Boxed: CMMetadataFormatType = 0x6d65_6278  // mebx
public let kCMMetadataFormatType_EMSG: CMMetadataFormatType = 0x656d_7367  // emsg

public let kCMTextFormatType_QTText: CMTextFormatType = 0x7465_7874  // text
public let kCMTextFormatType_3GText: CMTextFormatType = 0x7478_3367  // tx3g
public let kCMSubtitleFormatType_3GText: CMSubtitleFormatType = 0x7478_3367  // tx3g
public let kCMSubtitleFormatType_WebVTT: CMSubtitleFormatType = 0x7776_7474  // wvtt
public let kCMTimeCodeFormatType_TimeCode32: CMTimeCodeFormatType = 0x746d_6364  // tmcd
public let kCMTimeCodeFormatType_TimeCode64: CMTimeCodeFormatType = 0x7463_3634  // tc64
public let kCMTimeCodeFormatType_Counter32: CMTimeCodeFormatType = 0x636e_3332  // cn32
public let kCMTimeCodeFormatType_Counter64: CMTimeCodeFormatType = 0x636e_3634  // cn64
public let kCMClosedCaptionFormatType_CEA608: CMClosedCaptionFormatType = 0x6336_3038  // c608
public let kCMClosedCaptionFormatType_CEA708: CMClosedCaptionFormatType = 0x6337_3038  // c708
public let kCMClosedCaptionFormatType_ATSC: CMClosedCaptionFormatType = 0x6174_6363  // atcc

extension CMFormatDescription {
  /// The kind of media: video, audio, metadata …
  public struct MediaType: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: FourCharCode
    public init(rawValue: FourCharCode) { self.rawValue = rawValue }
    public var description: String { fourCharacterString(rawValue) }

    public static let video = MediaType(rawValue: kCMMediaType_Video)
    public static let audio = MediaType(rawValue: kCMMediaType_Audio)
    public static let muxed = MediaType(rawValue: kCMMediaType_Muxed)
    public static let text = MediaType(rawValue: kCMMediaType_Text)
    public static let closedCaption = MediaType(rawValue: kCMMediaType_ClosedCaption)
    public static let subtitle = MediaType(rawValue: kCMMediaType_Subtitle)
    public static let timeCode = MediaType(rawValue: kCMMediaType_TimeCode)
    public static let metadata = MediaType(rawValue: kCMMediaType_Metadata)
    public static let taggedBufferGroup = MediaType(rawValue: kCMMediaType_TaggedBufferGroup)
    public static let auxiliaryPicture = MediaType(rawValue: kCMMediaType_AuxiliaryPicture)
  }

  /// The codec, pixel format or other form of the media.
  public struct MediaSubType: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: FourCharCode
    public init(rawValue: FourCharCode) { self.rawValue = rawValue }
    public var description: String { fourCharacterString(rawValue) }

    public static let h264 = MediaSubType(rawValue: kCMVideoCodecType_H264)
    public static let hevc = MediaSubType(rawValue: kCMVideoCodecType_HEVC)
    public static let hevcWithAlpha = MediaSubType(rawValue: kCMVideoCodecType_HEVCWithAlpha)
    public static let disparityHEVC = MediaSubType(rawValue: kCMVideoCodecType_DisparityHEVC)
    public static let depthHEVC = MediaSubType(rawValue: kCMVideoCodecType_DepthHEVC)
    public static let dolbyVisionHEVC = MediaSubType(rawValue: kCMVideoCodecType_DolbyVisionHEVC)
    public static let jpeg = MediaSubType(rawValue: kCMVideoCodecType_JPEG)
    public static let mpeg4Video = MediaSubType(rawValue: kCMVideoCodecType_MPEG4Video)
    public static let proRes4444XQ = MediaSubType(rawValue: kCMVideoCodecType_AppleProRes4444XQ)
    public static let proRes4444 = MediaSubType(rawValue: kCMVideoCodecType_AppleProRes4444)
    public static let proRes422HQ = MediaSubType(rawValue: kCMVideoCodecType_AppleProRes422HQ)
    public static let proRes422 = MediaSubType(rawValue: kCMVideoCodecType_AppleProRes422)
    public static let proRes422LT = MediaSubType(rawValue: kCMVideoCodecType_AppleProRes422LT)
    public static let proRes422Proxy = MediaSubType(rawValue: kCMVideoCodecType_AppleProRes422Proxy)
    public static let proResRAW = MediaSubType(rawValue: kCMVideoCodecType_AppleProResRAW)
    public static let proResRAWHQ = MediaSubType(rawValue: kCMVideoCodecType_AppleProResRAWHQ)
    public static let linearPCM = MediaSubType(rawValue: kAudioFormatLinearPCM)
    public static let mpeg4AAC = MediaSubType(rawValue: kAudioFormatMPEG4AAC)
    public static let boxed = MediaSubType(rawValue: kCMMetadataFormatType_Boxed)
    public static let mebx = MediaSubType(rawValue: kCMMetadataFormatType_Boxed)
    public static let timeCode32 = MediaSubType(rawValue: kCMTimeCodeFormatType_TimeCode32)
    public static let timeCode64 = MediaSubType(rawValue: kCMTimeCodeFormatType_TimeCode64)
  }

  public var mediaType: MediaType { MediaType(rawValue: type) }
  public var mediaSubType: MediaSubType { MediaSubType(rawValue: subType) }
}
