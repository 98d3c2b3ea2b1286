public import CoreVideo

extension CMSampleBuffer {
  /// The attachments of one sample: sync or not, what depends on what, whether to show it.
  public struct PerSampleAttachmentsDictionary {
    var values: [String: Any] = [:]

    public init() {}

    public subscript(key: Key) -> Any? {
      get { values[key.rawValue] }
      set { values[key.rawValue] = newValue }
    }

    public var isEmpty: Bool { values.isEmpty }
    public var keys: [Key] { values.keys.map(Key.init(rawValue:)) }
  }

  /// The attachments of every sample, a dictionary each.
  public struct SampleAttachmentsArray: RandomAccessCollection, MutableCollection {
    var dictionaries: [PerSampleAttachmentsDictionary]

    public var startIndex: Int { 0 }
    public var endIndex: Int { dictionaries.count }
    public subscript(position: Int) -> PerSampleAttachmentsDictionary {
      get { dictionaries[position] }
      set { dictionaries[position] = newValue }
    }
  }

  /// The attachments of every sample: `buffer.sampleAttachments[0][.notSync] = true`. Empty where the buffer is
  /// invalidated.
  public var sampleAttachments: SampleAttachmentsArray {
    get {
      withState { state in
        guard state.isValid else { return SampleAttachmentsArray(dictionaries: []) }
        let values = state.sampleAttachments ?? Array(repeating: [:], count: sampleCount)
        return SampleAttachmentsArray(dictionaries: values.map(PerSampleAttachmentsDictionary.init(values:)))
      }
    }
    set {
      withState { state in
        guard state.isValid, newValue.count == sampleCount else { return }
        state.sampleAttachments = newValue.dictionaries.map(\.values)
      }
    }
  }

  /// Whether a decoder can start at the sample: it is not said that it cannot.
  package func isSync(at index: Int) -> Bool {
    withState { !($0.sampleAttachments?[index][kCMSampleAttachmentKey_NotSync] as? Bool ?? false) }
  }
}

extension CMSampleBuffer.PerSampleAttachmentsDictionary {
  init(values: [String: Any]) { self.values = values }
}

/// The attachments of every sample as an array of dictionaries `[String: Any]`; nil where there are none and
/// `createIfNecessary` is false.
///
/// They are copies: dictionaries are values here. Set attachments by `CMSampleBuffer.sampleAttachments`.
public func CMSampleBufferGetSampleAttachmentsArray(_ sbuf: CMSampleBuffer, createIfNecessary: Bool) -> CFArray? {
  sbuf.withState { state in
    guard state.isValid else { return nil }
    if createIfNecessary, state.sampleAttachments == nil {
      state.sampleAttachments = Array(repeating: [:], count: sbuf.sampleCount)
    }
    return state.sampleAttachments
  }
}
