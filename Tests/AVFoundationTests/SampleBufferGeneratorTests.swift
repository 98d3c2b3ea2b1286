import AVFoundation
import CoreMedia
import Foundation
import QuickTime
import Testing

struct SampleBufferGeneratorTests {
  private let folder: TemporaryFolder
  private let asset: AVAsset
  private let track: AVAssetTrack
  /// The first sample of each chunk, and the number of samples.
  private let bounds: [Int]

  init() throws {
    folder = try TemporaryFolder()
    // Three chunks; the second and half of the third are coded in another way.
    let samples = (0..<36).map { TimedSample(duration: 20, descriptionIndex: (15..<33).contains($0) ? 1 : 0) }
    let descriptions = [TableMovie.description("apcn"), TableMovie.description("ap4h")]
    asset = try TableMovie(samples: samples, descriptions: descriptions).write(to: folder.file("a.mov"))
    track = try #require(asset.tracks.first)
    let table = track.movieTrack.samples
    bounds = (0..<36).filter { $0 == 0 || table[$0].chunkIndex != table[$0 - 1].chunkIndex } + [36]
  }

  private func cursor(_ index: Int, _ track: AVAssetTrack? = nil) throws -> AVSampleCursor {
    let cursor = try #require((track ?? self.track).makeSampleCursorAtFirstSampleInDecodeOrder())
    cursor.stepInDecodeOrder(byCount: Int64(index))
    return cursor
  }

  /// Which samples a buffer holds.
  private func numbers(_ buffer: CMSampleBuffer) throws -> [Int] {
    let bytes = try #require(buffer.dataBuffer).dataBytes()
    var place = bytes.startIndex
    return try (0..<buffer.numSamples).map { index in
      let size = buffer.sampleSize(at: index)
      defer { place += size }
      let number = bytes[place...].prefix(4).reduce(0) { $0 << 8 | Int($1) }
      #expect(bytes[place...].prefix(size) == TableMovie.data(number))
      let timing = try buffer.sampleTimingInfo(at: index)
      #expect(timing.presentationTimeStamp == CMTime(value: Int64(20 * number), timescale: 600))
      #expect(timing.duration == CMTime(value: 20, timescale: 600))
      return number
    }
  }

  /// The program of a reader of stored samples: one after the other until the cursor does not move any more.
  @Test func theLoopOverAllSamplesEnds() throws {
    let cursor = try cursor(0)
    let request = AVSampleBufferRequest(start: cursor)
    request.direction = .forward
    request.preferredMinSampleCount = 1
    request.maxSampleCount = 1
    let generator = AVSampleBufferGenerator(asset: asset, timebase: nil)
    var found: [Int] = []
    repeat {
      let buffer = try generator.makeSampleBuffer(for: request)
      #expect(buffer.dataReadiness == .ready)
      #expect(buffer.formatDescription === cursor.copyCurrentSampleFormatDescription())
      found += try numbers(buffer)
    } while cursor.stepInDecodeOrder(byCount: 1) == 1
    #expect(found == Array(0..<36))
  }

  @Test func requestsGiveWhatTheyAskFor() throws {
    #expect(bounds.count > 3)
    let generator = AVSampleBufferGenerator(asset: asset, timebase: nil)
    for start in stride(from: 0, to: 36, by: 1) {
      for (preferred, most) in [(0, 0), (1, 0), (0, 3), (5, 0), (5, 3), (20, 0), (1000, 1000)] {
        for limit in [nil, 0, 16, 20, 35] as [Int?] {
          let request = AVSampleBufferRequest(start: try cursor(start))
          request.preferredMinSampleCount = preferred
          request.maxSampleCount = most
          request.limitCursor = try limit.map { try cursor($0) }
          #expect(try numbers(generator.makeSampleBuffer(for: request)) == [start])
          request.direction = .forward
          let forward = allowed(from: start, step: 1, preferred, most, limit)
          #expect(try numbers(generator.makeSampleBuffer(for: request)) == forward)
          request.direction = .reverse
          let reverse = allowed(from: start, step: -1, preferred, most, limit)
          #expect(try numbers(generator.makeSampleBuffer(for: request)) == reverse.reversed())
        }
      }
    }
  }

  /// The samples that a request may get, one by one in its direction.
  private func allowed(from start: Int, step: Int, _ preferred: Int, _ most: Int, _ limit: Int?) -> [Int] {
    func format(_ sample: Int) -> Int { (15..<33).contains(sample) ? 1 : 0 }
    func chunk(_ sample: Int) -> Int { bounds.lastIndex { $0 <= sample } ?? 0 }
    var result = [start]
    while let last = result.last {
      let next = last + step
      guard (0..<36).contains(next), format(next) == format(start) else { break }
      if let limit, step > 0 ? next > limit : next < limit { break }
      if most > 0, result.count >= most { break }
      guard preferred > 0 ? result.count < preferred : chunk(next) == chunk(start) else { break }
      result.append(next)
    }
    return result
  }

  @Test func theOldFormGivesTheSame() throws {
    let generator: any OldForm = AVSampleBufferGenerator(asset: asset, timebase: nil)
    let buffer = generator.createSampleBuffer(for: AVSampleBufferRequest(start: try cursor(7)))
    #expect(try numbers(try #require(buffer)) == [7])
  }

  @Test func anOverrideTimeIsTheOutputTime() throws {
    let request = AVSampleBufferRequest(start: try cursor(7))
    request.overrideTime = CMTime(value: 5, timescale: 1)
    let buffer = try AVSampleBufferGenerator(asset: asset, timebase: nil).makeSampleBuffer(for: request)
    #expect(buffer.outputPresentationTimeStamp == CMTime(value: 5, timescale: 1))
    #expect(buffer.presentationTimeStamp == CMTime(value: 140, timescale: 600))
  }

  // MARK: - Later

  @Test(arguments: [AVSampleBufferRequest.Mode.immediate, .scheduled, .opportunistic])
  func withATimebaseDataComesLater(_ mode: AVSampleBufferRequest.Mode) async throws {
    // It stands still, so that a scheduled request is read at once.
    let timebase = try CMTimebase(sourceClock: .hostTimeClock)
    let generator = AVSampleBufferGenerator(asset: asset, timebase: timebase)
    let request = AVSampleBufferRequest(start: try cursor(3))
    request.mode = mode
    let buffer = try generator.makeSampleBuffer(for: request)
    try await AVSampleBufferGenerator.notifyOfDataReady(for: buffer)
    #expect(buffer.dataReadiness == .ready)
    #expect(try numbers(buffer) == [3])
    // Who asks late is told at once.
    try await AVSampleBufferGenerator.notifyOfDataReady(for: buffer)
  }

  @Test func aScheduledRequestWaitsForItsTime() async throws {
    let timebase = try CMTimebase(sourceClock: .hostTimeClock)
    try timebase.setRate(1)
    let generator = AVSampleBufferGenerator(asset: asset, timebase: timebase)
    let request = AVSampleBufferRequest(start: try cursor(3))
    request.mode = .scheduled
    request.overrideTime = CMTime(value: 1_000_000, timescale: 1)
    let buffer = try generator.makeSampleBuffer(for: request)
    let other = try generator.makeSampleBuffer(for: request)
    #expect(buffer.dataReadiness == .notReady)
    // Whoever cannot wait reads it now.
    try other.makeDataReady()
    #expect(try numbers(other) == [3])
    #expect(buffer.dataReadiness == .notReady)
    try timebase.setTime(request.overrideTime)
    try await AVSampleBufferGenerator.notifyOfDataReady(for: buffer)
    #expect(try numbers(buffer) == [3])
  }

  @Test func aBatchIsReadTogether() async throws {
    let generator = AVSampleBufferGenerator(asset: asset, timebase: nil)
    let batch = generator.makeBatch()
    let buffers = try [30, 2, 17].map { index in
      try generator.makeSampleBuffer(for: AVSampleBufferRequest(start: try cursor(index)), addTo: batch)
    }
    #expect(buffers.allSatisfy { $0.dataReadiness == .notReady })
    try await batch.makeDataReady()
    #expect(buffers.allSatisfy { $0.dataReadiness == .ready })
    #expect(try buffers.flatMap { try numbers($0) } == [30, 2, 17])
    let late = #expect(throws: AVError.self) {
      try generator.makeSampleBuffer(for: AVSampleBufferRequest(start: try cursor(0)), addTo: batch)
    }
    #expect(late?.code == .operationNotAllowed)
    let foreign = #expect(throws: AVError.self) {
      let other = AVSampleBufferGenerator(asset: asset, timebase: nil)
      return try other.makeSampleBuffer(for: AVSampleBufferRequest(start: try cursor(0)), addTo: generator.makeBatch())
    }
    #expect(foreign?.code == .operationNotAllowed)
  }

  @Test func aCancelledBatchIsNotRead() async throws {
    let generator = AVSampleBufferGenerator(asset: asset, timebase: nil)
    let batch = generator.makeBatch()
    let buffer = try generator.makeSampleBuffer(for: AVSampleBufferRequest(start: try cursor(4)), addTo: batch)
    let read = try generator.makeSampleBuffer(for: AVSampleBufferRequest(start: try cursor(5)), addTo: batch)
    try read.makeDataReady()
    batch.cancel()
    #expect(read.dataReadiness == .ready)
    #expect(buffer.dataReadiness == .failed(kCMSampleBufferError_DataCanceled))
    let told = await #expect(throws: AVError.self) { try await AVSampleBufferGenerator.notifyOfDataReady(for: buffer) }
    #expect(told?.code == .operationCancelled)
    let ended = await #expect(throws: AVError.self) { try await batch.makeDataReady() }
    #expect(ended?.code == .operationCancelled)
    #expect(throws: AVError.self) {
      try generator.makeSampleBuffer(for: AVSampleBufferRequest(start: try cursor(0)), addTo: batch)
    }
  }

  // MARK: - What goes wrong

  @Test func samplesThatAreMissingAreNamed() async throws {
    // The index first, so that the end of the samples can be cut off.
    let url = folder.file("front.mov")
    try await SmallMovie().write(to: url, indexFirst: true)
    let whole = try #require(AVURLAsset(url: url).tracks.first).movieTrack.samples
    let cut = folder.file("cut.mov")
    try Data(contentsOf: url).prefix(Int(whole[whole.count - 1].offset) + 1).write(to: cut)
    let damaged = AVURLAsset(url: cut)
    let last = try #require(damaged.tracks.first?.makeSampleCursorAtLastSampleInDecodeOrder())
    let request = AVSampleBufferRequest(start: last)
    let error = #expect(throws: AVError.self) {
      try AVSampleBufferGenerator(asset: damaged, timebase: nil).makeSampleBuffer(for: request)
    }
    #expect(error?.localizedDescription.contains("Sample \(whole.count) of track 1") ?? false)

    let timebase = try CMTimebase(sourceClock: .hostTimeClock)
    let generator = AVSampleBufferGenerator(asset: damaged, timebase: timebase)
    let buffer = try generator.makeSampleBuffer(for: request)
    let told = await #expect(throws: AVError.self) { try await AVSampleBufferGenerator.notifyOfDataReady(for: buffer) }
    #expect(told?.localizedDescription.contains("Sample \(whole.count) of track 1") ?? false)
    #expect(buffer.dataReadiness == .failed(kCMSampleBufferError_DataFailed))
    let batch = generator.makeBatch()
    _ = try generator.makeSampleBuffer(for: request, addTo: batch)
    await #expect(throws: AVError.self) { try await batch.makeDataReady() }
  }

  /// The first sample claims more bytes than the file has: the buffers behind it are read all the same.
  @Test func aBatchIsReadOnBehindAFailure() async throws {
    var bytes = try Data(contentsOf: folder.file("a.mov"))
    let size = try #require(bytes.range(of: Data("stsz".utf8))).upperBound + 12
    bytes.replaceSubrange(size..<size + 4, with: [0, 16, 0, 0] as [UInt8])
    // Only a file that ends in the midst of something is opened though samples are missing.
    bytes += Data(count: 3)
    try bytes.write(to: folder.file("b.mov"))
    let damaged = AVURLAsset(url: folder.file("b.mov"))
    let track = try #require(damaged.tracks.first)
    let generator = AVSampleBufferGenerator(asset: damaged, timebase: nil)
    let batch = generator.makeBatch()
    let buffers = try [bounds[2], 0, bounds[1]].map { index in
      try generator.makeSampleBuffer(for: AVSampleBufferRequest(start: try cursor(index, track)), addTo: batch)
    }
    let error = await #expect(throws: AVError.self) { try await batch.makeDataReady() }
    #expect(error?.localizedDescription.contains("Sample 1 of track 1") ?? false)
    #expect(buffers.map(\.dataReadiness) == [.ready, .failed(kCMSampleBufferError_DataFailed), .ready])
    #expect(try numbers(buffers[0]) == [bounds[2]] && numbers(buffers[2]) == [bounds[1]])
  }

  @Test func cursorsOfOtherMoviesAreRefused() throws {
    let other = try TableMovie.reordered.write(to: folder.file("b.mov"))
    let foreignTrack = try #require(other.tracks.first)
    let stranger = try cursor(0, foreignTrack)
    let generator = AVSampleBufferGenerator(asset: asset, timebase: nil)
    let foreign = #expect(throws: AVError.self) {
      try generator.makeSampleBuffer(for: AVSampleBufferRequest(start: stranger))
    }
    #expect(foreign?.code == .invalidSampleCursor)
    let request = AVSampleBufferRequest(start: try cursor(0))
    request.limitCursor = stranger
    let limited = #expect(throws: AVError.self) { try generator.makeSampleBuffer(for: request) }
    #expect(limited?.code == .invalidSampleCursor)
  }

  /// With pictures out of order the buffers are those that a reader gives, but for their times, which are the media's.
  @Test func compressedSamplesAreTheReaders() async throws {
    let url = folder.file("h264.mov")
    try await SmallMovie().write(to: url)
    let movie = AVURLAsset(url: url)
    let track = try #require(movie.tracks.first)
    let stored = try storedSamples(of: track, in: movie).filter { $0.numSamples > 0 }
    let cursor = try #require(track.makeSampleCursorAtFirstSampleInDecodeOrder())
    let generator = AVSampleBufferGenerator(asset: movie, timebase: nil)
    for expected in stored {
      let buffer = try generator.makeSampleBuffer(for: AVSampleBufferRequest(start: cursor))
      #expect(try buffer.dataBuffer?.dataBytes() == (try expected.dataBuffer?.dataBytes()))
      #expect(buffer.formatDescription === expected.formatDescription)
      #expect(buffer.presentationTimeStamp == cursor.presentationTimeStamp)
      #expect(buffer.decodeTimeStamp == cursor.decodeTimeStamp)
      #expect(
        (buffer.sampleAttachments.first?[.notSync] as? Bool) == (expected.sampleAttachments.first?[.notSync] as? Bool))
      cursor.stepInDecodeOrder(byCount: 1)
    }
  }
}

/// Calls the deprecated form without being warned of it.
private protocol OldForm {
  func createSampleBuffer(for request: AVSampleBufferRequest) -> CMSampleBuffer?
}

extension AVSampleBufferGenerator: OldForm {}
