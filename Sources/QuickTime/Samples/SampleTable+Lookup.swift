import Foundation

extension SampleTable {
  /// The last sample whose decode time is at or before `time`; nil before the first.
  package func index(atDecodeTime time: Int64) -> Int? {
    time < start ? nil : durations.lastSample(atOrBefore: time - start)
  }

  /// The last sample, in presentation order, whose presentation time is at or before `time`; nil before the first.
  package func index(atPresentationTime time: Int64) -> Int? {
    let position = order.position(ofFirstAfter: time)
    return position == 0 ? nil : order[position - 1]
  }

  /// The nearest sample at or before `index`, in decoding order, from which decoding can start; nil if there is none.
  package func syncSample(atOrBefore index: Int) -> Int? {
    guard let syncSamples else { return index }
    let position = syncSamples.firstIndex(atOrAbove: UInt32(index) + 2)
    return position == 0 ? nil : Int(syncSamples[position - 1]) - 1
  }

  /// The nearest sample at or behind `index`, in decoding order, from which decoding can start; nil if there is none.
  package func syncSample(atOrAfter index: Int) -> Int? {
    guard let syncSamples else { return index < count ? index : nil }
    let position = syncSamples.firstIndex(atOrAbove: UInt32(index) + 1)
    return position == syncSamples.count ? nil : Int(syncSamples[position]) - 1
  }

  /// The indices of all samples, by ascending presentation time, by index where times are equal.
  package var presentationOrder: PresentationOrder { order }
}

extension SampleTable {
  /// The least and the greatest composition offset of a sample.
  package var compositionOffsetRange: ClosedRange<Int64> { order.offsetRange }

  /// Whether a sample decoded before `index` is shown later than `time`.
  ///
  /// Exact, but for tables in which hundreds of pictures wait to be shown: there the answer may be true without need.
  package func hasSample(before index: Int, shownAfter time: Int64) -> Bool {
    let greatest = compositionOffsetRange.upperBound
    for candidate in (0..<index).reversed().prefix(Self.reorderedPictures) {
      if presentationTime(candidate) > time { return true }
      if decodeTime(candidate) + greatest <= time { return false }
    }
    return index > Self.reorderedPictures
  }

  /// Whether a sample decoded after `index` is shown earlier than `time`; exact but as `hasSample(before:shownAfter:)`.
  package func hasSample(after index: Int, shownBefore time: Int64) -> Bool {
    let least = compositionOffsetRange.lowerBound
    for candidate in (index + 1..<max(index + 1, count)).prefix(Self.reorderedPictures) {
      if presentationTime(candidate) < time { return true }
      if decodeTime(candidate) + least >= time { return false }
    }
    return count - 1 - index > Self.reorderedPictures
  }

  /// No coding lets more pictures wait for those before them; tables that claim more are not searched further.
  private static let reorderedPictures = 256
}

/// The order in which the samples of a table are shown.
///
/// Where no sample is shown out of order it takes no memory, else four bytes a sample, from the first use on.
package final class PresentationOrder: RandomAccessCollection, Sendable {
  package let startIndex = 0
  package let endIndex: Int
  private let start: Int64
  private let durations: RunTable<UInt32>
  private let offsets: RunTable<Int32>?
  private let order: Lazy<[UInt32]?>
  private let extremes: Lazy<ClosedRange<Int64>>

  init(start: Int64, durations: RunTable<UInt32>, offsets: RunTable<Int32>?, count: Int) {
    self.start = start
    self.durations = durations
    self.offsets = offsets
    endIndex = count
    order = Lazy()
    extremes = Lazy()
  }

  package subscript(position: Int) -> Int {
    sorted.map { Int($0[position]) } ?? position
  }

  /// The position of a sample, which must lie in `0..<count`.
  package func position(of index: Int) -> Int {
    guard let sorted else { return index }
    let target = (time(index), index)
    var low = 0
    var high = endIndex
    while low < high {
      let middle = (low + high) / 2
      let sample = Int(sorted[middle])
      if (time(sample), sample) < target { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The presentation time of the sample at a position of this order.
  package func presentationTime(_ position: Int) -> Int64 { time(self[position]) }

  /// The first position whose presentation time is at or after `time`; `count` if there is none.
  package func position(ofFirstAtOrAfter time: Int64) -> Int {
    partition { $0 < time }
  }

  /// The first position whose presentation time is after `time`; `count` if there is none.
  package func position(ofFirstAfter time: Int64) -> Int {
    partition { $0 <= time }
  }

  private func partition(_ isBefore: (Int64) -> Bool) -> Int {
    let sorted = sorted
    var low = 0
    var high = endIndex
    while low < high {
      let middle = (low + high) / 2
      if isBefore(time(sorted.map { Int($0[middle]) } ?? middle)) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private func time(_ index: Int) -> Int64 {
    let offset = offsets.map { index < $0.count ? Int64($0.run(at: index).value) : 0 } ?? 0
    return start + durations.sum(before: index) + offset
  }

  /// The least and the greatest offset; 0 counts too where some samples have none of their own.
  var offsetRange: ClosedRange<Int64> {
    guard let offsets else { return 0...0 }
    return extremes.value {
      let rest: [Int32] = offsets.count < endIndex || offsets.count == 0 ? [0] : []
      return Int64((offsets.values + rest).min() ?? 0)...Int64((offsets.values + rest).max() ?? 0)
    }
  }

  /// Nil where decoding order is presentation order.
  private var sorted: [UInt32]? {
    guard let offsets else { return nil }
    return order.value { Self.sort(start, durations, offsets, endIndex) }
  }

  private static func sort(
    _ start: Int64, _ durations: RunTable<UInt32>, _ offsets: RunTable<Int32>, _ count: Int
  ) -> [UInt32]? {
    var times: [Int64] = []
    times.reserveCapacity(count)
    var isSorted = true
    var decodeTime = start
    var composition = offsets.makeIterator()
    var duration = durations.makeIterator()
    for _ in 0..<count {
      let time = decodeTime + Int64(composition.next() ?? 0)
      isSorted = isSorted && times.last ?? time <= time
      times.append(time)
      decodeTime += Int64(duration.next() ?? 0)
    }
    guard !isSorted else { return nil }
    return (0..<UInt32(count)).sorted { (times[Int($0)], $0) < (times[Int($1)], $1) }
  }
}

extension PresentationOrder {
  /// A value made once, under a lock.
  private final class Lazy<Value: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var made: Value?

    func value(_ make: () -> Value) -> Value {
      lock.withLock {
        if let made { return made }
        let value = make()
        made = value
        return value
      }
    }
  }
}
