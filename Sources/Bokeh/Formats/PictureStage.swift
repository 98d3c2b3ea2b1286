import CoreVideo

/// Both ends of the flow: load → linearise, and encode.
final class PictureStage {
  private let workers: Workers
  private let light = Storage<SIMD4<Float>>()
  private let rows = Storage<SIMD4<Float>>()
  private let chroma = Storage<SIMD2<Float>>()
  private let places = Storage<SIMD4<Float>>()
  private let codes = Storage<Float>()
  private let enlarged = Storage<SIMD4<Float>>()
  private let sums = Storage<Float>()
  private var tables = TransferTables(.bt709)
  private var ramp: LightRamp?
  private var mapper: (key: MapperKey, mapper: ToneMapper)?

  private struct MapperKey: Hashable {
    let curve: ToneMap
    let color: ColorDescription
  }

  init(workers: Workers) {
    self.workers = workers
  }

  var byteCount: Int {
    light.byteCount + rows.byteCount + chroma.byteCount + places.byteCount + codes.byteCount + enlarged.byteCount
      + sums.byteCount
  }

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

  /// What reads rows of a picture as linear light, until the next call.
  func reader(_ memory: PictureMemory, _ color: ColorDescription) -> LightReader {
    let (tables, ramp) = (prepare(color), prepareRamp(color))
    if let plain = PlainReader(memory, color: color, ramp: ramp) {
      return LightReader(plain, room: places(memory.width))
    }
    return LightReader(
      PictureReader(memory, color: color), tables, ramp, room: chroma.reserve(workers.count * memory.width))
  }

  /// The same at half resolution, nil for a format that does not have it.
  func halfReader(_ memory: PictureMemory, _ color: ColorDescription) -> HalfReader? {
    let tables = prepare(color)
    return PlainReader(memory, color: color, ramp: prepareRamp(color)).map {
      HalfReader($0, tables: tables, room: codes)
    }
  }

  private func prepareRamp(_ color: ColorDescription) -> LightRamp {
    if let ramp, ramp.function == color.transfer { return ramp }
    let made = LightRamp(prepare(color))
    ramp = made
    return made
  }

  /// `PlainRoom.count` values for each worker.
  func places(_ width: Int) -> UnsafeMutablePointer<SIMD4<Float>> {
    places.reserve(workers.count * PlainRoom.count(width))
  }

  /// Reads a picture as linear light, reduced by whole pixels: each is the mean of `reduction` x `reduction`.
  func load(_ memory: PictureMemory, color: ColorDescription, reduction: Int) -> Plane<SIMD4<Float>> {
    let reader = reader(memory, color)
    let (width, height) = (memory.width, memory.height)
    let light = light.plane((width + reduction - 1) / reduction, (height + reduction - 1) / reduction)
    let rows = WorkerRows(reduction > 1 ? width : 0, in: rows, workers)
    workers.rows(light.height) { worker, range in
      for y in range {
        guard reduction > 1 else {
          reader.read(worker, y, 0..<width, into: light.row(y))
          continue
        }
        let row = rows[worker]
        let source = y &* reduction..<min((y &+ 1) &* reduction, height)
        light.row(y).update(repeating: .zero, count: light.width)
        for line in source {
          reader.read(worker, line, 0..<width, into: row)
          PictureStage.gather(row, width, into: light.row(y), reduction, source.count)
        }
      }
    }
    return light
  }

  /// Adds a row's light to that of the reduced row.
  private static func gather(
    _ row: UnsafeMutablePointer<SIMD4<Float>>, _ width: Int, into light: UnsafeMutablePointer<SIMD4<Float>>,
    _ reduction: Int, _ lines: Int
  ) {
    for x in 0..<width {
      let block = x / reduction
      let columns = min(width &- block &* reduction, reduction)
      light[block] += row[x] * (1 / Float(columns &* lines))
    }
  }

  /// What stores R'G'B' in a target as it lies, nil where that needs a `PictureWriter`.
  func plainWriter(_ job: RenderJob, _ target: PictureMemory) -> PlainWriter? {
    guard job.orientation == .identity else { return nil }
    return PlainWriter(target, matrix: job.targetColor.matrix, siting: job.color.siting, room: sums)
  }

  /// Stores a frame whose result is R'G'B'.
  ///
  /// - Parameters:
  ///   - original: the source, if its codes mean the same as the target's.
  ///   - writer: what has coded the result's rows already, unless they are reduced.
  func store(
    _ frame: Frame, _ job: RenderJob, _ target: PictureMemory, _ original: PictureMemory?, _ writer: PlainWriter?,
    reduction: Int
  ) {
    guard let writer else { return store(frame, job, target, original, reduction: reduction) }
    if reduction > 1 {
      let rows = WorkerRows(target.width, in: rows, workers)
      workers.rows(target.height) { worker, range in
        let row = rows[worker]
        for y in range {
          frame.result.enlarge(y, into: row, target.width, reduction: reduction)
          writer.code(y, row)
        }
      }
    }
    workers.rows(target.colors[1].height) { _, rows in
      for j in rows { writer.writeChroma(j) }
    }
  }

  /// Stores any format in any orientation.
  private func store(
    _ frame: Frame, _ job: RenderJob, _ target: PictureMemory, _ original: PictureMemory?, reduction: Int
  ) {
    var picture = frame.result
    if reduction > 1 {
      let size = job.request.source
      let full = enlarged.plane(size.width, size.height)
      workers.rows(full.height) { _, rows in
        for y in rows { frame.result.enlarge(y, into: full.row(y), full.width, reduction: reduction) }
      }
      picture = full
    }
    let writer = PictureWriter(
      target: target, orientation: job.orientation, matrix: job.targetColor.matrix, siting: job.color.siting,
      picture: picture, untouched: frame.untouched, source: original)
    workers.rows(target.height) { _, rows in writer.write(rows) }
  }
}

extension Plane<SIMD4<Float>> {
  /// Row `y` of this picture enlarged linearly.
  fileprivate func enlarge(_ y: Int, into row: UnsafeMutablePointer<SIMD4<Float>>, _ count: Int, reduction: Int) {
    let step = 1 / Float(reduction)
    let v = max(0, (Float(y) + 0.5) * step - 0.5)
    let (upper, lower) = (clampedRow(Int(v)), clampedRow(Int(v) &+ 1))
    let down = v - Float(Int(v))
    for x in 0..<count {
      let u = max(0, (Float(x) + 0.5) * step - 0.5)
      let (left, right) = (min(Int(u), width &- 1), min(Int(u) &+ 1, width &- 1))
      let part = u - Float(Int(u))
      let top = upper[left] + (upper[right] - upper[left]) * part
      let bottom = lower[left] + (lower[right] - lower[left]) * part
      row[x] = top + (bottom - top) * down
    }
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
      tables.toSignal(row, count)
    }
  }
}
