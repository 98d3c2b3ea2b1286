import Foundation
import QuickTime
import QuickTimeFuzz
import Testing

private let isThere = FileManager.default.isExecutableFile(atPath: "/usr/bin/ffprobe")

/// What ffprobe, an independent reader, says about the movies that are written.
@Suite(.enabled(if: isThere, "ffprobe is not installed"))
struct SecondOpinionTests {
  private struct Answer: Decodable {
    struct Stream: Decodable {
      let codec_type: String
      let codec_tag_string: String
      let id: String
      let time_base: String
      let width: Int?
      let height: Int?
      let color_transfer: String?
      let color_primaries: String?
      let sample_rate: String?
      let channels: Int?
      let tags: [String: String]?
    }

    struct Packet: Decodable {
      let stream_index: Int
      let pts: Int64?
      let dts: Int64?
      let size: String
      let pos: String?
      let flags: String
    }

    struct Format: Decodable {
      let tags: [String: String]?
    }

    let streams: [Stream]
    let packets: [Packet]
    let format: Format
  }

  private func ask(_ url: URL) throws -> Answer {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/ffprobe")
    process.arguments = [
      "-v", "error", "-ignore_editlist", "1", "-show_streams", "-show_packets", "-show_format", "-of", "json", url.path,
    ]
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return try JSONDecoder().decode(Answer.self, from: data)
  }

  @Test(arguments: MovieWriterTests.layouts) func readsWhatWeWrite(_ options: MovieWriter.Options) throws {
    let folder = try TemporaryFolder()
    try SmallMovie.write(to: folder.file("movie.mov"), options)
    let answer = try ask(folder.file("movie.mov"))
    let movie = try Movie.open(folder.file("movie.mov"))
    #expect(answer.streams.map(\.codec_tag_string) == ["hvc1", "dish", "mp4a", "mebx"])
    #expect(answer.streams[0].color_transfer == "arib-std-b67" && answer.streams[0].color_primaries == "bt2020")
    #expect(answer.streams[0].width == 64 && answer.streams[0].height == 36)
    #expect(answer.streams[2].sample_rate == "44100" && answer.streams[2].channels == 2)
    #expect(answer.streams.map(\.id) == ["0x1", "0x2", "0x3", "0x4"])
    #expect(answer.streams.map(\.time_base) == ["1/600", "1/600", "1/44100", "1/600"])
    #expect(answer.streams[0].tags?["language"] == "eng")
    #expect(answer.format.tags?["com.apple.quicktime.creationdate"] == "2024-05-01T12:00:00+0200")
    for (index, track) in movie.tracks.enumerated() {
      let packets = answer.packets.filter { $0.stream_index == index }
      #expect(packets.count == track.samples.count)
      for (packet, sample) in zip(packets, (0..<track.samples.count).map { track.samples[$0] }) {
        #expect(packet.size == "\(sample.size)" && packet.pos == "\(sample.offset)")
        #expect(packet.pts == sample.presentationTime && packet.dts == sample.decodeTime)
        // It takes samples of codings that it does not know for sync samples.
        if track.handler == "vide" { #expect(packet.flags.hasPrefix("K") == sample.isSync) }
      }
    }
  }

  @Test(.enabled(if: SharedMedia.isThere, "the shared media folder is absent"), arguments: SharedMedia.movies)
  func agreesAboutRealMovies(_ path: String) throws {
    let answer = try ask(SharedMedia.url(path))
    let movie = try Movie.open(SharedMedia.url(path))
    #expect(answer.streams.count == movie.tracks.count)
    // It leaves out samples of a second description.
    for (index, track) in movie.tracks.enumerated() where track.sampleDescriptions.count == 1 {
      let packets = answer.packets.filter { $0.stream_index == index }
      #expect(packets.count == track.samples.count)
      for (packet, sample) in zip(packets, (0..<track.samples.count).map { track.samples[$0] }) {
        #expect(packet.size == "\(sample.size)" && packet.pos == "\(sample.offset)")
        #expect(packet.pts == sample.presentationTime)
        // It takes samples of codings that it does not know for sync samples.
        if track.handler == "vide" { #expect(packet.flags.hasPrefix("K") == sample.isSync) }
      }
    }
  }
}
