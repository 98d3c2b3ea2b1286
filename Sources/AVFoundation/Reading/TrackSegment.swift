internal import CoreMedia
internal import QuickTime

/// One stretch of a track as it is read: which part of the media is shown when.
///
/// ```
/// media   0----4====9-------   `media` = 4..<9, in units of the media's time scale
/// movie           2====7---    `movie.start` = 2: the moment at which media time 4 is shown
/// ```
struct TrackSegment: Hashable {
  /// What is shown: samples whose presentation time lies in it. Empty where nothing is shown.
  var media: Range<Int64>
  /// How media times become movie times.
  var map: TimeMap
  /// Where the stretch lies in the movie.
  var movie: CMTimeRange
  /// Whether the stretch shows nothing: an empty edit.
  var isEmptyEdit: Bool
}

/// The line from media time to movie time: `movie = (media * factor + offset) / scale`, exact where 31 bits of scale suffice.
struct TimeMap: Hashable {
  var scale: Int32
  var factor: Int64
  var offset: Int64

  /// The movie time of a media time; invalid where it leaves 64 bits.
  func movieTime(_ media: Int64) -> CMTime {
    let (product, overflow) = media.multipliedReportingOverflow(by: factor)
    let (sum, overflow2) = product.addingReportingOverflow(offset)
    return overflow || overflow2 ? .invalid : CMTime(value: sum, timescale: scale)
  }

  /// The length in the movie of a stretch of media; invalid where it leaves 64 bits.
  func movieDuration(_ media: Int64) -> CMTime {
    let (product, overflow) = media.multipliedReportingOverflow(by: factor)
    return overflow ? .invalid : CMTime(value: product, timescale: scale)
  }
}

extension TimeMap {
  /// Media time `media` is shown at `movie`; `mediaScale` units of media time last a second.
  ///
  /// The scale is the media's where that is exact, else a multiple of both, else the media's with a rounded offset.
  init(media: Int64, at movie: CMTime, mediaScale: Int32) {
    let isExactInMedia = Int128(movie.value) * Int128(mediaScale) % Int128(movie.timescale) == 0
    let common = Int32(exactly: leastCommonMultiple(Int64(mediaScale), Int64(movie.timescale)))
    let scale = isExactInMedia ? mediaScale : common ?? mediaScale
    self.init(media: media, at: movie, scale: scale, factor: Int64(scale / mediaScale))
  }

  /// A map for media that is shown at another speed: one unit of media lasts `1 / rate` of its normal time.
  ///
  /// `rawRate` is 16.16 fixed point and above 0. Where the exact scale is too large, the speed is taken as normal.
  init(media: Int64, at movie: CMTime, mediaScale: Int32, rawRate: Int64) {
    // A unit of media lasts 65536 / (rate * scale) seconds.
    let divisor = greatestCommonDivisor(65_536, rawRate * Int64(mediaScale))
    let exact = rawRate * Int64(mediaScale) / divisor
    guard rawRate != 1 << 16, let scale = Int32(exactly: leastCommonMultiple(exact, Int64(movie.timescale))) else {
      self.init(media: media, at: movie, mediaScale: mediaScale)
      return
    }
    self.init(media: media, at: movie, scale: scale, factor: 65_536 / divisor * (Int64(scale) / exact))
  }

  private init(media: Int64, at movie: CMTime, scale: Int32, factor: Int64) {
    self.scale = scale
    self.factor = factor
    let start = movie.convertScale(scale, method: .default).value
    offset = Int64(clamping: Int128(start) - Int128(media) * Int128(factor))
  }
}

/// Of two positive numbers; saturates where it leaves 64 bits.
func leastCommonMultiple(_ a: Int64, _ b: Int64) -> Int64 {
  guard a > 0, b > 0 else { return max(a, b) }
  let (product, overflow) = (a / greatestCommonDivisor(a, b)).multipliedReportingOverflow(by: b)
  return overflow ? .max : product
}

/// Of two positive numbers.
func greatestCommonDivisor(_ a: Int64, _ b: Int64) -> Int64 {
  var (a, b) = (a, b)
  while b != 0 { (a, b) = (b, a % b) }
  return max(a, 1)
}
