import CoreMedia
import CoreVideo
import Foundation
import ProResClips
import SampleStream
import Testing

/// The example that sends samples over a network, both ends in one process.
@Suite struct NetworkSamplesTests {
  /// What a receiver reports of what `send` sends, and how it ends.
  private func transmit(_ send: @escaping @Sendable (Connection) throws -> Void) throws -> (
    [ReceivedFrame], (any Error)?
  ) {
    let (frames, error, _) = try transmitCounting(send)
    return (frames, error)
  }

  private func transmitCounting(_ send: @escaping @Sendable (Connection) throws -> Void) throws -> (
    [ReceivedFrame], (any Error)?, (frames: Int, lost: Int)
  ) {
    let listener = try Listener(port: 0)
    let port = listener.port
    let sender = Thread { try? send(Connection(to: "127.0.0.1", port: port)) }
    sender.start()
    let frames = Frames()
    let receiver = Receiver { frames.take($0) }
    do {
      try receiver.receive(from: listener.accept())
      return (frames.all, nil, receiver.counts)
    } catch {
      return (frames.all, error, receiver.counts)
    }
  }

  private final class Frames: @unchecked Sendable {
    // Unchecked: guarded by the lock.
    private let guardian = NSLock()
    private var kept: [ReceivedFrame] = []
    var all: [ReceivedFrame] { guardian.withLock { kept } }
    func take(_ frame: ReceivedFrame) { guardian.withLock { kept.append(frame) } }
  }

  @Test(
    .enabled(if: SharedMedia.has("prores/apple-prores-422-hq.mov"), SharedMedia.missing),
    arguments: [
      ("prores/apple-prores-422-hq.mov", "v216"), ("prores/apple-prores-422-proxy.mov", "v216"),
      ("bugs/full.mov", "y416"),
      ("bugs/hlg.mov", "v216"),
    ])
  func `what arrives is what the movie holds`(file: String, format: String) async throws {
    let sender = try await Sender(SharedMedia.url(file))
    let (frames, error) = try transmit { try sender.send(to: $0) }
    #expect(error == nil)
    let wanted = try SharedMedia.pictures(file, fourCharacterCode(format))
    #expect(frames == wanted.map { ReceivedFrame($0.presentationTimeStamp, $0.imageBuffer, noErr) })
    #expect(frames.allSatisfy { $0.pixelFormat == format && $0.checksum != 0 })
  }

  @Test func `a frame that cannot be decoded is reported, and the rest goes on`() throws {
    let clip = try Clip(.lt, frames: 2)
    let (frames, error, counts) = try transmitCounting { connection in
      try connection.send(Message.format(StreamFormat(clip.format)).bytes)
      for (index, bytes) in [Data(clip.bytes[0].prefix(50)), Data(clip.bytes[1])].enumerated() {
        let time = CMTime(value: Int64(index), timescale: 25)
        let sample = StreamSample(time: time, duration: CMTime(value: 1, timescale: 25), bytes: bytes)
        try connection.send(Message.sample(sample).bytes)
      }
      try connection.send(Message.end.bytes)
    }
    #expect(error == nil && frames.count == 2)
    #expect(frames.map { $0.status == noErr } == [false, true])
    #expect(counts.frames == 2 && counts.lost == 1)
  }

  @Test func `a movie that cannot be sent is refused before anyone is called`() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("samples-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let text = folder.appendingPathComponent("text.mov")
    try Data("This is no movie.".utf8).write(to: text)
    for movie in [folder.appendingPathComponent("none.mov"), text] {
      let error = await #expect(throws: (any Error).self) { _ = try await Sender(movie) }
      let sentence = try #require((error as? any LocalizedError)?.errorDescription)
      #expect(sentence.contains(movie.lastPathComponent) && sentence.hasSuffix("."))
    }
  }

  @Test(.enabled(if: SharedMedia.has("phone/hevc-alpha.mov"), SharedMedia.missing))
  func `a movie that is not ProRes is refused by name`() async throws {
    let error = await #expect(throws: StreamError.self) {
      _ = try await Sender(SharedMedia.url("phone/hevc-alpha.mov"))
    }
    #expect(error?.description == "hevc-alpha.mov is 'hvc1', which is not ProRes; choose a ProRes movie.")
  }

  private static let hostile: [(String, [UInt8])] = {
    let tall: [UInt8] = Array("apch".utf8) + [0x7F, 0, 0, 0, 0x7F, 0, 0, 0] + [UInt8](repeating: 0, count: 14)
    return [
      ("nothing", []), ("another protocol", Array("GET / HTTP/1.1\r\n\r\n".utf8)),
      ("a huge sample", [0x53, 0xFF, 0xFF, 0xFF, 0xFF]), ("a huge format", [0x46, 0, 0, 1, 0]),
      ("a short format", [0x46, 0, 0, 0, 2, 1, 2]), ("an end with bytes", [0x45, 0, 0, 0, 1, 0]),
      ("a sample first", [0x53, 0, 0, 0, 25] + [UInt8](repeating: 1, count: 25)),
      ("a cut-off sample", [0x53, 0, 0, 4, 0, 1, 2, 3]), ("a picture too large", [0x46, 0, 0, 0, 26] + tall),
    ]
  }()

  @Test(arguments: hostile)
  func `a stream that breaks the rules ends with a sentence`(name: String, bytes: [UInt8]) throws {
    let (frames, error) = try transmit { try $0.send(Data(bytes)) }
    #expect(frames.isEmpty)
    let sentence = try #require(error as? StreamError, "\(name)").description
    #expect(sentence.hasSuffix(".") && sentence.count > 20)
  }

  @Test func `messages survive the wire`() throws {
    var format = StreamFormat(codec: fourCharacterCode("ap4h"), width: 1920, height: 1080)
    format.transfer = 18
    format.isFullRange = true
    format.pixelAspect = (4, 3)
    format.fieldCount = 2
    format.fieldDetail = 14
    let bytes = Message.format(format).bytes
    guard case .format(let read) = try Message(kind: bytes[0], payload: bytes.dropFirst(5)) else {
      Issue.record("no format came")
      return
    }
    #expect(read == format)
    let described = try read.formatDescription()
    #expect(StreamFormat(described) == format)
    let detail = CMFormatDescriptionGetExtension(
      described, extensionKey: kCMFormatDescriptionExtension_FieldDetail)
    #expect(detail as? String == kCMFormatDescriptionFieldDetail_SpatialFirstLineLate)
    let sample = StreamSample(
      time: CMTime(value: -7, timescale: 30000), duration: .invalid, bytes: Data([1, 2, 3]))
    let other = Message.sample(sample).bytes
    guard case .sample(let back) = try Message(kind: other[0], payload: other.dropFirst(5)) else {
      Issue.record("no sample came")
      return
    }
    #expect(back.time == sample.time && !back.duration.isValid && back.bytes == sample.bytes)
  }
}
