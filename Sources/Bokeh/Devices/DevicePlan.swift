import CoreVideo

/// A request that has been looked at, as the numbers and tables that a renderer on another device works with, so that
/// its shaders compute what this module's stages do.
package struct DevicePlan: Sendable {
  package let request: RenderRequest
  package let source: StoredPicture
  package let target: StoredPicture
  package let disparity: StoredDisparity
  package let color: Color
  /// Whether the destination's codes mean the same as the source's.
  package let keepsCodes: Bool
  /// Shown (u, v) comes from stored x = a·u + b·v and y = c·u + d·v, counted from the other end where that is negative.
  package let turn: (a: Int, b: Int, c: Int, d: Int)
  /// In 1/m.
  package let focus: Float
  /// Pixels of the stored picture for each 1/m.
  package let radiusPerDisparity: Float
  /// Nil where discs are plain round ones.
  package let shape: DeviceShape?
  /// What clipped white is multiplied by where it is well blurred, less 1.
  package let highlightGain: Float
  private let job: RenderJob

  /// - Throws: what `BokehRenderer.render` would throw.
  package init(_ request: RenderRequest) throws(BokehError) {
    let job = try RenderJob(request)
    guard let source = request.source.format, let target = request.destination.format,
      let disparity = request.disparity.format
    else { preconditionFailure("A request that was looked at has formats.") }
    self.request = request
    self.job = job
    self.source = StoredPicture(source)
    self.target = StoredPicture(target)
    self.disparity = StoredDisparity(disparity, request.disparityCodes)
    color = Color(job)
    keepsCodes = job.keepsCodes
    turn = (job.orientation.a, job.orientation.b, job.orientation.c, job.orientation.d)
    focus = job.focus
    radiusPerDisparity = job.radiusPerDisparity
    let look = request.look
    shape =
      look.aperture.isRound && look.opticalVignetting == 0
      ? nil : DeviceShape(aperture: look.aperture, orientation: job.orientation)
    highlightGain = job.isClipped ? HighlightRecovery.gain(look.highlights) : 0
  }

  /// Says on the destination what its colours mean; for when it has been rendered.
  package func tagDestination() { job.tagDestination() }

  /// How colours are coded.
  package struct Color: Sendable {
    package let transfer: TransferFunction
    /// The weights of red and blue in luma.
    package let sourceLuma: SIMD2<Float>
    package let targetLuma: SIMD2<Float>
    /// Where chroma samples lie, 0…1, across and down.
    package let siting: SIMD2<Float>
    /// Whether HDR is brought to SDR.
    package let mapsTones: Bool
    private let primaries: ColorDescription.Primaries

    /// Whether a tone map for `other` is one for this too.
    package func hasTones(of other: Color) -> Bool { transfer == other.transfer && primaries == other.primaries }

    init(_ job: RenderJob) {
      transfer = job.color.transfer
      sourceLuma = SIMD2(job.color.matrix.red, job.color.matrix.blue)
      targetLuma = SIMD2(job.targetColor.matrix.red, job.targetColor.matrix.blue)
      siting = SIMD2(job.color.siting.horizontal, job.color.siting.vertical)
      mapsTones = job.request.toneMap != .none && job.color.transfer.isHDR
      primaries = job.color.primaries
    }
  }
}

/// What a quality means in numbers, for a renderer on another device.
package struct DeviceEffort: Hashable, Sendable {
  package let bins: Int
  package let reduction: Int
  /// Whether all is known at half resolution, and only what is nearly sharp at full resolution.
  package let startsAtHalf: Bool
  /// The radii in pixels that are blurred at full resolution wholly below, in part within, and not above.
  package let fullResolutionBand: ClosedRange<Float>
  /// The largest radius that a resolution draws, in its own pixels.
  package let mostAtOneResolution: Float
  package let splitsEdges: Bool
  /// Pixels with larger radii are not split.
  package let largestSplitRadius: Float
  /// Pixels in each direction for one of the layer behind near objects.
  package let hiddenScale: Int
  /// How many steps lines through a pixel are looked along in each direction for what lies behind it.
  package let hiddenSteps: Int

  /// - Parameter most: a device gathers radii up to this at each resolution.
  package init(_ quality: BokehQuality, mostAtOneResolution most: Float) {
    let effort = Effort(quality)
    bins = effort.bins
    reduction = effort.reduction
    startsAtHalf = effort.startsAtHalf
    mostAtOneResolution = most
    splitsEdges = effort.splitsEdges
    largestSplitRadius = effort.halfResolutionBand.lowerBound
    hiddenScale = effort.hiddenScale
    hiddenSteps = effort.hiddenSteps
    let band = effort.halfResolutionBand
    fullResolutionBand = band.upperBound <= most ? band : most - 1...most
  }

  /// What `DisparityStage` takes for no difference in radius, in pixels, and for an edge, as a part of the range.
  package static let invisibleRadius = DisparityStage.tolerance(1)
  package static let edgeShare = DisparityStage.edgeShare
  /// Radii beyond this are drawn with it.
  package static let maximumRadius = CircleOfConfusion.maximumRadius
  /// A disparity is valid from 0 to this.
  package static let largestDisparity = HoleFiller.largestValid
}

/// Curves as tables.
package struct DeviceCurves: Sendable {
  /// Light of signals from 0 to `largestSignal` at even steps.
  package let light: [Float]
  package let lightStepsPerUnit: Float
  /// Signals of light from 2⁻³² to 2¹⁶, 128 steps an octave.
  package let signal: [Float]
  package let signalSlopeAtZero: Float

  package init(_ transfer: TransferFunction) {
    let tables = TransferTables(transfer)
    light = tables.lightTable.values
    lightStepsPerUnit = tables.lightTable.stepsPerUnit
    signal = tables.signalTable.values
    signalSlopeAtZero = tables.signalTable.slopeAtZero
  }
}

/// A tone map as tables and numbers: see `ToneMapper`.
package struct DeviceTones: Sendable {
  /// A function as `DeviceCurves.signal`, with its slope at zero.
  package typealias Table = (values: [Float], slopeAtZero: Float)

  /// 1 for BT.2446 A, 2 for BT.2390.
  package let curve: UInt32
  package let systemGamma: Table
  package let gammaSignal: Table
  package let curveTable: Table
  /// Light in units of reference white times this is light in units of the peak (HLG: scene light 0…1).
  package let scale: Float
  /// Whether light has to be shown on a display first.
  package let isSceneLight: Bool
  /// Rows of the matrices to the primaries of BT.2020, and from there to BT.709.
  package let toBT2020: [Float]
  package let toBT709: [Float]

  /// Nil where there is nothing to map.
  package init?(_ plan: DevicePlan) {
    guard let mapper = ToneMapper(plan.request.toneMap, color: ColorDescription(plan.request.source)) else {
      return nil
    }
    curve = plan.request.toneMap == .bt2446A ? 1 : 2
    systemGamma = (mapper.systemGamma.values, mapper.systemGamma.slopeAtZero)
    gammaSignal = (mapper.gammaSignal.values, mapper.gammaSignal.slopeAtZero)
    curveTable = (mapper.curveTable.values, mapper.curveTable.slopeAtZero)
    isSceneLight = mapper.isSceneLight
    scale = Float(
      isSceneLight ? HybridLogGamma.referenceWhite : PerceptualQuantiser.referenceWhite / Double(mapper.peak))
    toBT2020 = DeviceTones.rows(mapper.toBT2020)
    toBT709 = DeviceTones.rows(mapper.toBT709)
  }

  private static func rows(_ matrix: ColorMatrix) -> [Float] {
    (0..<3).flatMap { row in [matrix.red[row], matrix.green[row], matrix.blue[row]] }
  }
}

/// Discs as spans: see `DiscTable`.
package enum DeviceDiscs {
  package static let stepsPerPixel = Int(DiscTable.stepsPerPixel)
  package static let sharpIndex = Int(DiscTable.sharpIndex)

  /// For each row 0…`radius` the half widths of the discs with the radii 0…`radius` in steps; and last 1 / area of each.
  package static func table(upTo radius: Int) -> [Float] {
    let widths = (0...radius).flatMap { row in
      let widths = DiscTable.shared.row(row)
      return (0...radius * stepsPerPixel).map { widths[$0] }
    }
    return widths + (0...radius * stepsPerPixel).map { DiscTable.shared.inverseAreas[$0] }
  }
}

/// What shaders have to know of `HighlightRecovery`.
package enum DeviceHighlights {
  /// The picture has so many cells in each direction.
  package static let cells = HighlightRecovery.cells
}

/// Discs that are not plain round ones as spans: see `ShapedDiscTable`.
package struct DeviceShape: Hashable, Sendable {
  let aperture: ApertureShape
  let orientation: Orientation

  /// For each row −`radius`…`radius`, downwards, the left and right ends of the discs with the radii 0…`radius` in steps,
  /// and how far a disc of radius 1 reaches.
  package func makeSpans(upTo radius: Int) -> (ends: [Float], stretch: Float) {
    let table = ShapedDiscTable(aperture, orientation, indices: radius * DeviceDiscs.stepsPerPixel + 1)
    let ends = (-radius...radius).flatMap { dy in
      let row = table.row(dy)
      return (0...radius * DeviceDiscs.stepsPerPixel).flatMap { [row[$0].x, row[$0].y] }
    }
    return (ends, table.stretch)
  }
}
