public import AVFoundation
import CoreGeometry
import Foundation
import QuickTime

/// The tracks of a Cinematic movie, and how it is displayed. Immutable and safe to use from any thread.
public class CNAssetInfo: NSObject, @unchecked Sendable {
  /// The movie that the tracks belong to.
  public let asset: AVAsset
  /// The picture, sharp everywhere.
  public let cinematicVideoTrack: AVAssetTrack
  /// How near things are; nil only where `cinematicCapability` is `.needsPreprocessing`.
  public let cinematicDisparityTrack: AVAssetTrack!
  /// What was recorded about the focus; of several tracks the first.
  public let cinematicMetadataTrack: AVAssetTrack
  /// The range in which all Cinematic tracks are valid, after their edit lists.
  public let timeRange: CMTimeRange
  /// Whether the movie can be rendered as it is; never `.none`.
  public let cinematicCapability: CNCinematicCapability
  /// Where everything lies in the file.
  package let cinematicTracks: CinematicTracks
  private let metadataTracks: [AVAssetTrack]

  /// Finds the Cinematic tracks of a movie.
  ///
  /// Throws `CNCinematicError`: `.unreadable` where the file is not a whole movie, `.incomplete` where a Cinematic track is missing,
  /// which the description names with how to get the original, `.malformed` where the disparity's coding is impossible.
  public init(asset: AVAsset) async throws {
    let tracks = try CinematicTracks(asset)
    if let objection = tracks.objection { throw objection }
    _ = try tracks.storedDisparityCoding()
    let find = { (track: MovieTrack?) in asset.tracks.first { $0.movieTrack === track } }
    let metadata = tracks.metadata.tracks.compactMap(find)
    guard let video = find(tracks.picture), let first = metadata.first, let range = tracks.timeRange else {
      throw CNCinematicError(
        .incomplete, "The movie's Cinematic tracks are not shown at the same time; get the original again.")
    }
    self.asset = asset
    cinematicTracks = tracks
    cinematicVideoTrack = video
    cinematicDisparityTrack = find(tracks.disparity)
    cinematicMetadataTrack = first
    metadataTracks = metadata
    timeRange = range.timeRange(preferredScale: video.naturalTimeScale)
    cinematicCapability = CNCinematicCapability(tracks.capability)
    super.init()
  }

  /// Whether the movie has recorded focus metadata and a picture; false also where it cannot be read.
  public class func isCinematic(asset: AVAsset) async -> Bool {
    await cinematicCapability(for: asset) != .none
  }

  /// What can be done with the movie; `.none` also where it cannot be read.
  public class func cinematicCapability(for asset: AVAsset) async -> CNCinematicCapability {
    guard let tracks = try? CinematicTracks(asset) else { return .none }
    return CNCinematicCapability(tracks.capability)
  }
}

extension CNAssetInfo {
  /// All tracks that belong to the effect: picture, disparity, metadata.
  public var allCinematicTracks: [AVAssetTrack] { videoCompositionTracks + metadataTracks }

  /// The size in pixels at which the effect is rendered.
  public var naturalSize: CGSize { cinematicVideoTrack.naturalSize }

  /// The size in pixels after `preferredTransform`: that of the rendered movie.
  public var preferredSize: CGSize {
    let rectangle = CGRect(origin: .zero, size: naturalSize).applying(preferredTransform)
    return CGSize(width: abs(rectangle.width), height: abs(rectangle.height))
  }

  /// How rendered pictures are turned for display: the identity or a multiple of 90 degrees, with the picture's corner at the origin.
  ///
  /// A matrix of the file that is something else counts as the quarter turn next to it, and is warned of.
  public var preferredTransform: CGAffineTransform {
    let stored = cinematicVideoTrack.preferredTransform
    let turns = stored.quarterTurns ?? Int((atan2(stored.b, stored.a) / (.pi / 2)).rounded())
    return CGAffineTransform(quarterTurns: turns, of: naturalSize)
  }

  /// The track whose samples say when frames are shown.
  public var frameTimingTrack: AVAssetTrack { cinematicVideoTrack }

  /// The tracks whose pictures are needed to compose a frame.
  public var videoCompositionTracks: [AVAssetTrack] {
    [cinematicVideoTrack, cinematicDisparityTrack].compactMap { $0 }
  }

  /// The ids of `videoCompositionTracks`, in their order.
  public var videoCompositionTrackIDs: [CMPersistentTrackID] { videoCompositionTracks.map(\.trackID) }

  /// The metadata tracks, whose samples are needed to compose a frame.
  public var sampleDataTrackIDs: [CMPersistentTrackID] { metadataTracks.map(\.trackID) }

  /// What was missing or odd in the file, a sentence each.
  package var warnings: [String] {
    var warnings = cinematicTracks.movie.warnings.map(\.message) + cinematicTracks.movieBlob.warnings
    if cinematicVideoTrack.preferredTransform.quarterTurns == nil {
      warnings.append(
        "The matrix of track \(cinematicVideoTrack.trackID) is no rotation by quarter turns; the nearest one is used.")
    }
    return warnings
  }
}

extension CinematicTracks {
  /// The tracks of an asset. Blocks; throws `.unreadable` or `.unsupported` with the reason.
  package init(_ asset: AVAsset) throws(CNCinematicError) {
    do {
      self.init(try asset.openedMovie())
    } catch {
      throw CNCinematicError(opening: error)
    }
  }
}

extension CNCinematicError {
  /// What keeps an asset from being opened.
  package init(opening error: any Error) {
    if let error = error as? CNCinematicError {
      self = error
    } else if let error = (error as? AVError)?.quickTimeError {
      self.init(error)
    } else {
      self.init(.unreadable, error.localizedDescription)
    }
  }
}
