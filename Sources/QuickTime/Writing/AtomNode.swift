import Foundation

/// An atom as a tree that can be changed: what is not changed is written back byte for byte.
struct AtomNode {
  enum Body {
    case leaf(Data)
    /// Trailing bytes are what ends some old lists: a zero size, or fewer than eight bytes.
    case list([AtomNode], trailing: Data)
  }

  var type: FourCC
  /// Whether its size is stored in 64 bits.
  var isLong = false
  var body: Body

  /// The containers on the way to the sample tables and the metadata, by the atom they are in: so no file can nest them deeper.
  private static let containers: [FourCC: Set<FourCC>] = [
    "moov": ["trak", "udta"], "trak": ["mdia", "udta"], "mdia": ["minf"], "minf": ["stbl"], "moof": ["traf"],
  ]

  init(_ atom: StoredAtom) {
    type = atom.type
    body = .leaf(atom.payload)
  }

  init(_ atom: some Atom) {
    self.init(StoredAtom(atom))
  }

  /// An atom of the children.
  init(_ type: FourCC, _ children: [AtomNode]) {
    self.type = type
    body = .list(children, trailing: Data())
  }

  /// Reads an atom whose payload is in the reader, as a list.
  init(_ type: FourCC, listIn reader: inout ByteReader) throws(QuickTimeError) {
    self.type = type
    let inner = Self.containers[type] ?? []
    var children: [AtomNode] = []
    while var box = try reader.nextBox() {
      var child = inner.contains(box.type) ? try AtomNode(box.type, listIn: &box.payload) : AtomNode(box.stored)
      child.isLong = box.headerBytes == 16
      children.append(child)
    }
    body = .list(children, trailing: reader.rest())
  }

  func write(to writer: inout ByteWriter) {
    let payload = payload
    let isLong = isLong || payload.count > Int(UInt32.max) - 8
    writer.u32(isLong ? 1 : UInt32(payload.count + 8))
    writer.fourCC(type)
    if isLong { writer.u64(UInt64(payload.count + 16)) }
    writer.data(payload)
  }

  var bytes: Data {
    var writer = ByteWriter()
    write(to: &writer)
    return writer.data
  }

  var payload: Data {
    switch body {
    case .leaf(let data): return data
    case .list(let children, let trailing):
      var writer = ByteWriter()
      for child in children { child.write(to: &writer) }
      writer.data(trailing)
      return writer.data
    }
  }

  var reader: ByteReader { ByteReader(payload, path: "\(type)") }

  /// The children of a list; a leaf has none, and setting them makes it a list.
  var children: [AtomNode] {
    get { if case .list(let children, _) = body { children } else { [] } }
    set {
      if case .list(_, let trailing) = body {
        body = .list(newValue, trailing: trailing)
      } else {
        body = .list(newValue, trailing: Data())
      }
    }
  }

  func first(_ type: FourCC) -> AtomNode? { children.first { $0.type == type } }

  /// Changes all children of the type; below them go on with the rest of the path.
  mutating func change(
    _ path: [FourCC], _ work: (inout AtomNode) throws(QuickTimeError) -> Void
  ) throws(QuickTimeError) {
    guard let type = path.first else { return try work(&self) }
    guard case .list(var children, let trailing) = body else { return }
    // Taken out of the node while changed, so that large tables are not copied.
    body = .leaf(Data())
    defer { body = .list(children, trailing: trailing) }
    for index in children.indices where children[index].type == type {
      try children[index].change(Array(path.dropFirst()), work)
    }
  }
}
