import Cinematic
import CoreMedia
import CoreVideo
import Foundation
import QuickTime
import Testing

@Suite struct DetectionDisparityTests {
  /// 40x40: a near thing (3) in the middle of a far wall (0.5), with a hole of invalid samples.
  static func picture(_ format: OSType = kCVPixelFormatType_DisparityFloat32) throws -> CVPixelBuffer {
    let buffer = try CVBuffer.make(width: 40, height: 40, format: format)
    buffer.withPlane(0, readOnly: false) { base, pitch, width, height in
      for y in 0..<height {
        for x in 0..<width {
          let near = (10..<30).contains(x) && (10..<30).contains(y)
          let value: Float = x == 12 ? .nan : near ? 3 : 0.5
          let row = base + y * pitch
          switch format {
          case kCVPixelFormatType_DisparityFloat32: row.storeBytes(of: value, toByteOffset: x * 4, as: Float.self)
          case kCVPixelFormatType_DisparityFloat16:
            row.storeBytes(of: Float16(value), toByteOffset: x * 2, as: Float16.self)
          case kCVPixelFormatType_DepthFloat32: row.storeBytes(of: 1 / value, toByteOffset: x * 4, as: Float.self)
          case kCVPixelFormatType_OneComponent8:
            let code = DisparityCoding.standard.code(disparity: value)
            row.storeBytes(of: UInt8(Int(code) * 255 / 1023), toByteOffset: x, as: UInt8.self)
          default:
            let code = DisparityCoding.standard.code(disparity: value)
            row.storeBytes(of: code << 6, toByteOffset: x * 2, as: UInt16.self)
          }
        }
      }
    }
    return buffer
  }

  static func disparity(_ rect: CGRect, prior: Float? = nil, in buffer: CVPixelBuffer) -> Float {
    CNDetection.disparity(in: rect, sourceDisparity: buffer, detectionType: .unknown, priorDisparity: prior)
  }

  @Test(
    arguments: [
      kCVPixelFormatType_DisparityFloat32, kCVPixelFormatType_DisparityFloat16, kCVPixelFormatType_DepthFloat32,
      kCVPixelFormatType_OneComponent10, kCVPixelFormatType_OneComponent8,
    ])
  func theMedianOfTheMiddleHalf(_ format: OSType) throws {
    let buffer = try Self.picture(format)
    // 8-bit codes are 2 % apart here.
    #expect(abs(Self.disparity(CGRect(x: 0, y: 0, width: 1, height: 1), in: buffer) - 3) < 0.06)
    #expect(abs(Self.disparity(CGRect(x: 0, y: 0, width: 0.25, height: 1), in: buffer) - 0.5) < 0.02)
  }

  @Test func thePriorKeepsFromJumping() throws {
    let buffer = try Self.picture()
    // The middle half covers columns 20…39: half of them the near thing in the middle rows.
    let rect = CGRect(x: 0.35, y: 0.15, width: 0.8, height: 0.8)
    #expect(Self.disparity(rect, prior: 2.8, in: buffer) == 3)
    #expect(Self.disparity(rect, prior: 0.52, in: buffer) == 0.5)
    #expect(Self.disparity(rect, prior: 9, in: buffer) == Self.disparity(rect, in: buffer))
  }

  @Test func anEmptyRectangleIsAPoint() throws {
    let buffer = try Self.picture()
    #expect(Self.disparity(CGRect(x: 0.5, y: 0.5, width: 0, height: 0), in: buffer) == 3)
    #expect(Self.disparity(CGRect(x: 0.1, y: 0.1, width: 0, height: 0), in: buffer) == 0.5)
    #expect(Self.disparity(CGRect(x: 0.75, y: 0.75, width: -0.5, height: -0.5), in: buffer) == 3)
  }

  @Test(
    arguments: [
      CGRect(x: 2, y: 2, width: 1, height: 1), CGRect(x: -9, y: 0, width: 1, height: 1), .null, .infinite,
      CGRect(x: Double.nan, y: 0, width: 1, height: 1), CGRect(x: 0.3, y: 0, width: 0.02, height: 1),
    ])
  func nothingValid(_ rect: CGRect) throws {
    let buffer = try Self.picture()
    #expect(Self.disparity(rect, in: buffer).isNaN)
    #expect(Self.disparity(rect, prior: 1.5, in: buffer) == 1.5)
    #expect(Self.disparity(rect, prior: .infinity, in: buffer).isNaN)
  }

  @Test func aPictureIsNoDisparity() throws {
    let buffer = try CVBuffer.make(width: 8, height: 8, format: kCVPixelFormatType_32BGRA)
    #expect(Self.disparity(CGRect(x: 0, y: 0, width: 1, height: 1), in: buffer).isNaN)
  }
}

@Suite struct DetectionTypeTests {
  @Test func rawValues() {
    let types: [CNDetectionType] = [
      .unknown, .humanFace, .humanHead, .humanTorso, .catBody, .dogBody, .catHead, .dogHead, .sportsBall, .autoFocus,
      .fixedFocus, .custom,
    ]
    #expect(types.map(\.rawValue) == [0, 1, 2, 3, 4, 5, 9, 10, 11, 100, 101, 102])
    #expect(types.allSatisfy { CNDetectionType(rawValue: $0.rawValue) == $0 })
    #expect(CNDetectionType(rawValue: 77)?.rawValue == 77)
  }

  @Test func labelsAreBroad() {
    #expect(CNDetection.accessibilityLabel(for: .humanFace) == CNDetection.accessibilityLabel(for: .humanTorso))
    #expect(CNDetection.accessibilityLabel(for: .catHead) == CNDetection.accessibilityLabel(for: .dogBody))
    #expect(CNDetection.accessibilityLabel(for: .humanFace) != CNDetection.accessibilityLabel(for: .sportsBall))
    #expect(!CNDetection.accessibilityLabel(for: CNDetectionType(rawValue: 77)!).isEmpty)
  }
}

@Suite struct DetectionTrackTests {
  static func detection(_ frame: Int, _ disparity: Float) -> CNDetection {
    CNDetection(
      time: World.time(frame), detectionType: .custom, normalizedRect: CGRect(x: 0.1, y: 0.2, width: 0.3, height: 0.4),
      focusDisparity: disparity)
  }

  @Test func aCustomTrackIsSortedAndLooked() {
    let track = CNCustomDetectionTrack(
      detections: [4, 2, 8, 2].enumerated().map { Self.detection($1, Float($0)) }
        + [
          CNDetection(time: .invalid, detectionType: .custom, normalizedRect: .zero, focusDisparity: 1),
          CNDetection(time: .zero, detectionType: .custom, normalizedRect: .infinite, focusDisparity: .nan),
        ], smooth: false)
    #expect(track.isDiscrete && track.isUserCreated && track.detectionType == .custom)
    #expect(track.allDetections.map(\.time) == [2, 4, 8].map(World.time))
    #expect(track.allDetections.map(\.focusDisparity) == [3, 0, 2])
    #expect(track.detection(atOrBefore: World.time(1)) == nil)
    #expect(track.detection(atOrBefore: World.time(7))?.time == World.time(4))
    #expect(track.detection(nearest: World.time(6))?.time == World.time(4))
    #expect(track.detection(nearest: World.time(7))?.time == World.time(8))
    #expect(track.detections(in: CMTimeRange(start: World.time(2), end: World.time(8))).count == 2)
    #expect(track.allDetections.allSatisfy { $0.detectionID == nil } && track.detectionID.rawValue < 0)
  }

  @Test func aFixedTrackHasADetectionForAnyTime() {
    let original = CNDetection(
      time: .zero, detectionType: .humanFace, normalizedRect: CGRect(x: 0, y: 0, width: 1, height: 1),
      focusDisparity: 0.75)
    let track = CNFixedDetectionTrack(originalDetection: original)
    #expect(!track.isDiscrete && track.isUserCreated && track.detectionType == .fixedFocus)
    #expect(track.focusDisparity == 0.75 && track.originalDetection == original)
    let found = track.detection(atOrBefore: World.time(-5))
    #expect(found?.time == World.time(-5) && found?.focusDisparity == 0.75 && found?.detectionType == .fixedFocus)
    #expect(track.detections(in: CMTimeRange(start: .zero, end: World.time(9))).isEmpty)
    #expect(CNFixedDetectionTrack(focusDisparity: .nan).focusDisparity == 0)
  }

  @Test func addedTracksGetIDsAndCanBeFocused() throws {
    let script = try World(frameCount: 60, subjects: [Subject(7, 0...59, at: 1)]).script(base: [(0, 7)])
    let custom = CNCustomDetectionTrack(detections: (10...20).map { Self.detection($0, 2) }, smooth: true)
    let id = script.addDetectionTrack(custom)
    #expect(id == custom.detectionID && id.rawValue > 7 && CNDetectionID.isValidDetectionID(id))
    #expect(script.addDetectionTrack(custom) == id && script.addedDetectionTracks.count == 1)
    let fixed = script.addDetectionTrack(CNFixedDetectionTrack(focusDisparity: 3))
    #expect(fixed != id)
    #expect(script.addUserDecision(CNDecision(time: World.time(10), detectionID: id, strong: true)))
    #expect(script.addUserDecision(CNDecision(time: World.time(40), detectionID: fixed, strong: false)))
    let ids = script.focused
    #expect(
      ids[9] == 7 && ids[10] == id.rawValue && ids[20] == id.rawValue && ids[21] == 7 && ids[59] == fixed.rawValue)
    #expect(abs(script.focus[10] - 2) < 1e-6 && abs(script.focus[59] - 3) < 1e-6)
    let frame = try #require(script.frame(at: World.time(15), tolerance: .zero))
    #expect(frame.allDetections.count == 2 && frame.detection(for: id)?.focusDisparity == 2)
    #expect(script.frame(at: World.time(30), tolerance: .zero)?.allDetections.count == 1)
    #expect(script.detectionTrack(for: id) === custom)
    #expect(script.removeDetectionTrack(custom) && !script.removeDetectionTrack(custom))
    #expect(script.userDecisions(in: script.timeRange).count == 1)
    #expect(script.focused[15] == 7)
  }

  @Test func aTrackOfAnotherScriptIsNotRemoved() throws {
    let world = World(frameCount: 10, subjects: [Subject(7, 0...9, at: 1)])
    let (script, other) = (try world.script(base: [(0, 7)]), try world.script(base: [(0, 7)]))
    let (own, foreign) = (CNFixedDetectionTrack(focusDisparity: 2), CNFixedDetectionTrack(focusDisparity: 3))
    #expect(script.addDetectionTrack(own) == other.addDetectionTrack(foreign))
    #expect(!script.removeDetectionTrack(foreign) && script.addedDetectionTracks.count == 1)
    #expect(script.removeDetectionTrack(own) && script.addedDetectionTracks.isEmpty)
  }

  @Test func idsAreFoundWhereTheGreatestIsTaken() throws {
    let subjects = [Subject(.max, 0...9, at: 1), Subject(0, 0...9, at: 2), Subject(1, 0...9, at: 3)]
    let script = try World(frameCount: 10, subjects: subjects).script(base: [(0, .max)])
    let ids = [2, 3].map { script.addDetectionTrack(CNFixedDetectionTrack(focusDisparity: $0)) }
    #expect(ids == [CNDetectionID(2), CNDetectionID(3)])
    let read = try #require(CNScript.Changes(dataRepresentation: script.changes().dataRepresentation))
    #expect(script.objection(to: read) == nil && read.addedDetectionTracks.count == 2)
  }

  @Test func recordedTracksAreListed() throws {
    let script = try World(frameCount: 30, subjects: [Subject(7, 5...20, group: 3, at: 1)]).script(base: [(5, 7)])
    let track = try #require(script.detectionTrack(for: CNDetectionID(7)))
    #expect(!track.isUserCreated && track.isDiscrete && track.detectionType == .humanFace)
    #expect(track.detectionID == CNDetectionID(7) && track.detectionGroupID == CNDetectionGroupID(3))
    #expect(track.detections(in: script.timeRange).map(\.time) == (5...20).map(World.time))
    #expect(track.detection(atOrBefore: World.time(4)) == nil)
    #expect(track.detection(atOrBefore: World.time(29))?.time == World.time(20))
    #expect(track.detection(nearest: .zero)?.time == World.time(5))
    #expect(!script.removeDetectionTrack(track))
    #expect(script.detectionTrack(for: CNDetectionID(8)) == nil)
  }
}

@Suite struct TrackedDisparityTests {
  /// Smoothing as the public interface shows it.
  static func smoothed(_ values: [Float]) -> [Float] {
    CNCustomDetectionTrack(
      detections: values.enumerated().map { DetectionTrackTests.detection($0, $1) }, smooth: true
    ).allDetections.map(\.focusDisparity)
  }

  @Test func jitterIsLeftOut() {
    let jitter = (0..<60).map { 1 + 0.02 * Float($0 % 2) }
    let smoothed = Self.smoothed(jitter)
    #expect(smoothed.allSatisfy { abs($0 - smoothed[0]) < 1e-5 && $0 >= 1 && $0 <= 1.02 })
  }

  @Test func aStepIsFollowedWithoutOvershoot() {
    let smoothed = Self.smoothed((0..<60).map { $0 < 30 ? 1 : 2 })
    #expect(zip(smoothed, smoothed.dropFirst()).allSatisfy { $0 <= $1 + 1e-6 })
    #expect(abs(smoothed[10] - 1) < 0.03 && abs(smoothed[50] - 2) < 0.03)
    #expect(smoothed.allSatisfy { $0 >= 1 - 1e-6 && $0 <= 2 + 1e-6 })
  }

  @Test func aRampIsFollowedWithoutLag() {
    let ramp = (0..<120).map { 1 + Float($0) / 60 }
    let smoothed = Self.smoothed(ramp)
    for index in 20..<100 { #expect(abs(smoothed[index] - ramp[index]) < 1e-4) }
  }

  @Test(arguments: 0..<20) func neverOutsideTheRange(_ seed: Int) {
    var random = SplitMix(seed: UInt64(seed))
    let values = (0..<90).map { _ in Float(random.next(1000)) / 300 }
    let smoothed = Self.smoothed(values)
    #expect(smoothed.allSatisfy { $0 >= values.min()! - 1e-5 && $0 <= values.max()! + 1e-5 })
  }

  /// Invalid disparities of a recorded track are bridged.
  @Test func gapsAreBridged() throws {
    let world = World(
      frameCount: 60, subjects: [Subject(1, 0...59) { (20...30).contains($0) ? .nan : $0 < 20 ? 1 : 2 }])
    let script = try world.script(base: [(0, 1)])
    let focus = script.focus
    #expect(focus.allSatisfy { $0 >= 1 - 1e-5 && $0 <= 2 + 1e-5 })
    #expect(abs(focus[25] - 1.5) < 0.05)
    let nothing = try World(frameCount: 9, subjects: [Subject(1, 0...8, at: -1)]).script(base: [(0, 1)])
    #expect(nothing.focus.allSatisfy { $0 == 1 })
  }
}
