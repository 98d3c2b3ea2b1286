/// Both ends of the flow: load → linearise, and encode.
final class PictureStage {
  private let workers: Workers
  private let light = Storage<SIMD4<Float>>()
  private let rows = Storage<SIMD4<Float>>()
  private let chroma = Storage<SIMD2<Float>>()
  private let enlarged = Storage<SIMD4<Float>>()
  private var tables = TransferTables(.bt709)
  private var mapper: (key: MapperKey, mapper: ToneMapper)?

  private struct MapperKey: Hashable {
    let curve: ToneMap
    let color: ColorDescription
  }

  init(workers: Workers) {
    self.workers = workers
  }

  var byteCount: Int { light.byteCount + rows.byteCount + chroma.byteCount + enlarged.byteCount }

  /// Prepares for pictures of this colour and returns their tables.
  func prepare(_ color: ColorDescription) -> TransferTables {
    if tables.function != color.transfer { tables = TransferTables(color.transfer) }
    return tables
  }

  /// Prepares a tone map, or nil where there is nothing to map.
  func prepare(_ curve: ToneMap, _ color: ColorDescription) -> ToneMapper? {
    let key = MapperKey(curve: curve, color: color)
    if let mapper, mapper.key == key { return mapper.mapper }
    guard let made = ToneMapper(curve, color: color) else { return nil }
    mapper = (key, made)
    return made
  }

  /// Room for a picture in linear light.
  func room(_ width: Int, _ height: Int) -> Plane<SIMD4<Float>> { light.plane(width, height) }

  /// Reads a picture as linear light, reduced by whole pixels: each is the mean of `reduction` x `reduction`.
  func load(_ memory: PictureMemory, color: ColorDescription, reduction: Int) -> Plane<SIMD4<Float>> {
    let tables = prepare(color)
    let reader = PictureReader(memory, color: color)
    let (width, height) = (memory.width, memory.height)
    let light = light.plane((width + reduction - 1) / reduction, (height + reduction - 1) / reduction)
    let rows = rows.reserve(workers.count * width)
    let chroma = chroma.reserve(workers.count * width)
    workers.rows(light.height) { worker, range in
      let row = rows + worker &* width
      for y in range {
        guard reduction > 1 else {
          let target = light.row(y)
          reader.read(y, 0..<width, into: target, chroma: chroma + worker &* width)
          for x in 0..<width { target[x] = tables.light(target[x]) }
          continue
        }
        let source = y &* reduction..<min((y &+ 1) &* reduction, height)
        light.row(y).update(repeating: .zero, count: light.width)
        for line in source {
          reader.read(line, 0..<width, into: row, chroma: chroma + worker &* width)
          PictureStage.gather(row, width, tables, into: light.row(y), reduction, source.count)
        }
      }
    }
    return light
  }

  /// Adds a row's light to that of the reduced row.
  private static func gather(
    _ row: UnsafeMutablePointer<SIMD4<Float>>, _ width: Int, _ tables: TransferTables,
    into light: UnsafeMutablePointer<SIMD4<Float>>, _ reduction: Int, _ lines: Int
  ) {
    for x in 0..<width {
      let block = x / reduction
      let columns = min(width &- block &* reduction, reduction)
      light[block] += tables.light(row[x]) * (1 / Float(columns &* lines))
    }
  }

  /// Enlarges a reduced picture of R'G'B' linearly.
  func enlarge(_ picture: Plane<SIMD4<Float>>, width: Int, height: Int, reduction: Int) -> Plane<SIMD4<Float>> {
    let full = enlarged.plane(width, height)
    let step = 1 / Float(reduction)
    workers.rows(height) { _, rows in
      for y in rows {
        let v = max(0, (Float(y) + 0.5) * step - 0.5)
        let (upper, lower) = (picture.clampedRow(Int(v)), picture.clampedRow(Int(v) &+ 1))
        let down = v - Float(Int(v))
        for x in 0..<width {
          let u = max(0, (Float(x) + 0.5) * step - 0.5)
          let (left, right) = (min(Int(u), picture.width &- 1), min(Int(u) &+ 1, picture.width &- 1))
          let part = u - Float(Int(u))
          let top = upper[left] + (upper[right] - upper[left]) * part
          let bottom = lower[left] + (lower[right] - lower[left]) * part
          full[x, y] = top + (bottom - top) * down
        }
      }
    }
    return full
  }
}

/// Light of a blurred row to the destination's R'G'B'.
struct Encoder {
  let tables: TransferTables
  let mapper: ToneMapper?

  func encode(_ row: UnsafeMutablePointer<SIMD4<Float>>, _ count: Int) {
    if let mapper {
      for x in 0..<count { row[x] = mapper.signal(row[x]) }
    } else {
      for x in 0..<count { row[x] = tables.signal(row[x]) }
    }
  }
}
