import AVFoundation
import CoreMedia
import Foundation
import QuickTime
import Testing

struct MetadataTests {
  private func item(_ identifier: String, _ type: String, _ value: any Sendable) -> AVMetadataItem {
    let item = AVMutableMetadataItem()
    item.identifier = AVMetadataIdentifier(rawValue: identifier)
    item.dataType = type
    item.value = value
    return item
  }

  private var items: [AVMetadataItem] {
    [
      item("mdta/test.float", kCMMetadataBaseDataType_Float32, Float(2.5)),
      item("mdta/test.text", kCMMetadataBaseDataType_UTF8, "grün"),
      item("mdta/test.raw", kCMMetadataBaseDataType_RawData, Data([1, 2, 3])),
      item("mdta/test.integer", kCMMetadataBaseDataType_SInt32, -7),
      item("mdta/test.rect", kCMMetadataBaseDataType_RectF32, CGRect(x: 0.25, y: 0.5, width: 0.125, height: 1)),
    ]
  }

  @Test func timedGroupsComeBack() async throws {
    let folder = try TemporaryFolder()
    let range = CMTimeRange(start: .zero, duration: CMTime(value: 1, timescale: 30))
    let format = try #require(AVTimedMetadataGroup(items: items, timeRange: range).copyFormatDescription())
    let writer = try AVAssetWriter(outputURL: folder.file("a.mov"), fileType: .mov)
    let input = AVAssetWriterInput(mediaType: .metadata, outputSettings: nil, sourceFormatHint: format)
    let adaptor = AVAssetWriterInputMetadataAdaptor(assetWriterInput: input)
    writer.add(input)
    #expect(writer.startWriting())
    writer.startSession(atSourceTime: .zero)
    let times = (0..<10).map { CMTime(value: $0, timescale: 30) }
    for (index, time) in times.enumerated() {
      let group = AVTimedMetadataGroup(
        items: Array(items.prefix(index % 6)), timeRange: CMTimeRange(start: time, duration: range.duration))
      #expect(adaptor.append(group))
    }
    await writer.finishWriting()
    #expect(writer.status == .completed, "\(writer.error.debugDescription)")

    let asset = AVURLAsset(url: folder.file("a.mov"))
    let reader = try AVAssetReader(asset: asset)
    let output = AVAssetReaderTrackOutput(track: try #require(asset.tracks.first), outputSettings: nil)
    let groups = AVAssetReaderOutputMetadataAdaptor(assetReaderTrackOutput: output)
    reader.add(output)
    #expect(reader.startReading())
    for (index, time) in times.enumerated() {
      let group = try #require(groups.nextTimedMetadataGroup())
      #expect(group.timeRange == CMTimeRange(start: time, duration: range.duration))
      let expected = items.prefix(index % 6)
      #expect(group.items.map(\.identifier) == expected.map(\.identifier))
      #expect(group.items.map(\.dataType) == expected.map(\.dataType))
      #expect(group.items.map(\.dataValue) == expected.map(\.dataValue))
      if index == 5 { expectValues(group.items) }
    }
    #expect(groups.nextTimedMetadataGroup() == nil)
    #expect(reader.status == .completed)
  }

  private func expectValues(_ items: [AVMetadataItem]) {
    #expect(items[0].numberValue == 2.5)
    #expect(items[1].stringValue == "grün")
    #expect(items[2].value as? Data == Data([1, 2, 3]))
    #expect(items[3].numberValue == -7 && items[3].stringValue == "-7")
    #expect(items[4].value as? CGRect == CGRect(x: 0.25, y: 0.5, width: 0.125, height: 1))
  }

  @Test func itemsWithoutAKeyEndWriting() async throws {
    let folder = try TemporaryFolder()
    let range = CMTimeRange(start: .zero, duration: CMTime(value: 1, timescale: 30))
    let format = AVTimedMetadataGroup(items: [items[0]], timeRange: range).copyFormatDescription()
    let writer = try AVAssetWriter(outputURL: folder.file("a.mov"), fileType: .mov)
    let input = AVAssetWriterInput(mediaType: .metadata, outputSettings: nil, sourceFormatHint: format)
    let adaptor = AVAssetWriterInputMetadataAdaptor(assetWriterInput: input)
    writer.add(input)
    #expect(writer.startWriting())
    writer.startSession(atSourceTime: .zero)
    #expect(!adaptor.append(AVTimedMetadataGroup(items: items, timeRange: range)))
    #expect(writer.error?.localizedDescription.contains("mdta/test.text") ?? false)
    await writer.finishWriting()
    #expect(folder.names.isEmpty)
  }

  @Test func movieMetadataComesBack() async throws {
    let folder = try TemporaryFolder()
    let writer = try AVAssetWriter(outputURL: folder.file("a.mov"), fileType: .mov)
    writer.metadata = [
      item(
        AVMetadataIdentifier.quickTimeMetadataCreationDate.rawValue, kCMMetadataBaseDataType_UTF8,
        "2023-10-04T17:05:00+0900"),
      item(
        AVMetadataIdentifier.quickTimeMetadataLocationISO6709.rawValue, kCMMetadataBaseDataType_UTF8,
        "+35.6586+139.7454/"),
      item(AVMetadataIdentifier.commonIdentifierTitle.rawValue, kCMMetadataBaseDataType_UTF8, "Tower"),
      item(
        AVMetadataIdentifier.quickTimeUserDataLocationISO6709.rawValue, kCMMetadataBaseDataType_UTF8,
        "+35.6586+139.7454/"),
    ]
    let input = AVAssetWriterInput(mediaType: .audio, outputSettings: SoundTests.aac)
    writer.add(input)
    #expect(writer.startWriting())
    writer.startSession(atSourceTime: .zero)
    #expect(input.append(try SmallSound.buffer(0..<2000)))
    await writer.finishWriting()
    #expect(writer.status == .completed, "\(writer.error.debugDescription)")

    let asset = AVURLAsset(url: folder.file("a.mov"))
    let metadata = try await asset.load(.metadata)
    #expect(
      Set(metadata.map { $0.identifier?.rawValue ?? "" }) == [
        "mdta/com.apple.quicktime.creationdate", "mdta/com.apple.quicktime.location.ISO6709",
        "mdta/com.apple.quicktime.title", "udta/%A9xyz",
      ])
    #expect(asset.availableMetadataFormats == [.quickTimeMetadata, .quickTimeUserData])
    #expect(try await asset.loadMetadata(for: .quickTimeUserData).count == 1)
    let date = try #require(try await asset.load(.creationDate))
    #expect(date.stringValue == "2023-10-04T17:05:00+0900")
    #expect(date.dateValue == Date(timeIntervalSince1970: 1_696_406_700))
    let titles = AVMetadataItem.metadataItems(from: asset.commonMetadata, filteredByIdentifier: .commonIdentifierTitle)
    #expect(titles.map(\.stringValue) == ["Tower"])
  }

  @Test func identifiersEscapeWhatIsNotASCII() {
    let identifier = AVMetadataItem.identifier(forKey: "\u{A9}xyz", keySpace: .quickTimeUserData)
    #expect(identifier == .quickTimeUserDataLocationISO6709)
    #expect(identifier?.key == "\u{A9}xyz" && identifier?.keySpace == .quickTimeUserData)
  }
}
