import CoreVideo

/// The preview's way from pixel buffer to pixel buffer: load at half resolution → blur → code → store.
final class PreviewRenderer {
  private let workers: Workers
  private let pictures: PictureStage
  private let disparities: DisparityStage
  private let preview: PreviewStage
  private let halfLuma = Storage<UInt16>()
  private let halfChroma = Storage<Float>()
  private let lines = Storage<Float>()

  init(pictures: PictureStage, disparities: DisparityStage, blur: BlurStage) {
    workers = blur.workers
    self.pictures = pictures
    self.disparities = disparities
    preview = PreviewStage(stage: blur, disparities: disparities)
  }

  var byteCount: Int {
    preview.byteCount + halfLuma.byteCount + halfChroma.byteCount + lines.byteCount
  }

  /// Half resolution of a picture in linear light.
  func load(_ source: PictureMemory, _ color: ColorDescription) -> Plane<SIMD4<Float>> {
    guard let reader = pictures.halfReader(source, color) else {
      let light = pictures.load(source, color: color, reduction: 2)
      for i in 0..<light.count { light.base[i].w = 1 }
      return light
    }
    let light = pictures.room((source.width + 1) / 2, (source.height + 1) / 2)
    let places = pictures.places(source.width)
    workers.rows(light.height) { worker, rows in
      let room = PlainRoom(places, source.width, worker: worker)
      for y in rows { reader.read(y, into: light.row(y), room: room) }
    }
    return light
  }

  /// Blurs and stores a frame whose half resolution is `light` with the disparity `disparity`.
  func render(
    _ job: RenderJob, _ source: PictureMemory, _ target: PictureMemory, _ light: Plane<SIMD4<Float>>,
    _ disparity: Plane<Float>, _ circle: CircleOfConfusion
  ) {
    let mapper = pictures.prepare(job.request.toneMap, job.color)
    let encoder = Encoder(tables: pictures.prepare(job.color), mapper: mapper)
    let original = mapper == nil && job.keepsCodes ? source : nil
    let input = input(job, source, light, disparity, circle)
    guard target.isPlain420, job.orientation == .identity else {
      let frame = preview.blur(input) { frame, y in
        encoder.encode(frame, y)
        frame.reduceDetail(y)
      }
      store(job, source, target, frame, original)
      return
    }
    let codes = PlainCodes(target.format, job.targetColor.matrix)
    // Room is made before there are workers, who all use it.
    let (luma, chroma) = (halfLuma.plane(light.width, light.height), halfChroma.plane(2 * light.width, light.height))
    func writer(_ frame: PreviewFrame) -> HalfWriter {
      HalfWriter(
        target: target, siting: job.color.siting, codes: codes, frame: frame,
        originals: original.map { PlainOriginals($0, siting: job.color.siting, untouched: frame.untouched) },
        luma: luma, chroma: chroma)
    }
    let frame = preview.blur(input) { frame, y in
      encoder.encode(frame, y)
      writer(frame).code(y)
    }
    let stored = writer(frame)
    let room = HalfWriter.room(light.width)
    let lines = lines.reserve(workers.count * room)
    workers.rows(light.height) { worker, rows in
      for y in rows { stored.write(y, room: lines + worker &* room) }
    }
  }

  private func input(
    _ job: RenderJob, _ source: PictureMemory, _ light: Plane<SIMD4<Float>>, _ disparity: Plane<Float>,
    _ circle: CircleOfConfusion
  ) -> PreviewStage.Input {
    let reader = pictures.reader(source, job.color)
    return PreviewStage.Input(
      width: source.width, height: source.height, light: light, disparity: disparity, circle: circle
    ) { worker, y, columns, row in reader.read(worker, y, columns, into: row) }
  }

  /// Stores any format in any orientation, by way of a whole picture at full resolution.
  private func store(
    _ job: RenderJob, _ source: PictureMemory, _ target: PictureMemory, _ frame: PreviewFrame,
    _ original: PictureMemory?
  ) {
    let reader = PictureReader(source, color: job.color)
    workers.rows(source.height) { _, rows in
      for y in rows {
        frame.enlargeRest(y)
        reader.readAlpha(y, 0..<source.width, into: frame.detail.row(y))
      }
    }
    let writer = PictureWriter(
      target: target, orientation: job.orientation, matrix: job.targetColor.matrix, siting: job.color.siting,
      picture: frame.detail, untouched: frame.untouched, source: original)
    workers.rows(target.height) { _, rows in writer.write(rows) }
  }
}

extension PreviewFrame {
  /// Replaces what is not shown in row `y` of full resolution by half resolution's result.
  func enlargeRest(_ y: Int) {
    let row = detail.row(y)
    let marks = marks.plane.row(y >> 1)
    let (near, other) = (
      half.result.row(y >> 1), half.result.clampedRow((y >> 1) &+ (y & 1 == 0 ? -1 : 1))
    )
    for x in 0..<width where marks[x >> 1] & DetailMarks.shown == 0 {
      let own = x >> 1
      let beside = min(max(own &+ (x & 1 == 0 ? -1 : 1), 0), half.width &- 1)
      let first: SIMD4<Float> = near[own] * 0.75 + other[own] * 0.25
      let second: SIMD4<Float> = near[beside] * 0.75 + other[beside] * 0.25
      row[x] = first * 0.75 + second * 0.25
    }
  }

  /// Makes half resolution's result of the shown blocks of row `y` the mean of their pixels.
  func reduceDetail(_ y: Int) {
    marks.forEachRun(y, DetailMarks.shown) { blocks in
      for x in blocks {
        var (sum, count) = (SIMD4<Float>.zero, Float(0))
        for row in rows(y) {
          for column in pixels(x..<x &+ 1) {
            sum += detail[column, row]
            count += 1
          }
        }
        half.result[x, y] = SIMD4(sum / count, weight: 1)
      }
    }
  }
}

extension Encoder {
  /// Turns the light of row `y` of half resolution and of its shown pixels into R'G'B'.
  func encode(_ frame: PreviewFrame, _ y: Int) {
    frame.marks.forEachRun(y, DetailMarks.shown) { blocks in
      let columns = frame.pixels(blocks)
      for row in frame.rows(y) { encode(frame.detail.row(row) + columns.lowerBound, columns.count) }
    }
    frame.marks.forEachRun(y, without: DetailMarks.shown) { blocks in
      encode(frame.half.result.row(y) + blocks.lowerBound, blocks.count)
    }
  }
}
