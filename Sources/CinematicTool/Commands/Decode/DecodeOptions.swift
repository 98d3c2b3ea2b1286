import CoreVideo
import Foundation
import ProRes
import VideoToolbox

/// What a decode is asked for.
struct DecodeOptions: Sendable {
  /// How frames go into the output.
  enum Container: String, CaseIterable, Sendable {
    /// One frame after the other.
    case raw
    /// YUV4MPEG2.
    case y4m
    /// A folder of numbered pictures.
    case png, exr
  }

  var movie: String
  var track: Int?
  var container: Container
  /// Nil for the decoder's own.
  var format: RawFormat?
  var choice: DecodingPlan.Choice
  var scale: ProResScale
  var range: TimeRangeExpression?
  var limit: Int?
  var threads: Int
  var concealment: PictureDecoderOptions.Concealment
  var isStrict: Bool

  init(_ invocation: Invocation) throws {
    movie = invocation.operand("MOVIE")
    track = try invocation.integer("track", in: 1...Int(Int32.max))
    container = try Self.container(invocation)
    format = try Self.format(invocation, container)
    choice = invocation.decoderChoice
    scale = Self.scales[invocation.value("scale") ?? ""] ?? .full
    range = try invocation.timeRange("range")
    limit = try invocation.integer("frames", in: 1...Int(Int32.max))
    threads = try invocation.integer("threads", in: 1...256) ?? 0
    concealment = invocation.value("conceal") == "previous" ? .previousPicture : .grey
    isStrict = invocation.has("strict")
  }

  static let scaleNames = ["1", "1/2", "1/4", "1/8"]
  private static let scales = Dictionary(uniqueKeysWithValues: zip(scaleNames, ProResScale.allCases))
  static let formatNames = RawFormat.all.map(\.name) + ["png", "exr"]

  /// By `--container`, else by the format, else by the output's name.
  private static func container(_ invocation: Invocation) throws -> Container {
    let output = try invocation.required("output")
    let isY4M = output.lowercased().hasSuffix(".y4m")
    let isPicture = [".png", ".exr"].contains { output.lowercased().hasSuffix($0) }
    if isPicture, invocation.value("format").flatMap(Container.init) == nil {
      throw UsageError(
        "'\(output)' is called a picture: '--format \(output.suffix(3).lowercased())' writes a folder of them",
        path: invocation.path)
    }
    let pictures = invocation.value("format").flatMap(Container.init)
    guard let named = invocation.value("container").flatMap(Container.init) else {
      return pictures ?? (isY4M ? .y4m : .raw)
    }
    if let pictures, named != pictures {
      throw UsageError(
        "'--format \(pictures.rawValue)' writes a folder of pictures, not '--container \(named.rawValue)'",
        path: invocation.path)
    }
    return named
  }

  private static func format(_ invocation: Invocation, _ container: Container) throws -> RawFormat? {
    guard let name = invocation.value("format"), let format = RawFormat.named(name) else { return nil }
    guard container == .y4m, Y4MHeader.color(of: format, siting: nil) == nil else { return format }
    throw UsageError(
      "YUV4MPEG2 holds planes of Y', Cb and Cr\(format.hasAlpha ? " without alpha" : ""), not '\(name)': choose "
        + "'--format \(format.planarWithoutAlpha)', or '--container raw'",
      path: invocation.path)
  }

  /// A plan for the frames of a track, with the format settled that the options leave open.
  func plan(for track: PictureTrack) throws -> DecodingPlan {
    var plan = DecodingPlan(choice: choice, scale: scale, threads: threads, concealment: concealment)
    switch container {
    case .png, .exr: plan.pixelFormat = try plan.developable(of: track)
    case .raw: plan.format = try format ?? plan.native(of: track)
    case .y4m: plan.format = try format ?? plan.planar(of: track)
    }
    return plan
  }
}

extension Invocation {
  var decoderChoice: DecodingPlan.Choice { value("decoder").flatMap(DecodingPlan.Choice.init) ?? .any }
}
