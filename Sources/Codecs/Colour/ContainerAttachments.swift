internal import CoreMedia
internal import CoreVideo

/// What a container says of its pictures beside colour, under the keys of attachments.
package enum ContainerAttachments {
  private static let sharedKeys: Set<String> = [
    kCVImageBufferPixelAspectRatioKey, kCVImageBufferCleanApertureKey, kCVImageBufferFieldCountKey,
    kCVImageBufferFieldDetailKey, kCVImageBufferAlphaChannelModeKey, kCVImageBufferAmbientViewingEnvironmentKey,
    kCVImageBufferICCProfileKey, kCVImageBufferGammaLevelKey,
  ]

  /// Geometry, fields, alpha and profiles of a format description's extensions; light metadata is `LightMetadata`.
  package static func of(_ extensions: [String: Any]) -> [String: Any] {
    extensions.filter { sharedKeys.contains($0.key) }
  }
}
