import Compute

/// Compiled shaders, each made at its first use with its constants.
final class Pipelines {
  private struct Key: Hashable {
    let name: String
    let constants: [UInt32]
  }

  private let device: ComputeDevice
  private var made: [Key: Pipeline] = [:]

  init(_ device: ComputeDevice) {
    self.device = device
  }

  func pipeline(_ code: ShaderCode, _ constants: [UInt32] = []) throws(ComputeError) -> Pipeline {
    let key = Key(name: code.name, constants: constants)
    if let pipeline = made[key] { return pipeline }
    let pipeline = try device.makePipeline(code, constants: constants)
    made[key] = pipeline
    return pipeline
  }
}
