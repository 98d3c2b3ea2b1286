@_exported public import AVFoundation
@_exported public import Metal
