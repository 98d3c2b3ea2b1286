public import AVFoundation
package import Bokeh
import CoreMedia
import Foundation
package import QuickTime

extension CNRenderingSession {
  /// What the renderer has to know about a movie as a whole.
  public final class Attributes: Sendable {
    /// The version that rendered the original; 2 where the movie does not say.
    public let renderingVersion: Int
    /// The focal length in millimetres, as the equivalent on a sensor 36 mm wide; 26 where the movie does not say.
    package let focalLength35mm: Float
    /// What stored disparity codes mean.
    package let disparityCodes: DisparityCodes
    /// What could not be read and was replaced by what is usual, a sentence each.
    package let warnings: [String]

    /// Loads the attributes of a movie; what it does not say is as usual for a phone's main camera.
    ///
    /// - Throws: `CNCinematicError.unreadable` if the asset is not a movie, `.unsupported` if it is one that cannot be read here.
    public convenience init(asset: AVAsset) async throws {
      self.init(try CinematicTracks(asset))
    }

    package convenience init(_ tracks: CinematicTracks) {
      self.init(tracks, blob: tracks.movieBlob)
    }

    /// The attributes of a movie with other settings than its own.
    package convenience init(_ tracks: CinematicTracks, blob: CinematicMovieBlob?) {
      self.init(tracks, blob: (blob, []))
    }

    private init(_ tracks: CinematicTracks, blob: (value: CinematicMovieBlob?, warnings: [String])) {
      let codes = Attributes.codes(tracks.disparity)
      renderingVersion = blob.value?.renderingVersion ?? Attributes.standardRenderingVersion
      focalLength35mm = tracks.focalLength35mm(blob.value) ?? FocalLength.standard35mm
      disparityCodes = codes.value
      warnings = blob.warnings + codes.warnings
    }

    private static let standardRenderingVersion = 2

    private static func codes(_ track: MovieTrack?) -> (value: DisparityCodes, warnings: [String]) {
      var coding = DisparityCoding.standard
      var warnings: [String] = []
      do throws(QuickTimeError) {
        if let payload = track?.sampleDescriptions.first?.child("disc") {
          coding = try DisparityCoding(payload: payload)
        }
      } catch {
        warnings.append("The disparity's range (disc) cannot be read, so 0 to 16 is taken: \(error.message)")
      }
      let codes = DisparityCodes.logarithmic(minimum: Float(coding.minimum), maximum: Float(coding.maximum))
      return (codes, warnings)
    }
  }
}
