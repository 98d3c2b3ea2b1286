import Compute
import CoreVideoCompute
import ProRes

/// Records a batch's stages: clear → entropy, alpha → transform → pack.
struct BatchStages {
  let plan: BatchPlan
  let planes: FramePlanes
  let pipelines: Pipelines
  /// For what is found of each slice.
  let slices: Buffer
  /// Where the batch's `BatchLayout` is.
  let address: UInt64

  private struct Constants: BitwiseCopyable {
    var batch: UInt64
  }

  private var isFullChroma: UInt32 { plan.shape.isFullChroma ? 1 : 0 }
  private var hasAlpha: UInt32 { plan.hasAlpha ? 1 : 0 }

  func record(_ recorder: borrowing Recorder) throws(ComputeError) {
    for buffer in planes.all { recorder.use(buffer) }
    // The batch before may still use the planes.
    recorder.barrier()
    try clear(recorder)
    recorder.barrier()
    try readBits(recorder)
    recorder.barrier()
    try transform(recorder)
    recorder.barrier()
    if !plan.isPlanar { try pack(recorder) }
    recorder.time("end")
    recorder.barrier()
  }

  private func clear(_ recorder: borrowing Recorder) throws(ComputeError) {
    recorder.time("clear")
    recorder.fill(slices, at: 0, byteCount: 4 * plan.sliceCount, word: 0)
    for (name, blocks) in zip(Planes.levels, plan.shape.blocksInMacroblock) {
      recorder.fill(try planes.buffer(name, 4), at: 0, byteCount: 128 * blocks * plan.macroblocks, word: 0)
    }
    guard plan.isPlanar, !plan.hasAlpha else { return }
    // Opaque, where alpha is asked for and the stream has none.
    let opaque = UInt32(1) << UInt32(plan.layout.depth) - 1
    for target in plan.targets where target.memory.planes.count > 3 {
      let plane = target.memory.planes[3]
      recorder.fill(
        target.buffer, at: plane.offset, byteCount: plane.bytesPerRow * plane.height, word: opaque | opaque << 16)
    }
  }

  private func readBits(_ recorder: borrowing Recorder) throws(ComputeError) {
    recorder.time("entropy")
    let pictures = plan.pictureCount
    run(
      recorder, try pipelines.pipeline(Shaders.entropy, [isFullChroma, hasAlpha]),
      groups: (groups(plan.mostSlices, ShaderNumbers.entropyGroup), 3, pictures))
    guard plan.hasAlpha else { return }
    let bits: UInt32 = plan.shape.alpha == .eightBits ? 8 : 16
    run(
      recorder, try pipelines.pipeline(Shaders.alpha, [bits, UInt32(plan.alphaShift)]),
      groups: (groups(plan.mostSlices, ShaderNumbers.alphaGroup), pictures, 1))
  }

  private func transform(_ recorder: borrowing Recorder) throws(ComputeError) {
    recorder.time("transform")
    // Halved chroma is worked on together.
    run(
      recorder, try pipelines.pipeline(Shaders.transform, [isFullChroma, hasAlpha]),
      groups: (plan.mostSlices, plan.shape.isFullChroma ? 3 : 2, plan.pictureCount))
  }

  private func pack(_ recorder: borrowing Recorder) throws(ComputeError) {
    recorder.time("pack")
    let (kind, shift) = plan.layout.shaderKind
    let constants = [kind, isFullChroma, hasAlpha, shift, plan.layout == .s4as ? 1 : 0]
    let group = ShaderNumbers.packGroup
    let units = groups(plan.shape.width, plan.layout == .v210 ? 6 : 2)
    run(
      recorder, try pipelines.pipeline(Shaders.pack, constants),
      groups: (groups(units, group.width), groups(plan.shape.height, group.height), plan.frames.count))
  }

  private func groups(_ count: Int, _ size: Int) -> Int { (count + size - 1) / size }

  private func run(_ recorder: borrowing Recorder, _ pipeline: Pipeline, groups: (x: Int, y: Int, z: Int)) {
    recorder.dispatch(pipeline, groups: groups, constants: Constants(batch: address))
  }
}

extension ProResLayout {
  /// How `pack` numbers a layout, and how far it shifts samples up.
  fileprivate var shaderKind: (kind: UInt32, shift: UInt32) {
    switch self {
    case .planar: preconditionFailure("Planes are not packed.")
    case .y416: (0, 0)
    case .v216: (1, 0)
    case .v210: (2, 0)
    case .x422: (3, 6)
    case .sv22: (3, 0)
    case .x444: (4, 6)
    case .sv44, .s4as: (4, 0)
    case .b64a: (5, 0)
    case .bgra: (6, 0)
    case .rgbaHalf: (7, 0)
    }
  }
}
