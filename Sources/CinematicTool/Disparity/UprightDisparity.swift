package import Cinematic
import CoreGeometry
package import CoreVideo
import QuickTime

/// A disparity track that is stored as displayed beside a picture that is stored turned by 90°.
///
/// The usual track is stored like the picture and has the same matrix. This one has an identity matrix, and its shape gives it away:
///
///     picture 1280x720 turned by 90°, disparity 512x288 turned by 90°: usual; disparity 288x512 not turned: upright
package struct UprightDisparity: Sendable {
  private let display: DisplayGeometry

  /// Nil for usual tracks.
  package init?(_ tracks: CinematicTracks) {
    guard let picture = tracks.picture, let disparity = tracks.disparity else { return nil }
    display = DisplayGeometry(picture)
    let size = TrackReport(track: disparity).size, stored = TrackReport(track: picture).size
    guard DisplayGeometry(disparity).quarterTurns == 0, display.quarterTurns % 2 == 1 else { return nil }
    guard size.height != size.width, (size.height > size.width) != (stored.height > stored.width) else { return nil }
  }

  /// Where a normalised rectangle of the stored picture lies in the disparity.
  package func place(_ rectangle: CGRect) -> CGRect { display.displayed(rectangle) }

  /// A copy of a disparity picture of 16-bit samples, turned into the picture's stored orientation.
  package func turnedBack(_ upright: CVPixelBuffer) throws -> CVPixelBuffer {
    let width = CVPixelBufferGetWidth(upright), height = CVPixelBufferGetHeight(upright)
    let turned = try CVBuffer.make(
      width: height, height: width, format: CVPixelBufferGetPixelFormatType(upright))
    let isClockwise = display.quarterTurns == 1
    upright.withPlane(0, readOnly: true) { source, sourcePitch, _, _ in
      turned.withPlane(0, readOnly: false) { target, targetPitch, _, _ in
        for y in 0..<width {
          let row = (target + y * targetPitch).assumingMemoryBound(to: UInt16.self)
          for x in 0..<height {
            // Stored (x, y) is displayed at (width − 1 − y, x) after a clockwise quarter turn, and at (y, height − 1 − x) after the other.
            let column = isClockwise ? width - 1 - y : y, line = isClockwise ? x : height - 1 - x
            row[x] = (source + line * sourcePitch).load(fromByteOffset: column * 2, as: UInt16.self)
          }
        }
      }
    }
    CVBufferPropagateAttachments(upright, turned)
    return turned
  }
}
