import Foundation

/// The programs `ffmpeg` and `ffprobe`, an independent implementation to compare with.
enum FFmpegTool {
  static let isHere = ["ffmpeg", "ffprobe"].allSatisfy {
    FileManager.default.isExecutableFile(atPath: "/usr/bin/" + $0)
  }

  /// What a program writes to its output.
  static func run(_ name: String, _ arguments: [String]) throws -> Data {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/" + name)
    process.arguments = ["-v", "error"] + arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return output
  }

  static func text(_ name: String, _ arguments: [String]) throws -> String {
    String(decoding: try run(name, arguments), as: UTF8.self)
  }

  /// The packets of all streams: stream, times, size, flags, place in the order of the file left out.
  static func packets(_ url: URL) throws -> [String] {
    let entries = "packet=stream_index,pts,dts,duration,size,flags"
    let text = try text("ffprobe", ["-show_entries", entries, "-of", "compact", url.path])
    return text.split(separator: "\n").map(String.init).sorted()
  }

  static func streams(_ url: URL) throws -> [String] {
    let entries =
      "stream=index,codec_name,codec_tag_string,profile,width,height,pix_fmt,color_range,color_space,color_transfer,"
      + "color_primaries,time_base,start_pts,duration_ts,nb_frames,sample_rate,channels:stream_side_data=rotation"
    let text = try text("ffprobe", ["-show_entries", entries, "-of", "compact", url.path])
    return text.split(separator: "\n").map(String.init)
  }

  /// The presentation times of a stream's decoded frames, in seconds.
  static func frameTimes(_ url: URL, stream: String = "v:0") throws -> [Double] {
    let text = try text(
      "ffprobe",
      ["-select_streams", stream, "-show_entries", "frame=best_effort_timestamp_time", "-of", "csv=p=0", url.path])
    return text.split(whereSeparator: \.isNewline).compactMap { Double($0.split(separator: ",")[0]) }
  }
}
