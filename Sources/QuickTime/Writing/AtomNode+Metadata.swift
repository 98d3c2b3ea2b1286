import Foundation

extension AtomNode {
  /// Takes away and adds metadata of a `moov`; every other item and atom stays byte for byte.
  mutating func changeMetadata(_ changes: MovieRewriter.Changes, isQuickTime: Bool) throws(QuickTimeError) {
    let replaced = Set(changes.metadata.map { MovieRewriter.MetadataKey($0.space, $0.key) })
    let gone = changes.removedMetadata.union(replaced)
    try changeItems(
      space: .quickTimeMetadata, Set(gone.filter { $0.space == .quickTimeMetadata }.map(\.key)),
      changes.metadata.filter { $0.space == .quickTimeMetadata }, isFull: !isQuickTime)
    let userKeys = Set(gone.filter { $0.space == .userData }.map(\.key))
    let userItems = changes.metadata.filter { $0.space == .userData }
    let musicKeys = Set(gone.filter { $0.space == .iTunesMetadata }.map(\.key))
    let musicItems = changes.metadata.filter { $0.space == .iTunesMetadata }
    if first("udta") == nil && !(userItems.isEmpty && musicItems.isEmpty) { children.append(AtomNode("udta", [])) }
    try change(["udta"]) { node throws(QuickTimeError) in
      node.children.removeAll { $0.type != "meta" && userKeys.contains($0.type.description) }
      try node.changeItems(space: .iTunesMetadata, musicKeys, musicItems, isFull: true)
    }
    try addUserData(userItems)
    children.removeAll { $0.type == "udta" && !userKeys.union(musicKeys).isEmpty && $0.children.isEmpty }
  }

  private mutating func addUserData(_ items: [MovieMetadataItem]) throws(QuickTimeError) {
    guard !items.isEmpty, let index = children.firstIndex(where: { $0.type == "udta" }) else { return }
    let new = AtomNode(UserDataAtom(items: items))
    var reader = new.reader
    children[index].children += try AtomNode("udta", listIn: &reader).children
  }

  /// Changes the items of the `meta` among the children, which is made where there is something to add and none to add it to.
  private mutating func changeItems(
    space: MovieMetadataItem.Space, _ keys: Set<String>, _ items: [MovieMetadataItem], isFull: Bool
  ) throws(QuickTimeError) {
    guard !keys.isEmpty || !items.isEmpty else { return }
    let handler: FourCC = space == .quickTimeMetadata ? "mdta" : "mdir"
    for index in children.indices where children[index].type == "meta" {
      var list = try MetadataList(children[index].payload)
      guard list.handler == handler else { continue }
      list.remove(keys)
      list.add(items)
      children[index].body = .leaf(list.payload)
      return
    }
    if !items.isEmpty { children.append(AtomNode(MetadataAtom(items: items, isFull: isFull, handler: handler))) }
  }
}

/// A `meta` atom whose items can be changed while everything else keeps its bytes.
private struct MetadataList {
  private(set) var handler = FourCC(0)
  /// The version and flags of the full form.
  private var prefix = Data()
  private var atoms: [AtomNode]
  private var trailing: Data
  /// The entries of `keys`, each an atom of its namespace; empty for four-character keys.
  private var keys: [AtomNode] = []
  private var items: [AtomNode] = []

  init(_ payload: Data) throws(QuickTimeError) {
    var reader = ByteReader(payload, path: "meta")
    if MetadataAtom.startsWithVersion(reader) { prefix = try reader.data(4) }
    let node = try AtomNode("meta", listIn: &reader)
    atoms = node.children
    trailing = if case .list(_, let trailing) = node.body { trailing } else { Data() }
    for atom in atoms {
      var reader = atom.reader
      switch atom.type {
      case "hdlr": handler = try HandlerAtom(reading: &reader).handler
      case "keys":
        try reader.skip(8)
        keys = try AtomNode("keys", listIn: &reader).children
      case "ilst": items = try AtomNode("ilst", listIn: &reader).children
      default: break
      }
    }
  }

  /// Takes away the items of the keys, and the keys: the numbers of those behind become smaller.
  mutating func remove(_ names: Set<String>) {
    guard handler == "mdta" else {
      items.removeAll { names.contains($0.type.description) }
      return
    }
    let gone = Set(keys.indices.filter { names.contains(name(keys[$0])) })
    var numbers: [UInt32: UInt32] = [:]
    for index in keys.indices where !gone.contains(index) { numbers[UInt32(index + 1)] = UInt32(numbers.count + 1) }
    items.removeAll { $0.type.rawValue >= 1 && gone.contains(Int($0.type.rawValue) - 1) }
    for index in items.indices {
      if let number = numbers[items[index].type.rawValue] { items[index].type = FourCC(number) }
    }
    keys = keys.indices.filter { !gone.contains($0) }.map { keys[$0] }
  }

  mutating func add(_ new: [MovieMetadataItem]) {
    for item in new {
      var value = ByteWriter()
      value.box("data") { MetadataAtom.write(item, to: &$0) }
      if handler == "mdta" { keys.append(AtomNode(StoredAtom(item.namespace, Data(item.key.utf8)))) }
      guard let type = handler == "mdta" ? FourCC(UInt32(keys.count)) : FourCC(item.key) else { continue }
      items.append(AtomNode(StoredAtom(type, value.data)))
    }
  }

  var payload: Data {
    var writer = ByteWriter()
    writer.data(prefix)
    var names = ByteWriter()
    names.versionAndFlags(0)
    names.u32(UInt32(keys.count))
    for key in keys { key.write(to: &names) }
    var all = atoms
    replace("keys", .leaf(names.data), in: &all, isNeeded: handler == "mdta")
    replace("ilst", .list(items, trailing: Data()), in: &all, isNeeded: true)
    for atom in all { atom.write(to: &writer) }
    writer.data(trailing)
    return writer.data
  }

  private func name(_ key: AtomNode) -> String { String(decoding: key.payload, as: UTF8.self) }

  private func replace(_ type: FourCC, _ body: AtomNode.Body, in atoms: inout [AtomNode], isNeeded: Bool) {
    if let index = atoms.firstIndex(where: { $0.type == type }) {
      atoms[index].body = body
    } else if isNeeded {
      var node = AtomNode(type, [])
      node.body = body
      atoms.append(node)
    }
  }
}
