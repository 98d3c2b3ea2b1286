import CoreVideo

/// Reads rows of a picture as linear light and alpha; greys become equal components, missing alpha 1.
struct LightReader {
  private enum Way {
    case plain(PlainReader, UnsafeMutablePointer<SIMD4<Float>>)
    case codes(PictureReader, LightRamp, UnsafeMutablePointer<SIMD2<Float>>)
    case floats(PictureReader, TransferTables, UnsafeMutablePointer<SIMD2<Float>>)
  }

  private let way: Way
  private let width: Int

  /// - Parameter room: `PlainRoom.count` values for each worker.
  init(_ reader: PlainReader, room: UnsafeMutablePointer<SIMD4<Float>>) {
    way = .plain(reader, room)
    width = reader.memory.width
  }

  /// - Parameter room: the picture's width of values for each worker.
  init(_ reader: PictureReader, _ tables: TransferTables, _ ramp: LightRamp, room: UnsafeMutablePointer<SIMD2<Float>>) {
    way = reader.memory.format.isFloat ? .floats(reader, tables, room) : .codes(reader, ramp, room)
    width = reader.memory.width
  }

  /// Reads columns of row `y`, of which the first is even, into their places in a row.
  func read(_ worker: Int, _ y: Int, _ columns: Range<Int>, into row: UnsafeMutablePointer<SIMD4<Float>>) {
    switch way {
    case .plain(let reader, let room):
      reader.read(y, columns, into: row, room: PlainRoom(room, width, worker: worker))
    case .codes(let reader, let ramp, let room):
      reader.read(y, columns, into: row, chroma: room + worker &* width)
      ramp.light(ofSignals: row + columns.lowerBound, columns.count)
      reader.readAlpha(y, columns, into: row)
    case .floats(let reader, let tables, let room):
      reader.read(y, columns, into: row, chroma: room + worker &* width)
      for x in columns { row[x] = tables.light(row[x]) }
    }
  }
}
