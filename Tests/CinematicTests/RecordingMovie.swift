import Cinematic
import Foundation
import QuickTime

/// A small movie of one frame a second whose tracks hold what a test puts there. Pictures and disparities cannot be decoded.
struct RecordingMovie {
  enum Sample {
    case item(FrameMetadata)
    case empty
    case damaged
    case missing
  }

  var frames = 4
  var hasPicture = true
  var hasDisparity = true
  var isDisparityEnabled = true
  /// For each metadata track its samples, one a second; a missing one is covered by the sample before.
  var metadata: [[Sample]] = []
  var pictureEdits: [Edit] = []
  var metadataEdits: [Edit] = []
  var isFirstTrackEnabled = true

  /// Writes the movie, opens it and removes the file: what was opened stays readable.
  func opened() throws -> Movie {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("recording-\(UUID().uuidString).mov")
    defer { try? FileManager.default.removeItem(at: url) }
    let writer = try MovieWriter(url: url)
    if hasPicture { try addPicture(writer, "vide", "hvc1", isEnabled: true) }
    if hasDisparity { try addPicture(writer, "auxv", "dish", isEnabled: isDisparityEnabled) }
    for index in metadata.indices { try addMetadata(writer, index) }
    try writer.finish()
    return try Movie.open(url)
  }

  private func addPicture(_ writer: MovieWriter, _ handler: FourCC, _ type: FourCC, isEnabled: Bool) throws {
    let description = SampleDescription(type: type, layout: .video(VideoDescription(width: 64, height: 32)))
    var specification = TrackSpecification(handler: handler, timescale: 600, sampleDescriptions: [description])
    (specification.width, specification.height, specification.isEnabled) = (64, 32, isEnabled)
    if handler == "vide" { specification.edits = pictureEdits }
    let track = writer.addTrack(specification)
    for _ in 0..<frames { try writer.append(track: track, data: Data([1, 2, 3]), TimedSample(duration: 600)) }
  }

  private func addMetadata(_ writer: MovieWriter, _ index: Int) throws {
    let entry = CinematicKey.writtenKeyTable.sampleEntry()
    guard let description = SampleDescription(entry, handler: "meta") else { return }
    var specification = TrackSpecification(handler: "meta", timescale: 600, sampleDescriptions: [description])
    specification.isEnabled = index > 0 || isFirstTrackEnabled
    specification.edits = metadataEdits
    let track = writer.addTrack(specification)
    for (position, sample) in metadata[index].enumerated() {
      if case .missing = sample { continue }
      let gap = metadata[index][(position + 1)...].prefix { if case .missing = $0 { true } else { false } }.count
      try writer.append(track: track, data: Self.data(sample), TimedSample(duration: Int64(600 * (gap + 1))))
    }
  }

  private static func data(_ sample: Sample) -> Data {
    switch sample {
    case .item(let metadata): MetadataSampleCodec.data(of: metadata.sample)
    case .empty, .missing: MetadataSampleCodec.data(of: .empty)
    case .damaged: Data([0, 0, 0, 99, 0, 0, 0, 1])
    }
  }
}

extension FrameMetadata {
  /// What a phone stores for one focus disparity.
  static func stored(_ disparity: Float, id: Int64 = 1) -> FrameMetadata {
    var metadata = FrameMetadata()
    var header = CinematicFrameHeader()
    (header.focusDisparity, header.baseFocusTrackID, header.focusTrackID) = (disparity, id, id)
    metadata.frame = CinematicFrameItem(header: header, detections: [])
    metadata.rendering = CinematicRenderingItem(focusDisparity: disparity, fNumber: 2, frameID: 0)
    (metadata.focusDisparity, metadata.fNumber) = (disparity, 2)
    return metadata
  }

  /// What a phone with `rend` major 2 stores: all 13 pairs, of which the third is the 35 mm equivalent focal length.
  static func later(_ focalLength35mm: Float) -> FrameMetadata {
    var metadata = stored(1)
    metadata.rendering?.pairs = CinematicPairs((UInt16(1)...13).map { .float($0, $0 == 3 ? focalLength35mm : 1) })
    return metadata
  }

  var sample: MetadataSample {
    var payloads: [(CinematicKey, Data)] = []
    if let frame { payloads.append((.cinematography, frame.payload)) }
    if let rendering { payloads.append((.rendering, rendering.payload)) }
    for (key, value) in [(CinematicKey.aperture, fNumber), (.disparity, focusDisparity)] {
      var writer = ByteWriter()
      guard let value else { continue }
      writer.f32(value)
      payloads.append((key, writer.data))
    }
    return MetadataSample(
      items: payloads.map { MetadataSampleItem(localID: $0.0.writtenLocalID, payload: $0.1) })
  }
}
