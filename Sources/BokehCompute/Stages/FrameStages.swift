import Bokeh
import Compute
import CoreVideoCompute

/// Records a frame's stages in the order of `BokehRenderer.render`.
///
///     load, disparity → range → circle → upsample → radii → resolutions → layers → fill → store
struct FrameStages {
  let frame: FramePlan
  let pipelines: Pipelines
  let planes: FramePlanes
  /// What only the device knows of the frame.
  let circle: Buffer
  /// Where the frame's `FrameLayout` is.
  let address: UInt64
  /// Whether the planes hold the disparity of the frame before.
  let knowsHistory: Bool
  /// How HDR becomes SDR, if it does.
  let tones: DeviceTones?

  struct Constants: BitwiseCopyable {
    var frame: UInt64
    var first: UInt32 = 0
    var second: UInt32 = 0
  }

  var bins: UInt32 { UInt32(frame.effort.bins) }

  func record(_ recorder: borrowing Recorder) throws(ComputeError) {
    for buffer in planes.all { recorder.use(buffer) }
    // The frame before may still use the planes.
    recorder.barrier()
    clear(recorder)
    recorder.barrier()
    try load(recorder)
    try readDisparity(recorder)
    try upsample(recorder)
    try findRadii(recorder)
    try fillLayers(recorder)
    try fillPicture(recorder)
    try store(recorder)
    recorder.time("end")
    recorder.barrier()
  }

  private func clear(_ recorder: borrowing Recorder) {
    recorder.time("clear")
    recorder.fill(circle, at: 0, byteCount: 4, word: .max)
    recorder.fill(circle, at: 4, byteCount: ShaderNumbers.circleBytes - 4, word: 0)
  }

  private func load(_ recorder: borrowing Recorder) throws(ComputeError) {
    recorder.time("load + disparity")
    let startsAtHalf = frame.effort.startsAtHalf
    let constants =
      sourceConstants + [
        startsAtHalf ? 2 : UInt32(frame.reduction), startsAtHalf && isPlain420(frame.plan.source) ? 1 : 0,
      ]
    let size = frame.baseSize
    // The disparity is read meanwhile.
    run(recorder, try pipelines.pipeline(Shaders.load, constants), groups: ((size.x + 31) / 32, (size.y + 3) / 4))
  }

  /// What shaders know of the source when they are compiled.
  private var sourceConstants: [UInt32] {
    let source = frame.plan.source
    let (transfer, power) = ShaderNumbers.transfer(frame.plan.color.transfer)
    return [
      source.model.rawValue, source.sample, source.components.count > 3 ? 1 : 0, UInt32(source.subsampling.x),
      UInt32(source.subsampling.y), transfer, power.bitPattern,
    ]
  }

  /// Whether a picture is 4:2:0 in two planes, of 8 bits or of 10 in the upper ones of 16.
  private func isPlain420(_ picture: StoredPicture) -> Bool {
    picture.model == .yCbCr && picture.components.count == 3 && picture.planes.count == 2
      && picture.subsampling.x == 2 && picture.subsampling.y == 2 && ShaderNumbers.plainSamples.contains(picture.sample)
  }

  private func findRadii(_ recorder: borrowing Recorder) throws(ComputeError) {
    recorder.time("radii")
    if frame.plan.highlightGain > 0 {
      let cells = DeviceHighlights.cells
      run(recorder, try pipelines.pipeline(Shaders.surroundings), groups: (cells, cells))
      recorder.barrier()
    }
    let tiles = FramePlan.tiles(frame.baseSize)
    let constants = [bins, frame.picksDisparity ? startsAtHalf : 0, startsAtHalf]
    run(recorder, try pipelines.pipeline(Shaders.radii, constants), groups: (tiles.x, tiles.y))
    recorder.barrier()
    if frame.effort.splitsEdges {
      recorder.time("edge splitter")
      let constants = [bins, UInt32(frame.effort.largestSplitRadius * Float(DeviceDiscs.stepsPerPixel))]
      run(recorder, try pipelines.pipeline(Shaders.edgesplitter, constants), groups: (tiles.x, tiles.y))
      recorder.barrier()
    }
    if frame.effort.startsAtHalf {
      recorder.time("detail + window")
      let constants = sourceConstants + [bins, frame.picksDisparity ? 1 : 0]
      let tiles = FramePlan.tiles(frame.sizes[0])
      run(recorder, try pipelines.pipeline(Shaders.detail, constants), groups: (tiles.x, tiles.y))
    }
    if !frame.effort.startsAtHalf { recorder.time("resolutions + window") }
    run(recorder, try pipelines.pipeline(Shaders.resolutions, [bins]), groups: (1, 1))
    try markAlongRows(recorder)
    recorder.barrier()
  }

  private func fillPicture(_ recorder: borrowing Recorder) throws(ComputeError) {
    recorder.time("fill picture")
    runLevel(recorder, try pipelines.pipeline(Shaders.fill, fillConstants(FillKind.picture)), 0)
    recorder.barrier()
  }

  /// What filling something that is shown has to know.
  func fillConstants(_ kind: UInt32) -> [UInt32] {
    [
      bins, kind, frame.plan.color.transfer == .linear ? 1 : 0, 0, tones?.curve ?? 0,
      tones?.isSceneLight == true ? 1 : 0, frame.effort.splitsEdges ? 1 : 0, startsAtHalf, look,
    ]
  }

  /// What discs look like, as `shapes.glsl` numbers it.
  var look: UInt32 {
    guard frame.plan.shape != nil else { return FillLook.plain }
    return frame.plan.request.look.opticalVignetting > 0 ? FillLook.cut : FillLook.shaped
  }

  private var startsAtHalf: UInt32 { frame.effort.startsAtHalf ? 1 : 0 }

  /// As many groups as the resolution has tiles, or none where the device finds that it is not needed.
  func runLevel(_ recorder: borrowing Recorder, _ pipeline: Pipeline, _ level: Int, isHidden: Bool = false) {
    let place = (isHidden ? FrameLayout.levelCount : 0) + level
    recorder.dispatch(
      pipeline, groupsIn: circle, at: ShaderNumbers.groupsOffset + 16 * place,
      constants: Constants(frame: address, first: UInt32(level)))
  }

  private func store(_ recorder: borrowing Recorder) throws(ComputeError) {
    recorder.time("store")
    let target = frame.plan.target
    let takesHalf = frame.effort.startsAtHalf && isPlain420(target) && frame.plan.turn == (1, 0, 0, 1)
    for (index, plane) in target.planes.enumerated() {
      let memory = frame.input.target.planes[index]
      let components = plane.samples.enumerated().reduce(UInt32(0)) { $0 | UInt32($1.element) << UInt32(2 * $1.offset) }
      let constants: [UInt32] = [
        target.model.rawValue, target.sample, UInt32(plane.samples.count), components, UInt32(plane.blockWidth),
        UInt32(target.subsampling.x), UInt32(target.subsampling.y), target.isDithered ? 1 : 0,
        UInt32(frame.reduction), frame.plan.turn.a == 0 ? 1 : 0, startsAtHalf, takesHalf ? 1 : 0,
        frame.plan.source.components.count > 3 ? frame.plan.source.sample : 255,
      ]
      // An invocation stores a word of one row, of a preview's luma of two.
      let rows = takesHalf && plane.samples.count == 1 ? (memory.height + 1) / 2 : memory.height
      recorder.dispatch(
        try pipelines.pipeline(Shaders.store, constants),
        groups: ((memory.bytesPerRow / 4 + 63) / 64, (rows + 1) / 2, 1),
        constants: Constants(frame: address, first: UInt32(index), second: UInt32(memory.height)))
    }
  }

  func run(
    _ recorder: borrowing Recorder, _ pipeline: Pipeline, groups: (x: Int, y: Int), first: UInt32 = 0
  ) {
    recorder.dispatch(
      pipeline, groups: (groups.x, groups.y, 1), constants: Constants(frame: address, first: first))
  }
}

/// What `fill` brings out, as the shader numbers it.
enum FillKind {
  static let picture: UInt32 = 0
  static let layers: UInt32 = 1
  static let whole: UInt32 = 2
  static let half: UInt32 = 3
}

/// What discs look like, as `shapes.glsl` numbers it.
enum FillLook {
  static let plain: UInt32 = 0
  static let shaped: UInt32 = 1
  static let cut: UInt32 = 2
}

extension ShaderNumbers {
  /// The samples of 8 bits, and of 10 in the upper ones of 16, as `stored.glsl` numbers them.
  static let plainSamples: [UInt32] = [0, 3]

  /// A transfer function's number in `load`, and its exponent.
  static func transfer(_ function: TransferFunction) -> (number: UInt32, power: Float) {
    switch function {
    case .linear: (0, 1)
    case .bt709: (1, 1)
    case .smpte240M: (2, 1)
    case .sRGB: (3, 1)
    case .hlg: (4, 1)
    case .pq: (5, 1)
    case .gamma(let power): (6, power)
    }
  }
}
