public import CoreVideo
public import Foundation

public typealias CMSampleBufferInvalidateCallback = (CMSampleBuffer, UInt64) -> Void
public typealias CMSampleBufferInvalidateHandler = (CMSampleBuffer) -> Void

public let kCMSampleBufferNotification_DataBecameReady: CFString = "DataBecameReady"
public let kCMSampleBufferNotification_DataFailed: CFString = "DataFailed"
public let kCMSampleBufferNotificationParameter_OSStatus: CFString = "OSStatus"

// MARK: - Data

extension CMSampleBuffer {
  /// Gives the buffer its data, once.
  public func setDataBuffer(_ dataBuffer: CMBlockBuffer) throws { try set(dataBuffer) }

  func set(_ dataBuffer: CMBlockBuffer) throws(Error) {
    let failure: Error? = withState { state in
      guard state.isValid else { return .invalidated }
      guard state.dataBuffer == nil, image == nil else { return .alreadyHasDataBuffer }
      state.dataBuffer = dataBuffer
      return nil
    }
    if let failure { throw failure }
  }

  /// Whether the data can be used; that of another buffer where this one tracks it. A marker is always ready.
  public var dataReadiness: DataReadiness {
    let (own, tracked) = withState { ($0.isValid ? $0.readiness : .notReady, $0.isValid ? $0.tracked : nil) }
    return own == .notReady ? tracked?.dataReadiness ?? own : own
  }

  /// Says that the data is there, or never will be. There is no way back from either.
  public func setDataReadiness(_ readiness: DataReadiness) throws {
    switch readiness {
    case .ready: try become(.ready)
    case .failed: try become(readiness)
    case .notReady: throw Error.bufferNotReady
    }
  }

  func become(_ readiness: DataReadiness) throws(Error) {
    let failure: Error? = withState { state in
      guard state.isValid else { return .invalidated }
      if readiness == .ready, sampleCount > 0, state.dataBuffer == nil, image == nil { return .bufferNotReady }
      state.readiness = readiness
      return nil
    }
    if let failure { throw failure }
    if case .failed(let status) = readiness {
      let information = [kCMSampleBufferNotificationParameter_OSStatus: status]
      NotificationCenter.default.post(name: Self.dataFailed, object: self, userInfo: information)
    } else {
      NotificationCenter.default.post(name: Self.dataBecameReady, object: self)
    }
  }

  /// Makes the data ready by the handler given when the buffer was made, or by the buffer that this one tracks.
  ///
  /// Throws `bufferNotReady` where there is no handler or it fails, `dataFailed` where the data is known never to come.
  public func makeDataReady() throws { try makeReadyNow() }

  func makeReadyNow() throws(Error) {
    guard isValid else { throw .invalidated }
    switch dataReadiness {
    case .ready: return
    case .failed: throw .dataFailed
    case .notReady: break
    }
    if let tracked = withState({ $0.tracked }) { return try tracked.makeReadyNow() }
    guard let makeReady else { throw .bufferNotReady }
    do { try makeReady(self) } catch { throw .bufferNotReady }
    try become(.ready)
  }

  /// Ties this buffer's readiness to another's. A buffer must not track itself, not even by way of others.
  public func trackDataReadiness(_ sampleBufferToTrack: CMSampleBuffer) throws { try track(sampleBufferToTrack) }

  func track(_ other: CMSampleBuffer) throws(Error) {
    var next: CMSampleBuffer? = other
    while let current = next {
      guard current !== self else { throw .invalidSampleData }
      next = current.withState { $0.tracked }
    }
    let isValid = withState { state in
      if state.isValid { state.tracked = other }
      return state.isValid
    }
    guard isValid else { throw .invalidated }
  }

  public static let dataBecameReady = NSNotification.Name(kCMSampleBufferNotification_DataBecameReady)
  public static let dataFailed = NSNotification.Name(kCMSampleBufferNotification_DataFailed)
}

/// Gives the buffer its data. -12732 where it has some already.
@discardableResult
public func CMSampleBufferSetDataBuffer(_ sbuf: CMSampleBuffer, newValue dataBuffer: CMBlockBuffer) -> OSStatus {
  sampleStatus { () throws(CMSampleBuffer.Error) in try sbuf.set(dataBuffer) }
}

/// Says that the data is there.
@discardableResult
public func CMSampleBufferSetDataReady(_ sbuf: CMSampleBuffer) -> OSStatus {
  sampleStatus { () throws(CMSampleBuffer.Error) in try sbuf.become(.ready) }
}

public func CMSampleBufferDataIsReady(_ sbuf: CMSampleBuffer) -> Bool { sbuf.dataReadiness == .ready }

/// Says that the data will never be there, and why.
@discardableResult
public func CMSampleBufferSetDataFailed(_ sbuf: CMSampleBuffer, status: OSStatus) -> OSStatus {
  sampleStatus { () throws(CMSampleBuffer.Error) in try sbuf.become(.failed(status)) }
}

public func CMSampleBufferHasDataFailed(_ sbuf: CMSampleBuffer, statusOut: UnsafeMutablePointer<OSStatus>?) -> Bool {
  guard case .failed(let status) = sbuf.dataReadiness else { return false }
  statusOut?.pointee = status
  return true
}

/// Makes the data ready. -12733 where there is no callback for it or it fails.
@discardableResult
public func CMSampleBufferMakeDataReady(_ sbuf: CMSampleBuffer) -> OSStatus {
  sampleStatus { () throws(CMSampleBuffer.Error) in try sbuf.makeReadyNow() }
}

/// Ties the first buffer's readiness to the second's.
@discardableResult
public func CMSampleBufferTrackDataReadiness(_ sbuf: CMSampleBuffer, sampleBufferToTrack: CMSampleBuffer) -> OSStatus {
  sampleStatus { () throws(CMSampleBuffer.Error) in try sbuf.track(sampleBufferToTrack) }
}

// MARK: - Invalidation

extension CMSampleBuffer {
  /// Ends the buffer's use: lets go of the data and calls the handler, once.
  public func invalidate() throws {
    guard let handler = try endUse() else { return }
    try handler(self)
  }

  private func endUse() throws(Error) -> ((CMSampleBuffer) throws -> Void)? {
    let (wasValid, handler) = withState { state in
      defer { (state.isValid, state.dataBuffer, state.tracked, state.invalidateHandler) = (false, nil, nil, nil) }
      return (state.isValid, state.invalidateHandler)
    }
    guard wasValid else { throw .invalidated }
    return handler
  }

  /// Sets what `invalidate` calls. It is not called when the buffer merely goes.
  public func setInvalidateHandler(_ handler: @escaping (CMSampleBuffer) throws -> Void) throws {
    let isValid = withState { state in
      if state.isValid { state.invalidateHandler = handler }
      return state.isValid
    }
    guard isValid else { throw Error.invalidated }
  }
}

/// Ends the buffer's use. -12744 where it was invalid already.
@discardableResult
public func CMSampleBufferInvalidate(_ sbuf: CMSampleBuffer) -> OSStatus {
  do {
    try sbuf.invalidate()
    return noErr
  } catch { return (error as? CMSampleBuffer.Error)?.code ?? noErr }
}

@discardableResult
public func CMSampleBufferSetInvalidateCallback(
  _ sbuf: CMSampleBuffer, invalidateCallback: @escaping CMSampleBufferInvalidateCallback, invalidateRefCon: UInt64
) -> OSStatus {
  CMSampleBufferSetInvalidateHandler(sbuf) { invalidateCallback($0, invalidateRefCon) }
}

@discardableResult
public func CMSampleBufferSetInvalidateHandler(
  _ sbuf: CMSampleBuffer, invalidateHandler: @escaping CMSampleBufferInvalidateHandler
) -> OSStatus {
  do {
    try sbuf.setInvalidateHandler(invalidateHandler)
    return noErr
  } catch { return kCMSampleBufferError_Invalidated }
}

public func CMSampleBufferIsValid(_ sbuf: CMSampleBuffer) -> Bool { sbuf.isValid }
