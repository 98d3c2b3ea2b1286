import AVFoundation
import CoreMedia
import Foundation
import QuickTime
import Testing

/// Cursors against counting through the table, sample by sample.
struct SampleCursorTests {
  private let folder: TemporaryFolder
  private let track: AVAssetTrack
  private let asset: AVAsset
  private let all: [Sample]
  /// The samples' places in presentation order.
  private let shown: [Int]

  init() throws {
    folder = try TemporaryFolder()
    asset = try TableMovie.reordered.write(to: folder.file("a.mov"))
    track = try #require(asset.tracks.first)
    let table = track.movieTrack.samples
    all = (0..<table.count).map { table[$0] }
    shown = all.indices.sorted { (table[$0].presentationTime, $0) < (table[$1].presentationTime, $1) }
  }

  private func cursor(_ index: Int) throws -> AVSampleCursor {
    let cursor = try #require(track.makeSampleCursorAtFirstSampleInDecodeOrder())
    #expect(cursor.stepInDecodeOrder(byCount: Int64(index)) == Int64(index))
    return cursor
  }

  /// Where a cursor stands.
  private func index(of cursor: AVSampleCursor) -> Int {
    all.firstIndex { $0.offset == cursor.currentSampleStorageRange.offset } ?? -1
  }

  @Test func stepsByCountEndAtTheEnds() throws {
    for start in all.indices {
      for count in -14...14 {
        let decode = try cursor(start)
        let target = min(max(start + count, 0), all.count - 1)
        #expect(decode.stepInDecodeOrder(byCount: Int64(count)) == Int64(target - start))
        #expect(index(of: decode) == target)

        let presentation = try cursor(start)
        let place = try #require(shown.firstIndex(of: start))
        let targetPlace = min(max(place + count, 0), all.count - 1)
        #expect(presentation.stepInPresentationOrder(byCount: Int64(count)) == Int64(targetPlace - place))
        #expect(index(of: presentation) == shown[targetPlace])
      }
      let far = try cursor(start)
      #expect(far.stepInDecodeOrder(byCount: .max) == Int64(all.count - 1 - start))
      #expect(far.stepInDecodeOrder(byCount: .min) == -Int64(all.count - 1))
      #expect(far.stepInPresentationOrder(byCount: .max) >= 0 && index(of: far) == shown.last)
    }
  }

  /// Deltas of tenths of a unit: a step goes to the last sample that starts no later.
  @Test func stepsByTimeSnapToSamples() throws {
    let decodeEnd = try #require(all.last.map { $0.decodeTime + $0.duration })
    let last = all[try #require(shown.last)]
    for start in all.indices {
      for tenths in stride(from: Int64(-3100), through: 3100, by: 5) {
        let delta = CMTime(value: tenths, timescale: 6000)
        var pinned = ObjCBool(false)

        let decode = try cursor(start)
        let decodeTarget = all[start].decodeTime * 10 + tenths
        let moved = decode.step(byDecodeTime: delta, wasPinned: &pinned)
        let decodeTruth =
          tenths / 10 == 0 && tenths >= 0 ? start : all.lastIndex { $0.decodeTime * 10 <= decodeTarget } ?? 0
        #expect(index(of: decode) == decodeTruth)
        #expect(moved == CMTime(value: all[decodeTruth].decodeTime - all[start].decodeTime, timescale: 600))
        #expect(pinned.boolValue == (decodeTarget < 0 || decodeTarget >= decodeEnd * 10))

        let presentation = try cursor(start)
        let target = all[start].presentationTime * 10 + tenths
        let movedTime = presentation.step(byPresentationTime: delta, wasPinned: &pinned)
        let truth =
          tenths / 10 == 0 && tenths >= 0
          ? start : shown.last { all[$0].presentationTime * 10 <= target } ?? shown[0]
        #expect(index(of: presentation) == truth)
        #expect(movedTime == CMTime(value: all[truth].presentationTime - all[start].presentationTime, timescale: 600))
        #expect(
          pinned.boolValue
            == (target < all[shown[0]].presentationTime * 10 || target >= (last.presentationTime + last.duration) * 10))
      }
    }
  }

  @Test func infiniteAndImpossibleDeltas() throws {
    let cursor = try cursor(5)
    var pinned = ObjCBool(false)
    #expect(cursor.step(byDecodeTime: .invalid, wasPinned: &pinned) == .zero && pinned.boolValue)
    #expect(index(of: cursor) == 5)
    cursor.step(byDecodeTime: .positiveInfinity, wasPinned: &pinned)
    #expect(index(of: cursor) == all.count - 1 && pinned.boolValue)
    cursor.step(byPresentationTime: .negativeInfinity, wasPinned: nil)
    #expect(index(of: cursor) == shown[0])
  }

  @Test func cursorsStartWhereTheyAreAskedFor() throws {
    for units in Int64(-20)...300 {
      let made = try #require(track.makeSampleCursor(presentationTimeStamp: CMTime(value: units, timescale: 600)))
      #expect(index(of: made) == shown.last { all[$0].presentationTime <= units } ?? shown[0])
    }
    let last = try #require(track.makeSampleCursorAtLastSampleInDecodeOrder())
    #expect(index(of: last) == all.count - 1)
    #expect(track.makeSampleCursor(presentationTimeStamp: .positiveInfinity).map(index) == shown.last)
    #expect(track.makeSampleCursor(presentationTimeStamp: .invalid) == nil)
    #expect(track.canProvideSampleCursors)
    let empty = try TableMovie(samples: []).write(to: folder.file("empty.mov"))
    let none = try #require(empty.tracks.first)
    #expect(none.makeSampleCursorAtFirstSampleInDecodeOrder() == nil)
    #expect(none.makeSampleCursorAtLastSampleInDecodeOrder() == nil)
    #expect(none.makeSampleCursor(presentationTimeStamp: .zero) == nil)
  }

  @Test func cursorsCompare() throws {
    for a in all.indices {
      for b in all.indices {
        let (first, second) = (try cursor(a), try cursor(b))
        let order: ComparisonResult = a < b ? .orderedAscending : a > b ? .orderedDescending : .orderedSame
        #expect(first.comparePositionInDecodeOrder(withPositionOf: second) == order)
        let later = all[..<a].contains { $0.presentationTime > all[b].presentationTime }
        #expect(first.maySamplesWithEarlierDecodeTimeStampsHavePresentationTimeStamps(laterThan: second) == later)
        let earlier = all[(a + 1)...].contains { $0.presentationTime < all[b].presentationTime }
        #expect(first.maySamplesWithLaterDecodeTimeStampsHavePresentationTimeStamps(earlierThan: second) == earlier)
      }
    }
  }

  @Test func copiesStandByThemselves() throws {
    let cursor = try cursor(3)
    let copy = try #require(cursor.copy() as? AVSampleCursor)
    copy.stepInDecodeOrder(byCount: 2)
    #expect(index(of: cursor) == 3 && index(of: copy) == 5)
  }

  @Test func samplesSayWhatTheyAre() throws {
    let bytes = try Data(contentsOf: folder.file("a.mov"))
    for sample in all {
      let cursor = try cursor(sample.index)
      #expect(cursor.presentationTimeStamp == CMTime(value: sample.presentationTime, timescale: 600))
      #expect(cursor.decodeTimeStamp == CMTime(value: sample.decodeTime, timescale: 600))
      #expect(cursor.currentSampleDuration == CMTime(value: sample.duration, timescale: 600))
      #expect(cursor.copyCurrentSampleFormatDescription().mediaSubType == .init(rawValue: fourCharacterCode("apcn")))
      let place = cursor.currentSampleStorageRange
      #expect(bytes[Int(place.offset)...].prefix(Int(place.length)) == TableMovie.data(sample.index))

      let sync = cursor.currentSampleSyncInfo
      let isSync = sample.index % 4 == 0
      #expect(sync.sampleIsFullSync.boolValue == isSync && !sync.sampleIsPartialSync.boolValue)
      let isKnown = sample.index < 8
      #expect(sync.sampleIsDroppable.boolValue == (isKnown && !isSync))
      let dependency = cursor.currentSampleDependencyInfo
      #expect(dependency.sampleIndicatesWhetherItDependsOnOthers.boolValue)
      #expect(dependency.sampleDependsOnOthers.boolValue == !isSync)
      #expect(dependency.sampleIndicatesWhetherItHasDependentSamples.boolValue == isKnown)
      #expect(dependency.sampleHasDependentSamples.boolValue == (isKnown && isSync))
      let redundancy = isKnown && !isSync ? sample.index % 3 : 0
      #expect(dependency.sampleIndicatesWhetherItHasRedundantCoding.boolValue == (redundancy != 0))
      #expect(dependency.sampleHasRedundantCoding.boolValue == (redundancy == 1))
      let attachments = cursor.currentSampleDependencyAttachments
      #expect((attachments == nil) == (isSync && !isKnown))
      #expect(attachments?[kCMSampleAttachmentKey_NotSync] as? Bool == (isSync ? nil : true))
      #expect(attachments?[kCMSampleAttachmentKey_IsDependedOnByOthers] as? Bool == (isKnown ? isSync : nil))
      #expect(cursor.samplesRequiredForDecoderRefresh == 0)
    }
  }

  @Test func chunksSayWhatTheyHold() throws {
    // Half a second, 15 samples of 20 units, makes a chunk; the tenth sample is longer.
    let samples = (0..<40).map { TimedSample(duration: $0 == 9 ? 21 : 20) }
    let movie = try TableMovie(samples: samples).write(to: folder.file("chunks.mov"))
    let track = try #require(movie.tracks.first)
    let table = track.movieTrack.samples
    let cursor = try #require(track.makeSampleCursorAtFirstSampleInDecodeOrder())
    #expect(cursor.currentChunkStorageURL == folder.file("chunks.mov"))
    var seen: Set<Int64> = []
    for index in 0..<40 {
      let chunk = table.chunks.place(ofSample: index).chunk
      let inChunk = (0..<40).filter { table.chunks.place(ofSample: $0).chunk == chunk }
      let info = cursor.currentChunkInfo
      #expect(info.chunkSampleCount == Int64(inChunk.count))
      #expect(info.chunkHasUniformSampleDurations.boolValue == (Set(inChunk.map { table[$0].duration }).count == 1))
      #expect(info.chunkHasUniformSampleSizes.boolValue == (Set(inChunk.map { table[$0].size }).count == 1))
      #expect(info.chunkHasUniformFormatDescriptions.boolValue)
      #expect(cursor.currentSampleIndexInChunk == Int64(index - inChunk[0]))
      let range = cursor.currentChunkStorageRange
      #expect(range.offset == table[inChunk[0]].offset)
      #expect(range.length == inChunk.reduce(0) { $0 + Int64(table[$1].size) })
      seen.insert(range.offset)
      cursor.stepInDecodeOrder(byCount: 1)
    }
    #expect(seen.count > 1)
  }

  @Test func partialSyncSamplesAndRollsAreRead() throws {
    var groups = RunTable<UInt32>()
    for (count, group) in [(3, 0), (4, 2), (5, 1)] as [(UInt32, UInt32)] { groups.append(count: count, value: group) }
    let distances: [Int16] = [-2, -1]
    let entries = distances.map { distance in withUnsafeBytes(of: distance.bigEndian) { Data($0) } }
    var movie = TableMovie(samples: (0..<15).map { TimedSample(duration: 1024, isSync: $0 % 5 == 0) })
    movie.otherSampleAtoms = [
      StoredAtom("stps", StoredAtom(SyncSampleAtom(numbers: [3, 9])).payload),
      StoredAtom(SampleGroupDescriptionAtom(grouping: "roll", entries: entries)),
      StoredAtom(SampleToGroupAtom(grouping: "roll", groups: groups)),
    ]
    let track = try #require(movie.write(to: folder.file("roll.mov")).tracks.first)
    let cursor = try #require(track.makeSampleCursorAtFirstSampleInDecodeOrder())
    for index in 0..<15 {
      #expect(cursor.samplesRequiredForDecoderRefresh == (index < 3 ? 0 : index < 7 ? 1 : index < 12 ? 2 : 0))
      #expect(cursor.currentSampleSyncInfo.sampleIsPartialSync.boolValue == [2, 8].contains(index))
      #expect(
        (cursor.currentSampleDependencyAttachments?[kCMSampleAttachmentKey_PartialSync] as? Bool == true)
          == [2, 8].contains(index))
      cursor.stepInDecodeOrder(byCount: 1)
    }
  }

  @Test func soundSaysHowManyPacketsItTakes() async throws {
    try await SmallSound.write(20_000, settings: SoundTests.aac, to: folder.file("sound.mov"))
    let track = try #require(AVURLAsset(url: folder.file("sound.mov")).tracks.first)
    let cursor = try #require(track.makeSampleCursorAtLastSampleInDecodeOrder())
    #expect(cursor.currentSampleAudioDependencyInfo.audioSampleIsIndependentlyDecodable.boolValue)
    #expect(cursor.currentSampleDuration == CMTime(value: 1024, timescale: 44_100))
  }

  /// Cursors walk over the media, whatever the edits show of it.
  @Test func editsAreNotKnown() throws {
    var movie = TableMovie.reordered
    movie.edits = [Edit(segmentDuration: 100, mediaTime: -1), Edit(segmentDuration: 40, mediaTime: 60)]
    let edited = try #require(movie.write(to: folder.file("edited.mov")).tracks.first)
    let cursor = try #require(edited.makeSampleCursor(presentationTimeStamp: .zero))
    #expect(cursor.presentationTimeStamp == CMTime(value: all[shown[0]].presentationTime, timescale: 600))
    #expect(cursor.stepInPresentationOrder(byCount: 100) == 11)
  }
}

/// A table of three million samples, in runs: the times follow from a formula.
struct LongCursorTests {
  private static let count = 3_000_000
  private static let run = 100_000

  @Test func stepsGoAnywhereInALongTable() throws {
    let folder = try TemporaryFolder()
    let writer = try MovieWriter(url: folder.file("long.mov"))
    let track = writer.addTrack(
      TrackSpecification(handler: "vide", timescale: 600, sampleDescriptions: [TableMovie.description("apcn")]))
    for part in 0..<Self.count / Self.run {
      // Parts of samples of one and two units in turn.
      try writer.append(
        track: track, data: Data(count: Self.run), TimedSample(duration: Int64(part % 2 + 1), count: Self.run))
    }
    try writer.finish()
    let media = try #require(AVURLAsset(url: folder.file("long.mov")).tracks.first)
    let cursor = try #require(media.makeSampleCursorAtFirstSampleInDecodeOrder())
    func time(_ index: Int) -> Int64 {
      let (part, rest) = (index / Self.run, index % Self.run)
      return Int64(part / 2 * 3 * Self.run + part % 2 * Self.run + rest * (part % 2 + 1))
    }
    var index = 0
    for step in 0..<2000 {
      let target = step * 7_919 * 389 % Self.count
      #expect(cursor.stepInDecodeOrder(byCount: Int64(target - index)) == Int64(target - index))
      #expect(cursor.decodeTimeStamp == CMTime(value: time(target), timescale: 600))
      let next = (target + 1_234_567) % Self.count
      let delta = CMTime(value: time(next) - time(target), timescale: 600)
      var pinned = ObjCBool(true)
      #expect(cursor.step(byPresentationTime: delta, wasPinned: &pinned) == delta && !pinned.boolValue)
      #expect(cursor.stepInPresentationOrder(byCount: 1) == (next == Self.count - 1 ? 0 : 1))
      index = min(next + 1, Self.count - 1)
    }
    cursor.stepInDecodeOrder(byCount: .max)
    #expect(cursor.decodeTimeStamp == CMTime(value: time(Self.count - 1), timescale: 600))
  }
}
