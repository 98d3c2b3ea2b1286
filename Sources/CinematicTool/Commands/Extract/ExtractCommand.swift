import AVFoundation
import Cinematic
import Foundation

extension CinematicTool {
  static let extractCommand = Command(
    name: "extract",
    summary: "take a movie apart: picture, disparity, script",
    details: [
      "Writes a folder with picture.mov (the picture track and the sound, copied), script.json (the focus script as it was "
        + "recorded) and the disparity: disparity-00000.exr and on (32-bit floats, channels 'disparity' in 1/m and Z "
        + "in metres), disparity-00000.png and on (16-bit grey, the logarithmic code of the track from black to white), or disparity.mov "
        + "(the track as it is stored, for any HEVC decoder). 'pack' puts them together again."
    ],
    operands: [.init("MOVIE", "A movie recorded in Cinematic mode.")],
    options: [
      .init("output", short: "o", value: "FOLDER", "Where the parts go."),
      .init(
        "disparity", value: "KIND", choices: ["exr", "png", "movie", "none"],
        "How to write the disparity; 'exr' by default."),
      .range("Write only the disparity of the frames from A up to B"), .progress,
    ],
    examples: [
      .init("cinematic extract IMG_1234.MOV -o parts", "Everything in a folder."),
      .init(
        "cinematic pack --picture parts/picture.mov --disparity parts/disparity-%05d.exr --script parts/script.json -o again.mov",
        "And back again."),
    ],
    action: { try await extract($0) })

  private static func extract(_ invocation: Invocation) async throws {
    let path = invocation.operand("MOVIE")
    let output = try invocation.output(inputs: [path], kind: .folder)
    let shot = try await Shot.open(path, edits: nil, fNumber: nil)
    let kind = DisparityExtract.Kind(rawValue: invocation.value("disparity") ?? "exr") ?? .exr
    let frames = try invocation.timeRange("range")?.frames(among: shot.script.recorded.times)
    let disparity = DisparityExtract(
      shot: shot, kind: kind, frames: frames ?? 0..<shot.script.recorded.frameCount, folder: output.temporaryURL)
    let progress = invocation.progress("extracting", total: disparity.frames.count)
    defer { progress.finish() }
    try writeScript(of: shot, to: output.temporaryURL.appendingPathComponent("script.json"))
    try await copyPicture(of: shot, to: output.temporaryURL.appendingPathComponent("picture.mov"))
    try await disparity.write(progress)
    try output.commit()
    invocation.report([("disparities", .integer(kind == .none ? 0 : disparity.frames.count))], of: output)
  }

  private static func writeScript(of shot: Shot, to url: URL) throws {
    guard FileManager.default.createFile(atPath: url.path, contents: nil) else {
      throw Failure("'\(url.path)' cannot be written")
    }
    let file = try FileHandle(forWritingTo: url)
    defer { try? file.close() }
    var pending = Data()
    try shot.script.recorded.writeJSON { data in
      pending.append(data)
      guard pending.count > 1 << 20 else { return }
      try file.write(contentsOf: pending)
      pending.removeAll(keepingCapacity: true)
    }
    try file.write(contentsOf: pending)
  }

  private static func copyPicture(of shot: Shot, to url: URL) async throws {
    let tracks = [shot.info.cinematicVideoTrack] + (try await shot.asset.loadTracks(withMediaType: .audio))
    try await TrackCopy(shot.asset, tracks).write(to: url)
  }
}
