import Foundation

extension CinematicTool {
  /// `cinematic decode`
  static let decodeCommand = Command(
    name: "decode",
    summary: "decode a movie's pictures to raw frames, YUV4MPEG2, PNG or EXR",
    details: [
      "Pictures are as stored: neither turned nor stretched, codes in the range and the colour of the stream, alpha straight, and opaque where "
        + "the stream has none. Every frame of the range is written once; what cannot be decoded is concealed, and told.",
      "Without --format a raw file has the decoder's own format (v216 and y416 for ProRes), and YUV4MPEG2 planes of its depth and chroma. "
        + "'png' is a folder of 16-bit R'G'B' pictures for displays in standard dynamic range, HLG and PQ tone-mapped as 'frame' does "
        + "it; 'exr' one of linear light in the movie's own primaries, 1 being reference white, colours multiplied by their alpha.",
      "To standard output the frames go as they are decoded, and what is to be told goes to standard error.",
    ],
    operands: [.init("MOVIE", "A MOV or MP4 file.")],
    options: [
      .init(
        "output", short: "o", value: "FILE", "Where the frames go; - is standard output, and pictures need a folder."),
      .overwrite,
      .init("format", value: "NAME", choices: DecodeOptions.formatNames, "How a frame lies in the file."),
      .init(
        "container", value: "KIND", choices: ["raw", "y4m"],
        "Raw frames or YUV4MPEG2; by the name of the output unless given."),
      .decoder,
      .init(
        "scale", value: "PART", choices: DecodeOptions.scaleNames,
        "Decode ProRes at a part of its size, which takes a part of the time."),
      .range("Only the frames from A up to B"),
      .init("frames", value: "N", "At most N frames."),
      .track,
      .init("threads", value: "N", "Threads that share a frame; all cores unless given."),
      .init(
        "conceal", value: "WITH", choices: ["grey", "previous"],
        "What stands in place of damage: grey, or the same place of the picture before."),
      .init("strict", "End at the first damaged frame with status 1, and leave nothing."),
      .progress,
    ],
    glossaries: [RawFormat.glossary],
    examples: [
      .init(
        "cinematic decode clip.mov --format yuv422p10 -o - | ffplay -f rawvideo -pixel_format yuv422p10le -video_size 1920x1080 -",
        "Raw frames, straight to a program."),
      .init("cinematic decode clip.mov -o clip.y4m --range '#100-#200'", "A hundred frames as YUV4MPEG2."),
      .init("cinematic decode clip.mov --format exr -o frames --scale 1/4", "Linear light in a quarter of the size."),
      .init("cinematic decode clip.mov -o /dev/null --json", "What is damaged, and who decodes."),
    ],
    action: { try await decode($0) })

  private static func decode(_ invocation: Invocation) async throws {
    let options = try DecodeOptions(invocation)
    let isFolder = options.container == .png || options.container == .exr
    let output = try invocation.output(inputs: [options.movie], kind: isFolder ? .folder : .file)
    let job = try DecodeJob(try await PictureTrack.open(options.movie, number: options.track), options)
    let progress = invocation.progress("decoding", total: job.frames.count)
    defer { progress.finish() }
    do {
      let report = try job.run(to: output, progress)
      progress.finish()
      invocation.tell(report, output)
    } catch let strict as StrictFailure {
      progress.finish()
      let failure = strict.failure(options.movie)
      guard invocation.wantsJSON else { throw failure }
      invocation.print(strict.report.json(output: output.name, failure: failure), beside: output)
      throw ReportedFailure(failure)
    }
  }
}

extension Command.Option {
  static let decoder = Self(
    "decoder", value: "WHO", choices: DecodingPlan.Choice.allCases.map(\.rawValue),
    "Who decodes: any (a device if there is one, else the processor; so unless given), cpu, vulkan (or an error), or "
      + "ffmpeg (its library, also for ProRes).")
  static let track = Self(
    "track", value: "N", "The picture track, as 'cinematic info' numbers it; the first unless given.")
}

extension Invocation {
  fileprivate func tell(_ report: DecodeReport, _ output: SafeOutput) {
    if wantsJSON {
      print(report.json(output: output.name), beside: output)
    } else {
      for remark in report.remarks { console.note("cinematic: \(Failure(remark).sentence)") }
    }
  }

  /// Prints a result as JSON where the output leaves room: to standard error if standard output is taken.
  fileprivate func print(_ json: JSON, beside output: SafeOutput) {
    output.isStandardOutput ? console.note(json.text) : console.print(json.text)
  }
}
