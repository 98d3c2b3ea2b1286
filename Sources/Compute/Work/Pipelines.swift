/// Compiled shaders, each made at its first use with its constants; used by one thread at a time.
package final class Pipelines {
  private struct Key: Hashable {
    let name: String
    let constants: [UInt32]
  }

  private let device: ComputeDevice
  private var made: [Key: Pipeline] = [:]

  package init(_ device: ComputeDevice) {
    self.device = device
  }

  /// - Parameter constants: the values of the shader's specialisation constants 0, 1, 2, …
  package func pipeline(_ code: ShaderCode, _ constants: [UInt32] = []) throws(ComputeError) -> Pipeline {
    let key = Key(name: code.name, constants: constants)
    if let pipeline = made[key] { return pipeline }
    let pipeline = try device.makePipeline(code, constants: constants)
    made[key] = pipeline
    return pipeline
  }
}
