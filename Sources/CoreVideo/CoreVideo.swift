@_exported public import CoreGeometry
