import Foundation
import QuickTime

extension FuzzTarget {
  /// Samples of `mebx` tracks, behind the key tables of their descriptions.
  public static let timedMetadata = FuzzTarget(
    name: "mebx",
    seeds: {
      let sample = MetadataSample(items: [
        MetadataSampleItem(localID: 1, payload: Data(1...9)), MetadataSampleItem(localID: 4, payload: Data(count: 4)),
      ])
      return [
        MetadataSampleCodec.data(of: sample), MetadataSampleCodec.data(of: .empty),
        CinematicKey.writtenKeyTable.payload,
      ]
    },
    run: { data in
      if let sample = try? MetadataSampleCodec.sample(from: data) {
        expect(MetadataSampleCodec.data(of: sample) == data, "a sample is written as it was")
      }
      if let table = try? MetadataKeyTable(payload: data) {
        expect(table.payload == data, "a key table is written as it was")
        for entry in table.entries { expect(table.entry(localID: entry.localID) != nil, "an entry is found by its id") }
      }
    })

  /// The items of the Cinematic keys, and the movie's blob.
  public static let cinematicItems = FuzzTarget(
    name: "items",
    seeds: {
      let detection = CinematicDetection(
        trackID: 1, groupID: -1, type: 1, focusDisparity: 1, x: 0.1, y: 0.2, width: 0.3, height: 0.4)
      return [
        CinematicFrameItem(header: CinematicFrameHeader(), detections: [detection, detection]).payload,
        CinematicStabilizationItem().payload, CinematicMovieBlob.written(fNumber: 2.8).payload,
        DisparityCoding.standard.payload, Data([0, 0, 0, 24]) + Data("rend".utf8) + Data(1...16),
      ]
    },
    run: { data in
      if let item = try? CinematicFrameItem(payload: data) {
        expect(item.payload == data, "a frame is written as it was")
      }
      if let item = try? CinematicRenderingItem(payload: data) {
        expect(item.payload == data, "a rendering item is written as it was")
      }
      if let item = try? CinematicStabilizationItem(payload: data) {
        expect(item.payload == data, "a stabilization item is written as it was")
      }
      if let blob = try? CinematicMovieBlob(payload: data) {
        expect(blob.payload == data, "a blob is written as it was")
      }
      if let coding = try? DisparityCoding(payload: data) {
        expect(coding.minimum < coding.maximum, "a coding has a range")
      }
    })
}
