/// The binary form of a script's changes.
///
///     8 bytes   the name "cnchange"
///     u8        major version: another one is another schema
///     u8        minor version: a later one may have fields that are not known here
///     u32       FNV-1a of the fields: a file that is cut off or damaged is noticed
///     fields    tag, length, payload of that length
///
/// Tags, lengths and unsigned numbers are LEB128; signed ones are zigzag LEB128; floats are big-endian. Decisions and tracks are lists of
/// fields themselves. A field that is not understood is kept and written back after the known ones.
enum ChangesSchema {
  static let name = "cnchange"
  static let majorVersion: UInt8 = 1
  static let minorVersion: UInt8 = 0

  /// The most bytes that are looked at: tracks for every frame of some hours.
  static let maximumBytes = 1 << 28

  enum Tag {
    /// f32.
    static let fNumber: UInt64 = 1
    /// u64 hash, LEB128 number of frames.
    static let movie: UInt64 = 2
    /// Without payload: the decisions that follow hold. Absent: they are as recorded.
    static let decisionsAreSet: UInt64 = 3
    static let decision: UInt64 = 4
    static let track: UInt64 = 5
    /// A JSON object: members that are not understood. At every level.
    static let members: UInt64 = 15
  }

  enum DecisionTag {
    /// Zigzag value, LEB128 time scale.
    static let time: UInt64 = 1
    /// Zigzag id. Either of the two is there.
    static let detection: UInt64 = 2
    static let group: UInt64 = 3
    /// Without payload: the decision is strong.
    static let strong: UInt64 = 4
  }

  enum TrackTag {
    /// Zigzag.
    static let id: UInt64 = 1
    /// f32; a fixed-focus track has it.
    static let focusDisparity: UInt64 = 2
    /// One detection: what a fixed-focus track was made from.
    static let original: UInt64 = 3
    /// Detections without gaps: time as above, zigzag type, f32 disparity, x, y, width, height. A custom track has them.
    static let detections: UInt64 = 4
  }

  static func checksum(_ fields: some Sequence<UInt8>) -> UInt32 {
    fields.reduce(0x811C_9DC5) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
  }
}
