import AVFoundation
import Cinematic
import CoreMedia
import CoreVideo
import Foundation
import QuickTime

/// Decodes frames of a movie's disparity track, single ones or all in order.
final class DisparityFrames {
  let coding: DisparityCoding
  private let asset: AVAsset
  private let track: AVAssetTrack
  private var last: DisparityPicture?
  private(set) var warnings: [String] = []
  private let upright: UprightDisparity?

  /// Throws `Failure` without a disparity track, `CNCinematicError.malformed` where its coding is impossible.
  init(_ asset: AVAsset, _ tracks: CinematicTracks) throws {
    self.asset = asset
    coding = try tracks.storedDisparityCoding() ?? .standard
    guard let track = asset.tracks.first(where: { $0.movieTrack === tracks.disparity }) else {
      throw Failure("the movie has no disparity track")
    }
    self.track = track
    upright = UprightDisparity(tracks)
  }

  /// Whether the track is stored as displayed, while the picture is stored turned.
  var isUpright: Bool { upright != nil }

  /// The median of the disparities in a rectangle of the stored picture; nil where it lies outside.
  func medianDisparity(in rectangle: CGRect, of picture: DisparityPicture) -> Float? {
    var codes = picture.codes(in: upright?.place(rectangle) ?? rectangle)
    guard !codes.isEmpty else { return nil }
    codes.sort()
    return coding.disparity(code: codes[codes.count / 2])
  }

  /// The disparity of a code without rounding to single precision: min − 1 + R^(c / 1023), R = max − min + 1.
  func exactDisparity(_ code: UInt16) -> Double {
    coding.minimum - 1 + pow(coding.maximum - coding.minimum + 1, Double(code) / 1023)
  }

  private var shown: ShownSamples { track.movieTrack.timeline.shownSamples }

  /// The frame that is nearest to a time, the earlier of two.
  func codes(at time: CMTime) throws -> DisparityPicture {
    guard let position = track.movieTrack.timeline.shownPosition(nearest: time) else {
      throw Failure("the disparity track shows no frame")
    }
    return try picture(position)
  }

  /// All frames in order, or, of a long track, at most `limit` of them spread over it. A frame that cannot be decoded is left out.
  func forEach(limit: Int, _ body: (DisparityPicture) -> Void) throws {
    let step = max(1, (shown.count + limit - 1) / max(limit, 1))
    guard step == 1 else {
      for position in stride(from: 0, to: shown.count, by: step) {
        if let picture = try? picture(position) { body(picture) }
      }
      return
    }
    let reading = try Reading(asset, track, CMTimeRange(start: .zero, duration: .positiveInfinity))
    while let picture = reading.next() { body(picture) }
  }

  private func picture(_ position: Int) throws -> DisparityPicture {
    let timeline = track.movieTrack.timeline, frame = shown[position]
    let time = timeline.presentationTime(frame)
    if let last, last.time == time { return last }
    let duration = CMTimeMaximum(timeline.duration(frame), CMTime(value: 1, timescale: 1_000_000))
    let reading = try Reading(asset, track, CMTimeRange(start: time, duration: duration))
    guard let picture = reading.next() else {
      throw reading.error ?? Failure("the disparity frame at \(time.clockText) cannot be decoded")
    }
    last = picture
    return picture
  }
}

extension DisparityFrames {
  /// The most frames that are tried before a track counts as undecodable.
  private static let maximumProbes = 8

  /// Makes sure that something can be decoded: tries the first frame, and if need be others spread over the track.
  ///
  /// Frames that a cut off file lacks are no reason to throw: the movie tells of them itself. Throws `CNCinematicError`: `.incomplete`
  /// without a frame, `.malformed` where none can be decoded.
  func probe() throws {
    let name = "the disparity track (track \(track.movieTrack.number))"
    guard !shown.isEmpty else {
      throw CNCinematicError(.incomplete, "No frame of \(name) is shown; get the original again.")
    }
    var reason: String?
    for position in stride(from: 0, to: shown.count, by: max(1, shown.count / Self.maximumProbes)) {
      do {
        _ = try picture(position)
        if let reason { warnings.append("Some frames of \(name) cannot be decoded: \(reason)") }
        return
      } catch {
        guard (error as? AVError)?.quickTimeError?.kind != .truncated else { return }
        reason = reason ?? Failure(describing: error).message
      }
    }
    throw CNCinematicError(.malformed, "No frame of \(name) can be decoded: \(reason ?? "")")
  }

  /// One reader with its output.
  private final class Reading {
    private let reader: AVAssetReader
    private let output: AVAssetReaderTrackOutput

    init(_ asset: AVAsset, _ track: AVAssetTrack, _ range: CMTimeRange) throws {
      reader = try AVAssetReader(asset: asset)
      let settings = [kCVPixelBufferPixelFormatTypeKey: kCVPixelFormatType_OneComponent10]
      output = AVAssetReaderTrackOutput(track: track, outputSettings: settings)
      reader.timeRange = range
      reader.add(output)
      guard reader.startReading() else { throw reader.error ?? Failure("the disparity track cannot be read") }
    }

    var error: (any Error)? { reader.error }

    func next() -> DisparityPicture? {
      while let buffer = output.copyNextSampleBuffer() {
        if let image = buffer.imageBuffer { return DisparityPicture(image, time: buffer.presentationTimeStamp) }
      }
      return nil
    }
  }
}
