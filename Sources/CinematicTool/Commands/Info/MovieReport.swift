import AVFoundation
import Cinematic
import CoreMedia
import Foundation
import QuickTime

/// Everything that `info` tells about a movie.
struct MovieReport {
  let path: String
  let options: InfoOptions
  let movie: Movie
  let files: ShotFiles
  let cinematic: CinematicTracks
  /// Nil where the movie's focus cannot be changed; `failure` tells why.
  private(set) var script: CNScript?
  /// What the box `disc` says; nil without one.
  private(set) var coding: DisparityCoding?
  private(set) var blocks: [DisparityBlock.Result] = []
  private(set) var check: DisparityCheck?
  /// The time code of the first moment; nil without one.
  private(set) var startTimeCode: TimeCode?
  private(set) var failure: Failure?
  private(set) var warnings: [String]

  /// Throws `Failure` where the file cannot be opened as a movie. What is wrong with an opened one is kept in `failure`.
  init(path: String, options: InfoOptions) throws {
    self.path = path
    self.options = options
    let asset = AVURLAsset(url: URL(fileURLWithPath: path))
    movie = try asset.openedMovie()
    files = ShotFiles(beside: path)
    cinematic = CinematicTracks(movie)
    warnings = movie.warnings.map(\.message) + cinematic.oddities
    if let picture = cinematic.picture { warnings += PictureProbe(asset, picture).warnings }
    readTimeCode(asset)
    do {
      try readScript()
      try readDisparity(asset)
    } catch {
      failure = Failure(describing: error).pointing(to: files)
    }
  }

  private mutating func readTimeCode(_ asset: AVAsset) {
    do { startTimeCode = try asset.startTimeCode() } catch {
      warnings.append("The time code cannot be read: \(Failure(describing: error).message)")
    }
  }

  private mutating func readScript() throws {
    coding = try cinematic.storedDisparityCoding()
    let recorded = try RecordedScript(reading: cinematic)
    warnings += recorded.warnings
    script = CNScript(recorded: recorded)
  }

  private mutating func readDisparity(_ asset: AVAsset) throws {
    guard cinematic.disparity != nil, let script else { return }
    let frames = try DisparityFrames(asset, cinematic)
    try frames.probe()
    warnings += frames.warnings
    try readBlocks(frames)
    if options.checks { check = try DisparityCheck(script, frames) }
    warnings += check?.warnings ?? []
  }

  /// A frame that cannot be decoded is a warning: the others still tell something.
  private mutating func readBlocks(_ frames: DisparityFrames) throws {
    let times = frameTimes
    for block in options.blocks {
      guard block.frame < times.count else {
        throw Failure("there is no frame \(block.frame) for '--blocks': the movie shows \(times.count)")
      }
      var result = DisparityBlock.Result(block: block, time: times[block.frame])
      do {
        result.values = try block.values(among: times, in: frames)
      } catch let error as AVError {
        warnings.append(
          "The disparity of frame \(block.frame) cannot be decoded: \(Failure(describing: error).message)")
      }
      blocks.append(result)
    }
  }

  /// When each picture is shown.
  var frameTimes: [RationalTime] { cinematic.picture?.timeline.shownSamples.map(\.time) ?? [] }

  /// Pictures a second: one over the duration that most frames have.
  var frameRate: RationalTime? {
    guard let picture = cinematic.picture else { return nil }
    var counts: [RationalTime: Int] = [:]
    for shown in picture.timeline.shownSamples { counts[shown.duration, default: 0] += 1 }
    let best = counts.filter { $0.key > .zero }.max { ($0.value, $1.key) < ($1.value, $0.key) }
    guard let duration = best?.key, duration.numerator > 0 else { return nil }
    return RationalTime(numerator: duration.denominator, denominator: duration.numerator)
  }

  /// How the stored picture is turned for showing.
  var display: DisplayGeometry? { cinematic.picture.map { DisplayGeometry($0) } }
}

extension Failure {
  /// Names the file of the shot that would do instead, where it is there or its name is known.
  fileprivate func pointing(to files: ShotFiles) -> Failure {
    guard name == "incomplete", files.ownRole == .rendered else { return self }
    var failure = self
    if let original = files.name(.original) {
      failure.message += " This is the rendered copy: '\(original)' beside it is the original."
    } else {
      failure.message += " By its name this is the rendered copy; the original has the same name without the E."
    }
    return failure
  }
}
