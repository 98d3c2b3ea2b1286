package import Foundation

/// `cvid`: the movie-level blob of the key `com.apple.quicktime.cinematic-video`.
package struct CinematicMovieBlob: Hashable, Sendable {
  /// u32 size, 4cc, u32 size, 4cc inner type, u32 major, u32 minor, pairs. The inner type decides.
  package struct Section: Hashable, Sendable {
    package var type: FourCC
    package var major: UInt32
    package var minor: UInt32
    package var pairs: CinematicPairs
    var outerType: FourCC
    /// Bytes of the outer atom after the inner one.
    var trailing = Data()

    package init(_ type: FourCC, major: UInt32 = 1, minor: UInt32 = 0, _ pairs: [CinematicPair] = []) {
      self.type = type
      self.major = major
      self.minor = minor
      self.pairs = CinematicPairs(pairs)
      outerType = type
    }
  }

  package enum Child: Hashable, Sendable {
    case section(Section)
    /// A child without room for a section, whole.
    case other(Data)
  }

  package var children: [Child]
  /// Bytes of the blob after its last child, and after the blob.
  var trailing = Data()
  var after = Data()

  package init(_ sections: [Section]) {
    children = sections.map(Child.section)
  }

  /// The first section of the inner type.
  package func section(_ type: FourCC) -> Section? {
    for case .section(let section) in children where section.type == type { return section }
    return nil
  }

  /// Replaces the first section of its type, or appends it.
  package mutating func set(_ section: Section) {
    let index = children.firstIndex {
      guard case .section(let existing) = $0 else { return false }
      return existing.type == section.type
    }
    if let index {
      children[index] = .section(section)
    } else {
      children.append(.section(section))
    }
  }

  /// The major version of `rend`, which says how the rendering items of the frames are numbered.
  package var renderingMajor: UInt32? { section("rend")?.major }

  /// The version that rendered the original; pair 31 of major 1 and pair 1 of major 2, by default 2.
  package var renderingVersion: Int {
    guard let section = section("rend") else { return 2 }
    return section.pairs.number(section.major == 2 ? 1 : 31).flatMap { Int(exactly: $0) } ?? 2
  }

  /// The 35 mm equivalent focal length in millimetres, of `rend` major 1 only.
  package var focalLength35mm: Float? {
    guard let section = section("rend"), section.major == 1 else { return nil }
    return section.pairs.number(6).map { Float($0) }
  }

  /// The default, minimum and maximum f-number, of `rend` major 1 only.
  package var fNumbers: (initial: Float?, minimum: Float?, maximum: Float?) {
    guard let section = section("rend"), section.major == 1 else { return (nil, nil, nil) }
    let values = (UInt16(1)...3).map { section.pairs.number($0).map { Float($0) } }
    return (values[0], values[1], values[2])
  }
}

extension CinematicMovieBlob {
  /// What a movie that is written here says: `vhdr`, `rend` major 1 and `cntg`.
  ///
  /// `focalLength35mm` is in millimetres. The focus puller's values are alpha 0.1, maximum velocity 1, resistance 0.5, rack times of
  /// 30 000 ticks (1/3 s at 90 kHz) and at most 0.5 of disparity a second; they describe a phone and limit nothing here.
  package static func written(fNumber: Float, focalLength35mm: Float = 26) -> CinematicMovieBlob {
    CinematicMovieBlob([
      Section("vhdr"),
      Section(
        "rend",
        [
          .float(1, fNumber), .float(2, 2), .float(3, 16), .float(6, focalLength35mm), .integer(31, 2),
          .integer(32, 10),
        ]),
      Section(
        "cntg",
        [
          .float(1, 0.1), .float(2, 1), .float(3, 0.5), .integer(4, 30_000), .integer(5, 30_000), .float(6, 0.5),
        ]),
    ])
  }

  /// The blob with the `rend` of another one where its own numbers the frames' rendering items differently; everything else stays.
  ///
  /// A movie that takes over a blob but writes rendering items anew would else say one numbering and use another.
  package func renumbered(as other: CinematicMovieBlob) -> CinematicMovieBlob {
    guard let major = renderingMajor, let section = other.section("rend"), major != section.major else { return self }
    var blob = self
    blob.set(section)
    return blob
  }

  package init(payload: Data) throws(QuickTimeError) {
    try self.init(payload: ByteReader(payload, path: "cvid"))
  }

  /// Throws `.malformed` for lengths that do not fit, `.unsupported` where the value is not a `cvid`.
  package init(payload: ByteReader) throws(QuickTimeError) {
    var reader = payload
    children = []
    guard reader.remaining >= 8 else { throw payload.malformed("holds no atom 'cvid'", .unsupported) }
    let size = Int(try reader.u32())
    let type = try reader.fourCC()
    guard type == "cvid" else { throw payload.malformed("holds '\(type)' in place of 'cvid'", .unsupported) }
    guard size >= 8, size - 8 <= reader.remaining else {
      throw payload.malformed("says a size of \(size) bytes where \(payload.remaining) are left")
    }
    var body = try reader.window(size - 8)
    while let child = try Self.child(&body) { children.append(child) }
    trailing = body.rest()
    after = reader.rest()
  }

  private static func child(_ body: inout ByteReader) throws(QuickTimeError) -> Child? {
    guard body.remaining >= 8 else { return nil }
    var head = body
    let size = Int(try head.u32())
    guard size != 0 else { return nil }
    let type = try head.fourCC()
    guard size >= 8, size <= body.remaining else {
      throw body.malformed("holds an atom '\(type)' of \(size) bytes where \(body.remaining) are left")
    }
    let whole = try body.window(size)
    guard size >= 24 else {
      var copy = whole
      return .other(copy.rest())
    }
    return .section(try Section(whole))
  }

  package var payload: Data {
    var writer = ByteWriter()
    writer.box("cvid") {
      for child in children {
        switch child {
        case .section(let section): section.write(to: &$0)
        case .other(let atom): $0.data(atom)
        }
      }
      $0.data(trailing)
    }
    writer.data(after)
    return writer.data
  }
}

extension CinematicMovieBlob.Section {
  fileprivate init(_ whole: ByteReader) throws(QuickTimeError) {
    var reader = whole
    try reader.skip(4)
    let outer = try reader.fourCC()
    let size = Int(try reader.u32())
    guard size >= 16, size - 4 <= reader.remaining else {
      throw reader.malformed("holds a section of \(size) bytes where \(reader.remaining + 4) are left")
    }
    var inner = try reader.window(size - 4)
    self.init(try inner.fourCC(), major: try inner.u32(), minor: try inner.u32())
    outerType = outer
    pairs = try CinematicPairs(&inner)
    trailing = reader.rest()
  }

  fileprivate func write(to writer: inout ByteWriter) {
    writer.box(outerType) {
      $0.box(type) {
        $0.u32(major)
        $0.u32(minor)
        pairs.write(to: &$0)
      }
      $0.data(trailing)
    }
  }
}
