import Compute
import CoreVideo
import CoreVideoCompute
import ProRes

/// Where a batch's data lies: what goes to the device in one piece, and the planes between.
///
///     layout | pictures | frames | slice offsets | samples
struct BatchPlan {
  let frames: [BatchFrame]
  let shape: BatchShape
  let layout: ProResLayout
  let matrix: ColorMatrix
  let targets: [DevicePicture]
  /// Of each picture: what shaders know of it, but for what is found on the way.
  private(set) var pictures: [PictureLayout] = []
  private(set) var sliceOffsets: [UInt32] = []
  private(set) var sampleOffsets: [Int] = []
  private(set) var sliceCount = 0
  private(set) var macroblocks = 0
  let offsets: (pictures: Int, frames: Int, sliceOffsets: Int, samples: Int)
  let inputByteCount: Int

  /// The most slices of a picture.
  var mostSlices: Int { frames.flatMap(\.frame.pictures).map(\.sliceCount).max() ?? 0 }
  var pictureCount: Int { pictures.count }
  /// Whether planes are what was asked for.
  var isPlanar: Bool { if case .planar = layout { true } else { false } }
  var hasAlpha: Bool { shape.alpha != .none }
  /// Bits of alpha that the layout leaves out.
  var alphaShift: Int { isPlanar ? 16 - layout.depth : 0 }

  init(
    _ frames: [BatchFrame], _ shape: BatchShape, _ layout: ProResLayout, _ matrix: ColorMatrix,
    _ targets: [DevicePicture]
  ) {
    self.frames = frames
    self.shape = shape
    self.layout = layout
    self.matrix = matrix
    self.targets = targets
    func after(_ place: Int, _ count: Int, _ stride: Int) -> Int { (place + count * stride + 15) & ~15 }
    let all = frames.flatMap(\.frame.pictures)
    let pictures = after(0, 1, MemoryLayout<BatchLayout>.size)
    let frameOffset = after(pictures, all.count, MemoryLayout<PictureLayout>.stride)
    let slices = after(frameOffset, frames.count, MemoryLayout<FrameLayout>.stride)
    let samples = after(slices, all.reduce(0) { $0 + $1.sliceCount + 1 }, 4)
    offsets = (pictures, frameOffset, slices, samples)
    var end = samples
    for frame in frames {
      sampleOffsets.append(end - samples)
      end = after(end, frame.sample.count, 1)
    }
    // Shaders read whole words.
    inputByteCount = end + 16
    for index in frames.indices { add(index) }
  }

  private mutating func add(_ index: Int) {
    for picture in frames[index].frame.pictures {
      let columns = picture.columns.columns
      let log2Width = columns[0].log2Width
      pictures.append(
        PictureLayout(
          firstSlice: UInt32(sliceCount), sliceCount: UInt32(picture.sliceCount),
          firstOffset: UInt32(sliceOffsets.count), firstMacroblock: UInt32(macroblocks),
          firstRow: UInt32(picture.firstRow), rowStep: UInt32(picture.rowStep), rows: UInt32(picture.rows),
          frame: UInt32(index), slicesAcross: UInt32(columns.count),
          wideSlices: UInt32(shape.macroblocksAcross >> log2Width), log2Width: UInt32(log2Width)))
      sliceCount += picture.sliceCount
      macroblocks += picture.macroblockRows * shape.macroblocksAcross
      sliceOffsets += picture.sliceOffsets.map { UInt32(sampleOffsets[index] + $0) }
    }
  }
}

extension BatchPlan {
  /// Planes between the transform and the layout, the same for each frame.
  var work: StoredMemory {
    StoredMemory(planes: ProResLayout.planar(depth: 16).planes(shape, withAlpha: hasAlpha))
  }

  /// What shaders know of the batch; makes room for the planes between.
  ///
  /// - Parameter slices: for what is found of each slice.
  func layout(_ planes: FramePlanes, input: Buffer, slices: Buffer) throws(ComputeError) -> BatchLayout {
    var made = BatchLayout()
    made.bytes = input.address + UInt64(offsets.samples)
    made.sliceOffsets = input.address + UInt64(offsets.sliceOffsets)
    made.pictures = input.address + UInt64(offsets.pictures)
    made.frames = input.address + UInt64(offsets.frames)
    made.slices = slices.address
    for (plane, blocks) in shape.blocksInMacroblock.enumerated() {
      made.levels[plane] = try planes.buffer(Planes.levels[plane], 128 * blocks * macroblocks).address
      made.dcs[plane] = try planes.buffer(Planes.dcs[plane], 4 * blocks * macroblocks).address
    }
    (made.width, made.height) = (UInt32(shape.width), UInt32(shape.height))
    made.macroblocksAcross = UInt32(shape.macroblocksAcross)
    let target = targets[0].memory
    for (plane, memory) in work.planes.enumerated() { made.pitches[plane] = UInt32(memory.bytesPerRow) }
    if isPlanar {
      for (plane, memory) in target.planes.enumerated() { made.pitches[plane] = UInt32(memory.bytesPerRow) }
    }
    if !isPlanar {
      for (plane, memory) in target.planes.enumerated() { made.targetPitches[plane] = UInt32(memory.bytesPerRow) }
    }
    setNumbers(&made)
    return made
  }

  private func setNumbers(_ made: inout BatchLayout) {
    made.depth = UInt32(layout.depth)
    (made.lumaOffset, made.lumaScale) = (matrix.lumaOffset, matrix.lumaScale)
    (made.redOfRed, made.blueOfBlue) = (matrix.red, matrix.blue)
    (made.greenOfBlue, made.greenOfRed) = (matrix.greenBlue, matrix.greenRed)
    let order = shape.fields == .progressive ? ScanOrder.progressive : ScanOrder.interlaced
    for (position, place) in order.enumerated() { made.scan[position] = UInt32(ScanOrder.place(place)) }
  }

  /// What shaders know of frame `index`.
  func frame(_ index: Int, _ planes: FramePlanes) throws(ComputeError) -> FrameLayout {
    var made = FrameLayout()
    let target = targets[index]
    if isPlanar {
      for (plane, memory) in target.memory.planes.enumerated() {
        made.planes[plane] = target.buffer.address + UInt64(memory.offset)
      }
      // Alpha that nobody asked for is read all the same, since it may be damaged.
      if hasAlpha, target.memory.planes.count < 4 {
        let plane = work.planes[3]
        made.planes[3] = try planes.buffer(Planes.alpha, plane.bytesPerRow * plane.height).address
      }
    } else {
      let start = try planes.buffer(Planes.samples, work.byteCount * frames.count).address
      for (plane, memory) in work.planes.enumerated() {
        made.planes[plane] = start + UInt64(index * work.byteCount + memory.offset)
      }
      for (plane, memory) in target.memory.planes.enumerated() {
        made.targets[plane] = target.buffer.address + UInt64(memory.offset)
      }
    }
    let header = frames[index].frame.header
    for (half, matrix) in [header.lumaMatrix, header.chromaMatrix].enumerated() {
      made.dcWeights[half] = UInt32(matrix[0])
      for place in 0..<64 {
        let (v, u) = (place & 7, place >> 3)
        made.weights[half * 64 + place] = Float(
          Double(matrix[v * 8 + u]) * PlaneTransform.factor(v, u, depth: layout.depth))
      }
    }
    return made
  }
}

/// The names of the planes between.
enum Planes {
  static let levels = ["luma levels", "blue levels", "red levels"]
  static let dcs = ["luma DCs", "blue DCs", "red DCs"]
  static let samples = "samples"
  static let alpha = "alpha"
}
