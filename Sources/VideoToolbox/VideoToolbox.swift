@_exported public import CoreGeometry
@_exported public import CoreMedia
@_exported public import CoreVideo
