public import CoreMedia
public import CoreVideo

/// Decodes samples of one video format, or of formats that its decoder takes too, into pictures of a pool.
///
/// Made by `VTDecompressionSessionCreate`. Safe to use from any thread. Pictures are put out by one callback at a time, in the order in
/// which the decoder gives them, which is that of presentation. Frames that are not put out yet are kept when the last reference goes, but for
/// those that the decoder holds back: finish or invalidate a session.
public final class VTDecompressionSession: Sendable {
  let engine: DecompressionEngine
  /// Nil where frames bring handlers of their own.
  let callback: OutputCallback?

  init(engine: DecompressionEngine, callback: OutputCallback?) {
    self.engine = engine
    self.callback = callback
  }
}

/// What is told of a frame: the caller's reference of the session and of the frame, the status, the picture (nil where it failed or was
/// dropped), its presentation time and duration.
public typealias VTDecompressionOutputCallback = (
  _ decompressionOutputRefCon: UnsafeMutableRawPointer?, _ sourceFrameRefCon: UnsafeMutableRawPointer?,
  _ status: OSStatus, _ infoFlags: VTDecodeInfoFlags, _ imageBuffer: CVImageBuffer?,
  _ presentationTimeStamp: CMTime, _ presentationDuration: CMTime
) -> Void

/// What is told of a frame: the status, the picture (nil where it failed or was dropped), its presentation time and duration.
public typealias VTDecompressionOutputHandler = (
  _ status: OSStatus, _ infoFlags: VTDecodeInfoFlags, _ imageBuffer: CVImageBuffer?,
  _ presentationTimeStamp: CMTime, _ presentationDuration: CMTime
) -> Void

/// A callback, and the caller's reference that it gets.
public struct VTDecompressionOutputCallbackRecord {
  public var decompressionOutputCallback: VTDecompressionOutputCallback?
  public var decompressionOutputRefCon: UnsafeMutableRawPointer?

  public init() {}
  public init(
    decompressionOutputCallback: VTDecompressionOutputCallback?, decompressionOutputRefCon: UnsafeMutableRawPointer?
  ) {
    self.decompressionOutputCallback = decompressionOutputCallback
    self.decompressionOutputRefCon = decompressionOutputRefCon
  }
}

/// How a frame is to be decoded.
public struct VTDecodeFrameFlags: OptionSet, Sendable {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The call may return before the frame is decoded.
  public static let _EnableAsynchronousDecompression = VTDecodeFrameFlags(rawValue: 1 << 0)
  /// The frame is decoded only because others need it; its callback gets no picture.
  public static let _DoNotOutputFrame = VTDecodeFrameFlags(rawValue: 1 << 1)
  /// A hint that frames come no faster than they are shown; it changes nothing here.
  public static let _1xRealTimePlayback = VTDecodeFrameFlags(rawValue: 1 << 2)
  /// The callback may wait until pictures are in the order of presentation.
  public static let _EnableTemporalProcessing = VTDecodeFrameFlags(rawValue: 1 << 3)
}

/// What became of a frame.
public struct VTDecodeInfoFlags: OptionSet, Sendable {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The callback is made, or was made, after the call returned.
  public static let asynchronous = VTDecodeInfoFlags(rawValue: 1 << 0)
  /// There is no picture, and no error either.
  public static let frameDropped = VTDecodeInfoFlags(rawValue: 1 << 1)
  /// The picture may be written into; without it the decoder still needs it.
  public static let imageBufferModifiable = VTDecodeInfoFlags(rawValue: 1 << 2)
  /// The frame comes before a sync sample that decoding started at, and needs frames before it.
  public static let skippedLeadingFrameDropped = VTDecodeInfoFlags(rawValue: 1 << 3)
  /// The frame was given up because of a later call.
  public static let frameInterrupted = VTDecodeInfoFlags(rawValue: 1 << 4)
}

public func VTDecompressionSessionGetTypeID() -> CFTypeID {
  CFTypeID(bitPattern: ObjectIdentifier(VTDecompressionSession.self).hashValue)
}

/// Makes a session.
///
/// - Parameters:
///   - decoderSpecification: who decodes, by the keys `kVTVideoDecoderSpecification_…`; nil leaves it to the session.
///   - imageBufferAttributes: what pictures are made. A pixel format, or several to choose from: the first that costs no conversion, else
///     the first that can be made. Width and height, both or neither, scale pictures. `kCVPixelBufferPoolAllocationThresholdKey`
///     bounds the pictures that exist, beside one that damage is concealed with: where all are in use, asynchronous frames wait,
///     and others fail with `kVTAllocationFailedErr`; so do asynchronous ones that a synchronous frame, or a callback that waits, has
///     to wait for. What else is there is asked of the pool.
///   - outputCallback: nil exactly where frames are decoded with handlers.
/// - Returns: `kVTParameterErr` for attributes that make no sense, `kVTPixelTransferNotSupportedErr` where no pixel format can be made,
///   `kVTCouldNotFindVideoDecoderErr` where there is no decoder, or no device where one is required, `kVTCouldNotCreateInstanceErr`
///   where the decoder refuses this format.
@discardableResult
public func VTDecompressionSessionCreate(
  allocator: CFAllocator?, formatDescription videoFormatDescription: CMVideoFormatDescription,
  decoderSpecification videoDecoderSpecification: CFDictionary?,
  imageBufferAttributes destinationImageBufferAttributes: CFDictionary?,
  outputCallback: UnsafePointer<VTDecompressionOutputCallbackRecord>? = nil,
  decompressionSessionOut: UnsafeMutablePointer<VTDecompressionSession?>
) -> OSStatus {
  createSession(
    videoFormatDescription, videoDecoderSpecification, destinationImageBufferAttributes, outputCallback,
    decompressionSessionOut, factory: .standard)
}

/// `VTDecompressionSessionCreate` with other devices to choose from.
package func createSession(
  _ format: CMVideoFormatDescription, _ specification: CFDictionary?, _ attributes: CFDictionary?,
  _ outputCallback: UnsafePointer<VTDecompressionOutputCallbackRecord>?,
  _ sessionOut: UnsafeMutablePointer<VTDecompressionSession?>, factory: PictureDecoderFactory
) -> OSStatus {
  sessionOut.pointee = nil
  let callback: OutputCallback?
  if let record = outputCallback?.pointee {
    guard let function = record.decompressionOutputCallback else { return kVTParameterErr }
    callback = OutputCallback(function: function, reference: record.decompressionOutputRefCon)
  } else {
    callback = nil
  }
  do {
    let engine = try DecompressionEngine(
      format, DecoderSpecification(specification ?? [:]), ImageBufferAttributes(attributes ?? [:]), factory)
    sessionOut.pointee = VTDecompressionSession(engine: engine, callback: callback)
    return noErr
  } catch {
    return sessionStatus(of: error)
  }
}

/// Decodes the samples of a buffer, each of which is answered by one call of the session's callback with `frameRefcon`.
///
/// Without flags for asynchronous decoding and temporal processing, the callbacks have been made when this returns; pictures that the
/// codec itself reorders come when their turn is, `infoFlagsOut` then says "asynchronous", and
/// `VTDecompressionSessionFinishDelayedFrames` brings the last ones. A sample that cannot be decoded is answered with its status, and
/// says nothing of the next.
/// - Returns: an error, in which case there is no callback: `kVTInvalidSessionErr`, `kVTParameterErr` (no data, or no callback), or
///   `kVTFormatDescriptionChangeNotSupportedErr`.
@discardableResult
public func VTDecompressionSessionDecodeFrame(
  _ session: VTDecompressionSession, sampleBuffer: CMSampleBuffer, flags decodeFlags: VTDecodeFrameFlags,
  frameRefcon sourceFrameRefCon: UnsafeMutableRawPointer?, infoFlagsOut: UnsafeMutablePointer<VTDecodeInfoFlags>?
) -> OSStatus {
  guard let callback = session.callback else { return kVTParameterErr }
  let output = FrameOutput { status, flags, image, time, duration in
    callback.function(callback.reference, sourceFrameRefCon, status, flags, image, time, duration)
  }
  return session.engine.decode(sampleBuffer, decodeFlags, infoFlagsOut, output)
}

/// Decodes the samples of a buffer, each of which is answered by one call of the handler; see the other form.
///
/// - Returns: `kVTParameterErr` also where the session has a callback.
@discardableResult
public func VTDecompressionSessionDecodeFrame(
  _ session: VTDecompressionSession, sampleBuffer: CMSampleBuffer, flags decodeFlags: VTDecodeFrameFlags,
  infoFlagsOut: UnsafeMutablePointer<VTDecodeInfoFlags>?, outputHandler: @escaping VTDecompressionOutputHandler
) -> OSStatus {
  guard session.callback == nil else { return kVTParameterErr }
  return session.engine.decode(sampleBuffer, decodeFlags, infoFlagsOut, FrameOutput(handler: outputHandler))
}

/// Has the pictures that the decoder holds back put out, after those of all frames handed in before. May return earlier.
@discardableResult
public func VTDecompressionSessionFinishDelayedFrames(_ session: VTDecompressionSession) -> OSStatus {
  session.engine.finish(waits: false)
}

/// Waits until every frame handed in has been answered, delayed ones too. From a callback it answers those that wait behind it.
///
/// Where `kCVPixelBufferPoolAllocationThresholdKey` bounds the pictures, frames that are waited for may wait for pictures to come back: let
/// another thread, or nobody, hold them.
@discardableResult
public func VTDecompressionSessionWaitForAsynchronousFrames(_ session: VTDecompressionSession) -> OSStatus {
  session.engine.finish(waits: true)
}

/// Whether samples of another description may be handed in: any ProRes where the session decodes ProRes, else the same codec in the same
/// size.
public func VTDecompressionSessionCanAcceptFormatDescription(
  _ session: VTDecompressionSession, formatDescription newFormatDesc: CMFormatDescription
) -> Bool {
  session.engine.isValid && session.engine.accepts(newFormatDesc)
}

/// A black picture of the size and pixel format that the session puts out; opaque.
@discardableResult
public func VTDecompressionSessionCopyBlackPixelBuffer(
  _ session: VTDecompressionSession, pixelBufferOut: UnsafeMutablePointer<CVPixelBuffer?>
) -> OSStatus {
  guard session.engine.isValid else { return kVTInvalidSessionErr }
  do {
    pixelBufferOut.pointee = try session.engine.blackPicture()
    return noErr
  } catch {
    return frameStatus(of: error)
  }
}

/// Ends the session. Frames that have not been put out are answered with `kVTInvalidSessionErr` before this returns; every later call fails
/// with it.
public func VTDecompressionSessionInvalidate(_ session: VTDecompressionSession) { session.engine.invalidate() }

/// Whether a device other than the processor decodes the codec.
public func VTIsHardwareDecodeSupported(_ codecType: CMVideoCodecType) -> Bool {
  PictureDecoderFactory.standard.hasDevice(for: codecType)
}

/// On Apple's systems, lets the process use decoders for professional work that are installed apart. Here all decoders are part of
/// the package, ProRes among them, so there is nothing to opt in to.
public func VTRegisterProfessionalVideoWorkflowVideoDecoders() {}

/// On Apple's systems, lets the process use a decoder that is installed apart; here there is none, so nothing happens.
public func VTRegisterSupplementalVideoDecoderIfAvailable(_ codecType: CMVideoCodecType) {}

extension VTDecompressionSession: VTPropertySession {
  var isValid: Bool { engine.isValid }
  var properties: [String: VTProperty] { engine.properties }
  func set(_ key: String, _ value: Any?) -> OSStatus { engine.set(key, value) }
  func value(of key: String) -> Any? { engine.value(of: key) }
}
