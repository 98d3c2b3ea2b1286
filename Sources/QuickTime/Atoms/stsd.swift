package import Foundation

/// `stsd`: the sample descriptions of a track, each with the bytes as they are stored.
package struct SampleDescriptionAtom: Hashable, Sendable {
  package var descriptions: [SampleDescription]

  package init(descriptions: [SampleDescription]) {
    self.descriptions = descriptions
  }

  /// `handler` is that of the track: it decides how entries are laid out.
  package init(reading reader: inout ByteReader, handler: FourCC) throws(QuickTimeError) {
    let (version, _) = try reader.versionAndFlags()
    descriptions = []
    for _ in 0..<(try reader.count(entryBytes: 16)) {
      var start = reader
      let place = reader
      let size = Int(try start.u32())
      guard size >= 16, size <= reader.remaining else {
        throw place.malformed("holds a sample description of \(size) bytes where \(reader.remaining) are left")
      }
      let entry = try reader.window(size)
      descriptions.append(try SampleDescription(reading: entry, handler: handler, tableVersion: version))
    }
  }

  package func write(to writer: inout ByteWriter) {
    writer.box("stsd") { payload in
      payload.versionAndFlags(0)
      payload.u32(UInt32(descriptions.count))
      for description in descriptions { payload.data(description.data) }
    }
  }
}

/// How the samples of a track, or of a part of it, are coded.
package struct SampleDescription: Hashable, Sendable {
  /// What is between the common header and the atoms, by the track's handler.
  package enum Layout: Hashable, Sendable {
    case video(VideoDescription)
    case audio(AudioDescription)
    case timeCode(TimeCodeDescription)
    /// Atoms follow at once, as in `mebx`.
    case plain
  }

  /// `hvc1`, `dish`, `mp4a`, `mebx`…
  package let type: FourCC
  /// The whole entry, from its size on.
  package let data: Data
  /// Counts from 1.
  package let dataReferenceIndex: Int
  package let layout: Layout
  /// The atoms behind the fixed fields.
  package let children: [StoredAtom]
  /// Why not all children could be read; nil where they could.
  package let childrenError: QuickTimeError?

  package var video: VideoDescription? { if case .video(let video) = layout { video } else { nil } }
  package var audio: AudioDescription? { if case .audio(let audio) = layout { audio } else { nil } }
  package var timeCode: TimeCodeDescription? { if case .timeCode(let timeCode) = layout { timeCode } else { nil } }

  /// Reads an entry; the reader starts at its size and ends with it.
  ///
  /// Damaged children are no reason to refuse a movie whose samples can still be found: `childrenError` reports them.
  package init(reading reader: ByteReader, handler: FourCC, tableVersion: UInt8 = 0) throws(QuickTimeError) {
    var reader = reader
    var whole = reader
    data = whole.rest()
    try reader.skip(4)
    type = try reader.fourCC()
    try reader.skip(6)
    dataReferenceIndex = Int(try reader.u16())
    layout = try Self.layout(&reader, handler, type, tableVersion)
    var children: [StoredAtom] = []
    childrenError = Self.read(&children, from: &reader)
    self.children = children
  }

  /// Reads an entry in memory. Nil if it is not a sound one for the handler.
  package init?(_ data: Data, handler: FourCC) {
    let reader = ByteReader(data, path: "stsd")
    guard let description = try? SampleDescription(reading: reader, handler: handler) else { return nil }
    self = description
  }

  /// Makes an entry.
  package init(type: FourCC, layout: Layout, children: [StoredAtom] = [], dataReferenceIndex: UInt16 = 1) {
    var writer = ByteWriter()
    writer.box(type) { entry in
      entry.zeros(6)
      entry.u16(dataReferenceIndex)
      switch layout {
      case .video(let video): video.write(to: &entry)
      case .audio(let audio): audio.write(to: &entry)
      case .timeCode(let timeCode): timeCode.write(to: &entry)
      case .plain: break
      }
      for child in children { entry.atom(child) }
    }
    self.type = type
    self.layout = layout
    self.children = children
    self.dataReferenceIndex = Int(dataReferenceIndex)
    data = writer.data
    childrenError = nil
  }

  /// The payload of the first child of the type; those of a sound's `wave` count as children.
  package func child(_ type: FourCC) -> Data? {
    if let payload = children[type] { return payload }
    guard let wave = children["wave"] else { return nil }
    var reader = ByteReader(wave, path: "wave")
    var inner: [StoredAtom] = []
    _ = Self.read(&inner, from: &reader)
    return inner[type]
  }

  /// A child that this module understands; nil where it is absent. Throws where it is damaged.
  package func child<Child: Atom>(_ type: FourCC, as child: Child.Type) throws(QuickTimeError) -> Child? {
    guard let payload = self.child(type) else { return nil }
    var reader = ByteReader(payload, path: "\(self.type)/\(type)")
    return try Child(reading: &reader)
  }

  private static func layout(
    _ reader: inout ByteReader, _ handler: FourCC, _ type: FourCC, _ tableVersion: UInt8
  ) throws(QuickTimeError) -> Layout {
    switch handler {
    case "vide", "auxv", "pict": .video(try VideoDescription(reading: &reader))
    case "soun": .audio(try AudioDescription(reading: &reader, tableVersion: tableVersion))
    case "tmcd" where ["tmcd", "tc64", "cn32", "cn64"].contains(type):
      .timeCode(try TimeCodeDescription(reading: &reader))
    default: .plain
    }
  }

  private static func read(_ children: inout [StoredAtom], from reader: inout ByteReader) -> QuickTimeError? {
    do {
      while let box = try reader.nextBox() { children.append(box.stored) }
      return nil
    } catch {
      return error
    }
  }
}
