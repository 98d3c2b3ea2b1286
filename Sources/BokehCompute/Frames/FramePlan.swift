import Bokeh
import Compute
import CoreVideo
import CoreVideoCompute

/// The sizes of a frame's resolutions, and how many there are.
struct FramePlan {
  let plan: DevicePlan
  let effort: DeviceEffort
  let input: FrameInput
  /// Width and height at each resolution, full resolution first.
  let sizes: [SIMD2<Int>]
  let sampleSize: SIMD2<Int>
  /// Pixels of the resolution that is blurred for each 1/m.
  let radiusPerDisparity: Float
  let reduction: Int
  /// Whether samples of disparity may be invalid.
  let mayHaveHoles: Bool
  /// The radius in pixels that no disc of the frame exceeds.
  let largestRadius: Float

  /// The resolution of the planes of light and disparity: 1 of a frame of which only parts are looked at in full.
  var baseLevel: Int { effort.startsAtHalf ? 1 : 0 }
  /// Its size.
  var baseSize: SIMD2<Int> { sizes[baseLevel] }
  /// Whether there is a sample of disparity for each pixel of these planes.
  var picksDisparity: Bool { sampleSize.x >= baseSize.x && sampleSize.y >= baseSize.y }
  /// The coarsest resolution that the frame may need.
  var lastLevel: Int { sizes.count - 1 }

  /// - Parameter picture: the source where it is on the device already.
  init(_ plan: DevicePlan, _ effort: DeviceEffort, picture: DevicePicture?) {
    self.plan = plan
    self.effort = effort
    input = FrameInput(plan.request, picture: picture)
    let stored = SIMD2(plan.request.source.width, plan.request.source.height)
    reduction = min(effort.reduction, stored.max())
    radiusPerDisparity = plan.radiusPerDisparity / Float(reduction)
    sampleSize = SIMD2(plan.request.disparity.width, plan.request.disparity.height)
    let scan = DisparityScan(plan)
    mayHaveHoles = scan.mayHaveHoles
    let range = scan.range
    let farthest = max(range.upperBound - plan.focus, plan.focus - range.lowerBound, 0)
    largestRadius = min(farthest * radiusPerDisparity, DeviceEffort.maximumRadius)
    var sizes = [(stored &+ (reduction - 1)) / reduction]
    let least = effort.startsAtHalf ? 2 : 1
    while sizes.count < least || FramePlan.draws(sizes.count - 1, effort) < largestRadius,
      sizes.count < FrameLayout.levelCount
    {
      sizes.append((sizes[sizes.count - 1] &+ 1) / 2)
    }
    self.sizes = sizes
  }

  /// The radius in pixels of full resolution up to which a resolution draws discs wholly by itself.
  private static func draws(_ level: Int, _ effort: DeviceEffort) -> Float {
    level == 0 ? effort.fullResolutionBand.lowerBound : 7 / 8 * Float(mostRadius(effort) << level)
  }

  /// What quality asks of a frame's discs.
  static func effort(_ quality: BokehQuality, _ plan: DevicePlan) -> DeviceEffort {
    DeviceEffort(
      quality,
      mostAtOneResolution: Float(plan.shape == nil ? ShaderNumbers.mostRadius : ShaderNumbers.mostShapedRadius))
  }

  /// The radius in its own pixels up to which each lower resolution draws discs: for playback less than what can be.
  private static func mostRadius(_ effort: DeviceEffort) -> Int {
    isForPlayback(effort) ? ShaderNumbers.mostRadius * 3 / 4 : Int(effort.mostAtOneResolution)
  }

  private static func isForPlayback(_ effort: DeviceEffort) -> Bool { effort.startsAtHalf }

  /// The resolution of the layer behind near objects, which is a guess.
  var hiddenLevel: Int {
    effort.hiddenScale.trailingZeroBitCount + (FramePlan.isForPlayback(effort) ? 1 : 0)
  }
  /// The coarsest resolution of the layer behind.
  var lastHiddenLevel: Int { max(lastLevel, hiddenLevel) }

  func size(_ level: Int) -> SIMD2<Int> { (sizes[0] &+ (1 << level - 1)) / (1 << level) }

  /// A level of a pyramid: its size, and its place in it.
  struct PyramidLevel {
    let size: SIMD2<Int>
    let place: Int
    var count: Int { size.x * size.y }
  }

  /// The levels above the samples, finest first; at least one.
  var holeLevels: [PyramidLevel] {
    var levels = [PyramidLevel(size: (sampleSize &+ 1) / 2, place: 0)]
    while let last = levels.last, last.size.max() > 1 {
      levels.append(PyramidLevel(size: (last.size &+ 1) / 2, place: last.place + last.count))
    }
    return levels
  }

  static func tiles(_ size: SIMD2<Int>) -> SIMD2<Int> {
    SIMD2(
      (size.x + ShaderNumbers.tile.width - 1) / ShaderNumbers.tile.width,
      (size.y + ShaderNumbers.tile.height - 1) / ShaderNumbers.tile.height)
  }
}

extension FramePlan {
  /// What shaders have to know, with all planes in place.
  func layout(
    _ planes: FramePlanes, input inputBuffer: Buffer, output: Buffer
  ) throws(ComputeError) -> FrameLayout {
    var layout = FrameLayout()
    setPicture(&layout, inputBuffer, output)
    setNumbers(&layout)
    try setPlanes(&layout, planes)
    for (level, size) in sizes.enumerated() { try setLevel(&layout, level, size, planes, "picture") }
    try setHidden(&layout, planes)
    return layout
  }

  private func setPicture(_ layout: inout FrameLayout, _ inputBuffer: Buffer, _ output: Buffer) {
    let picture = input.picture?.buffer.address ?? inputBuffer.address + UInt64(input.sourceOffset)
    for (index, component) in plan.source.components.enumerated() {
      let plane = input.source.planes[component.plane]
      layout.source[index] = picture + UInt64(plane.offset)
      layout.sourceOffset[index] = UInt32(component.offset)
      layout.sourcePitch[index] = UInt32(plane.bytesPerRow)
      layout.sourceStep[index] = UInt32(component.step)
    }
    for (index, plane) in input.target.planes.enumerated() {
      layout.target[index] = output.address + UInt64(plane.offset)
      layout.targetPitch[index] = UInt32(plane.bytesPerRow)
    }
    layout.disparity = inputBuffer.address + UInt64(input.disparityOffset)
    layout.disparityPitch = UInt32(input.disparity.planes[0].bytesPerRow)
  }

  private func setNumbers(_ layout: inout FrameLayout) {
    let request = plan.request
    layout.storedSize = SIMD2(UInt32(request.source.width), UInt32(request.source.height))
    layout.shownSize = SIMD2(UInt32(request.destination.width), UInt32(request.destination.height))
    layout.size = SIMD2(truncatingIfNeeded: baseSize)
    layout.sampleSize = SIMD2(truncatingIfNeeded: sampleSize)
    layout.untouchedPitch = UInt32((sizes[0].x + 1) / 2)
    for (index, part) in [plan.turn.a, plan.turn.b, plan.turn.c, plan.turn.d].enumerated() {
      layout.turn[index] = Int32(part)
    }
    (layout.sourceLuma, layout.targetLuma) = (plan.color.sourceLuma, plan.color.targetLuma)
    layout.siting = plan.color.siting
    for i in 0..<4 {
      layout.sourceRange[i] = plan.source.range[i]
      layout.targetRange[i] = plan.target.range[i]
    }
    layout.targetLimits = plan.target.limits
    layout.focus = plan.focus
    layout.radiusPerDisparity = radiusPerDisparity
    layout.edgeShare = DeviceEffort.edgeShare
    layout.tolerance = DeviceEffort.invisibleRadius / max(radiusPerDisparity, .leastNormalMagnitude)
    layout.bandLower = UInt32(effort.fullResolutionBand.lowerBound * Float(DeviceDiscs.stepsPerPixel))
    layout.bandUpper = UInt32(effort.fullResolutionBand.upperBound * Float(DeviceDiscs.stepsPerPixel))
    layout.laterUpper = UInt32(FramePlan.mostRadius(effort) * DeviceDiscs.stepsPerPixel)
    layout.lastLevel = UInt32(lastLevel)
    layout.hiddenLevel = UInt32(hiddenLevel)
    layout.baseLevel = UInt32(baseLevel)
    layout.mostDrawn = effort.mostAtOneResolution
    layout.vignetting = plan.request.look.opticalVignetting
    layout.highlights = plan.highlightGain
    layout.copies = reduction == 1 && plan.keepsCodes && !plan.color.mapsTones ? 1 : 0
  }

  private func setPlanes(_ layout: inout FrameLayout, _ planes: FramePlanes) throws(ComputeError) {
    let (count, samples) = (sizes[0].x * sizes[0].y, sampleSize.x * sampleSize.y)
    let base = baseSize.x * baseSize.y
    layout.circle = try planes.buffer("circle", ShaderNumbers.circleBytes).address
    layout.samples = try planes.buffer("samples", 4 * samples).address
    layout.raw = try planes.buffer("raw", 4 * base).address
    layout.linear = try planes.buffer("linear", 8 * base).address
    layout.picture = try planes.buffer("picture", 8 * count).address
    layout.untouched = try planes.buffer("untouched", 4 * Int(layout.untouchedPitch) * sizes[0].y).address
    if plan.highlightGain > 0 {
      let cells = DeviceHighlights.cells
      layout.surroundings = try planes.buffer("surroundings", 4 * cells * cells).address
    }
    if effort.startsAtHalf {
      layout.detail = try planes.buffer("detail", 8 * count).address
      layout.halfKeys = try planes.buffer("half keys", 4 * base).address
      layout.halfPicture = try planes.buffer("half picture", 8 * base).address
    }
    if effort.splitsEdges {
      layout.partKeys = try planes.buffer("part keys", 8 * count).address
      layout.partColors = try planes.buffer("part colors", 16 * count).address
    }
    if mayHaveHoles {
      let room = holeLevels.reduce(0) { $0 + 4 * $1.count }
      layout.holeValues = try planes.buffer("hole values", room).address
      layout.holeWeights = try planes.buffer("hole weights", room).address
    }
    guard !picksDisparity else { return }
    layout.guide = try planes.buffer("guide", 8 * samples).address
    layout.refined = try planes.buffer("refined", 4 * samples).address
    layout.slopes = try planes.buffer("slopes", 8 * samples).address
    layout.edges = try planes.buffer("edges", 4 * samples).address
    layout.past = try planes.buffer("past", 4 * samples).address
    layout.pastGuide = try planes.buffer("past guide", 8 * samples).address
  }

  private func setHidden(_ layout: inout FrameLayout, _ planes: FramePlanes) throws(ComputeError) {
    let count = size(hiddenLevel).x * size(hiddenLevel).y
    layout.nearEdgeAcross = try planes.buffer("near edge across", 4 * count).address
    layout.nearEdge = try planes.buffer("near edge", 4 * count).address
    layout.hidden = try planes.buffer("hidden", 8 * count).address
    for level in hiddenLevel...lastHiddenLevel {
      try setLevel(&layout, FrameLayout.levelCount + level, size(level), planes, "hidden")
    }
  }

  private func setLevel(
    _ layout: inout FrameLayout, _ level: Int, _ size: SIMD2<Int>, _ planes: FramePlanes, _ owner: String
  ) throws(ComputeError) {
    let (count, tiles) = (size.x * size.y, FramePlan.tiles(size))
    var made = LevelLayout()
    made.size = SIMD2(truncatingIfNeeded: size)
    made.tileCount = SIMD2(truncatingIfNeeded: tiles)
    made.tiles = try planes.buffer("\(owner) tiles \(level)", ShaderNumbers.bytesPerTile * tiles.x * tiles.y).address
    let slots = ShaderNumbers.slotsPerBlock
    // Pixels have a key each, and their light elsewhere.
    let isPixels = owner == "picture" && level == 0
    made.keys = try planes.buffer("\(owner) keys \(level)", isPixels ? 4 * count : 4 * slots * count).address
    if !isPixels {
      // What is guessed to be behind a pixel is one sample.
      let isOne = owner == "hidden" && level == hiddenLevel
      made.colors = try planes.buffer("\(owner) colors \(level)", 8 * (isOne ? 1 : slots) * count).address
      made.front = try planes.buffer("\(owner) front \(level)", 8 * count).address
      made.near = try planes.buffer("\(owner) near \(level)", 8 * count).address
      made.far = try planes.buffer("\(owner) far \(level)", 8 * count).address
      made.back = try planes.buffer("\(owner) back \(level)", 8 * count).address
    }
    layout.levels[level] = made
  }
}
