import Cinematic
import CoreMedia
import Foundation
import QuickTime
import Testing

/// The movies that the project shares but does not commit.
enum Shared {
  static let folder: URL = {
    if let path = ProcessInfo.processInfo.environment["OPENCINEMATIC_SHARED"] { return URL(fileURLWithPath: path) }
    let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return package.deletingLastPathComponent().appendingPathComponent("shared")
  }()
  static let cup = folder.appendingPathComponent("media/cinematic/cup.mov")
  static let hasCup = FileManager.default.fileExists(atPath: cup.path)
}

/// The movie that an independent program wrote, against what that program says of it.
@Suite(.enabled(if: Shared.hasCup, "../shared/media/cinematic/cup.mov is not there")) struct CupTests {
  static func truth() throws -> [String: Any] {
    let url = Shared.cup.deletingPathExtension().appendingPathExtension("json")
    return try #require(try JSONSerialization.jsonObject(with: Data(contentsOf: url)) as? [String: Any])
  }

  static func time(_ text: Any?) throws -> CMTime {
    let parts = try #require(text as? String).split(separator: "/")
    return CMTime(value: try #require(Int64(parts[0])), timescale: try #require(Int32(parts[1])))
  }

  @Test func assetInfo() async throws {
    let asset = AVURLAsset(url: Shared.cup)
    #expect(await CNAssetInfo.isCinematic(asset: asset))
    #expect(await CNAssetInfo.cinematicCapability(for: asset) == .renderable)
    let info = try await CNAssetInfo(asset: asset)
    #expect(info.cinematicVideoTrack.trackID == 1 && info.cinematicDisparityTrack.trackID == 2)
    #expect(info.cinematicMetadataTrack.trackID == 4 && info.frameTimingTrack.trackID == 1)
    #expect(info.allCinematicTracks.map(\.trackID) == [1, 2, 4])
    #expect(info.videoCompositionTrackIDs == [1, 2] && info.sampleDataTrackIDs == [4])
    #expect(info.timeRange == CMTimeRange(start: .zero, end: CMTime(value: 6, timescale: 1)))
    #expect(info.naturalSize == CGSize(width: 1280, height: 720))
    #expect(info.preferredSize == CGSize(width: 720, height: 1280))
    #expect(info.preferredTransform == CGAffineTransform(a: 0, b: 1, c: -1, d: 0, tx: 720, ty: 0))
    #expect(info.warnings.isEmpty)
  }

  @Test func framesAgree() async throws {
    let script = try await CNScript(asset: AVURLAsset(url: Shared.cup))
    let cinematic = try #require(try Self.truth()["cinematic"] as? [String: Any])
    let times = try #require(cinematic["frame_times"] as? [String]).map(Self.time)
    #expect(script.frames(in: script.timeRange).map(\.time) == times)
    #expect(script.warnings.isEmpty)
    for truth in try #require(try Self.truth()["frames"] as? [[String: Any]]) {
      let frame = try #require(script.frame(at: Self.time(truth["time"]), tolerance: .zero))
      #expect(frame.focusDisparity == (truth["focus_disparity"] as? Double).map { Float($0) })
      let item = try #require(truth["frame"] as? [String: Any])
      #expect(frame.focusDetection.detectionID?.rawValue == item["focus_id"] as? Int64)
      let detections = try #require(truth["detections"] as? [[String: Any]])
      #expect(frame.allDetections.map { $0.detectionID?.rawValue } == detections.map { $0["id"] as? Int64 })
      for (detection, truth) in zip(frame.allDetections, detections) {
        #expect(detection.detectionGroupID?.rawValue == truth["group"] as? Int64)
        #expect(detection.detectionType.rawValue == truth["type"] as? Int)
        #expect(detection.focusDisparity == (truth["disparity"] as? Double).map { Float($0) })
        let rect = detection.normalizedRect
        let values = [rect.origin.x, rect.origin.y, rect.width, rect.height]
        #expect(values.map { Float($0) } == (truth["rect"] as? [Double])?.map { Float($0) })
      }
    }
    #expect(script.fNumber == 2.8)
  }

  @Test func decisionsAndTheRackAgree() async throws {
    let script = try await CNScript(asset: AVURLAsset(url: Shared.cup))
    let decisions = try #require(try Self.truth()["decisions"] as? [String: [[String: Any]]])
    let base = try #require(decisions["base"])
    let found = script.baseDecisions(in: script.timeRange)
    #expect(found.map(\.time) == (try base.map { try Self.time($0["time"]) }))
    #expect(found.map(\.focusDetectionID) == base.map { .single(CNDetectionID($0["id"] as? Int64 ?? -1)) })
    #expect(script.userDecisions(in: script.timeRange).isEmpty)
    let rack = script.timeRangeOfTransition(before: found[1])
    #expect(rack == CMTimeRange(start: CMTime(value: 80, timescale: 30), end: CMTime(value: 3, timescale: 1)))
  }

  /// Every frame of the recording, to the bit; and again after edits have come and gone.
  @Test func theRecordingIsReplayed() async throws {
    let script = try await CNScript(asset: AVURLAsset(url: Shared.cup))
    let recording = (0..<script.recorded.frameCount).map { script.recorded.frame($0).focusDisparity }
    #expect(recording.count == 180 && Set(recording).count > 30)
    #expect(script.focus == recording)
    let background = CNDecision(time: CMTime(value: 4, timescale: 1), detectionID: CNDetectionID(1), strong: true)
    #expect(script.addUserDecision(background))
    let focus = script.focus
    #expect(Array(focus[..<80]) == Array(recording[..<80]))
    #expect(abs(focus[120] - 0.65) < 0.05 && abs(focus[179] - 0.62) < 0.05)
    #expect(focus[90..<95].allSatisfy { $0 > 3 })
    script.removeAllUserDecisions()
    #expect(script.focus == recording)
  }

  @Test func aWeakDecisionBeforeTheRackLeavesTheRackAlone() async throws {
    let script = try await CNScript(asset: AVURLAsset(url: Shared.cup))
    let recording = script.focus
    let fixed = script.addDetectionTrack(CNFixedDetectionTrack(focusDisparity: 2))
    #expect(script.addUserDecision(CNDecision(time: CMTime(value: 1, timescale: 1), detectionID: fixed, strong: false)))
    let focus = script.focus
    #expect(focus[30..<60].allSatisfy { abs($0 - 2) < 1e-6 })
    #expect(Array(focus[90...]) == Array(recording[90...]))
  }

  @Test func editsOfAnotherMovieAreRefused() async throws {
    let script = try await CNScript(asset: AVURLAsset(url: Shared.cup))
    let other = try World(frameCount: 5, subjects: [Subject(1, 0...4, at: 1)]).script(base: [(0, 1)])
    await #expect(throws: CNCinematicError.self) {
      try await CNScript(asset: AVURLAsset(url: Shared.cup), changes: other.changes())
    }
    #expect(script.objection(to: other.changes())?.code == .incompatible)
    _ = try await CNScript(asset: AVURLAsset(url: Shared.cup), changes: script.changes())
  }

  @Test func cancellingTheProgressFailsTheLoad() async throws {
    let progress = Progress(totalUnitCount: 0)
    progress.cancel()
    let error = await #expect(throws: CNCinematicError.self) {
      try await CNScript(asset: AVURLAsset(url: Shared.cup), progress: progress)
    }
    #expect(error?.code == .cancelled)
    let counted = Progress(totalUnitCount: 0)
    _ = try await CNScript(asset: AVURLAsset(url: Shared.cup), progress: counted)
    #expect(counted.totalUnitCount == 180 && counted.completedUnitCount == 180)
  }

  @Test func notAMovie() async {
    let asset = AVURLAsset(url: URL(fileURLWithPath: #filePath))
    #expect(await !CNAssetInfo.isCinematic(asset: asset))
    let error = await #expect(throws: CNCinematicError.self) { try await CNAssetInfo(asset: asset) }
    #expect(error?.code == .unreadable)
    #expect(error?.localizedDescription.isEmpty == false)
  }

  /// The metadata samples written here for the recording decode to what was recorded.
  @Test func writtenSamplesAreRead() async throws {
    let recorded = try await CNScript(asset: AVURLAsset(url: Shared.cup)).recorded
    for index in [0, 85, 90, 179] {
      let sample = recorded.metadataSample(index)
      let item = try CinematicFrameItem(payload: try #require(sample[1]))
      let frame = RecordedFrame(
        time: recorded.times[index], header: try #require(item.header), detections: item.detections)
      #expect(frame == recorded.frame(index))
      #expect(try CinematicRenderingItem(payload: try #require(sample[2])).focusDisparity == frame.focusDisparity)
      #expect(sample.items.map(\.localID) == [1, 2, 3, 4, 5])
      #expect(sample[5]?.count == 4)
    }
  }
}
