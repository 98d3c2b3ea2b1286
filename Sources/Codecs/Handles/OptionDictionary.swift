internal import CFFmpeg

/// Owns one AVDictionary of options; what a call has not used is still there afterwards.
struct OptionDictionary: ~Copyable {
  private var raw: OpaquePointer?

  init(_ options: [String: String]) throws {
    raw = nil
    for (key, value) in options.sorted(by: { $0.key < $1.key }) {
      try checked(av_dict_set(&raw, key, value, 0), "setting the option \(key)")
    }
  }

  deinit {
    var pointer = raw
    av_dict_free(&pointer)
  }

  mutating func withPointer<R>(_ body: (UnsafeMutablePointer<OpaquePointer?>) throws -> R) rethrows -> R {
    try body(&raw)
  }

  var firstKey: String? {
    guard let entry = av_dict_get(raw, "", nil, AV_DICT_IGNORE_SUFFIX) else { return nil }
    return String(cString: entry.pointee.key)
  }
}
