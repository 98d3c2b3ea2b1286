import AVFoundation
import CoreMedia
import CoreVideo
import Foundation
import QuickTime
import Testing

/// Every stretch of frames, sought on one output, at rates whose frames are no round fractions of a second.
struct RandomAccessTests {
  static let durations = [
    CMTime(value: 1001, timescale: 24_000), CMTime(value: 1001, timescale: 30_000),
    CMTime(value: 1001, timescale: 60_000),
  ]

  @Test(arguments: durations, [AVVideoCodecType.h264, .proRes422])
  func everyStretchIsExact(_ duration: CMTime, _ codec: AVVideoCodecType) async throws {
    let folder = try TemporaryFolder()
    var movie = SmallMovie()
    movie.frameDuration = duration
    movie.codec = codec
    if codec == .proRes422 {
      movie.compression = [:]
      movie.format = kCVPixelFormatType_422YpCbCr10BiPlanarVideoRange
    }
    try await movie.write(to: folder.file("a.mov"))
    let asset = AVURLAsset(url: folder.file("a.mov"))
    let track = try #require(asset.tracks.first)
    #expect(track.requiresFrameReordering == (codec == .h264))
    let reader = try AVAssetReader(asset: asset)
    let output = AVAssetReaderTrackOutput(
      track: track, outputSettings: [kCVPixelBufferPixelFormatTypeKey: kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange])
    output.supportsRandomAccess = true
    reader.add(output)
    #expect(reader.startReading())
    #expect(try drain(output).frames == Array(0..<12))
    // Backwards and far apart, as an editor jumps.
    for start in (0..<12).reversed() {
      for end in start + 1...12 {
        output.reset(forReadingTimeRanges: [CMTimeRange(start: movie.time(start), end: movie.time(end))])
        let found = try drain(output)
        #expect(found.frames == Array(start..<end))
        #expect(found.times == (start..<end).map(movie.time))
      }
    }
    for frame in 0..<11 {
      // One unit of the time scale makes the difference.
      let unit = CMTime(value: 1, timescale: duration.timescale)
      output.reset(forReadingTimeRanges: [
        CMTimeRange(start: movie.time(frame), end: movie.time(frame) + unit),
        CMTimeRange(start: movie.time(frame) + unit, end: movie.time(frame + 1) + unit),
      ])
      #expect(try drain(output).frames == [frame, frame + 1])
    }
    output.reset(forReadingTimeRanges: [])
    #expect(output.copyNextSampleBuffer() == nil)
    #expect(reader.status == .reading)
    output.markConfigurationAsFinal()
    #expect(reader.status == .completed)
  }

  private func drain(_ output: AVAssetReaderOutput) throws -> (frames: [Int], times: [CMTime]) {
    var (frames, times): ([Int], [CMTime]) = ([], [])
    while let buffer = output.copyNextSampleBuffer() {
      frames.append(SmallMovie.frame(of: try #require(buffer.imageBuffer)))
      times.append(buffer.presentationTimeStamp)
    }
    return (frames, times)
  }

  @Test func storedSamplesOfAStretchAreSoughtToo() async throws {
    let folder = try TemporaryFolder()
    try await SmallMovie().write(to: folder.file("a.mov"))
    let asset = AVURLAsset(url: folder.file("a.mov"))
    let reader = try AVAssetReader(asset: asset)
    let output = AVAssetReaderTrackOutput(track: try #require(asset.tracks.first), outputSettings: nil)
    output.supportsRandomAccess = true
    reader.add(output)
    #expect(reader.startReading())
    while output.copyNextSampleBuffer() != nil {}
    for start in (0..<11).reversed() {
      let wanted = [SmallMovie().time(start), SmallMovie().time(start + 1)]
      output.reset(forReadingTimeRanges: [CMTimeRange(start: wanted[0], end: SmallMovie().time(start + 2))])
      var shown: [CMTime] = []
      while let buffer = output.copyNextSampleBuffer() {
        if buffer.sampleAttachments.first?[.doNotDisplay] == nil { shown.append(buffer.presentationTimeStamp) }
      }
      #expect(shown.sorted() == wanted)
    }
  }
}

/// What `alwaysCopiesSampleData` means for stored samples.
struct SharedSampleTests {
  private func buffers(copies: Bool, _ asset: AVAsset) throws -> [CMBlockBuffer] {
    let reader = try AVAssetReader(asset: asset)
    let output = AVAssetReaderTrackOutput(track: try #require(asset.tracks.first), outputSettings: nil)
    #expect(output.alwaysCopiesSampleData)
    output.alwaysCopiesSampleData = copies
    reader.add(output)
    #expect(reader.startReading())
    var blocks: [CMBlockBuffer] = []
    while let buffer = output.copyNextSampleBuffer() { blocks.append(try #require(buffer.dataBuffer)) }
    #expect(reader.status == .completed)
    return blocks
  }

  private func addresses(_ blocks: [CMBlockBuffer]) throws -> [Range<UInt>] {
    try blocks.map { block in
      try block.withContiguousStorage { bytes in
        let start = UInt(bitPattern: bytes.baseAddress)
        return start..<start + UInt(bytes.count)
      }
    }
  }

  @Test func samplesShareMemoryOnlyIfTheyMay() throws {
    let folder = try TemporaryFolder()
    let asset = try TableMovie(samples: (0..<40).map { _ in TimedSample(duration: 20) }).write(to: folder.file("a.mov"))
    let table = try #require(asset.tracks.first).movieTrack.samples
    for copies in [true, false] {
      let blocks = try buffers(copies: copies, asset)
      #expect(try blocks.map { try $0.dataBytes() } == (0..<40).map(TableMovie.data))
      let places = try addresses(blocks)
      for index in 1..<40 {
        // Samples of a chunk lie side by side, and so does their shared memory.
        let isNeighbour = places[index].lowerBound == places[index - 1].upperBound
        let isSameChunk = table[index].chunkIndex == table[index - 1].chunkIndex
        if copies { #expect(!isNeighbour) } else if isSameChunk { #expect(isNeighbour) }
      }
    }
  }

  @Test func copiesAreTheCallers() throws {
    let folder = try TemporaryFolder()
    let asset = try TableMovie(samples: (0..<40).map { _ in TimedSample(duration: 20) }).write(to: folder.file("a.mov"))
    let blocks = try buffers(copies: true, asset)
    for block in blocks[..<20] { try block.fillDataBytes(with: 0x55) }
    #expect(try blocks[20...].map { try $0.dataBytes() } == (20..<40).map(TableMovie.data))
  }

  /// The end of the file lies inside what would be read together.
  @Test func aFileThatIsCutOffGivesWhatIsThere() async throws {
    let folder = try TemporaryFolder()
    let url = folder.file("front.mov")
    try await SmallMovie().write(to: url, indexFirst: true)
    let whole = try #require(AVURLAsset(url: url).tracks.first).movieTrack.samples
    try Data(contentsOf: url).prefix(Int(whole[7].offset) + 1).write(to: folder.file("cut.mov"))
    let asset = AVURLAsset(url: folder.file("cut.mov"))
    for copies in [true, false] {
      let reader = try AVAssetReader(asset: asset)
      let output = AVAssetReaderTrackOutput(track: try #require(asset.tracks.first), outputSettings: nil)
      output.alwaysCopiesSampleData = copies
      reader.add(output)
      #expect(reader.startReading())
      var sizes: [Int] = []
      while let buffer = output.copyNextSampleBuffer() { sizes.append(buffer.totalSampleSize) }
      #expect(sizes == (0..<7).map { whole[$0].size })
      #expect(reader.status == .failed)
      #expect(reader.error?.localizedDescription.contains("Sample 8 of track 1") ?? false)
    }
  }
}
