import AVFoundation
import CoreGeometry
import CoreMedia
import CoreVideo
import Foundation
import QuickTime
import Testing

/// What containers do to pictures: each is read by its own time, in order, and with what is said of it.
struct ContainerOddityTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func time(_ units: Int64, _ scale: Int32 = 600) -> CMTime { CMTime(value: units, timescale: scale) }

  private func found(_ asset: AVAsset) throws -> (frames: [Int], times: [CMTime]) {
    try framesAndTimes(of: try #require(asset.tracks.first), in: asset)
  }

  // MARK: - Edits

  /// An edit of media time −1 shows nothing, in the 32-bit and in the 64-bit form of the edit list.
  @Test(arguments: [Int64(120), 1 << 33]) func emptyEditsShowNothing(_ last: Int64) async throws {
    var movie = try await RemuxedMovie.proRes(in: folder)
    movie.specification.edits = [
      Edit(segmentDuration: 60, mediaTime: -1), Edit(segmentDuration: 40, mediaTime: 0),
      Edit(segmentDuration: 30, mediaTime: -1), Edit(segmentDuration: last, mediaTime: 160),
    ]
    let asset = try movie.write(to: folder.file("a.mov"))
    let read = try found(asset)
    #expect(read.frames == [0, 1, 8, 9, 10, 11])
    #expect(read.times == [60, 80, 130, 150, 170, 190].map { time($0) })
    let track = try #require(asset.tracks.first)
    let markers = try storedSamples(of: track, in: asset).filter { $0.numSamples == 0 }
    #expect(markers.map(\.presentationTimeStamp) == [time(0), time(100)])
  }

  @Test(arguments: [0.5, 1, 2, 4, -1]) func ratesStretchTimes(_ rate: Double) async throws {
    var movie = try await RemuxedMovie.proRes(in: folder)
    movie.specification.edits = [Edit(segmentDuration: 40, mediaTime: 20, rate: rate)]
    let read = try found(try movie.write(to: folder.file("a.mov")))
    // Backwards is shown forwards.
    let speed = abs(rate)
    let count = Int(2 * speed)
    #expect(read.frames == Array(1..<1 + max(count, 1)))
    for (place, time) in read.times.enumerated() {
      #expect(abs(time.seconds - Double(place) / 30 / speed) < 1e-9)
    }
  }

  /// A movie's time scale that the media's does not divide: edits that begin inside frames.
  @Test func editsBeginInsideFrames() async throws {
    var movie = try await RemuxedMovie.proRes(in: folder)
    movie.movieTimescale = 1000
    movie.specification.edits = [
      Edit(segmentDuration: 101, mediaTime: 10), Edit(segmentDuration: 50, mediaTime: 119),
      Edit(segmentDuration: 33, mediaTime: 220),
    ]
    let read = try found(try movie.write(to: folder.file("a.mov")))
    // Media 10..<71 holds the starts 20, 40 and 60; 119..<149 holds 120 and 140; 220..<240 holds 220.
    #expect(read.frames == [1, 2, 3, 6, 7, 11])
    let starts = [10.0 / 600, 30.0 / 600, 50.0 / 600, 0.101 + 1.0 / 600, 0.101 + 21.0 / 600, 0.151]
    for (found, expected) in zip(read.times, starts) { #expect(abs(found.seconds - expected) < 1e-6) }
    #expect(zip(read.times, read.times.dropFirst()).allSatisfy { $0 < $1 })
  }

  // MARK: - Times

  @Test func variableFrameRatesKeepTheirTimes() async throws {
    var movie = try await RemuxedMovie.proRes(in: folder)
    let durations: [Int64] = [1, 20, 7, 600, 20, 3, 3, 3, 1001, 20, 40, 5]
    for (index, duration) in durations.enumerated() { movie.samples[index].duration = duration }
    let asset = try movie.write(to: folder.file("a.mov"))
    let track = try #require(asset.tracks.first)
    let reader = try AVAssetReader(asset: asset)
    let output = AVAssetReaderTrackOutput(
      track: track, outputSettings: [kCVPixelBufferPixelFormatTypeKey: kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange])
    reader.add(output)
    #expect(reader.startReading())
    var start: Int64 = 0
    for (frame, duration) in durations.enumerated() {
      let buffer = try #require(output.copyNextSampleBuffer())
      #expect(SmallMovie.frame(of: try #require(buffer.imageBuffer)) == frame)
      #expect(buffer.presentationTimeStamp == time(start) && buffer.duration == time(duration))
      start += duration
    }
    #expect(output.copyNextSampleBuffer() == nil && reader.status == .completed)
    #expect(track.minFrameDuration == time(1))
  }

  /// All composition offsets alike, as of a writer that begins late and has no edit list.
  @Test func theFirstTimeNeedNotBeZero() async throws {
    var movie = try await RemuxedMovie.proRes(in: folder)
    for index in movie.samples.indices { movie.samples[index].compositionOffset = 100 }
    let late = try found(try movie.write(to: folder.file("late.mov")))
    #expect(late.frames == Array(0..<12) && late.times == (0..<12).map { time(100 + 20 * $0) })
    movie.specification.edits = [Edit(segmentDuration: 240, mediaTime: 100)]
    let shifted = try found(try movie.write(to: folder.file("shifted.mov")))
    #expect(shifted.frames == Array(0..<12) && shifted.times == (0..<12).map { time(20 * $0) })
  }

  /// Without composition offsets pictures still come in the order in which they are shown.
  @Test func missingCompositionOffsetsDoNotMixPictures() async throws {
    var movie = try await RemuxedMovie.compressed(SmallMovie(), in: folder)
    #expect(movie.samples.contains { $0.compositionOffset != 0 })
    movie.specification.edits = []
    for index in movie.samples.indices { movie.samples[index].compositionOffset = 0 }
    let read = try found(try movie.write(to: folder.file("a.mov")))
    #expect(read.frames == Array(0..<12) && read.times == (0..<12).map { time(20 * $0) })
  }

  /// A sample without bytes has no picture: the pictures behind it keep their times.
  @Test(arguments: [1, 5, 11]) func samplesWithoutBytesTakeNoTime(_ place: Int) async throws {
    var movie = try await RemuxedMovie.compressed(SmallMovie(), in: folder)
    movie.specification.edits = []
    for index in movie.samples.indices { movie.samples[index].compositionOffset = 0 }
    movie.data.insert(Data(), at: place)
    movie.samples.insert(TimedSample(duration: 20, isSync: false), at: place)
    let read = try found(try movie.write(to: folder.file("a.mov")))
    #expect(read.frames == Array(0..<12))
    #expect(read.times == (0..<13).filter { $0 != place }.map { time(20 * Int64($0)) })
  }

  /// A sample that holds no picture, but a mark of where one begins: from the next sync sample on times are right again.
  @Test func samplesWithoutPicturesAreForgottenAtTheNextSyncSample() async throws {
    var small = SmallMovie()
    small.codec = .hevc
    var movie = try await RemuxedMovie.compressed(small, in: folder)
    try #require(movie.samples.count { $0.isSync } > 1)
    movie.specification.edits = []
    for index in movie.samples.indices { movie.samples[index].compositionOffset = 0 }
    movie.data.insert(Data([0, 0, 0, 3, 0x46, 0x01, 0x50]), at: 2)
    movie.samples.insert(TimedSample(duration: 20, isSync: false), at: 2)
    let read = try found(try movie.write(to: folder.file("a.mov")))
    #expect(read.frames == Array(0..<12))
    #expect(read.times.suffix(3) == [time(200), time(220), time(240)])
  }

  /// A table of composition offsets that ends amid the track: all pictures come in order, and no time goes back.
  @Test(arguments: [0, 1, 2, 4]) func partialCompositionOffsetsDoNotMixPictures(_ entries: UInt8) async throws {
    var movie = try await RemuxedMovie.compressed(SmallMovie(), in: folder)
    movie.specification.edits = []
    var bytes = try Data(contentsOf: try movie.write(to: folder.file("whole.mov")).url)
    let count = try #require(bytes.range(of: Data("ctts".utf8))).upperBound + 4
    #expect(bytes[count + 3] > entries)
    bytes[count + 3] = entries
    try bytes.write(to: folder.file("a.mov"))
    let asset = AVURLAsset(url: folder.file("a.mov"))
    let offsets = try #require(asset.tracks.first?.movieTrack.samples.compositionOffsets)
    #expect(offsets.count < 12)
    let read = try found(asset)
    #expect(read.frames == Array(0..<12))
    #expect(zip(read.times, read.times.dropFirst()).allSatisfy { $0 <= $1 })
  }

  // MARK: - Shape

  /// The eight ways to turn and mirror a picture of 64x48.
  static let matrices: [MovieMatrix] = [
    .init(a: 1, b: 0, c: 0, d: 1, x: 0, y: 0), .init(a: 0, b: 1, c: -1, d: 0, x: 48, y: 0),
    .init(a: -1, b: 0, c: 0, d: -1, x: 64, y: 48), .init(a: 0, b: -1, c: 1, d: 0, x: 0, y: 64),
    .init(a: -1, b: 0, c: 0, d: 1, x: 64, y: 0), .init(a: 1, b: 0, c: 0, d: -1, x: 0, y: 48),
    .init(a: 0, b: 1, c: 1, d: 0, x: 0, y: 0), .init(a: 0, b: -1, c: -1, d: 0, x: 48, y: 64),
  ]

  @Test(arguments: matrices) func picturesAreTurnedByWhoShowsThem(_ matrix: MovieMatrix) async throws {
    var movie = try await RemuxedMovie.proRes(in: folder)
    movie.specification.matrix = matrix
    let asset = try movie.write(to: folder.file("a.mov"))
    let track = try #require(asset.tracks.first)
    #expect(track.preferredTransform == matrix.transform)
    // The whole picture lands in the positive quadrant.
    let corners = [(0, 0), (64, 0), (0, 48), (64, 48)].map { x, y in
      CGPoint(x: CGFloat(x), y: CGFloat(y)).applying(track.preferredTransform)
    }
    #expect(corners.map(\.x).min() == 0 && corners.map(\.y).min() == 0)
    #expect(track.naturalSize == CGSize(width: 64, height: 48))
    let times = try decodedFrames(of: track, in: asset, format: kCVPixelFormatType_422YpCbCr10BiPlanarVideoRange) {
      #expect(CVPixelBufferGetWidth($0) == 64 && CVPixelBufferGetHeight($0) == 48)
    }
    #expect(times.count == 12)
    let url = folder.file("copy.mov")
    try await copy(asset, to: url)
    #expect(AVURLAsset(url: url).tracks.first?.preferredTransform == matrix.transform)
  }

  @Test func aperturesAndPixelShapesComeWithThePictures() async throws {
    var movie = try await RemuxedMovie.proRes(in: folder)
    movie.add([
      StoredAtom(PixelAspectAtom(horizontal: 4, vertical: 3)),
      StoredAtom(
        CleanApertureAtom(
          width: .init(60), height: .init(40), horizontalOffset: .init(-1, 2), verticalOffset: .init(1))),
    ])
    let asset = try movie.write(to: folder.file("a.mov"))
    let track = try #require(asset.tracks.first)
    let format = try #require(track.formatDescriptions.first)
    #expect(
      CMVideoFormatDescriptionGetPresentationDimensions(format, usePixelAspectRatio: true, useCleanAperture: true)
        == CGSize(width: 80, height: 40))
    _ = try decodedFrames(of: track, in: asset, format: kCVPixelFormatType_422YpCbCr10BiPlanarVideoRange) { image in
      let aspect = CVBufferCopyAttachment(image, kCVImageBufferPixelAspectRatioKey, nil) as? [String: Any]
      #expect(aspect?[kCVImageBufferPixelAspectRatioHorizontalSpacingKey] as? Int == 4)
      #expect(aspect?[kCVImageBufferPixelAspectRatioVerticalSpacingKey] as? Int == 3)
      let aperture = CVBufferCopyAttachment(image, kCVImageBufferCleanApertureKey, nil) as? [String: Any]
      #expect(aperture?[kCVImageBufferCleanApertureWidthKey] as? Double == 60)
      #expect(aperture?[kCVImageBufferCleanApertureHorizontalOffsetKey] as? Double == -0.5)
      #expect(CVPixelBufferGetWidth(image) == 64)
    }
  }

  static let fields: [(UInt8, String)] = [
    (1, kCMFormatDescriptionFieldDetail_TemporalTopFirst), (6, kCMFormatDescriptionFieldDetail_TemporalBottomFirst),
    (9, kCMFormatDescriptionFieldDetail_SpatialFirstLineEarly),
    (14, kCMFormatDescriptionFieldDetail_SpatialFirstLineLate),
  ]

  @Test(arguments: fields) func fieldOrderComesWithThePictures(_ detail: UInt8, _ name: String) async throws {
    var movie = try await RemuxedMovie.proRes(in: folder)
    movie.add([StoredAtom(FieldAtom(count: 2, detail: detail))])
    let asset = try movie.write(to: folder.file("a.mov"))
    let track = try #require(asset.tracks.first)
    let format = try #require(track.formatDescriptions.first)
    func value(_ key: String) -> Any? { CMFormatDescriptionGetExtension(format, extensionKey: key) }
    #expect(value(kCMFormatDescriptionExtension_FieldCount) as? Int == 2)
    #expect(value(kCMFormatDescriptionExtension_FieldDetail) as? String == name)
    _ = try decodedFrames(of: track, in: asset, format: kCVPixelFormatType_422YpCbCr10BiPlanarVideoRange) { image in
      #expect(CVBufferCopyAttachment(image, kCVImageBufferFieldCountKey, nil) as? Int == 2)
      #expect(CVBufferCopyAttachment(image, kCVImageBufferFieldDetailKey, nil) as? String == name)
    }
  }

  // MARK: - Tracks that nobody knows

  @Test func unknownTracksDoNotBreakACopy() async throws {
    let pictures = try await RemuxedMovie.proRes(in: folder)
    let url = folder.file("a.mov")
    let writer = try MovieWriter(url: url)
    var specifications = [pictures.specification]
    specifications.append(
      TrackSpecification(
        handler: "meta", timescale: 600, sampleDescriptions: [SampleDescription(type: "mebx", layout: .plain)]))
    specifications.append(
      TrackSpecification(
        handler: "wxyz", timescale: 1000,
        sampleDescriptions: [
          SampleDescription(type: "abcd", layout: .plain, children: [StoredAtom("efgh", Data([1, 2, 3]))])
        ]))
    let sound = AudioDescription(channels: 4, bitsPerChannel: 16, sampleRate: 48_000)
    specifications.append(
      TrackSpecification(
        handler: "soun", timescale: 48_000,
        sampleDescriptions: [
          SampleDescription(type: "apac", layout: .audio(sound), children: [StoredAtom("dapa", Data([9, 9]))])
        ]))
    let tracks = specifications.map(writer.addTrack)
    for index in 0..<12 {
      try writer.append(track: tracks[0], data: pictures.data[index], pictures.samples[index])
      try writer.append(track: tracks[1], data: TableMovie.data(index), TimedSample(duration: 20))
      try writer.append(track: tracks[2], data: TableMovie.data(index), TimedSample(duration: 33, isSync: index == 0))
      try writer.append(track: tracks[3], data: TableMovie.data(index), TimedSample(duration: 1024))
    }
    try writer.finish()
    let asset = AVURLAsset(url: url)
    try await copy(asset, to: folder.file("copy.mov"))
    let result = AVURLAsset(url: folder.file("copy.mov"))
    #expect(result.tracks.map(\.mediaType) == asset.tracks.map(\.mediaType))
    for (a, b) in zip(asset.tracks, result.tracks) {
      #expect(a.movieTrack.sampleDescriptions.map(\.data) == b.movieTrack.sampleDescriptions.map(\.data))
      let (stored, copied) = (try storedSamples(of: a, in: asset), try storedSamples(of: b, in: result))
      #expect(try stored.map(StoredSampleFacts.init) == copied.map(StoredSampleFacts.init), "\(a.mediaType)")
    }
    #expect(try found(result).frames == Array(0..<12))
  }
}

/// Two sample descriptions in one track: each sample is decoded by its own.
@Suite(.enabled(if: SharedMedia.has("bugs/multistsd.mov"), "The folder ../shared/media is absent."))
struct SeveralDescriptionsTests {
  private static let formats = ["y416", "v216", "x422"].map(fourCharacterCode)

  @Test(arguments: ["bugs/multistsd.mov", "bugs/multistsd_rev.mov"], formats)
  func allPicturesAreDecodedByTheirOwn(_ name: String, _ format: OSType) throws {
    let folder = try TemporaryFolder()
    let asset = AVURLAsset(url: SharedMedia.url(name))
    let track = try #require(asset.tracks.first)
    let stored = try storedSamples(of: track, in: asset)
    let order = name.contains("rev") ? ["ap4h", "apch"] : ["apch", "ap4h"]
    let codecs = stored.map { fourCharacterString($0.formatDescription?.mediaSubType.rawValue ?? 0) }
    #expect(codecs.count == 8 && Set(codecs) == ["apch", "ap4h"] && codecs.first == order[0])
    #expect(codecs == codecs.sorted { (order.firstIndex(of: $0) ?? 0) < (order.firstIndex(of: $1) ?? 0) })

    var pictures: [Data] = []
    let times = try decodedFrames(of: track, in: asset, format: format) { pictures.append(bytes(of: $0)) }
    #expect(times == stored.map(\.presentationTimeStamp) && Set(times.map(\.seconds)).count == 8)
    // The same samples in movies of one description each.
    let whole = try RemuxedMovie(asset)
    var alone: [Data] = []
    for description in 0..<2 {
      var part = whole
      part.specification.edits = []
      part.specification.sampleDescriptions = [whole.specification.sampleDescriptions[description]]
      let places = whole.samples.indices.filter { whole.samples[$0].descriptionIndex == description }
      part.data = places.map { whole.data[$0] }
      part.samples = places.map { TimedSample(duration: whole.samples[$0].duration) }
      let movie = try part.write(to: folder.file("part\(description).mov"))
      _ = try decodedFrames(of: try #require(movie.tracks.first), in: movie, format: format) {
        alone.append(bytes(of: $0))
      }
    }
    #expect(alone.count == 8)
    // Descriptions may be listed in another order than they are used in.
    #expect(pictures.sorted { $0.lexicographicallyPrecedes($1) } == alone.sorted { $0.lexicographicallyPrecedes($1) })
  }

  private func bytes(of image: CVPixelBuffer) -> Data {
    (0..<max(1, CVPixelBufferGetPlaneCount(image))).reduce(into: Data()) { data, plane in
      image.withPlane(plane, readOnly: true) { base, pitch, _, height in
        data.append(Data(bytes: base, count: pitch * height))
      }
    }
  }
}
