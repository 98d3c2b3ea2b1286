internal import CVulkan

/// A compiled shader with its constants; recorded work keeps the pipelines that it uses.
package final class Pipeline: @unchecked Sendable {
  /// The shader's name, for timings.
  package let name: String
  let handle: Owned

  fileprivate init(_ name: String, _ handle: consuming Owned) {
    self.name = name
    self.handle = handle
  }
}

/// A shader as SPIR-V.
package struct ShaderCode: Sendable {
  package let name: String
  package let words: [UInt32]

  package init(name: String, words: [UInt32]) {
    self.name = name
    self.words = words
  }

  /// SPIR-V's little-endian words as base64 without padding or line breaks.
  package init(name: String, base64: StaticString) {
    self.name = name
    words = base64.withUTF8Buffer { ShaderCode.decode($0) }
  }

  private static func decode(_ text: UnsafeBufferPointer<UInt8>) -> [UInt32] {
    var words: [UInt32] = []
    words.reserveCapacity(text.count * 3 / 16)
    var (word, bits, byteCount) = (UInt32(0), UInt32(0), 0)
    var bitCount = 0
    for character in text {
      bits = bits << 6 | value(character)
      bitCount += 6
      guard bitCount >= 8 else { continue }
      bitCount -= 8
      word |= (bits >> UInt32(bitCount) & 0xFF) << UInt32(8 * byteCount)
      byteCount += 1
      guard byteCount == 4 else { continue }
      words.append(word)
      (word, byteCount) = (0, 0)
    }
    return words
  }

  private static func value(_ character: UInt8) -> UInt32 {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a")) + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0")) + 52
    default: character == UInt8(ascii: "+") ? 62 : 63
    }
  }
}

extension ComputeDevice {
  /// Compiles a shader.
  ///
  /// - Parameter constants: the values of its specialisation constants 0, 1, 2, …
  package func makePipeline(_ code: ShaderCode, constants: [UInt32] = []) throws(ComputeError) -> Pipeline {
    let module = try makeModule(code)
    let entries = constants.indices.map {
      VkSpecializationMapEntry(constantID: UInt32($0), offset: UInt32($0 * 4), size: 4)
    }
    var made: VkPipeline?
    let result = entries.withUnsafeBufferPointer { entries in
      constants.withUnsafeBytes { constants in
        var special = VkSpecializationInfo()
        special.mapEntryCount = UInt32(entries.count)
        special.pMapEntries = entries.baseAddress
        special.dataSize = constants.count
        special.pData = constants.baseAddress
        return withUnsafeTemporary(special) { special in
          "main".withCString { main in
            var info = VkComputePipelineCreateInfo()
            info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO
            info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO
            info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT
            info.stage.module = module.raw
            info.stage.pName = main
            info.stage.pSpecializationInfo = special
            info.layout = layout.raw
            return handle.functions.createComputePipelines(handle.raw, nil, 1, &info, nil, &made)
          }
        }
      }
    }
    try handle.check(result, "vkCreateComputePipelines of \(code.name)")
    return Pipeline(code.name, handle.own(made) { $0.functions.destroyPipeline($0.raw, $1, nil) })
  }

  private func makeModule(_ code: ShaderCode) throws(ComputeError) -> Owned {
    var made: VkShaderModule?
    let result = code.words.withUnsafeBufferPointer { words in
      var info = VkShaderModuleCreateInfo()
      info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO
      info.codeSize = words.count * 4
      info.pCode = words.baseAddress
      return handle.functions.createShaderModule(handle.raw, &info, nil, &made)
    }
    try handle.check(result, "vkCreateShaderModule")
    return handle.own(made) { $0.functions.destroyShaderModule($0.raw, $1, nil) }
  }
}
