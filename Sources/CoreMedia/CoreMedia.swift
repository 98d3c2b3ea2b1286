@_exported public import CoreGeometry
@_exported public import CoreVideo
