import AVFoundation
import Codecs
import Foundation

/// The pictures of a movie, each shown until the next one comes, asked for in rising order of times.
///
/// Decoding runs ahead on a thread of its own.
final class FrameStream {
  struct Shown {
    let picture: CVPixelBuffer
    /// Counts the pictures that have been shown, so that work on one that stays need not be done again.
    let number: Int
  }

  private struct Timed: @unchecked Sendable {
    let time: CMTime
    let picture: CVPixelBuffer
  }

  private let movie: ComposedMovie
  private let loops: Bool
  private var queue: BoundedQueue<Timed>
  private var current: Timed?
  private var next: Timed?
  private var number = 0
  /// Pictures that were shown though slices of them are damaged: what was there before, or grey, stands in their place.
  private(set) var damagedCount = 0
  private var round: Int128 = 0

  /// - Parameter loops: whether the movie begins again at its end; otherwise its last picture stays.
  /// - Throws: `Failure` for a movie that lasts no time and would be repeated.
  init(_ movie: ComposedMovie, loops: Bool) throws {
    guard !loops || movie.end > .zero else {
      throw Failure("'\(movie.path)' lasts no time and cannot be repeated: leave out '--loop'")
    }
    self.movie = movie
    self.loops = loops
    queue = Self.decoded(movie)
    next = try queue.receive()
  }

  deinit { queue.close() }

  /// The picture at a time; nil before the first.
  func picture(at time: CMTime) throws -> Shown? {
    var time = time
    if loops, time >= movie.end {
      let (turn, rest) = time.turns(of: movie.end)
      time = rest
      if turn != round { try rewind(turn) }
    }
    while let candidate = next, candidate.time <= time {
      current = candidate
      number += 1
      if CVBufferCopyAttachment(candidate.picture, kCVImageBufferDamagedSlicesKey, nil) != nil { damagedCount += 1 }
      next = try queue.receive()
    }
    return current.map { Shown(picture: $0.picture, number: number) }
  }

  /// The first picture, whenever it comes.
  func first() -> CVPixelBuffer? { current?.picture ?? next?.picture }

  private func rewind(_ turn: Int128) throws {
    round = turn
    queue.close()
    queue = Self.decoded(movie)
    current = nil
    next = try queue.receive()
  }

  // MARK: Decoding

  private static func decoded(_ movie: ComposedMovie) -> BoundedQueue<Timed> {
    BoundedQueue.filled(capacity: 2, named: "decoder") { hand in
      do {
        switch movie.kind {
        case .track(let asset, let track): try decode(asset, track, hand)
        case .foreign(let path): try decode(path, movie, hand)
        }
      } catch {
        // Two movies are read at a time: which of them is to blame?
        var failure = Failure(describing: error)
        failure.message = "'\(movie.path)': \(failure.message)"
        throw failure
      }
    }
  }

  /// 16-bit Y'CbCr of full resolution with alpha holds what every codec gives.
  private static let pixelFormat = kCVPixelFormatType_4444AYpCbCr16

  /// The first picture of a track that can be decoded; nil where none can.
  static func firstPicture(_ asset: AVAsset, _ track: AVAssetTrack) throws -> CVPixelBuffer? {
    var first: CVPixelBuffer?
    do {
      try decode(asset, track) {
        first = $0.picture
        return false
      }
    } catch is AVError {}
    return first
  }

  private static func decode(_ asset: AVAsset, _ track: AVAssetTrack, _ hand: (sending Timed) -> Bool) throws {
    let reader = try AVAssetReader(asset: asset)
    let output = AVAssetReaderTrackOutput(
      track: track, outputSettings: [kCVPixelBufferPixelFormatTypeKey: pixelFormat])
    output.alwaysCopiesSampleData = false
    reader.add(output)
    guard reader.startReading() else { throw reader.error ?? Failure("the movie cannot be read") }
    defer { reader.cancelReading() }
    while let sample = output.copyNextSampleBuffer() {
      guard let picture = sample.imageBuffer else { continue }
      guard hand(Timed(time: sample.presentationTimeStamp, picture: picture)) else { return }
    }
    if reader.status == .failed { throw reader.error ?? Failure("the movie cannot be read") }
  }

  private static func decode(_ path: String, _ movie: ComposedMovie, _ hand: (sending Timed) -> Bool) throws {
    let foreign = try ForeignMovie.open(
      URL(fileURLWithPath: path), options: ForeignMovie.Options(output: .format(pixelFormat)))
    // Times were counted from the first picture, and made exact where the container rounds them.
    for time in movie.times {
      guard let frame = try foreign.nextVideoFrame() else { return }
      guard hand(Timed(time: time, picture: frame.pixelBuffer)) else { return }
    }
  }
}
