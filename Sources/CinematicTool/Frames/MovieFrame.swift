import AVFoundation
package import Cinematic
package import CoreMedia
package import CoreVideo
import Foundation
package import QuickTime

/// One frame of a movie to render: picture and disparity in the picture's stored orientation.
package struct MovieFrame: Sendable {
  package let time: CMTime
  package let picture: CVPixelBuffer
  /// Codes as stored (`L010`); nil in a movie without disparity.
  package let disparity: CVPixelBuffer?
}

extension MovieFrame {
  /// Decodes the frame that is shown at `time`, which is the presentation time of one. Throws what the decoder says.
  package init(of info: CNAssetInfo, at time: CMTime) throws {
    self.time = time
    picture = try Self.picture(of: info.cinematicVideoTrack, at: time, CNRenderingSession.sourcePixelFormatTypes, info)
    guard let track = info.cinematicDisparityTrack else {
      disparity = nil
      return
    }
    let timeline = track.movieTrack.timeline
    guard let position = timeline.shownPosition(nearest: time) else {
      throw CNCinematicError(.incomplete, "No frame of the disparity track is shown; get the original again.")
    }
    let shown = timeline.presentationTime(timeline.shownSamples[position])
    let stored = try Self.picture(of: track, at: shown, [kCVPixelFormatType_OneComponent10], info)
    disparity = try UprightDisparity(info.cinematicTracks)?.turnedBack(stored) ?? stored
  }

  private static func picture(
    of track: AVAssetTrack, at time: CMTime, _ formats: [OSType], _ info: CNAssetInfo
  ) throws -> CVPixelBuffer {
    let reader = try AVAssetReader(asset: info.asset)
    let output = AVAssetReaderTrackOutput(
      track: track, outputSettings: [kCVPixelBufferPixelFormatTypeKey: formats])
    reader.timeRange = CMTimeRange(start: time, duration: CMTime(value: 1, timescale: 100_000))
    reader.add(output)
    defer { reader.cancelReading() }
    guard reader.startReading(), let image = output.copyNextSampleBuffer()?.imageBuffer else {
      throw reader.error
        ?? Failure("the frame at \(time.clockText) of track \(track.movieTrack.number) cannot be decoded")
    }
    return image
  }
}

extension EditTimeline {
  /// The showing that is nearest to a movie time, the earlier of two; nil where nothing is shown.
  package func shownPosition(nearest time: CMTime) -> Int? {
    let shown = shownSamples
    guard let time = RationalTime(time), !shown.isEmpty else { return nil }
    let before = shownPosition(atOrBefore: time) ?? 0, after = Swift.min(before + 1, shown.count - 1)
    return shown[after].time - time < time - shown[before].time ? after : before
  }
}
