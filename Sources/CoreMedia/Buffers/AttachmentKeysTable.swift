public import CoreVideo

// MARK: - Of single samples

public let kCMSampleAttachmentKey_NotSync: CFString = "NotSync"
public let kCMSampleAttachmentKey_PartialSync: CFString = "PartialSync"
public let kCMSampleAttachmentKey_HasRedundantCoding: CFString = "HasRedundantCoding"
public let kCMSampleAttachmentKey_IsDependedOnByOthers: CFString = "IsDependedOnByOthers"
public let kCMSampleAttachmentKey_DependsOnOthers: CFString = "DependsOnOthers"
public let kCMSampleAttachmentKey_EarlierDisplayTimesAllowed: CFString = "EarlierDisplayTimesAllowed"
public let kCMSampleAttachmentKey_DisplayImmediately: CFString = "DisplayImmediately"
public let kCMSampleAttachmentKey_DoNotDisplay: CFString = "DoNotDisplay"
public let kCMSampleAttachmentKey_HEVCTemporalLevelInfo: CFString = "HEVCTemporalLevelInfo"
public let kCMSampleAttachmentKey_HEVCTemporalSubLayerAccess: CFString = "HEVCTemporalSubLayerAccess"
public let kCMSampleAttachmentKey_HEVCStepwiseTemporalSubLayerAccess: CFString = "HEVCStepwiseTemporalSubLayerAccess"
public let kCMSampleAttachmentKey_HEVCSyncSampleNALUnitType: CFString = "HEVCSyncSampleNALUnitType"
public let kCMSampleAttachmentKey_AudioIndependentSampleDecoderRefreshCount: CFString =
  "AudioIndependentSampleDecoderRefreshCount"
public let kCMSampleAttachmentKey_HDR10PlusPerFrameData: CFString = "HDR10PlusPerFrameData"
public let kCMSampleAttachmentKey_PostDecodeProcessingMetadata: CFString = "PostDecodeProcessingMetadata"

// MARK: - Of whole buffers, by CMSetAttachment

public let kCMSampleBufferAttachmentKey_ResetDecoderBeforeDecoding: CFString = "ResetDecoderBeforeDecoding"
public let kCMSampleBufferAttachmentKey_DrainAfterDecoding: CFString = "DrainAfterDecoding"
public let kCMSampleBufferAttachmentKey_PostNotificationWhenConsumed: CFString = "PostNotificationWhenConsumed"
public let kCMSampleBufferAttachmentKey_ResumeOutput: CFString = "ResumeOutput"
public let kCMSampleBufferAttachmentKey_TransitionID: CFString = "TransitionID"
public let kCMSampleBufferAttachmentKey_TrimDurationAtStart: CFString = "TrimDurationAtStart"
public let kCMSampleBufferAttachmentKey_TrimDurationAtEnd: CFString = "TrimDurationAtEnd"
public let kCMSampleBufferAttachmentKey_SpeedMultiplier: CFString = "SpeedMultiplier"
public let kCMSampleBufferAttachmentKey_Reverse: CFString = "Reverse"
public let kCMSampleBufferAttachmentKey_FillDiscontinuitiesWithSilence: CFString = "FillDiscontinuitiesWithSilence"
public let kCMSampleBufferAttachmentKey_EmptyMedia: CFString = "EmptyMedia"
public let kCMSampleBufferAttachmentKey_PermanentEmptyMedia: CFString = "PermanentEmptyMedia"
public let kCMSampleBufferAttachmentKey_DisplayEmptyMediaImmediately: CFString = "DisplayEmptyMediaImmediately"
public let kCMSampleBufferAttachmentKey_EndsPreviousSampleDuration: CFString = "EndsPreviousSampleDuration"
public let kCMSampleBufferAttachmentKey_SampleReferenceURL: CFString = "SampleReferenceURL"
public let kCMSampleBufferAttachmentKey_SampleReferenceByteOffset: CFString = "SampleReferenceByteOffset"
public let kCMSampleBufferAttachmentKey_GradualDecoderRefresh: CFString = "GradualDecoderRefresh"
public let kCMSampleBufferAttachmentKey_ForceKeyFrame: CFString = "ForceKeyFrame"
public let kCMSampleBufferAttachmentKey_DroppedFrameReason: CFString = "DroppedFrameReason"
public let kCMSampleBufferAttachmentKey_DroppedFrameReasonInfo: CFString = "DroppedFrameReasonInfo"
public let kCMSampleBufferAttachmentKey_StillImageLensStabilizationInfo: CFString = "StillImageLensStabilizationInfo"
public let kCMSampleBufferAttachmentKey_CameraIntrinsicMatrix: CFString = "CameraIntrinsicMatrix"

public let kCMSampleBufferDroppedFrameReason_FrameWasLate: CFString = "FrameWasLate"
public let kCMSampleBufferDroppedFrameReason_OutOfBuffers: CFString = "OutOfBuffers"
public let kCMSampleBufferDroppedFrameReason_Discontinuity: CFString = "Discontinuity"
public let kCMSampleBufferDroppedFrameReasonInfo_CameraModeSwitch: CFString = "CameraModeSwitch"

extension CMSampleBuffer {
  /// The name of an attachment of a whole buffer.
  public struct AttachmentKey: RawRepresentable, Hashable, Sendable {
    public let rawValue: CFString
    public init(rawValue: CFString) { self.rawValue = rawValue }

    public static let resetDecoderBeforeDecoding = AttachmentKey(
      rawValue: kCMSampleBufferAttachmentKey_ResetDecoderBeforeDecoding)
    public static let drainAfterDecoding = AttachmentKey(rawValue: kCMSampleBufferAttachmentKey_DrainAfterDecoding)
    public static let postNotificationWhenConsumed = AttachmentKey(
      rawValue: kCMSampleBufferAttachmentKey_PostNotificationWhenConsumed)
    public static let resumeOutput = AttachmentKey(rawValue: kCMSampleBufferAttachmentKey_ResumeOutput)
    public static let transitionID = AttachmentKey(rawValue: kCMSampleBufferAttachmentKey_TransitionID)
    public static let trimDurationAtStart = AttachmentKey(rawValue: kCMSampleBufferAttachmentKey_TrimDurationAtStart)
    public static let trimDurationAtEnd = AttachmentKey(rawValue: kCMSampleBufferAttachmentKey_TrimDurationAtEnd)
    public static let speedMultiplier = AttachmentKey(rawValue: kCMSampleBufferAttachmentKey_SpeedMultiplier)
    public static let reverse = AttachmentKey(rawValue: kCMSampleBufferAttachmentKey_Reverse)
    public static let fillDiscontinuitiesWithSilence = AttachmentKey(
      rawValue: kCMSampleBufferAttachmentKey_FillDiscontinuitiesWithSilence)
    public static let emptyMedia = AttachmentKey(rawValue: kCMSampleBufferAttachmentKey_EmptyMedia)
    public static let permanentEmptyMedia = AttachmentKey(rawValue: kCMSampleBufferAttachmentKey_PermanentEmptyMedia)
    public static let displayEmptyMediaImmediately = AttachmentKey(
      rawValue: kCMSampleBufferAttachmentKey_DisplayEmptyMediaImmediately)
    public static let endsPreviousSampleDuration = AttachmentKey(
      rawValue: kCMSampleBufferAttachmentKey_EndsPreviousSampleDuration)
    public static let sampleReferenceURL = AttachmentKey(rawValue: kCMSampleBufferAttachmentKey_SampleReferenceURL)
    public static let sampleReferenceByteOffset = AttachmentKey(
      rawValue: kCMSampleBufferAttachmentKey_SampleReferenceByteOffset)
    public static let gradualDecoderRefresh = AttachmentKey(
      rawValue: kCMSampleBufferAttachmentKey_GradualDecoderRefresh)
    public static let forceKeyFrame = AttachmentKey(rawValue: kCMSampleBufferAttachmentKey_ForceKeyFrame)
    public static let droppedFrameReason = AttachmentKey(rawValue: kCMSampleBufferAttachmentKey_DroppedFrameReason)
    public static let droppedFrameReasonInfo = AttachmentKey(
      rawValue: kCMSampleBufferAttachmentKey_DroppedFrameReasonInfo)
    public static let stillImageLensStabilizationInfo = AttachmentKey(
      rawValue: kCMSampleBufferAttachmentKey_StillImageLensStabilizationInfo)
    public static let cameraIntrinsicMatrix = AttachmentKey(
      rawValue: kCMSampleBufferAttachmentKey_CameraIntrinsicMatrix)
  }
}

extension CMSampleBuffer.PerSampleAttachmentsDictionary {
  /// The name of an attachment of one sample.
  public struct Key: RawRepresentable, Hashable, Sendable {
    public let rawValue: CFString
    public init(rawValue: CFString) { self.rawValue = rawValue }

    public static let notSync = Key(rawValue: kCMSampleAttachmentKey_NotSync)
    public static let partialSync = Key(rawValue: kCMSampleAttachmentKey_PartialSync)
    public static let hasRedundantCoding = Key(rawValue: kCMSampleAttachmentKey_HasRedundantCoding)
    public static let isDependedOnByOthers = Key(rawValue: kCMSampleAttachmentKey_IsDependedOnByOthers)
    public static let dependsOnOthers = Key(rawValue: kCMSampleAttachmentKey_DependsOnOthers)
    public static let earlierDisplayTimesAllowed = Key(rawValue: kCMSampleAttachmentKey_EarlierDisplayTimesAllowed)
    public static let displayImmediately = Key(rawValue: kCMSampleAttachmentKey_DisplayImmediately)
    public static let doNotDisplay = Key(rawValue: kCMSampleAttachmentKey_DoNotDisplay)
    public static let hevcTemporalLevelInfo = Key(rawValue: kCMSampleAttachmentKey_HEVCTemporalLevelInfo)
    public static let hevcTemporalSubLayerAccess = Key(rawValue: kCMSampleAttachmentKey_HEVCTemporalSubLayerAccess)
    public static let hevcStepwiseTemporalSubLayerAccess = Key(
      rawValue: kCMSampleAttachmentKey_HEVCStepwiseTemporalSubLayerAccess)
    public static let hevcSyncSampleNALUnitType = Key(rawValue: kCMSampleAttachmentKey_HEVCSyncSampleNALUnitType)
    public static let audioIndependentSampleDecoderRefreshCount = Key(
      rawValue: kCMSampleAttachmentKey_AudioIndependentSampleDecoderRefreshCount)
    public static let hdr10PlusPerFrameData = Key(rawValue: kCMSampleAttachmentKey_HDR10PlusPerFrameData)
    public static let postDecodeProcessingMetadata = Key(rawValue: kCMSampleAttachmentKey_PostDecodeProcessingMetadata)
  }
}
