import Cinematic
import CoreMedia
import Foundation
import QuickTime
import Testing

@Suite struct RecordingTests {
  private func script(_ movie: RecordingMovie) throws -> RecordedScript {
    try RecordedScript(reading: CinematicTracks(try movie.opened()))
  }

  private func disparities(_ script: RecordedScript) -> [Float] {
    (0..<script.frameCount).map { script.frame($0).focusDisparity }
  }

  @Test func `values fall from the rendering item to the floats to the header`() throws {
    var whole = FrameMetadata.stored(3)
    whole.rendering?.focusDisparity = .nan
    whole.focusDisparity = 2
    #expect(whole.effectiveFocusDisparity == .init(value: 2, source: .floats))
    #expect(whole.effectiveFNumber == .init(value: 2, source: .rendering))
    whole.focusDisparity = .infinity
    #expect(whole.effectiveFocusDisparity == .init(value: 3, source: .frame))
    #expect(whole.invalidValues == ["focus disparity of the rendering item", "focus disparity item"])
    #expect(FrameMetadata().effectiveFocusDisparity == .init(value: 1, source: .standard))
    #expect(FrameMetadata().effectiveFNumber == .init(value: 4, source: .standard))
    var floats = FrameMetadata()
    floats.fNumber = 8
    #expect(floats.effectiveFNumber == .init(value: 8, source: .floats))
  }

  @Test func `values that cannot be meant are passed over`() throws {
    for (disparity, fNumber) in [(-0.5, 0), (10_001, -2), (-.infinity, .infinity)] as [(Float, Float)] {
      var metadata = FrameMetadata.stored(3)
      metadata.rendering = CinematicRenderingItem(focusDisparity: disparity, fNumber: fNumber, frameID: 0)
      #expect(metadata.effectiveFocusDisparity == .init(value: 3, source: .floats))
      #expect(metadata.effectiveFNumber == .init(value: 2, source: .floats))
      #expect(
        metadata.invalidValues == ["focus disparity of the rendering item", "f-number of the rendering item"])
      // The script's own changes can be applied to it.
      let script = CNScript(recorded: try script(RecordingMovie(metadata: [[.item(metadata)]])))
      #expect(script.objection(to: script.changes()) == nil && script.fNumber == 2)
    }
    var farthest = FrameMetadata.stored(3)
    farthest.rendering?.focusDisparity = 0
    #expect(farthest.effectiveFocusDisparity.value == 0 && farthest.invalidValues.isEmpty)
  }

  @Test func `the focal length is the blob's, else the first rendering item's`() throws {
    let later = try script(RecordingMovie(metadata: [[.empty, .item(.later(77)), .item(.later(13))]]))
    #expect(later.focalLength35mm == 77 && later.focalLength == 0.077)
    #expect(try script(RecordingMovie(metadata: [[.item(.stored(1))]])).focalLength35mm == nil)
    #expect(try script(RecordingMovie(metadata: [[.item(.later(.nan))]])).focalLength == 0.026)
    // Cut, moved and written as text it is the same lens.
    #expect(later.trimmed(to: later.timeRange).focalLength35mm == 77)
    var json = Data()
    try later.writeJSON { json += $0 }
    #expect(try RecordedScript(json: json).focalLength35mm == 77)
    let tracks = CinematicTracks(try RecordingMovie(metadata: [[.item(.later(77))]]).opened())
    #expect(tracks.focalLength35mm(.written(fNumber: 2, focalLength35mm: 24)) == 24)
    #expect(CNRenderingSession.Attributes(tracks).focalLength35mm == 77)
  }

  @Test func `a range in which no frame starts is incomplete`() throws {
    // One picture, shown from zero on, and metadata from half a second on.
    let movie = RecordingMovie(
      frames: 1, metadata: [[.item(.stored(1))]],
      metadataEdits: [Edit(segmentDuration: 300, mediaTime: -1), Edit(segmentDuration: 300, mediaTime: 0)])
    let error = #expect(throws: CNCinematicError.self) { try script(movie) }
    #expect(error?.code == .incomplete && error?.localizedDescription.contains("No frame starts") == true)
  }

  @Test func `edits that show more samples than a script may have are refused`() throws {
    let frames = 256
    let edits = [Edit](
      repeating: Edit(segmentDuration: Int64(frames) * 600, mediaTime: 0),
      count: RecordedScript.maximumFrames / frames + 1)
    let samples = [RecordingMovie.Sample](repeating: .item(.stored(1)), count: frames)
    for movie in [
      RecordingMovie(frames: frames, metadata: [samples], pictureEdits: edits),
      RecordingMovie(frames: frames, metadata: [samples], metadataEdits: edits),
    ] {
      let error = #expect(throws: CNCinematicError.self) { try script(movie) }
      #expect(error?.code == .unsupported && error?.localizedDescription.contains("16777472 samples") == true)
    }
  }

  @Test func `an empty or damaged sample takes the nearest, the earlier of two`() throws {
    let movie = RecordingMovie(
      frames: 5,
      metadata: [[.empty, .item(.stored(1)), .damaged, .item(.stored(3)), .empty]])
    let script = try script(movie)
    #expect(disparities(script) == [1, 1, 1, 3, 3])
    #expect(script.warnings.count == 3)
    #expect(
      script.warnings[0].hasPrefix(
        "1 metadata sample cannot be decoded, the first at 2.0 s: The atom mebx (sample 3 of track 3)"))
    #expect(script.warnings[1].hasPrefix("Nothing is in 2 metadata samples, the first at 0.0 s"))
    #expect(script.warnings[2].hasPrefix("No metadata is there for the very time of 3 frames, the first at 0.0 s"))
  }

  @Test func `tracks are merged by time`() throws {
    var frameOnly = FrameMetadata.stored(1, id: 7)
    (frameOnly.rendering, frameOnly.focusDisparity, frameOnly.fNumber) = (nil, nil, nil)
    var renderingOnly = FrameMetadata.stored(2)
    (renderingOnly.frame, renderingOnly.focusDisparity, renderingOnly.fNumber) = (nil, nil, nil)
    let movie = RecordingMovie(
      frames: 4,
      metadata: [
        [.item(frameOnly), .item(frameOnly), .item(frameOnly), .item(frameOnly)],
        [.item(renderingOnly), .missing, .item(renderingOnly), .missing],
      ])
    let script = try script(movie)
    #expect(disparities(script) == [2, 1, 2, 1])
    #expect((0..<4).allSatisfy { script.frame($0).baseFocusTrackID == 7 })
    #expect(script.warnings.count == 1)
    #expect(script.warnings[0].hasPrefix("The rendering item is missing in 2 metadata samples, the first at 1.0 s"))
  }

  @Test func `missing items and odd numbers are reported`() throws {
    var noFrame = FrameMetadata.stored(2), nowhere = FrameMetadata.stored(3)
    noFrame.frame = nil
    nowhere.frame?.detections = [
      CinematicDetection(trackID: 1, groupID: -1, type: 1, focusDisparity: 1, x: .nan, y: 0, width: 1, height: 1)
    ]
    nowhere.rendering?.focusDisparity = .infinity
    let movie = RecordingMovie(frames: 3, metadata: [[.item(.stored(1)), .item(noFrame), .item(nowhere)]])
    let script = try script(movie)
    #expect(disparities(script) == [1, 2, 3])
    #expect(script.warnings.count == 2)
    #expect(
      script.warnings[0].hasPrefix("The focus disparity of the rendering item is impossible in 1 metadata sample,")
    )
    #expect(script.warnings[1].hasPrefix("The cinematography item is missing in 1 metadata sample,"))
    #expect(nowhere.invalidValues.last == "rectangle or disparity of a detection")
  }

  @Test func `times are those after edit lists`() throws {
    let samples = (0..<4).map { RecordingMovie.Sample.item(.stored(Float($0))) }
    // Nothing for a second, then the pictures from the second on.
    let movie = RecordingMovie(
      frames: 4, metadata: [samples],
      pictureEdits: [Edit(segmentDuration: 600, mediaTime: -1), Edit(segmentDuration: 1800, mediaTime: 600)])
    let script = try script(movie)
    #expect(script.times.map(\.seconds) == [1, 2, 3])
    #expect(disparities(script) == [1, 2, 3])
    #expect(script.timeRange.start.seconds == 1 && script.timeRange.end.seconds == 4)
  }

  @Test func `what is missing is named`() throws {
    func objection(_ movie: RecordingMovie) throws -> (CNCinematicError.Code?, String) {
      let objection = CinematicTracks(try movie.opened()).objection
      return (objection?.code, objection?.localizedDescription ?? "")
    }
    let full = RecordingMovie.Sample.item(.stored(1))
    let flattened = try objection(RecordingMovie(hasDisparity: false, metadata: [[.empty, .empty]]))
    #expect(flattened.0 == .incomplete && flattened.1.contains("flattened") && flattened.1.contains("dish"))
    let disparityOnly = try objection(RecordingMovie(metadata: []))
    #expect(disparityOnly.0 == .incomplete && disparityOnly.1.contains("mebx"))
    #expect(try objection(RecordingMovie(metadata: [[.empty]])).0 == .incomplete)
    #expect(try objection(RecordingMovie(hasDisparity: false)).1.contains("neither"))
    #expect(try objection(RecordingMovie(hasPicture: false, metadata: [[full]])).1.contains("vide"))
    #expect(try objection(RecordingMovie(metadata: [[full]], isFirstTrackEnabled: false)).0 == .incomplete)
    #expect(try objection(RecordingMovie(metadata: [[full]])).0 == nil)
  }

  @Test func `capability needs content, and disparity for rendering`() throws {
    let full = RecordingMovie.Sample.item(.stored(1))
    func capability(_ movie: RecordingMovie) throws -> CinematicTracks.Capability {
      CinematicTracks(try movie.opened()).capability
    }
    #expect(try capability(RecordingMovie(metadata: [[.empty, full]])) == .renderable)
    #expect(try capability(RecordingMovie(hasDisparity: false, metadata: [[full]])) == .needsPreprocessing)
    #expect(try capability(RecordingMovie(isDisparityEnabled: false, metadata: [[full]])) == .needsPreprocessing)
    #expect(try capability(RecordingMovie(metadata: [[.empty]])) == .none)
  }

  @Test func `metadata that cannot be decoded anywhere is malformed`() throws {
    let error = #expect(throws: CNCinematicError.self) {
      try script(RecordingMovie(metadata: [[.damaged, .empty, .damaged]]))
    }
    #expect(error?.code == .malformed)
  }

  @Test func `a cancelled progress stops the reading`() throws {
    let progress = Progress(totalUnitCount: 0)
    progress.cancel()
    let movie = try RecordingMovie(metadata: [[.item(.stored(1))]]).opened()
    let error = #expect(throws: CNCinematicError.self) {
      try RecordedScript(reading: CinematicTracks(movie), progress: progress)
    }
    #expect(error?.code == .cancelled)
    #expect(progress.totalUnitCount == 4)
  }
}
