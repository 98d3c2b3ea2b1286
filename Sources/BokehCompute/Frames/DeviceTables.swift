import Bokeh
import Compute

/// Curves, disparity codes and discs in the device's memory, made anew when a movie has others.
final class DeviceTables {
  private let device: ComputeDevice
  private var curves: (key: TransferFunction, light: Buffer, signal: Buffer, curves: DeviceCurves)?
  private var codes: (key: StoredDisparity, buffer: Buffer)?
  private var discs: Buffer?
  private var shape: (key: DeviceShape, spans: Buffer, stretch: Float)?
  private var tones: (curve: ToneMap, color: DevicePlan.Color, tables: [Buffer], tones: DeviceTones)?
  /// Copies that have to run before the tables are used.
  private var copies: [(from: Buffer, to: Buffer)] = []

  init(_ device: ComputeDevice) {
    self.device = device
  }

  /// Makes the tables of a frame and tells `layout` where they are.
  func prepare(_ plan: DevicePlan, _ layout: inout FrameLayout) throws(ComputeError) {
    if curves?.key != plan.color.transfer {
      let made = DeviceCurves(plan.color.transfer)
      curves = (plan.color.transfer, try table(made.light), try table(made.signal), made)
    }
    if codes?.key != plan.disparity {
      codes = (plan.disparity, try table(plan.disparity.isCoded ? plan.disparity.makeCodes() : [0]))
    }
    if discs == nil {
      var widths = DeviceDiscs.table(upTo: ShaderNumbers.mostRadius)
      // Index 0 means that there is no sample.
      for row in 0...ShaderNumbers.mostRadius {
        widths[row * (ShaderNumbers.mostRadius * DeviceDiscs.stepsPerPixel + 1)] = 0
      }
      discs = try table(widths)
    }
    if let shape = plan.shape { try prepareShape(shape, &layout) }
    if plan.color.mapsTones { try prepareTones(plan, &layout) }
    guard let curves, let codes, let discs else { return }
    (layout.light, layout.signal) = (curves.light.address, curves.signal.address)
    (layout.codes, layout.halfWidths) = (codes.buffer.address, discs.address)
    layout.lightStepsPerUnit = curves.curves.lightStepsPerUnit
    layout.signalSlopeAtZero = curves.curves.signalSlopeAtZero
  }

  private func prepareShape(_ key: DeviceShape, _ layout: inout FrameLayout) throws(ComputeError) {
    if shape?.key != key {
      let made = key.makeSpans(upTo: ShaderNumbers.mostRadius)
      shape = (key, try table(made.ends), made.stretch)
    }
    guard let shape else { return }
    (layout.spans, layout.stretch) = (shape.spans.address, shape.stretch)
  }

  /// How the frame's HDR becomes SDR, if it does.
  func tones(_ plan: DevicePlan) -> DeviceTones? { plan.color.mapsTones ? tones?.tones : nil }

  private func prepareTones(_ plan: DevicePlan, _ layout: inout FrameLayout) throws(ComputeError) {
    let isKnown = tones.map { $0.curve == plan.request.toneMap && $0.color.hasTones(of: plan.color) } ?? false
    if !isKnown, let made = DeviceTones(plan) {
      let tables = [
        try table(made.systemGamma.values), try table(made.gammaSignal.values), try table(made.curveTable.values),
      ]
      tones = (plan.request.toneMap, plan.color, tables, made)
    }
    guard let tones else { return }
    let slopes = [tones.tones.systemGamma, tones.tones.gammaSignal, tones.tones.curveTable].map(\.slopeAtZero)
    for i in 0..<3 { (layout.tones[i], layout.toneSlopes[i]) = (tones.tables[i].address, slopes[i]) }
    layout.toneScale = tones.tones.scale
    for i in 0..<9 { (layout.toBT2020[i], layout.toBT709[i]) = (tones.tones.toBT2020[i], tones.tones.toBT709[i]) }
  }

  /// Records the copies that have not been recorded yet.
  func record(_ recorder: borrowing Recorder) {
    for copy in copies { recorder.copy(copy.from, to: copy.to, byteCount: copy.to.byteCount) }
    copies = []
  }

  var all: [Buffer] {
    [curves?.light, curves?.signal, codes?.buffer, discs, shape?.spans].compactMap { $0 } + (tones?.tables ?? [])
  }

  private func table(_ values: [Float]) throws(ComputeError) -> Buffer {
    let host = try device.makeBuffer(values.count * 4, .upload)
    host.withBytes { bytes in values.withUnsafeBytes { bytes.copyMemory(from: $0) } }
    let table = try device.makeBuffer(values.count * 4, .device)
    copies.append((host, table))
    return table
  }
}
