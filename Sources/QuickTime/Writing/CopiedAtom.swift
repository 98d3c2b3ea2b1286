import Foundation

/// An atom at the top level of the source and where it goes, in a file without the index.
struct CopiedAtom {
  var atom: TopLevelAtom
  var newOffset: Int64
  /// The header of the copy where it is another than the atom's.
  private let header: Data?
  /// Of the copy: its size may have needed more bits.
  let headerBytes: Int

  private static let blockBytes: Int64 = 4 << 20

  /// Whether it is the index, which is not copied but made anew.
  var isIndex = false

  /// The index, which will be inserted at a place of the copy.
  init(index atom: TopLevelAtom, at newOffset: Int64) {
    self.atom = atom
    self.newOffset = newOffset
    header = nil
    headerBytes = atom.headerBytes
    isIndex = true
  }

  /// An atom that will be copied to a place.
  ///
  /// `isFollowed` says that more comes behind the last atom of the source: then its size must be a true one, and not "to the end" or
  /// more than there is.
  init(_ atom: TopLevelAtom, at newOffset: Int64, isFollowed: Bool) {
    self.atom = atom
    self.newOffset = newOffset
    header = isFollowed && atom.mayBeCutOff ? Self.header(atom) : nil
    headerBytes = header?.count ?? atom.headerBytes
  }

  /// Of the copy; the index has none.
  var byteCount: Int64 { isIndex ? 0 : Int64(headerBytes) + atom.byteCount - Int64(atom.headerBytes) }

  /// Appends the copy to a file.
  func write(from source: any ByteSource, to sink: FileSink) throws(QuickTimeError) {
    var offset = atom.offset
    if let header {
      try sink.write(header)
      offset += Int64(atom.headerBytes)
    }
    while offset < atom.end {
      let count = min(atom.end - offset, Self.blockBytes)
      try sink.write(try source.read(at: offset, count: Int(count)))
      offset += count
    }
  }

  private static func header(_ atom: TopLevelAtom) -> Data {
    var writer = ByteWriter()
    let payload = atom.byteCount - Int64(atom.headerBytes)
    let isLong = atom.headerBytes == 16 || payload > Int64(UInt32.max) - 8
    writer.u32(isLong ? 1 : UInt32(payload + 8))
    writer.fourCC(atom.type)
    if isLong { writer.i64(payload + 16) }
    return writer.data
  }
}

/// Where the bytes of the source are in the copy.
struct OffsetMap {
  private let copies: [CopiedAtom]
  /// Where the index is inserted.
  let place: Int64
  private let indexBytes: Int64

  init(_ copies: [CopiedAtom], indexBytes: Int64 = 0) {
    self.copies = copies
    self.indexBytes = indexBytes
    place = copies.first { $0.isIndex }?.newOffset ?? 0
  }

  func with(indexBytes: Int64) -> OffsetMap { OffsetMap(copies, indexBytes: indexBytes) }

  /// A place in the copy that was written without the index.
  func shifted(_ offset: Int64) -> Int64 { offset >= place ? offset + indexBytes : offset }

  /// A place in the source; what is in no atom moves with the atom before.
  func new(_ offset: Int64) -> Int64 {
    guard let copy = copies[..<partition(offset)].last else { return offset }
    // A place inside the index is a mistake of the file: it stays as wrong as it was.
    guard !copy.isIndex else { return place + offset - copy.atom.offset }
    let payload = copy.atom.offset + Int64(copy.atom.headerBytes)
    guard offset >= payload else { return shifted(copy.newOffset) + offset - copy.atom.offset }
    return shifted(copy.newOffset) + Int64(copy.headerBytes) + offset - payload
  }

  /// How many atoms start at or before a place.
  private func partition(_ offset: Int64) -> Int {
    var low = 0
    var high = copies.count
    while low < high {
      let middle = (low + high) / 2
      if copies[middle].atom.offset <= offset { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
