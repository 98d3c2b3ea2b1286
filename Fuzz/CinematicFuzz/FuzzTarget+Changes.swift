import Cinematic
import Foundation
public import QuickTimeFuzz

extension FuzzTarget {
  /// The edits of a script, as binary and as JSON.
  public static let changes = FuzzTarget(
    name: "changes",
    seeds: {
      let changes = seedChanges()
      return [changes.dataRepresentation, changes.jsonRepresentation, CNScript.Changes().dataRepresentation]
    },
    run: { data in
      for input in [data, withChecksum(data)] {
        if let changes = try? CNScript.Changes(reading: input) { expectRoundTrip(changes) }
      }
      if let changes = try? CNScript.Changes(jsonRepresentation: data) { expectRoundTrip(changes) }
    })

  private static func seedChanges() -> CNScript.Changes {
    let detections = (0..<3).map {
      CNDetection(
        time: CMTime(value: Int64($0) * 20, timescale: 600), detectionType: .humanFace,
        normalizedRect: CGRect(x: 0.1, y: 0.2, width: 0.3, height: 0.4), focusDisparity: 0.5)
    }
    return CNScript.Changes(
      fNumber: 2.8,
      userDecisions: [
        CNDecision(time: CMTime(value: 20, timescale: 600), detectionID: CNDetectionID(7), strong: true),
        CNDecision(time: CMTime(value: 60, timescale: 600), detectionGroupID: CNDetectionGroupID(9), strong: false),
      ],
      addedDetectionTracks: [
        CNFixedDetectionTrack(focusDisparity: 1.5), CNCustomDetectionTrack(detections: detections, smooth: false),
      ])
  }

  /// What is understood is written so that it is understood again, in both forms.
  private static func expectRoundTrip(_ changes: CNScript.Changes) {
    let binary = changes.dataRepresentation
    let again = CNScript.Changes(dataRepresentation: binary)
    expect(again?.dataRepresentation == binary, "changes are written as they were")
    let json = changes.jsonRepresentation
    expect((try? CNScript.Changes(jsonRepresentation: json)) != nil, "the JSON view is read again")
  }

  /// The checksum (FNV-1a of everything behind it) put right, or no damage would get past it.
  private static func withChecksum(_ data: Data) -> Data {
    let checksumPlace = 10
    var bytes = [UInt8](data)
    guard bytes.count >= checksumPlace + 4 else { return data }
    let sum = bytes[(checksumPlace + 4)...].reduce(UInt32(0x811C_9DC5)) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
    for index in 0..<4 { bytes[checksumPlace + index] = UInt8(truncatingIfNeeded: sum >> UInt32(24 - 8 * index)) }
    return Data(bytes)
  }
}
