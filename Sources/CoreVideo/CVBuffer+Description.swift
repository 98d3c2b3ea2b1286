extension CVBuffer: CustomStringConvertible {
  /// Such as `<CVPixelBuffer v216 1920x1080>`.
  public var description: String {
    switch content {
    case .pixels(let storage):
      "<CVPixelBuffer \(fourCharacterString(storage.layout.format.code)) \(width)x\(height)>"
    case .texture: "<CVMetalTexture \(width)x\(height)>"
    }
  }
}
